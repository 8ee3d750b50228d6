// The files of an image as its layers build them up: only in memory, so that nothing an archive says about
// paths and links reaches the file system before the whole is known.
//
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
        uint64_t content = 0; // file: a number for its bytes, of the caller's choice
        std::string target;   // symlink: as it is written
    };

    // All paths below are normalised.
    void begin_layer() {
        ++layer_;
        emptied_.clear();
    }

    // Where an entry of this name belongs: links among its parents are followed, within the root.
    std::string locate(const std::string& path) const;
    // Replaces what is there; parents are made as needed.
    void put_directory(const std::string& path);
    void put_file(const std::string& path, uint64_t content);
    void put_symlink(const std::string& path, std::string target);
    // A second name for a file or symlink. False if there is none of that name.
    bool put_hard_link(const std::string& path, const std::string& target);
    // Removes what lower layers have put at and below a path, or only below it.
    void remove_lower(const std::string& path);
    void remove_lower_children(const std::string& directory);

    // The path after all links, or where they lead to nothing, the path that is missing. Nothing if they
    // lead in a circle. An absolute target begins at the root, and ".." ends there.
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
