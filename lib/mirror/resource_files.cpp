#include "opcat/mirror/resource_files.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/unicode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// What the lines of a file say that opcat wrote.
struct Written {
    std::set<std::string_view> kinds;  // of objects
    std::set<std::string_view> places; // that it pulls from
    std::string_view catalog;          // of these, the repository of a catalog
    bool is_of_opcat = true;
};

std::string_view without_quotes(std::string_view text) {
    return text.size() > 1 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'')
               ? text.substr(1, text.size() - 2)
               : text;
}

Written read_resource(std::string_view text) {
    Written written;
    const bool is_toml = text.starts_with(registries_conf_mark);
    std::string_view section;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::string_view words = trim_white_space(line);
        const auto value_after = [&](std::string_view key) {
            return words.starts_with(key) ? without_quotes(trim_white_space(words.substr(key.size())))
                                          : std::string_view();
        };
        const auto add_place = [&](std::string_view place) {
            if (!place.empty()) written.places.insert(place);
        };
        if (is_toml) {
            if (words.starts_with('[')) section = words;
            if (section == "[[registry.mirror]]") add_place(value_after("location ="));
            continue;
        }
        if (line.starts_with("kind: ")) written.kinds.insert(line);
        if (words == "mirrors:" || words.ends_with(':')) section = words;
        if (section == "mirrors:" && line.starts_with("    - ")) add_place(value_after("- "));
        for (const char* const key : {"image:", "ref:"})
            if (const std::string_view place = value_after(key); !place.empty()) {
                add_place(place);
                const auto spec = PullSpec::parse(place);
                written.catalog = place.substr(0, spec ? spec->name().size() : place.size());
            }
    }
    written.is_of_opcat = is_toml || !written.kinds.empty();
    return written;
}

bool is_in(std::string_view place, const std::string& prefix) {
    return place.starts_with(prefix) && (place.size() == prefix.size() ||
                                         std::string_view("/:@").find(place[prefix.size()]) != place.npos);
}

} // namespace

std::vector<ResourceFile> expected_resources(const ResourceNames& names) {
    std::vector<ResourceFile> files{{"registries.conf", {}}};
    const std::string end = names.oc_mirror ? "oc-mirror" : names.prefix.empty() ? "opcat" : names.prefix;
    for (const char* const start : {"idms", "itms"})
        files.push_back({fmt::format("{}-{}.yaml", start, end), {}});
    return files;
}

void require_own_resources(const fs::path& directory, const std::vector<ResourceFile>& files,
                           const std::string& prefix) {
    for (const ResourceFile& file : files) {
        const fs::path path = directory / file.name;
        std::error_code failed;
        if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) == 0) continue;
        const auto there = read_file(path, path.string());
        const Written old = read_resource(there->bytes());
        bool is_own = old.is_of_opcat;
        if (!file.text.empty()) {
            const Written now = read_resource(file.text);
            for (const std::string_view kind : old.kinds) is_own = is_own && now.kinds.contains(kind);
            if (is_own && !old.catalog.empty() && is_in(old.catalog, prefix) && old.catalog != now.catalog)
                throw RequestError(
                    fmt::format("{} is of another catalog, {}, and is not replaced", path.string(),
                                old.catalog),
                    "give the objects of this one a name of their own: --name NAME, or --resource-prefix");
        }
        if (!is_own)
            throw RequestError(
                fmt::format("{} is not what opcat mirror wrote, and is not replaced", path.string()),
                "name another directory with --resources, or remove this file first");
        for (const std::string_view place : old.places)
            if (!is_in(place, prefix))
                throw RequestError(
                    fmt::format("{} is of another mirror, {}, and is not replaced", path.string(), place),
                    "name another directory with --resources, or other names with --resource-prefix");
    }
}

} // namespace opcat
