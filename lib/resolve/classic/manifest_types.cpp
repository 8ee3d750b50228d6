#include "opcat/resolve/classic/manifest_types.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace opcat::classic {
namespace {

using kube::Fields;

class TypeCheck {
public:
    TypeCheck(const Object& object, Diagnostics& findings) : object_(object), findings_(findings) {}

    void check() {
        check_common();
        const std::string_view kind = object_.kind();
        const Fields spec = object_.at("spec");
        const Fields status = object_.at("status");
        if (object_.group() == "olm.operatorframework.io" && kind == "ClusterExtension") {
            const Fields catalog = spec.at("source", "catalog");
            require_texts(catalog, "spec.source.catalog", {"packageName", "version"});
            require_list_of_texts(catalog, "spec.source.catalog", "channels");
        }
        if (object_.group() != "operators.coreos.com") return;
        if (kind == "Subscription") {
            require_texts(
                spec, "spec",
                {"name", "channel", "source", "sourceNamespace", "startingCSV", "installPlanApproval"});
            require_texts(status, "status", {"installedCSV", "currentCSV", "state"});
            require_texts(status.at("installPlanRef"), "status.installPlanRef", {"name"});
        } else if (kind == "ClusterServiceVersion") {
            require_texts(spec, "spec", {"version", "replaces", "minKubeVersion"});
            require_texts(status, "status", {"phase", "reason", "message"});
        } else if (kind == "OperatorGroup") {
            require_texts(spec, "spec", {"serviceAccountName", "upgradeStrategy"});
            require_list_of_texts(spec, "spec", "targetNamespaces");
            require_list_of_texts(status, "status", "namespaces");
        } else if (kind == "OperatorCondition") {
            require_conditions("spec", "conditions");
            require_conditions("spec", "overrides");
        } else if (kind == "InstallPlan") {
            require_texts(spec, "spec", {"approval"});
            require_flag(spec, "spec", "approved");
            require_list_of_texts(spec, "spec", "clusterServiceVersionNames");
            require_texts(status, "status", {"phase"});
        } else if (kind == "CatalogSource") {
            require_texts(spec, "spec", {"image", "address", "sourceType"});
            require_texts(status.at("connectionState"), "status.connectionState", {"lastObservedState"});
        }
    }

private:
    void refuse(const Value& at, std::string message, std::string help) {
        findings_.push_back({.rule = "manifest",
                             .message = fmt::format("{}: {}, which the API server refuses",
                                                    object_.describe(), std::move(message)),
                             .where = {object_.file, at.offset(), object_.file ? 1U : 0U},
                             .notes = {},
                             .help = std::move(help)});
    }

    // A value of another type would count as missing, and the answer be about another object.
    void require_text(const Value& value, std::string_view path, std::string_view key) {
        if (!value.is_null() && !value.is_string())
            refuse(value, fmt::format("{}.{} is not a string", path, key),
                   value.is_array() || value.is_object() ? "write one string" : "write it in quotes");
    }
    void require_texts(const Fields& parent, std::string_view path,
                       std::initializer_list<std::string_view> keys) {
        for (const std::string_view key : keys) require_text(parent.at(key).value(), path, key);
    }
    void require_map_of_texts(const Fields& parent, std::string_view path) {
        if (parent && !parent.value().is_object())
            refuse(parent.value(), fmt::format("{} is not a mapping", path),
                   "write a key and a string in each line");
        for (const Member& member : parent.members()) require_text(member.value, path, member.key.string());
    }
    void require_flag(const Fields& parent, std::string_view path, std::string_view key) {
        const Value value = parent.at(key).value();
        if (!value.is_null() && !value.is_boolean())
            refuse(value, fmt::format("{}.{} is neither true nor false", path, key),
                   "write it without quotes");
    }
    void require_list_of_texts(const Fields& parent, std::string_view path, std::string_view key) {
        const Value value = parent.at(key).value();
        if (value.is_null()) return;
        const bool is_list = value.is_array() && std::ranges::all_of(value.items(), [](const Value& item) {
                                 return item.is_string();
                             });
        if (!is_list)
            refuse(value, fmt::format("{}.{} is not a list of strings", path, key),
                   "write a list, with quotes where YAML would read a number or a boolean");
    }

    void require_conditions(std::string_view parent, std::string_view key) {
        const Value all = object_.at(parent, key).value();
        const std::string path = fmt::format("{}.{}", parent, key);
        if (!all.is_null() && !all.is_array())
            return refuse(all, fmt::format("{} is not a list", path), "write a list of conditions");
        for (const Fields one : object_.items(parent, key))
            require_texts(one, path, {"type", "status", "reason", "message"});
    }

    // Conditions of custom resources may be anything.
    void check_common() {
        require_texts(object_.at("metadata"), "metadata", {"name", "namespace", "deletionTimestamp"});
        require_map_of_texts(object_.at("metadata", "annotations"), "metadata.annotations");
        require_map_of_texts(object_.at("metadata", "labels"), "metadata.labels");
        if (const std::string_view group = object_.group(); group.empty() || group == "config.openshift.io" ||
                                                            group.ends_with("operatorframework.io") ||
                                                            group == "operators.coreos.com")
            require_conditions("status", "conditions");
    }

    const Object& object_;
    Diagnostics& findings_;
};

} // namespace

void check_types(const Object& object, Diagnostics& findings) {
    TypeCheck(object, findings).check();
}

} // namespace opcat::classic
