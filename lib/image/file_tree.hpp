// The files of an image as its layers build them up, only in memory: paths and links in an archive do not
// reach the file system before the whole tree is known.
// The rules are those of the OCI image specification ("Applying Changesets").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace opcat::image {

// "./a//b/" → "a/b"; the root is "". Throws Error on an absolute path, on "..", and on paths that are too
// long.
std::string normalise_entry_path(std::string_view path);

class FileTree {
public:
    enum class Kind : uint8_t { directory, file, symlink };
    struct Node {
        Kind kind = Kind::directory;
        uint32_t layer = 0;   // that has put it there
        uint64_t content = 0; // file: a number for its bytes, chosen by the caller
        std::string target;   // symlink: its target, unchanged
    };

    // All paths below are normalised.
    void begin_layer() {
        ++layer_;
        emptied_.clear();
    }

    // The place of an entry of this name: links among its parents are followed, within the root.
    std::string locate(const std::string& path) const;
    // Replaces an existing entry; parents are made as needed.
    void put_directory(const std::string& path);
    void put_file(const std::string& path, uint64_t content);
    void put_symlink(const std::string& path, std::string target);
    // A second name for a file or symlink. False if that does not exist.
    bool put_hard_link(const std::string& path, const std::string& target);
    // Removes the entries of lower layers at and below a path, or only below it.
    void remove_lower(const std::string& path);
    void remove_lower_children(const std::string& directory);

    // The path after all links; if they lead to nothing, the missing path. Nothing if they form a cycle. An
    // absolute target begins at the root, and ".." stops there.
    std::optional<std::string> resolve(const std::string& path) const;

    const Node* find(const std::string& path) const;
    const std::map<std::string, Node>& nodes() const { return nodes_; }

private:
    void put(const std::string& path, Node node);
    void remove_below(const std::string& directory, bool lower_only);
    bool has_children(const std::string& path) const;

    // By path; the root is not in it.
    std::map<std::string, Node> nodes_;
    uint32_t layer_ = 0;
    std::set<std::string> emptied_; // by this layer
};

} // namespace opcat::image
