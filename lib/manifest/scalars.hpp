// Strings that Kubernetes' and OLM's types give a form.
#pragma once

#include <string_view>

namespace opcat::manifest {

// As Go's time.Parse reads RFC 3339: "2024-02-29T12:00:00Z", "…T12:00:00.5+01:00".
bool is_time(std::string_view text);

// As apimachinery's resource.ParseQuantity reads it: "2", "100m", "1.5Gi", "1e3".
bool is_quantity(std::string_view text);

// The version of a ClusterServiceVersion: blang's tolerant reading.
bool is_lenient_version(std::string_view text);

bool is_release(std::string_view text);

} // namespace opcat::manifest
