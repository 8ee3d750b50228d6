// The release of OLM v1 that a command is about, and its feature set.
#pragma once

#include "opcat/resolve/v1/olm_release.hpp"

#include <string>

namespace opcat {

class Command;
class Session;
struct Connection;

// --olm-release and --feature-set.
struct OlmReleaseFlags {
    std::string release;
    std::string feature_set;

    bool given() const { return !release.empty() || !feature_set.empty(); }
    // Throws RequestError, as OlmRelease::named().
    olmv1::OlmRelease read() const { return olmv1::OlmRelease::named(release, feature_set); }
    // Without the flags: with the feature set of the cluster, if it has OLM v1.
    olmv1::OlmRelease read_on(const Connection& connection, const Session& session) const;
};
void add_olm_release_flags(Command command, OlmReleaseFlags& flags);

} // namespace opcat
