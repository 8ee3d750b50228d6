// operator-registry, alpha/declcfg: the blobs of a catalog. tests/lint/schemas_test.cpp compares the meanings
// with schemas/blobs.cue.
#pragma once

#include "opcat/go/type.hpp"

namespace opcat::go::types {

inline constexpr Structure icon{"declcfg.Icon",
                                "an icon",
                                {{"base64data", base64, always, "The bytes of the image, in base64"},
                                 {"mediatype", string, always, "Such as image/svg+xml"}}};
inline constexpr Structure property{
    "property.Property",
    "a property",
    {{"type", string, always, "What the value means"}, {"value", any, always, "Any JSON or YAML but null"}}};
inline constexpr Structure package{
    "declcfg.Package",
    "olm.package",
    {{"schema", string, always, "Says what the blob is; required, not empty"},
     {"name", string, always, "The name of the package"},
     {"defaultChannel", string, always, "The channel of those who choose none"},
     {"icon", icon, unless_empty, "An image to show with the package"},
     {"description", string, unless_empty, "A description of the package"},
     {"properties", list_of<property>, unless_empty, "Arbitrary metadata"},
     {"package", string, never, "The package that the blob belongs to; optional, not empty"}}};
inline constexpr Structure channel_entry{
    "declcfg.ChannelEntry",
    "a channel entry",
    {{"name", string, always, "The name of an olm.bundle blob"},
     {"replaces", string, unless_empty,
      "The bundle that this one is the upgrade of; need not be in the channel"},
     {"skips", list_of<string>, unless_empty, "Bundles that may be left out on the way to this one"},
     {"skipRange", string, unless_empty,
      "The range of versions that may be left out on the way to this one"}}};
inline constexpr Structure channel{
    "declcfg.Channel",
    "olm.channel",
    {{"schema", string, always, "Says what the blob is; required, not empty"},
     {"name", string, always, "The name of the channel"},
     {"package", string, always, "The package that the blob belongs to; optional, not empty"},
     {"entries", list_of<channel_entry>, always, "The bundles in the channel"},
     {"properties", list_of<property>, unless_empty, "Arbitrary metadata"}}};
inline constexpr Structure blob_related_image{
    "declcfg.RelatedImage",
    "a related image",
    {{"name", string, always,
      "What the image is for; opm itself writes it empty where the operator's manifests do not say"},
     {"image", string, always, "The pull spec of the image"}}};
inline constexpr Structure bundle{
    "declcfg.Bundle",
    "olm.bundle",
    {{"schema", string, always, "Says what the blob is; required, not empty"},
     {"name", string, unless_empty, "The name of the bundle, unique in its package"},
     {"package", string, unless_empty, "The package that the blob belongs to; optional, not empty"},
     {"image", string, always, "The pull spec of the bundle's image"},
     {"properties", list_of<property>, unless_empty,
      "What the bundle provides and requires; olm.package is there once"},
     {"relatedImages", list_of<blob_related_image>, unless_empty, "Images that the operator uses"}}};
inline constexpr Structure deprecated_reference{
    "declcfg.PackageScopedReference",
    "a reference",
    {{"schema", string, always, "What is deprecated: olm.package, olm.channel or olm.bundle"},
     {"name", string, unless_empty, "The name of the channel or of the bundle"}}};
inline constexpr Structure deprecation_entry{
    "declcfg.DeprecationEntry",
    "a deprecation entry",
    {{"reference", deprecated_reference, always,
      "The package itself, one of its channels or one of its bundles"},
     {"message", string, always, "What users should know, or do instead"}}};
inline constexpr Structure deprecations{
    "declcfg.Deprecation",
    "olm.deprecations",
    {{"schema", string, always, "Says what the blob is; required, not empty"},
     {"package", string, always, "The package that the blob belongs to; optional, not empty"},
     {"name", string, never, "The name of the channel or bundle; missing for the package"},
     {"entries", list_of<deprecation_entry>, always, "What is deprecated, each once"}}};

} // namespace opcat::go::types
