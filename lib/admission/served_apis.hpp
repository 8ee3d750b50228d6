// The APIs that a cluster serves.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace opcat::admission {

// "policy/v1" and "PodDisruptionBudget".
class ServedApis {
public:
    // Kubernetes 1.MINOR with nothing else installed.
    explicit ServedApis(uint64_t minor) : minor_(minor) {}
    // A cluster that serves these versions, as "policy/v1", of which kinds are not known. Those of Kubernetes
    // itself are.
    explicit ServedApis(std::set<std::string> versions) : versions_(std::move(versions)) {}

    // Returns true if it serves the kind. Definitions that a bundle brings can be added.
    bool serves(std::string_view api_version, std::string_view kind) const;
    // Returns true if a cluster that does not serve the kind may have it from another operator: it is neither
    // one of Kubernetes nor one that it had in another release.
    static bool is_of_kubernetes(std::string_view api_version);
    // Returns true if it is a release that is not known here.
    bool is_newer_than_known() const;
    void add(std::string_view group, std::string_view version, std::string_view kind);

private:
    uint64_t minor_ = 0;
    std::optional<std::set<std::string>> versions_;
    std::set<std::string, std::less<>> added_; // "GROUP/VERSION KIND"
};

// The newest release of Kubernetes, 1.MINOR, whose APIs are known here.
inline constexpr uint64_t newest_known_minor = 36;

} // namespace opcat::admission
