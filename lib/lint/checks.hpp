// The checks of lint() (lint.hpp).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/graph/graph_view.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

// Limits that a project may set, in bytes.
struct CheckLimits {
    uint64_t largest_icon = uint64_t{256} * 1024; // those of real catalogs have up to 70 KiB
};

// All findings about a catalog that loads, sorted by place; `packages` is its index. There are errors exactly
// if opm refuses the catalog; warnings are accepted by opm but almost certainly mistakes, notes are
// information. All threads of the pool check packages. Linear in the size of the catalog, except that each
// skipRange is compared with all versions of its package.
Diagnostics check_catalog(const Catalog& catalog, const std::vector<PackageIndex>& packages, ThreadPool& pool,
                          const CheckLimits& limits = {});

// Reports properties of bundles that opm accepts and OLM cannot use later, in the words of the code that
// resolves; sorted by place. Properties of the wrong form altogether are left to check_catalog.
//
//   dependency             warning  a requirement that keeps OLM classic from resolving:
//                                   olm.package.required, olm.gvk.required, olm.label.required,
//                                   olm.constraint with all in it
//   max-openshift-version  warning  an olm.maxOpenShiftVersion that OpenShift cannot read (error: a number)
//                                   that has lost its last digit
Diagnostics check_resolved_properties(const Catalog& catalog, ThreadPool& pool);

// Reports faults of the paths through an upgrade graph that passes the checks of check_catalog: those look at
// one entry or chain, this at what happens to installed versions.
//
// By place. One finding per channel and subject, which names the affected versions. Near-linear.
//
//   graph-no-way         warning  entries, or versions that edges name, from which their channel's head
//                                 cannot be reached by OLM classic
//   graph-loop           warning  OLM classic or v1 upgrades in a circle
//   graph-ambiguous      warning  two bundles that OLM v1 likes equally well lead on from one version
//   graph-skip-range-gap warning  a skipRange leaves out a version between those that it covers, which has no
//                                 other way to the entry
//   graph-unreachable    note     an entry that no version of the catalog can be upgraded to
//   graph-channel-switch note     versions of another channel, older than the default channel's head, that
//                                 have no upgrade there; a warning if the newest version below the default
//                                 channel is one of them
//   graph-minor-step     note     a channel without an upgrade from the minor version before its first; a
//                                 warning if it is the default channel
//   default-channel-old  note     another channel for everybody has a newer head than the default one
Diagnostics check_health(const GraphView& view);

// Why this cannot be the name of a package, which is an RFC 1123 label, as Kubernetes checks it; empty if it
// can.
std::string reason_against_package_name(std::string_view name);

// The media type of an image file by its content ("image/png"): raster formats by their first bytes, SVG as
// XML whose root element is svg. Empty if it is unknown.
std::string_view image_media_type(std::string_view bytes);

// The parts of check_catalog, one subject each. Every function adds its findings to `out`.

// Blobs of packages that the catalog does not have: one finding for each such package, and one for each blob
// of another schema. `packages` are all of the catalog.
void check_unknown_packages(std::span<const PackageIndex> packages, std::span<const OtherBlob> others,
                            Diagnostics& out);

// Blobs of the schema io.openshift.operators.lifecycles.v1alpha1 (docs/spec/lifecycles.md).
//
//   lifecycle-field      warning  a field is missing, or has another form
//   lifecycle-dates      warning  a phase ends before it begins, or does not follow the one before it
//   lifecycle-duplicate  warning  a second blob for a package, or a version twice
//   lifecycle-version    note     a version that no bundle of the package has
void check_lifecycles(std::span<const PackageIndex> packages, std::span<const OtherBlob> others,
                      Diagnostics& out);

// Names of packages, their single olm.package blob, and its default channel.
void check_package(const PackageIndex& package, Diagnostics& out);

// Names and entries of the package's channels, and whether all entries have bundles.
void check_channels(const PackageIndex& package, Diagnostics& out);

// The upgrade graph of each channel: one head, from which `replaces` leads to every entry that is not
// skipped; and names in edges that are not those of bundles.
void check_upgrade_graphs(const PackageIndex& package, Diagnostics& out);

// The package's bundles: names, versions, membership in channels.
void check_bundles(const PackageIndex& package, Diagnostics& out);

// Bundles without an image, and images whose names are not pull specs.
void check_images(const PackageIndex& package, Diagnostics& out);

// Why the skipRange of a bundle is not one that OLM can use as its author means it; nothing if it is.
std::optional<Diagnostic> check_skip_range(std::string_view text, std::string_view name,
                                           const Location& where);

// The properties of a bundle that require something, as check_resolved_properties checks them.
void check_requirements(const Bundle& bundle, Diagnostics& out);

// skipRanges that are not good by themselves, cover the entry itself, or cover nothing.
void check_skip_ranges(const PackageIndex& package, Diagnostics& out);

// Reports contradictions about Kubernetes and OpenShift within a bundle and along the edges of channels:
// minKubeVersion of olm.csv.metadata, and olm.maxOpenShiftVersion.
void check_platforms(const PackageIndex& package, Diagnostics& out);

// Deprecations must refer to existing objects, once each, and have a message.
void check_deprecations(const PackageIndex& package, Diagnostics& out);

// Fields that are not in any schema.
void check_unknown_fields(const PackageIndex& package, Diagnostics& out);

// Schemas and types of properties that look like misspelled ones of OLM.
void check_schema_names(const Catalog& catalog, Diagnostics& out);
void check_property_types(const PackageIndex& package, Diagnostics& out);

// Reports a package's icon that does not have the media type that it states, or has more than `largest`
// bytes.
void check_icon(const PackageIndex& package, uint64_t largest, Diagnostics& out);

} // namespace opcat
