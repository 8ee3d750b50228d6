// A request to the resolver: the fields of a ClusterExtension that it reads, and the installed bundle; and
// the parsed request, a Query.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/olm/v1_rules.hpp"
#include "opcat/resolve/v1/install_rules.hpp"
#include "opcat/semver/constraints.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

using kube::Labels;
using kube::LabelSelector;
using kube::LabelSelectorSpec;

// Every ClusterCatalog has this label with its name, which selectors can ask for.
inline constexpr std::string_view catalog_name_label = "olm.operatorframework.io/metadata.name";

// upgradeConstraintPolicy.
enum class Policy : uint8_t { catalog_provided, self_certified };
constexpr std::string_view to_string(Policy policy) {
    return policy == Policy::self_certified ? "SelfCertified" : "CatalogProvided";
}

struct InstalledBundle {
    std::string name;
    std::string version;
    std::optional<std::string> release; // only with the gate BundleReleaseSupport

    friend auto operator<=>(const InstalledBundle&, const InstalledBundle&) = default;
};

// Every member has a default, so that a request only sets what it needs.
struct Request {
    std::string package = {};
    std::string version = {}; // a range in Masterminds' syntax; empty: any
    std::vector<std::string> channels = {};
    std::optional<LabelSelectorSpec> selector = {};
    Policy policy = Policy::catalog_provided;
    std::optional<InstalledBundle> installed = {};
    bool release_support = false; // the feature gate BundleReleaseSupport
    // For those who ask whether the choice can be installed, too; the resolver itself does not. Nothing: no
    // question.
    std::optional<Installer> installer = {};
};

// The request in the spec of a ClusterExtension, with the bundle that its status names as installed. Fields
// of another type count as missing.
Request request_of(const kube::Fields& extension);

// A parsed and validated request. Refers to the request, which must outlive it.
class Query {
public:
    // The error is OLM's, word for word: an invalid selector, or else an invalid range.
    static Result<Query, std::string> compile(const Request& request);

    const Request& request() const { return *request_; }
    const LabelSelector& selector() const { return selector_; }
    const std::optional<semver::Constraints>& range() const { return range_; }
    // Returns true if only successors of the installed bundle are acceptable.
    bool wants_successors() const {
        return request_->installed && request_->policy == Policy::catalog_provided;
    }
    // Why the installed version is not valid, in OLM's words; empty if it is, or does not matter.
    const std::string& installed_error() const { return installed_error_; }

    // The three predicates of docs/spec/resolution-v1.md, separately. They are true if the request does not
    // use them.
    bool in_channels(const PackageGraph& package, const PackageBundle& bundle) const;
    bool in_range(const PackageBundle& bundle) const;
    // How the installed bundle may become this one; only if `wants_successors()`, and `installed_error()` is
    // empty.
    V1Edge edge_to(const PackageGraph& package, const PackageBundle& bundle) const;

    // Returns true if entries of the channel count.
    bool is_requested(const ChannelGraph& channel) const;

private:
    explicit Query(const Request& request) : request_(&request) {}
    void read_installed();

    const Request* request_;
    LabelSelector selector_;
    std::optional<semver::Constraints> range_;
    std::optional<semver::VersionRelease> installed_;
    std::string installed_error_;
};

} // namespace opcat::olmv1
