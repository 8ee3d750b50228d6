// The examples of its APIs that a ClusterServiceVersion has in an annotation.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/bundle_checks/source.hpp"
#include "opcat/document/value.hpp"

#include <memory>
#include <optional>

namespace opcat::bundle_checks {

struct Examples {
    Value list;     // an array of objects, each with a kind
    Location where; // of the annotation
    std::shared_ptr<const void> memory;
};

// Nothing, and a finding, if there is no annotation or it has other content.
std::optional<Examples> read_examples(const Source& bundle, Diagnostics& out);

// By its apiVersion and kind.
Api api_of(const kube::Fields& object);

} // namespace opcat::bundle_checks
