// The parts of check_catalog, one subject each. Every function adds its findings to `out`.
#pragma once

#include "catalog/package_index.hpp"
#include "support/diagnostic.hpp"

namespace opcat {

// Names of packages, that there is one olm.package blob for each, and its default channel.
void check_package(const PackageIndex& package, Diagnostics& out);

// Names and entries of the package's channels, and whether all entries have bundles.
void check_channels(const PackageIndex& package, Diagnostics& out);

// The upgrade graph of one channel: one head, from which `replaces` leads to every entry that nothing skips.
void check_upgrade_graph(const Channel& channel, Diagnostics& out);

// The package's bundles: names, versions, membership in channels.
void check_bundles(const PackageIndex& package, Diagnostics& out);

// That bundles have images, and that all are named by pull specs.
void check_images(const PackageIndex& package, Diagnostics& out);

// Whether the values of properties that OLM knows have the form that OLM reads.
void check_properties(const Bundle& bundle, Diagnostics& out);

// skipRanges that do not parse, cover the entry itself, or cover nothing at all.
void check_skip_ranges(const PackageIndex& package, Diagnostics& out);

// What is deprecated must be there, once, and have a message.
void check_deprecations(const PackageIndex& package, Diagnostics& out);

// Fields that no schema knows.
void check_unknown_fields(const PackageIndex& package, Diagnostics& out);

// Schemas and types of properties that have no meaning, and are nearly those that have one.
void check_schema_names(const Catalog& catalog, Diagnostics& out);
void check_property_types(const PackageIndex& package, Diagnostics& out);

// Whether a package's icon is of the type that it says, and not too large.
void check_icon(const PackageIndex& package, Diagnostics& out);

} // namespace opcat
