// The messages of the Operator Registry API that stand for bundles, in their wire format (docs/serving.md).
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::serve {

// A Bundle message is these parts, one after the other: fields may come in any order.

// What is the same in every channel, without the manifests.
std::string encode_bundle(const Bundle& bundle, const DeprecationEntry* deprecation);

// What only one channel says: its name and the skipRange of the bundle's entry.
std::string encode_membership(std::string_view channel, const ChannelEntry& entry);

// The entry's replaces and skips.
std::string encode_edges(const ChannelEntry& entry);

// The bundle's manifests, and its ClusterServiceVersion: one of them, or one that is made of the property
// olm.csv.metadata.
std::string encode_manifests(const Bundle& bundle, const Package& package);

struct Api {
    std::string group;
    std::string version;
    std::string kind;

    friend auto operator<=>(const Api&, const Api&) = default;
};

// As the bundle's properties of this type (olm.gvk, olm.gvk.required) list them.
std::vector<Api> apis_of(const Bundle& bundle, std::string_view property_type);

// A google.protobuf.Struct. Nothing if the object is nested more than 1,000 levels deep, which no client
// could read. Linear in its size.
std::optional<std::string> encode_struct(const Value& object);

} // namespace opcat::serve
