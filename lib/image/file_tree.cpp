#include "opcat/image/file_tree.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <deque>
#include <vector>

namespace opcat::image {
namespace {

constexpr size_t longest_path = 2048;
constexpr size_t deepest_path = 256;
constexpr int max_links_followed = 40; // as Linux has it

std::string_view parent_of(std::string_view path) {
    const size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

void push_parts(std::deque<std::string>& parts, std::string_view path) {
    std::vector<std::string> found;
    while (!path.empty()) {
        const size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (!part.empty() && part != ".") found.emplace_back(part);
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    parts.insert(parts.begin(), found.begin(), found.end());
}

} // namespace

std::string normalise_entry_path(std::string_view path) {
    if (path.size() > longest_path)
        throw Error(fmt::format("the path \"{}\" is longer than {} bytes", printable(path), longest_path));
    if (path.starts_with('/') && path.find_first_not_of('/') != std::string_view::npos)
        throw Error(fmt::format("the path \"{}\" is absolute", printable(path)));
    std::deque<std::string> parts;
    push_parts(parts, path);
    if (parts.size() > deepest_path)
        throw Error(
            fmt::format("the path \"{}\" has more than {} directories", printable(path), deepest_path));
    std::string normal;
    for (const std::string& part : parts) {
        if (part == "..") throw Error(fmt::format("the path \"{}\" has \"..\" in it", printable(path)));
        normal += (normal.empty() ? "" : "/") + part;
    }
    return normal;
}

const FileTree::Node* FileTree::find(const std::string& path) const {
    const auto at = nodes_.find(path);
    return at == nodes_.end() ? nullptr : &at->second;
}

std::optional<std::string> FileTree::resolve(const std::string& path) const {
    std::deque<std::string> todo;
    push_parts(todo, path);
    std::string resolved;
    int links = 0;
    while (!todo.empty()) {
        const std::string part = std::move(todo.front());
        todo.pop_front();
        if (part == "..") {
            resolved = parent_of(resolved);
            continue;
        }
        std::string next = resolved.empty() ? part : fmt::format("{}/{}", resolved, part);
        const Node* const node = find(next);
        if (!node || node->kind != Kind::symlink) {
            resolved = std::move(next);
            continue;
        }
        if (++links > max_links_followed) return std::nullopt;
        if (node->target.starts_with('/')) resolved.clear();
        push_parts(todo, node->target);
        // A chain of links can make a path longer than any that an archive may name.
        if (todo.size() > longest_path || resolved.size() > 2 * longest_path) return std::nullopt;
    }
    return resolved;
}

std::string FileTree::locate(const std::string& path) const {
    const std::string_view parent = parent_of(path);
    if (parent.empty()) return path;
    const auto real = resolve(std::string(parent));
    if (!real) throw Error(fmt::format("the path \"{}\" goes through links in a circle", printable(path)));
    const std::string name = path.substr(parent.size() + 1);
    return real->empty() ? name : *real + '/' + name;
}

void FileTree::put(const std::string& path, Node node) {
    if (path.empty()) return;
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const Node directory{Kind::directory, layer_, 0, {}};
        const auto [parent, is_new] = nodes_.try_emplace(path.substr(0, slash), directory);
        if (!is_new && parent->second.kind != Kind::directory) parent->second = directory;
    }
    Node& at = nodes_[path];
    if (node.kind != Kind::directory && at.kind == Kind::directory) remove_below(path, false);
    node.layer = layer_;
    at = std::move(node);
}

void FileTree::put_directory(const std::string& path) {
    put(path, {Kind::directory, 0, 0, {}});
}
void FileTree::put_file(const std::string& path, uint64_t content) {
    put(path, {Kind::file, 0, content, {}});
}
void FileTree::put_symlink(const std::string& path, std::string target) {
    put(path, {Kind::symlink, 0, 0, std::move(target)});
}

bool FileTree::put_hard_link(const std::string& path, const std::string& target) {
    const Node* const node = find(target);
    if (!node || node->kind == Kind::directory) return false;
    if (path != target) put(path, Node(*node));
    return true;
}

bool FileTree::has_children(const std::string& path) const {
    const auto next = nodes_.lower_bound(path + '/');
    return next != nodes_.end() && next->first.starts_with(path + '/');
}

void FileTree::remove_below(const std::string& directory, bool lower_only) {
    const std::string prefix = directory.empty() ? "" : directory + '/';
    std::vector<std::string> below;
    for (auto at = nodes_.lower_bound(prefix); at != nodes_.end() && at->first.starts_with(prefix); ++at)
        if (!lower_only || at->second.layer != layer_) below.push_back(at->first);
    // Backwards: a directory comes after all that is in it, and stays if any of that does.
    for (auto path = below.rbegin(); path != below.rend(); ++path)
        if (!has_children(*path)) nodes_.erase(*path);
}

void FileTree::remove_lower_children(const std::string& directory) {
    // Once per layer is enough: a layer's own entries are not removed, and an archive that repeats it a
    // hundred thousand times must not cost a hundred thousand walks.
    if (emptied_.insert(directory).second) remove_below(directory, true);
}

void FileTree::remove_lower(const std::string& path) {
    remove_lower_children(path);
    const Node* const node = find(path);
    if (node && node->layer != layer_ && !has_children(path)) nodes_.erase(path);
}

} // namespace opcat::image
