#include "help/rule_links.hpp"

#include "environment.hpp"

#include <fmt/core.h>

namespace opcat {

namespace fs = std::filesystem;

std::string rules_page() {
    const fs::path program = own_program();
    const fs::path page = program.parent_path().parent_path() / "share/doc/opcat/rules.html";
    std::error_code failed;
    return !program.empty() && fs::exists(page, failed) ? "file://" + page.string() : std::string();
}

std::string with_rule_link(std::string finding, std::string_view rule, std::string_view page) {
    const std::string id = fmt::format("[{}]\n", rule);
    const size_t at = finding.find(id);
    if (page.empty() || at == finding.npos) return finding;
    constexpr std::string_view begin = "\x1b]8;;";
    constexpr std::string_view end = "\x1b\\";
    finding.replace(at, id.size(), fmt::format("[{0}{2}#{3}{1}{3}{0}{1}]\n", begin, end, page, rule));
    return finding;
}

} // namespace opcat
