// Where a mirror is, as users write it.
#pragma once

#include <cstdint>
#include <string>

namespace opcat {

struct MirrorTarget {
    enum class Kind : uint8_t { registry, directory, archive };
    Kind kind = Kind::registry;
    // "registry.example/prefix", the beginning of the names of all images; an OCI layout that has all images
    // by their names in the mirror; or what the names of tar files begin with.
    std::string place;

    // "REGISTRY[/PREFIX]", maybe with "docker://", "dir:DIR" or "archive:DIR/NAME". Throws RequestError.
    static MirrorTarget parse(const std::string& text);
    // Returns true if the text is one of the last two, perhaps without a name.
    static bool is_local(const std::string& text);

    bool is_registry() const { return kind == Kind::registry; }
    bool is_archive() const { return kind == Kind::archive; }
    bool is_directory() const { return kind == Kind::directory; }
    // Of the names of images; empty if it is not a registry.
    std::string prefix() const { return is_registry() ? place : std::string(); }
};

} // namespace opcat
