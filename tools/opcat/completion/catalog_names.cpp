#include "completion/catalog_names.hpp"

#include "environment.hpp"
#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/graph/contents.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

namespace opcat {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 20'000;
constexpr uint64_t most_bytes = uint64_t{1} << 30;
constexpr size_t most_cached = 100; // catalogs

// A digest of the names, sizes and times of all files; nothing if there are too many.
std::optional<std::string> fingerprint(const fs::path& path) {
    Sha256 digest;
    size_t files = 0;
    uint64_t bytes = 0;
    const auto add = [&](const fs::path& file) {
        struct stat status {};
        if (::stat(file.c_str(), &status) != 0) return true;
        bytes += static_cast<uint64_t>(status.st_size);
        const timespec changed = modification_time(status);
        digest.update(
            fmt::format("{}\n{} {} {}\n", file.string(), status.st_size, changed.tv_sec, changed.tv_nsec));
        return ++files <= most_files && bytes <= most_bytes;
    };
    std::error_code failed;
    if (!add(path)) return std::nullopt;
    std::vector<fs::path> found;
    for (fs::recursive_directory_iterator it(path, failed), end; !failed && it != end; it.increment(failed)) {
        found.push_back(it->path());
        if (found.size() > most_files) return std::nullopt;
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found)
        if (!add(file)) return std::nullopt;
    return digest.finish_hex();
}

bool is_plain(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._+-").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

std::vector<CatalogName> read_catalog(const fs::path& path, Session& session) {
    const LoadedCatalog loaded = open(path.string(), opening({}, session), session.pool()).take();
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, session.pool());
    std::vector<CatalogName> names;
    for (const PackageGraph& package : graph.packages)
        for (const BundleRow& row : list_bundles(package, BundleOrder::name))
            if (is_plain(package.name) && is_plain(row.channel->name) && is_plain(row.node->name))
                names.push_back(
                    {std::string(package.name), std::string(row.channel->name), std::string(row.node->name)});
    return names;
}

// The fingerprint on the first line, then "PACKAGE CHANNEL BUNDLE" on each.
std::string to_text(const std::string& fingerprint, const std::vector<CatalogName>& names) {
    std::string text = fingerprint + "\n";
    for (const CatalogName& name : names)
        text += name.package + " " + name.channel + " " + name.bundle + "\n";
    return text;
}

std::vector<CatalogName> from_text(std::string_view text) {
    std::vector<CatalogName> names;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const size_t first = line.find(' ');
        const size_t second = line.find(' ', first + 1);
        if (first == line.npos || second == line.npos) continue;
        names.push_back({std::string(line.substr(0, first)),
                         std::string(line.substr(first + 1, second - first - 1)),
                         std::string(line.substr(second + 1))});
    }
    return names;
}

std::optional<std::vector<CatalogName>> cached(const fs::path& file, const std::string& fingerprint) {
    std::error_code failed;
    if (!fs::exists(file, failed)) return std::nullopt;
    const auto text = read_file(file, file.string());
    const std::string_view bytes = text->bytes();
    if (!bytes.starts_with(fingerprint + "\n")) return std::nullopt;
    return from_text(bytes.substr(fingerprint.size() + 1));
}

// Limits the cache of users who complete in very many catalogs: it is emptied from time to time.
void make_room(const fs::path& directory) {
    std::error_code failed;
    fs::create_directories(directory, failed);
    const auto files = std::distance(fs::directory_iterator(directory, failed), fs::directory_iterator());
    if (static_cast<size_t>(files) < most_cached) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed))
        fs::remove(entry.path(), failed);
}

} // namespace

std::vector<CatalogName> catalog_names(const fs::path& path, Session& session) {
    const auto now = fingerprint(path);
    if (!now) return {};
    const auto cache = cache_directory();
    if (!cache) return read_catalog(path, session);
    const fs::path directory = *cache / "completion";
    const fs::path file = directory / sha256_hex(fs::absolute(path).lexically_normal().string());
    if (auto names = cached(file, *now)) return std::move(*names);
    std::vector<CatalogName> names = read_catalog(path, session);
    try {
        make_room(directory);
        write_file(file, to_text(*now, names));
    } catch (const Error&) {
        // A cache that cannot be written costs time, not the answer.
    }
    return names;
}

} // namespace opcat
