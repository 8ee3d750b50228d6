// Image manifests, indexes and configurations: the OCI image specification and Docker's schema 2, which
// differ only in the names of their media types.
#pragma once

#include "image/options.hpp"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opcat::image {

using Labels = std::map<std::string, std::string>;

// Largest manifest and configuration that is read; registries allow no more.
inline constexpr uint64_t max_document_size = uint64_t{4} << 20;

// A reference to content by its digest.
struct Descriptor {
    std::string digest; // "sha256:" and 64 lower-case hex digits
    uint64_t size = 0;
};

struct Manifest {
    Descriptor config;
    std::vector<Descriptor> layers; // the lowest first
};

struct IndexEntry {
    Descriptor manifest;
    std::optional<Platform> platform;
    std::map<std::string, std::string> annotations;
};

struct Index {
    std::vector<IndexEntry> entries;
};

struct Config {
    std::optional<Platform> platform;
    Labels labels;
};

// The media types to ask a registry for, as the value of an Accept header.
std::string_view accepted_manifests();

// Throw Error with a reason that begins with what the document is ("the manifest …").
std::variant<Manifest, Index> parse_manifest(std::string_view json);
Config parse_config(std::string_view json);

// Whether a digest is of the one kind that we can check.
bool is_sha256(std::string_view digest);

// The image of an index that the choice falls on. If that is the first for want of a better one, `warning` is
// a sentence about it. Throws Error if there is none to choose.
const IndexEntry& choose(const Index& index, const PlatformChoice& choice, std::string& warning);

} // namespace opcat::image
