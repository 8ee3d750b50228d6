#include "opcat/image/unpack.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/file_tree.hpp"
#include "opcat/image/tar_reader.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

namespace opcat::image {

namespace fs = std::filesystem;
namespace {

// Links may lead to paths that were not wanted at first. Then everything is unpacked again, including those;
// longer chains of links are not followed.
constexpr int max_rounds = 4;

// After so many files all entries are counted before more are written: a refusal then takes seconds, where
// writing as many files as are allowed takes minutes. Few images have as many files in what is wanted.
constexpr uint64_t files_before_count = 10'000;

constexpr std::string_view whiteout = ".wh.";
constexpr std::string_view opaque = ".wh..wh..opq";
constexpr std::string_view whiteout_internal = ".wh..wh.";

// "a/b" and "b" of "a/b/c".
std::string_view directory_of(std::string_view path) {
    const size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
std::string_view file_name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}
std::string join(std::string_view directory, std::string_view name) {
    return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

// Returns true if a link in `directory` has more ".." than there are directories above.
bool leaves_root(std::string_view directory, std::string_view target) {
    int64_t depth = 0;
    if (!target.starts_with('/') && !directory.empty())
        depth = 1 + std::count(directory.begin(), directory.end(), '/');
    while (!target.empty()) {
        const size_t slash = target.find('/');
        const std::string_view part = target.substr(0, slash);
        if (part == "..")
            --depth;
        else if (!part.empty() && part != ".")
            ++depth;
        if (depth < 0) return true;
        target = slash == std::string_view::npos ? std::string_view() : target.substr(slash + 1);
    }
    return false;
}

// "../x" from "a" to "x".
std::string relative_path(std::string_view from_directory, std::string_view to) {
    const auto take_part = [](std::string_view& path) {
        const size_t slash = path.find('/');
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    };
    while (!from_directory.empty() && !to.empty() &&
           from_directory.substr(0, from_directory.find('/')) == to.substr(0, to.find('/'))) {
        take_part(from_directory);
        take_part(to);
    }
    std::string path;
    for (; !from_directory.empty(); take_part(from_directory)) path += "../";
    path += to;
    return path.empty() ? "." : path;
}

// Removes from the tree what a whiteout of a layer names.
void apply_whiteout(FileTree& tree, const std::string& path, std::string_view name) {
    const std::string_view directory = directory_of(path);
    if (name == opaque) {
        // Its directory is resolved like a parent, links included.
        tree.remove_lower_children(std::string(directory_of(tree.locate(path))));
        return;
    }
    if (name.starts_with(whiteout_internal)) return; // notes of a file system to itself
    name.remove_prefix(whiteout.size());
    if (name.empty() || name == "." || name == "..")
        throw Error(fmt::format("the whiteout \"{}\" names nothing", printable(path)));
    tree.remove_lower(tree.locate(join(directory, name)));
}

// One round: the layers into a tree, and the tree into a directory.
class Unpacker {
public:
    Unpacker(const std::vector<LayerFile>& layers, const PathFilter& filter, uint64_t max_size,
             const fs::path& into)
        : layers_(layers), filter_(filter), max_size_(max_size), staging_(into / "staging"),
          root_(into / "root") {
        fs::create_directory(staging_);
    }

    void apply_layers() {
        try {
            UnpackBudget budget(max_size_);
            for (const LayerFile& layer : layers_) {
                at_ = &layer;
                tree_.begin_layer();
                TarReader reader(layer.path, budget);
                TarEntry entry;
                while (reader.next(entry)) apply_entry(entry, reader);
            }
        } catch (const Error& error) {
            throw error.with_message(fmt::format("{}: {}", at_->name, error.what()));
        }
    }

    // Targets of links that the filter excluded.
    std::set<std::string> missing() const {
        std::set<std::string> paths = missing_;
        for (const auto& [path, node] : tree_.nodes()) {
            if (node.kind != FileTree::Kind::symlink) continue;
            const auto target = tree_.resolve(path);
            if (target && !tree_.find(*target) && !filter_.wants(*target)) paths.insert(*target);
        }
        return paths;
    }

    void check_hard_links() const {
        if (!missing_.empty())
            throw Error(
                fmt::format("a hard link leads to \"{}\", which is not there", printable(*missing_.begin())));
    }

    void write() {
        fs::create_directory(root_);
        std::map<uint64_t, fs::path> placed; // by content
        for (const auto& [path, node] : tree_.nodes()) {
            const fs::path place = root_ / path;
            int failed = 0;
            switch (node.kind) {
            case FileTree::Kind::directory:
                failed = ::mkdir(place.c_str(), 0700);
                break;
            case FileTree::Kind::symlink:
                failed = ::symlink(link_text(path).c_str(), place.c_str());
                break;
            case FileTree::Kind::file:
                if (const auto [first, is_new] = placed.try_emplace(node.content, place); is_new)
                    failed = ::rename(staged(node.content).c_str(), place.c_str());
                else
                    failed = ::link(first->second.c_str(), place.c_str());
                break;
            }
            if (failed != 0)
                throw Error(fmt::format("cannot write \"{}\": {}", printable(path), system_message(errno)));
        }
        fs::remove_all(staging_);
    }

private:
    void count_entries() {
        const LayerFile* const interrupted = at_;
        UnpackBudget budget(max_size_);
        for (const LayerFile& layer : layers_) {
            at_ = &layer;
            TarReader reader(layer.path, budget);
            TarEntry entry;
            while (reader.next(entry)) {
            }
        }
        at_ = interrupted;
    }

    fs::path staged(uint64_t content) const { return staging_ / std::to_string(content); }

    std::string link_text(const std::string& path) const {
        const auto target = tree_.resolve(path);
        // A circle stays one, and leads to no other place.
        return target ? relative_path(directory_of(path), *target) : std::string(file_name_of(path));
    }

    void apply_entry(const TarEntry& entry, TarReader& reader) {
        const std::string path = normalise_entry_path(entry.path);
        if (path.empty()) return; // the root itself
        const std::string_view name = file_name_of(path);
        if (name.starts_with(whiteout)) {
            apply_whiteout(tree_, path, name);
            return;
        }
        const std::string place = tree_.locate(path);
        const bool wanted = filter_.wants(path) || filter_.wants(place);
        if (!wanted && !filter_.leads_to_wanted(path) && !filter_.leads_to_wanted(place)) return;
        switch (entry.kind) {
        case TarEntry::Kind::directory:
            tree_.put_directory(place);
            break;
        case TarEntry::Kind::symlink:
            if (leaves_root(directory_of(place), entry.target))
                throw Error(fmt::format("the link \"{}\" leads out of the image, to \"{}\"", printable(path),
                                        printable(entry.target)));
            tree_.put_symlink(place, entry.target);
            break;
        case TarEntry::Kind::file:
            if (wanted) {
                if (next_content_ == files_before_count) count_entries();
                reader.extract(staged(next_content_));
                tree_.put_file(place, next_content_++);
            } else {
                tree_.remove_lower(place); // it is where a directory with something wanted was
            }
            break;
        case TarEntry::Kind::hard_link:
            if (wanted)
                link(place, entry.target);
            else
                tree_.remove_lower(place);
            break;
        case TarEntry::Kind::other:
            if (wanted)
                throw Error(fmt::format("\"{}\" is neither file, directory nor link", printable(path)));
            tree_.remove_lower(place);
            break;
        }
    }

    void link(const std::string& place, std::string_view target) {
        // Some tools write it from the root on.
        while (target.starts_with('/')) target.remove_prefix(1);
        const std::string wanted = tree_.locate(normalise_entry_path(target));
        if (tree_.put_hard_link(place, wanted)) return;
        if (filter_.wants(wanted))
            throw Error(fmt::format("the hard link \"{}\" leads to \"{}\", which is not a file in the image",
                                    printable(place), printable(target)));
        missing_.insert(wanted);
    }

    const std::vector<LayerFile>& layers_;
    const PathFilter& filter_;
    const uint64_t max_size_;
    const LayerFile* at_ = nullptr; // that is read, for messages
    const fs::path staging_;
    const fs::path root_;
    FileTree tree_;
    uint64_t next_content_ = 0;
    std::set<std::string> missing_; // that hard links name
};

} // namespace

void unpack(const std::vector<LayerFile>& layers, const std::vector<std::string>& wanted, uint64_t max_size,
            const fs::path& into) {
    PathFilter filter(wanted);
    for (int round = 1;; ++round) {
        Unpacker unpacker(layers, filter, max_size, into);
        unpacker.apply_layers();
        const std::set<std::string> missing = unpacker.missing();
        if (missing.empty() || round == max_rounds) {
            unpacker.check_hard_links();
            unpacker.write();
            return;
        }
        for (const std::string& path : missing) filter.add(path);
        fs::remove_all(into / "staging");
    }
}

std::vector<FoundFile> find_files(const std::vector<LayerFile>& layers, const std::vector<std::string>& names,
                                  uint64_t max_size) {
    constexpr uint64_t irregular = 1;
    FileTree tree;
    UnpackBudget budget(max_size);
    for (const LayerFile& layer : layers) {
        try {
            tree.begin_layer();
            TarReader reader(layer.path, budget);
            TarEntry entry;
            while (reader.next(entry)) {
                const std::string path = normalise_entry_path(entry.path);
                if (path.empty()) continue;
                const std::string_view name = file_name_of(path);
                if (name.starts_with(whiteout)) {
                    apply_whiteout(tree, path, name);
                    continue;
                }
                const std::string place = tree.locate(path);
                if (entry.kind == TarEntry::Kind::directory)
                    tree.put_directory(place);
                else if (entry.kind == TarEntry::Kind::symlink)
                    tree.put_symlink(place, entry.target);
                else if (entry.kind == TarEntry::Kind::other)
                    tree.put_file(place, irregular);
                else
                    tree.put_file(place, 0);
            }
        } catch (const Error& error) {
            throw error.with_message(fmt::format("{}: {}", layer.name, error.what()));
        }
    }
    std::vector<FoundFile> found;
    for (const auto& [path, node] : tree.nodes())
        if (std::find(names.begin(), names.end(), file_name_of(path)) != names.end())
            found.push_back({path, node.kind == FileTree::Kind::file && node.content != irregular});
    return found;
}

std::string path_in_image(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const size_t slash = text.find('/');
        const std::string_view part = text.substr(0, slash);
        if (part == "..") {
            if (!parts.empty()) parts.pop_back();
        } else if (!part.empty() && part != ".") {
            parts.push_back(part);
        }
        text = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
    }
    std::string path;
    for (const std::string_view part : parts) {
        if (!path.empty()) path += '/';
        path += part;
    }
    return path;
}

bool PathFilter::wants(std::string_view path) const {
    while (true) {
        if (wanted_.contains(path)) return true;
        if (path.empty()) return false;
        const size_t slash = path.rfind('/');
        path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    }
}

bool PathFilter::leads_to_wanted(const std::string& path) const {
    const auto next = wanted_.lower_bound(path + '/');
    return next != wanted_.end() && next->starts_with(path + '/');
}

} // namespace opcat::image
