// What is on a cluster, as far as OLM looks at it, from manifests as `kubectl get -o yaml` prints them.
#pragma once

#include "base/diagnostic.hpp"
#include "document/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

// An object of the cluster. `value` is all of it; without a file it was made by the program.
struct Object {
    const SourceFile* file = nullptr;
    Value value;
    std::string name;
    std::string ns;

    Location where() const { return {file, value.offset(), file ? 1U : 0U}; }
    // What stands at a path of keys: nullptr if there is nothing, or null.
    const Value* at(std::initializer_list<std::string_view> path) const;
    std::string_view text_at(std::initializer_list<std::string_view> path) const;
    std::string_view annotation(std::string_view key) const {
        return text_at({"metadata", "annotations", key});
    }
};

struct CatalogSource : Object {
    int64_t priority = 0;
};

struct Subscription : Object {
    std::string package;
    std::string channel;
    std::string source;
    std::string source_namespace;
    std::string starting_csv;
    bool manual = false; // installPlanApproval
    std::string installed_csv;
    std::string current_csv;
};

struct ClusterServiceVersion : Object {
    std::string version; // as it is written
    std::string replaces;
    std::string phase;
    bool copied = false;
};

struct OperatorGroup : Object {};

// Objects in the order of the manifests.
struct ClusterState {
    std::vector<CatalogSource> catalog_sources;
    std::vector<Subscription> subscriptions;
    std::vector<ClusterServiceVersion> csvs;
    std::vector<OperatorGroup> operator_groups;
    std::vector<Object> operator_conditions;
    std::vector<Object> install_plans;
    std::vector<Object> crds;
    std::vector<Object> namespaces;
    std::vector<Object> olm_configs;
    std::vector<Object> others; // custom resources among them

    // What the values refer to.
    std::vector<std::shared_ptr<const SourceFile>> files;
    std::vector<std::shared_ptr<const Arena>> arenas;
};

// Adds the objects of a file: documents of YAML or JSON, Lists taken apart. What cannot be read is told in
// `findings`.
void read_manifests(std::shared_ptr<const SourceFile> file, ClusterState& cluster, Diagnostics& findings);

// Adds an object, or those of a List, that were not read from a file: what is found has no place. `arena`
// holds the value.
void add_object(const Value& value, std::shared_ptr<const Arena> arena, ClusterState& cluster,
                Diagnostics& findings);

} // namespace opcat::classic
