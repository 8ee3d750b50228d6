#include "opcat/workspace/lookalikes.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/ignore/ignore_rules.hpp"
#include "opcat/lint/configuration.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace opcat {
namespace {

namespace fs = std::filesystem;

bool is_named_as_catalog(const fs::path& path) {
    constexpr std::array<std::string_view, 4> extensions{".yaml", ".yml", ".json", ".jsonl"};
    return std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
}

} // namespace

std::string_view first_schema(std::string_view text) {
    constexpr std::string_view word = "schema";
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const bool begins =
            at == 0 || std::string_view("\n\"'{ ,").find(text[at - 1]) != std::string_view::npos;
        const std::string_view rest = text.substr(at + word.size());
        const size_t value = rest.find_first_not_of("\"': \t");
        const bool is_key = value != rest.npos && rest.substr(0, value).find(':') != rest.npos;
        if (!begins || !is_key || !rest.substr(value).starts_with("olm.")) continue;
        const std::string_view schema = rest.substr(value);
        return schema.substr(0, schema.find_first_of("\"' \t\r\n,}#"));
    }
    return {};
}

bool looks_like_catalog(std::string_view text) {
    return !first_schema(text).empty();
}

bool file_looks_like_catalog(const fs::path& path, std::string& problem) {
    if (!is_named_as_catalog(path)) return false;
    try {
        // A package's schema may come after its icon.
        constexpr size_t enough = size_t{1} << 20;
        RegularFile file(path);
        std::string start(std::min<uint64_t>(file.size(), enough), '\0');
        return looks_like_catalog(file.next(start));
    } catch (const Error& error) {
        problem = error.what();
        return false;
    }
}

bool is_like_catalog(const fs::path& directory, std::string& problem) {
    constexpr size_t most = 10'000;
    std::error_code failed;
    if (fs::exists(directory / ignore_file_name, failed)) return true;
    size_t count = 0;
    for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        if (++count > most) return false;
        const std::string name = entry->path().filename().string();
        if (name == configuration_file_name) continue;
        if (name.starts_with('.')) return false;
        std::error_code ignored;
        if (!entry->is_directory(ignored) && !file_looks_like_catalog(entry->path(), problem)) return false;
    }
    if (failed) problem = cannot_list(directory, failed);
    return !failed;
}

std::string cannot_list(const fs::path& directory, std::error_code why) {
    return fmt::format("cannot read the directory {}: {}", directory.string(), system_message(why.value()));
}

} // namespace opcat
