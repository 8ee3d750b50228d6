#include "outputs.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/git.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/workspace/reference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// Returns nothing for what a file cannot be put in the place of.
std::optional<fs::path> place_of(const std::string& path) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return std::nullopt;
    const fs::path place = fs::weakly_canonical(fs::absolute(path), failed);
    if (failed) return std::nullopt;
    return place.has_filename() ? place : place.parent_path();
}

bool is_below(const fs::path& place, const fs::path& directory) {
    return std::mismatch(directory.begin(), directory.end(), place.begin(), place.end()).first ==
           directory.end();
}

// The schema of the first document of a file: empty if that is no blob, or does not read; nothing if there is
// no document.
std::optional<std::string> schema_of(const SourceFile& file) {
    if (file.bytes().find('\0') != std::string_view::npos)
        return std::string(); // an archive may hold catalogs
    Diagnostics problems;
    bool is_readable = true;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Arena arena;
        Diagnostic problem;
        const auto document = read_document(file, range, arena, problem);
        is_readable = is_readable && document;
        if (!document || document->is_null()) continue;
        const Value* const schema = document->is_object() ? document->find("schema") : nullptr;
        return schema ? std::string(schema->string_or_empty()) : std::string();
    }
    return is_readable && problems.empty() ? std::nullopt : std::optional<std::string>("");
}

bool is_of_catalog(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed) &&
           schema_of(*read_file(path, path.string())).value_or("").starts_with("olm.");
}

std::string beginning_of(const fs::path& path) {
    constexpr std::streamsize most = 4096;
    std::string bytes(most, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), most);
    bytes.resize(static_cast<size_t>(file.gcount()));
    return bytes;
}

// What is never replaced, whatever is written.
void require_replaceable(const std::string& named, const fs::path& place, const IsOwn& is_own) {
    std::error_code failed;
    const bool is_message = place.filename().string().ends_with("MSG"); // as git calls those of commits
    if (std::ranges::any_of(place, is_git_directory) && !is_message)
        throw RequestError(fmt::format("{} would be a file of git's own", named), "name another file");
    const fs::file_status status = fs::status(place, failed);
    if (!fs::is_regular_file(status) || fs::file_size(place, failed) == 0) return;
    constexpr auto execution = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    if ((status.permissions() & execution) != fs::perms::none)
        throw RequestError(fmt::format("{} is a program, and is not replaced", named), "name another file");
    if (is_own && !is_own(place, beginning_of(place)))
        throw RequestError(fmt::format("{} is a file of another kind, and is not replaced", named),
                           "name another file, or remove this one first");
}

} // namespace

bool is_plain_text(const fs::path& path, std::string_view beginning) {
    constexpr std::array<std::string_view, 7> structured = {"{", "[", "<", "---", "%", "#!", "SQLite format"};
    constexpr std::array<std::string_view, 6> extensions = {".json", ".yaml", ".yml",
                                                            ".xml",  ".svg",  ".html"};
    return beginning.find('\0') == beginning.npos &&
           std::ranges::none_of(structured,
                                [&](std::string_view start) { return beginning.starts_with(start); }) &&
           std::ranges::find(extensions, path.extension().string()) == extensions.end();
}

bool is_mapping(const fs::path& path, std::string_view beginning) {
    const std::string_view line = beginning.substr(0, beginning.find('\n'));
    return is_plain_text(path, beginning) && line.find('=') != line.npos && line.find(' ') == line.npos;
}

IsOwn that_has(std::string mark) {
    return [mark = std::move(mark)](const fs::path&, std::string_view beginning) {
        return beginning.find(mark) != beginning.npos;
    };
}

void require_apart(const std::vector<OutputPath>& outputs, const std::vector<std::string>& inputs) {
    std::map<fs::path, std::string_view> flags;
    for (const OutputPath& output : outputs) {
        const std::optional<fs::path> place = output.path.empty() ? std::nullopt : place_of(output.path);
        if (!place) continue;
        const std::string named = fmt::format("{} {}", output.flag, output.path);
        const auto [first, is_new] = flags.emplace(*place, output.flag);
        if (!is_new)
            throw RequestError(fmt::format("{} is what {} writes, too", named, first->second),
                               "name another file");
        for (const std::string& input : inputs) {
            if (input == "-" || kind_of(input) != ReferenceKind::path) continue;
            std::error_code failed;
            const fs::path source = fs::canonical(input, failed);
            if (failed) continue;
            if (source == *place)
                throw RequestError(fmt::format("{} would be written over what is read", named),
                                   "name another file");
            if (fs::is_directory(source, failed) && is_below(*place, source) &&
                !is_left_out(*place, source) && !is_left_out(*place / "file", source))
                throw RequestError(fmt::format("{} would become a part of {}", named, input),
                                   "name a place outside of it, or one that its .indexignore leaves out");
        }
        if (is_of_catalog(*place))
            throw RequestError(fmt::format("{} would be written over a file of a catalog", named),
                               "name another file");
        require_replaceable(named, *place, output.is_own);
    }
}

void require_catalog_file(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return;
    const std::unique_ptr<SourceFile> file = read_file(path, path.string());
    const std::optional<std::string> schema = schema_of(*file);
    if (!schema || !schema->empty() || file->bytes().find("schema: olm.") != std::string_view::npos ||
        file->bytes().find("\"olm.") != std::string_view::npos)
        return;
    throw RequestError(fmt::format("{} is not a file of a catalog, and is not replaced", path.string()),
                       "name another file, or remove this one first");
}

void require_place(std::string_view flag, const std::string& path, PlaceFor what) {
    std::error_code failed;
    if (path.empty()) return;
    if (what == PlaceFor::directory) {
        if (fs::exists(path, failed) && !fs::is_directory(path, failed))
            throw RequestError(fmt::format("{} {} is not a directory", flag, path));
        return;
    }
    if (fs::is_directory(path, failed)) throw RequestError(fmt::format("{} {} is a directory", flag, path));
    const fs::path above = fs::absolute(path).parent_path();
    if (!fs::is_directory(above, failed))
        throw RequestError(fmt::format("{} {}: there is no directory {}", flag, path, above.string()));
}

void require_kind(const std::string& path, std::string_view what,
                  const std::function<bool(std::string_view)>& is_one) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) == 0) return;
    if (!is_one(read_file(path, path)->bytes()))
        throw RequestError(fmt::format("{} is not {}, and is not replaced", path, what),
                           "name another file, or remove this one first");
}

} // namespace opcat
