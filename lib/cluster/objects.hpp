// The objects that opcat makes on a cluster.
#pragma once

#include "cluster/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat::cluster {

Json namespace_object(const std::string& name);

// `targets`: the namespaces to watch; none: all.
Json operator_group(const std::string& ns, const std::string& name, const std::vector<std::string>& targets);

struct SubscriptionSpec {
    std::string package;
    std::string ns;
    std::string channel = {}; // empty: the package's default
    std::string catalog = {}; // of CatalogSource
    std::string catalog_ns = {};
    std::string starting_csv = {}; // empty: the channel's head
    bool manual = false;
};
Json subscription_object(const SubscriptionSpec& wanted);

struct CatalogSourceSpec {
    std::string name;
    std::string ns;
    std::string image;
    std::string image_template = {}; // olm.catalogImageTemplate
    std::optional<int64_t> priority = {};
    std::string poll = {}; // how often to look for a new image ("15m"); empty: never
    std::string display_name = {};
    std::string publisher = {};
};
Json catalog_source(const CatalogSourceSpec& wanted);

struct ClusterCatalogSpec {
    std::string name;
    std::string image;
    std::optional<int64_t> priority = {};
    std::optional<int64_t> poll_minutes = {};
};
Json cluster_catalog(const ClusterCatalogSpec& wanted);

struct ExtensionSpec {
    std::string name;
    std::string package;
    std::string ns;
    std::string service_account;
    std::string version = {}; // a range; empty: any
    std::vector<std::string> channels = {};
    std::string catalog = {}; // empty: any. Naming one keeps the outage of others away.
    bool self_certified = false;
    std::vector<std::string> watch_namespaces = {}; // experimental features only
};
Json cluster_extension(const ExtensionSpec& wanted);

Json service_account(const std::string& ns, const std::string& name);

// A merge patch that changes an extension's source to what is wanted: what is empty there is taken away.
Json extension_source_patch(const ExtensionSpec& wanted);

// "registry.example/c:v{kube_major_version}.{kube_minor_version}" for a version like "v1.31.2+k3s". Unknown
// placeholders stay, as OLM leaves them. Nothing if the version cannot be read.
std::optional<std::string> fill_image_template(const std::string& text, const std::string& server_version);

} // namespace opcat::cluster
