#include "classic_inputs.hpp"

#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace opcat {

ClassicCatalogOption parse_classic_catalog(const std::string& text) {
    const auto wrong = [&](std::string_view why) {
        return RequestError(fmt::format("--catalog {}: {}", text, why),
                            "write NAMESPACE/NAME=REF[,priority=N]");
    };
    const size_t equals = text.find('=');
    const size_t slash = text.find('/');
    if (equals == std::string::npos || slash == std::string::npos || slash == 0 || slash + 1 >= equals)
        throw wrong("NAMESPACE/NAME is missing");
    ClassicCatalogOption option{{text.substr(0, slash), text.substr(slash + 1, equals - slash - 1)},
                                text.substr(equals + 1),
                                std::nullopt};
    constexpr std::string_view setting = ",priority=";
    if (const size_t comma = option.reference.rfind(setting); comma != std::string::npos) {
        const std::string number = option.reference.substr(comma + setting.size());
        int64_t priority = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), priority);
        if (error != std::errc() || end != number.data() + number.size() || number.empty())
            throw wrong(fmt::format("\"{}\" is not an integer", number));
        option.priority = priority;
        option.reference.resize(comma);
    }
    if (option.reference.empty()) throw wrong("there is no REF");
    if (const size_t comma = option.reference.rfind(','); comma != std::string::npos)
        if (const std::string rest = option.reference.substr(comma + 1); rest.find('=') != std::string::npos)
            throw wrong(fmt::format("\"{}\" is not a setting", rest));
    return option;
}

namespace {

// Directories are read without those that links lead to, so what only a link leads to would be missing.
void refuse_link_elsewhere(const std::filesystem::path& path, const std::string& directory) {
    namespace fs = std::filesystem;
    if (!fs::is_symlink(path)) return;
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    const fs::path inside = fs::canonical(directory);
    const bool is_read_anyway =
        !error &&
        std::mismatch(inside.begin(), inside.end(), target.begin(), target.end()).first == inside.end();
    if (is_read_anyway || (!error && !fs::is_directory(target))) return;
    throw Error(
        error ? fmt::format("cannot read {}: the link leads nowhere", path.string())
              : fmt::format("{} is a link to a directory elsewhere, which is not followed", path.string()),
        error ? "remove the link" : "name that directory, too, or copy it");
}

// `path` itself, or if it is a directory the files of YAML and JSON below it, by name.
std::vector<std::string> manifest_files(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) return {path};
    std::vector<std::string> files;
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        refuse_link_elsewhere(at->path(), path);
        const std::string extension = at->path().extension().string();
        if (at->is_regular_file() && (extension == ".yaml" || extension == ".yml" || extension == ".json"))
            files.push_back(at->path().string());
    }
    if (error) throw Error(fmt::format("cannot read directory {}: {}", path, system_message(error.value())));
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

void read_cluster_files(const std::vector<std::string>& paths, classic::ClusterState& cluster,
                        Diagnostics& findings) {
    for (const std::string& path : paths)
        for (const std::string& file : manifest_files(path))
            classic::read_manifests(read_input(file), cluster, findings);
    classic::remove_repeated(cluster, findings);
}

classic::InputNames input_names() {
    return {.catalog = "--catalog", .cluster = "--cluster", .subscription = "--subscribe"};
}

} // namespace opcat
