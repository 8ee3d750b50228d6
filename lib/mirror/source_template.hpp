// A CatalogSource that users write for a mirrored catalog: targetCatalogSourceTemplate of an
// ImageSetConfiguration.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/cluster/objects.hpp"

#include <memory>
#include <optional>
#include <string>

namespace opcat {

class SourceTemplate {
public:
    // Nothing, with errors, if it is not a CatalogSource of an image (grpc, without a ConfigMap or an
    // address).
    static std::optional<SourceTemplate> read(const SourceFile& file, Diagnostics& diagnostics);

    // The template with the name, the namespace and the image of `wanted`; its other fields only where the
    // template has none.
    kube::Object fill(const cluster::CatalogSourceSpec& wanted) const;

private:
    explicit SourceTemplate(kube::Object object) : object_(std::move(object)) {}

    kube::Object object_;
};

} // namespace opcat
