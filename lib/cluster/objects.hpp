// The objects that opcat creates on a cluster. They are built as JSON; readers use kube::Object.
#pragma once

#include "opcat/kube/labels.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

using kube::Condition;
using kube::Fields;
using kube::Object;
// Members keep their order, so that printed objects look as people write them.
using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 become U+FFFD.
Object object_of(const Json& json);
Json json_of(const Value& value);
// An object with nothing but its names; `ns` is empty for kinds without a namespace.
Json named_object(const char* version, const char* kind, const std::string& name, const std::string& ns = {});

Object namespace_object(const std::string& name);

// `targets`: the namespaces to watch; none: all.
Object operator_group(const std::string& ns, const std::string& name,
                      const std::vector<std::string>& targets);

struct SubscriptionSpec {
    std::string package;
    std::string ns;
    std::string channel = {}; // empty: the package's default
    std::string catalog = {}; // of CatalogSource
    std::string catalog_ns = {};
    std::string starting_csv = {}; // empty: the channel's head
    bool manual = false;
};
// `name`: empty: that of the package.
Object subscription_object(const SubscriptionSpec& wanted, const std::string& name = {});

// The catalog and channel from which a Subscription gets its operator. Empty: unchanged.
struct SubscriptionMove {
    std::string channel = {};
    std::string catalog = {}; // with its namespace
    std::string catalog_ns = {};
    bool any() const { return !channel.empty() || !catalog.empty(); }
};
// The merge patch that moves a Subscription, and the resulting Subscription.
Object move_patch(const SubscriptionMove& move);
Object moved(const Object& subscription, const SubscriptionMove& move);
// The fields that an apply needs to leave a Subscription unchanged: only its spec.
Object with_spec_only(const Object& subscription);
Object with_status(const Object& object, const Fields& status);

// The name of the definition, for requests.
Object crd_reference(const std::string& name);
bool is_crd(const Object& object);

struct CatalogSourceSpec {
    std::string name;
    std::string ns;
    std::string image;
    std::string address = {};        // of a registry that runs already: "host:port", in place of an image
    std::string image_template = {}; // olm.catalogImageTemplate
    std::optional<int64_t> priority = {};
    std::string poll = {};    // how often to look for a new image ("15m"); empty: never
    std::string extract = {}; // the directory of the catalog in an image without opm; empty: it serves itself
    std::string display_name = {};
    std::string publisher = {};
};
Object catalog_source(const CatalogSourceSpec& wanted);

struct ClusterCatalogSpec {
    std::string name;
    std::string image;
    std::optional<int64_t> priority = {};
    std::optional<int64_t> poll_minutes = {};
};
Object cluster_catalog(const ClusterCatalogSpec& wanted);

struct ExtensionSpec {
    std::string name;
    std::string package;
    std::string ns;
    std::string service_account; // empty: none
    std::string version = {};    // a range; empty: any
    std::vector<std::string> channels = {};
    kube::Labels catalogs = {}; // that the catalogs must have; none: any. Naming a catalog prevents failures
                                // because of the others.
    std::optional<olmv1::Policy> policy = {};      // nothing: not said
    Object config = {};                            // spec.config.inline; nothing: none
    std::optional<int64_t> progress_deadline = {}; // in minutes
    std::string crd_upgrade_safety = {};           // Strict, None; empty: not said
    kube::Labels labels = {};
};
Object cluster_extension(const ExtensionSpec& wanted);

// The labels of the catalog of this name, and of no other.
kube::Labels named_catalog(const std::string& name);

// A merge patch that changes an extension to `wanted`. An empty version is removed from the extension, other
// empty fields stay as they are. The labels of a new catalog replace the whole selector of `before`.
Object extension_patch(const Fields& before, const ExtensionSpec& wanted);

// The object in another namespace.
Object in_namespace(const Object& object, const std::string& ns);
// The object with these labels in addition to its own.
Object with_labels(const Object& object, const kube::Labels& labels);
// `config` with the fields of `more`, recursively: lists and texts of `more` replace those of `config`. Both
// may be nothing.
Object merged(const Fields& config, const Fields& more);

// A merge patch that only makes OLM look at an object again: an annotation.
Object nudge();

// Fills in "registry.example/c:v{kube_major_version}.{kube_minor_version}" for a version like "v1.31.2+k3s".
// Unknown placeholders stay, as in OLM. Nothing if the version cannot be parsed.
std::optional<std::string> fill_image_template(const std::string& text, const std::string& server_version);

// A definition as the cluster has it after `wanted` has replaced `before`: earlier stored versions stay in
// its status.
Object upgraded_definition(const Fields& before, const Object& wanted);

// The plural of a kind that bundles may contain, or that opcat creates. It ends with "s", "es" or "ies",
// except for the few kinds that are plural already.
std::string plural_of_kind(std::string_view kind);

} // namespace opcat::cluster
