// Checks that a project asks for in addition to the rules of the format: the version of OpenShift, the
// registries of images, and conditions of its own (configuration.hpp).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/lint/openshift_version.hpp"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

struct Configuration;

// The findings of one catalog, or of some of its blobs. Sequential: what own rules may work is counted in the
// order of the blobs.
Diagnostics check_for_project(const Catalog& catalog, const Configuration& configuration);

// A bundle for OpenShift 4.17 and later has one olm.csv.metadata and no olm.bundle.object, one for older
// versions has olm.bundle.object only.
void check_openshift_metadata(const Bundle& bundle, const OpenShiftVersion& version, Diagnostics& out);

// Why a text cannot name a registry or a part of one: "quay.io", "quay.io/org", "quay.io/org/repository".
// Empty if it can.
std::string reason_against_registry(std::string_view text);

// Registries, or parts of one, that images may be in.
class AllowedRegistries {
public:
    explicit AllowedRegistries(std::span<const std::string> registries);

    // Returns true if a pull spec is in one of them, or below it. Short forms are completed: "nginx" is in
    // docker.io. Linear in the text.
    bool have(std::string_view image) const;

private:
    std::set<std::string, std::less<>> names_;
};

// Images in hosts for staging and building, which users cannot pull from, and digests that are named in two
// registries.
void check_image_hosts(const PackageIndex& package, Diagnostics& out);

} // namespace opcat
