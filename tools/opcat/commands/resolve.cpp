#include "resolve.hpp"

#include "command.hpp"
#include "resolve_classic.hpp"
#include "support/text.hpp"

#include <algorithm>

namespace opcat {

std::string aligned(std::vector<std::vector<std::string>> rows) {
    std::vector<size_t> widths;
    for (auto& row : rows) {
        for (std::string& cell : row) cell = escape_controls(cell);
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - display_width(row[i]) + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

void add_resolve(Command tree, Session& session) {
    const Command command = tree.add_command("resolve", "Predict what OLM would install or upgrade to");
    command.needs_command();
    add_resolve_v1(command, session);
    add_resolve_ocp_upgrade(command, session);
    add_resolve_classic(command, session);
}

} // namespace opcat
