// A bundle as its checks see it: the objects in the folder of its ClusterServiceVersion, and its annotations.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/bundle/manifests.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/bundle_checks/v1_metadata.hpp"
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

// OLM stores a bundle's files in a ConfigMap while it unpacks them: gzip, then base64. This is its limit.
constexpr uint64_t largest_bundle = uint64_t{1} << 20;

// A version of a kind.
struct Api {
    std::string_view group, version, kind;

    friend auto operator<=>(const Api&, const Api&) = default;
    std::string describe() const; // "example.com/v1 Gizmo"
};

struct Source {
    std::vector<kube::Object> objects; // every manifest, in the order of their files
    std::vector<kube::Object> further; // in documents after the first of a file, which only OLM v1 reads
    // The same as Go decodes them: fields in the spelling of their types, strings where the types have
    // strings.
    kube::Object csv;
    std::vector<kube::Object> crds; // apiextensions.k8s.io/v1 and v1beta1

    std::string package;
    V1Metadata as_v1_reads;
    std::string folder_in_manifests;   // the first one: "manifests/crds"; empty: there is none
    std::vector<std::string> channels; // without annotations: one empty item
    std::string default_channel;
    Location channels_at; // without a file if there are no annotations

    uint64_t compressed_size = 0; // bytes of all files; an upper bound if far below the limit
};

struct LoadedSource {
    std::shared_ptr<const void> memory; // memory that the others refer to
    bool loads = false;                 // if false, there is no `source`, and an error says why
    Source source;
    Diagnostics problems;
    std::vector<SubjectAt> objects;
    std::vector<Location> remarks;
};

// Reads a bundle directory as operator-sdk does: the ClusterServiceVersion may be in any folder below `root`,
// and everything else in its folder must be a Kubernetes object. Names in messages begin with `shown`. Throws
// Error if a folder cannot be read or exceeds the limits (docs/limits.md).
LoadedSource load_source(const std::filesystem::path& root, const std::filesystem::path& shown);

// The type of a CustomResourceDefinition by its apiVersion; empty, and an error, if there is none.
std::string_view type_of_crd(const kube::Object& object, Diagnostics& out);

// An object as Go decodes it into a type: with the type's spelling of fields, and strings where it has
// strings. What does not fit is an error.
kube::Object as_type(const kube::Object& object, std::string_view type_name, Arena& arena, Diagnostics& out);

// The manifests for the rules of what OLM makes of them. The copies share the source's memory.
BundleManifests manifests_of(const Source& bundle);

// The size of a file in a ConfigMap, in bytes. Throws Error if there is not enough memory.
uint64_t compressed_size(std::string_view bytes);

// Returns true if the list `field` of an RBAC rule contains one of the texts.
bool has_any(const kube::Fields& rule, std::string_view field,
             std::initializer_list<std::string_view> wanted);

// The place of a part of an object in its file.
Location place_of(const kube::Object& object, const kube::Fields& part);

// The place of a field; if it is missing, that of the innermost existing object that should contain it.
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
