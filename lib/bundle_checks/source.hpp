// A bundle as its checks see it: the objects in the folder of its ClusterServiceVersion, and what its
// annotations say.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/bundle/manifests.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/lint/subject.hpp"

#include <compare>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::bundle_checks {

// A bundle's files are stored in a ConfigMap while OLM unpacks them: gzip, then base64. This is its limit.
constexpr uint64_t largest_bundle = uint64_t{1} << 20;

// A version of a kind.
struct Api {
    std::string_view group, version, kind;

    friend auto operator<=>(const Api&, const Api&) = default;
    std::string describe() const; // "example.com/v1 Gizmo"
};

struct Source {
    std::vector<kube::Object> objects; // every manifest, in the order of their files
    // These as Go decodes them: fields in the spelling of their types, text where the types have strings.
    kube::Object csv;
    std::vector<kube::Object> crds; // apiextensions.k8s.io/v1 and v1beta1

    std::string package;
    std::vector<std::string> channels; // without annotations: one, which is empty
    std::string default_channel;
    Location channels_at; // nowhere: there are no annotations

    uint64_t compressed_size = 0; // bytes of all files; an upper bound where that is far below the limit
};

struct LoadedSource {
    std::shared_ptr<const void> memory; // what all the others refer to
    bool loads = false;                 // if not, there is no `source`, and an error says why
    Source source;
    Diagnostics problems;
    std::vector<SubjectAt> objects;
    std::vector<Location> remarks;
};

// Reads a bundle directory in the way of operator-sdk: the ClusterServiceVersion may be in any folder below
// `root`, and everything else in its folder must be an object of Kubernetes. Names in messages begin with
// `shown`. Throws Error if a folder cannot be read or is beyond the limits (docs/limits.md).
LoadedSource load_source(const std::filesystem::path& root, const std::filesystem::path& shown);

// The bytes that a file takes in a ConfigMap. Throws Error if there is not enough memory.
uint64_t compressed_size(std::string_view bytes);

// Whether one of the texts in the list `field` of a rule of RBAC is wanted.
bool has_any(const kube::Fields& rule, std::string_view field,
             std::initializer_list<std::string_view> wanted);

// Where a part of an object is in its file.
Location place_of(const kube::Object& object, const kube::Fields& part);

// Where a field is; if it is missing, where the innermost object is that should have it.
template <typename... Keys>
Location place_of(const kube::Object& object, const kube::Fields& from, const Keys&... keys) {
    kube::Fields part = from;
    const auto step = [&](std::string_view key) {
        const kube::Fields next = part.at(key);
        if (next) part = next;
        return static_cast<bool>(next);
    };
    static_cast<void>((step(keys) && ...));
    return place_of(object, part);
}

} // namespace opcat::bundle_checks
