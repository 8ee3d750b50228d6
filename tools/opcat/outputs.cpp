#include "outputs.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/workspace/reference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

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

// Returns true if the first document of an existing file is a blob.
bool is_of_catalog(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return false;
    const std::unique_ptr<SourceFile> file = read_file(path, path.string());
    if (file->bytes().find('\0') != std::string_view::npos) return false; // an archive may hold catalogs
    Diagnostics problems;
    for (const DocumentRange& range : split_into_documents(*file, problems)) {
        Arena arena;
        Diagnostic problem;
        const auto document = read_document(*file, range, arena, problem);
        if (!document || document->is_null()) continue;
        const Value* const schema = document->is_object() ? document->find("schema") : nullptr;
        return schema && schema->string_or_empty().starts_with("olm.");
    }
    return false;
}

} // namespace

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
            if (!output.may_be_inside && fs::is_directory(source, failed) && is_below(*place, source) &&
                !is_left_out(*place, source) && !is_left_out(*place / "file", source))
                throw RequestError(fmt::format("{} would become a part of {}", named, input),
                                   "name a place outside of it, or one that its .indexignore leaves out");
        }
        if (is_of_catalog(*place))
            throw RequestError(fmt::format("{} would be written over a file of a catalog", named),
                               "name another file");
    }
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
