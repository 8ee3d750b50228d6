// mirror.platform of an ImageSetConfiguration, as it is written.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"
#include "opcat/mirror/releases.hpp"

namespace opcat {

// Of an object that decodes as oc-mirror's type, and its `platforms`. Mistakes are errors at their places;
// what opcat does not mirror is added to `unsupported`.
ReleaseRequest read_release_request(const Value& platform, Platforms platforms, const SourceFile& file,
                                    Diagnostics& diagnostics, Diagnostics& unsupported);

} // namespace opcat
