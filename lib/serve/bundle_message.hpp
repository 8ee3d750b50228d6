// The messages of the Operator Registry API for bundles, in their wire format (docs/serving.md).
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::serve {

// A Bundle message is the concatenation of these parts: fields may come in any order.

// The fields that are equal in every channel, without the manifests.
std::string encode_bundle(const Bundle& bundle, const DeprecationEntry* deprecation);

// The fields of a single channel: its name and the skipRange of the bundle's entry.
std::string encode_membership(std::string_view channel, const ChannelEntry& entry);

// The entry's replaces and skips.
std::string encode_edges(const ChannelEntry& entry);

// The bundle's manifests, and its ClusterServiceVersion: one of them, or one made from the property
// olm.csv.metadata.
std::string encode_manifests(const Bundle& bundle, const Package& package);

struct Api {
    std::string group;
    std::string version;
    std::string kind;

    friend auto operator<=>(const Api&, const Api&) = default;
};

// From the bundle's properties of this type (olm.gvk, olm.gvk.required).
std::vector<Api> apis_of(const Bundle& bundle, std::string_view property_type);

// A google.protobuf.Struct. Nothing if the object is nested more than 1,000 levels deep, which no client
// could read. Linear in its size.
std::optional<std::string> encode_struct(const Value& object);

} // namespace opcat::serve
