#include "opcat/pages/export.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace opcat::pages {

namespace fs = std::filesystem;

namespace {

// Names the files of an export, each with its digest: what else is there is not ours.
constexpr std::string_view mark = ".opcat-pages";
constexpr std::string_view first_line =
    "Made by opcat serve --export, which replaces these files, and nothing else:";

std::map<std::string, std::string> exported_files(const fs::path& directory) {
    std::map<std::string, std::string> digests;
    std::error_code failed;
    if (!fs::is_regular_file(fs::symlink_status(directory / mark, failed))) return digests;
    const auto file = read_file(directory / mark, (directory / mark).string());
    constexpr size_t length_of_digest = 64;
    for (std::string_view rest = file->bytes(); !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.size() > length_of_digest + 1 && line[length_of_digest] == ' ')
            digests.emplace(line.substr(length_of_digest + 1), line.substr(0, length_of_digest));
    }
    return digests;
}

// What is not of an earlier export, or was changed since; empty: nothing.
std::string foreign_entry(const fs::path& directory) {
    const std::map<std::string, std::string> files = exported_files(directory);
    for (const auto& at : fs::recursive_directory_iterator(directory)) {
        const std::string name = at.path().lexically_relative(directory).string();
        const fs::file_type type = at.symlink_status().type();
        if (name == mark) continue;
        if (type == fs::file_type::directory) {
            const auto below = files.lower_bound(name + "/");
            if (below == files.end() || !below->first.starts_with(name + "/")) return name;
            continue;
        }
        const auto known = files.find(name);
        if (type != fs::file_type::regular || known == files.end() ||
            sha256_hex(read_file(at.path(), at.path().string())->bytes()) != known->second)
            return name;
    }
    return {};
}

} // namespace

void require_replaceable(const fs::path& directory) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(directory, failed);
    if (status.type() == fs::file_type::not_found) return;
    if (status.type() != fs::file_type::directory)
        throw Error(fmt::format("cannot write pages to {}: it is not a directory", directory.string()),
                    "name a new directory");
    std::string foreign;
    try {
        foreign = foreign_entry(directory);
    } catch (const fs::filesystem_error& error) {
        throw Error(fmt::format("cannot write pages to {}: {}", directory.string(),
                                system_message(error.code().value())));
    }
    if (!foreign.empty())
        throw Error(fmt::format("cannot write pages to {}: {} is not what opcat wrote, and would be lost",
                                directory.string(), foreign),
                    "name a new directory, or an empty one");
}

namespace {

// Into a directory that nobody sees yet: they need not appear at once.
class NewFiles {
public:
    explicit NewFiles(const fs::path& directory) : directory_(directory) {}

    // Threads may write at the same time.
    void write(const std::string& name, std::string_view text) {
        put(name, text);
        std::string digest = sha256_hex(text);
        const std::lock_guard lock(mutex_);
        digests_.emplace(name, std::move(digest));
    }
    // Returns how many there are.
    size_t finish() {
        std::string list = std::string(first_line) + "\n";
        for (const auto& [name, digest] : digests_) list += fmt::format("{} {}\n", digest, name);
        put(std::string(mark), list);
        return digests_.size();
    }

private:
    void put(const std::string& name, std::string_view text) {
        const fs::path path = directory_ / name;
        std::error_code failed;
        fs::create_directories(path.parent_path(), failed);
        std::ofstream file(path, std::ios::binary);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        file.close();
        if (!file) throw Error(fmt::format("cannot write {}: {}", path.string(), system_message(errno)));
    }

    fs::path directory_;
    std::mutex mutex_;
    std::map<std::string, std::string> digests_;
};

} // namespace

WrittenPages write_pages(std::span<const std::shared_ptr<const CatalogPages>> catalogs,
                         const fs::path& directory, ThreadPool& pool) {
    require_replaceable(directory);
    WrittenPages written;
    StagedDirectory staged(directory);
    NewFiles files(staged.path());
    for (const std::string_view name : asset_names()) files.write(std::string(name), asset(name)->body);
    files.write("index.html", home_page(catalogs).body);
    for (const auto& catalog : catalogs) {
        const std::string folder = fmt::format("catalogs/{}/", catalog->name());
        const std::vector<std::string> paths = catalog->paths();
        pool.for_each(paths.size(),
                      [&](size_t i) { files.write(folder + paths[i], catalog->page(paths[i]).body); });
        for (const PackagePages& package : catalog->packages())
            if (!package.has_upgrades) written.without_upgrades.push_back(package.name());
    }
    written.files = files.finish();
    staged.commit();
    return written;
}

} // namespace opcat::pages
