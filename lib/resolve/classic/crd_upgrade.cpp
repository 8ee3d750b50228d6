#include "resolve/classic/crd_upgrade.hpp"

#include "catalog/finding.hpp"
#include "resolve/classic/schema_validation.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat::classic {
namespace {

struct CrdVersion {
    bool served = true;
    const Value* schema = nullptr; // openAPIV3Schema
};

using Versions = std::map<std::string_view, CrdVersion>;

const Value* schema_in(const Value& holder, std::string_view key) {
    const Value* const validation = holder.find(key);
    return validation ? validation->find("openAPIV3Schema") : nullptr;
}

// Of v1, and of v1beta1 with its one version and one schema for all.
Versions versions_of(const Object& crd) {
    Versions versions;
    const Value* const spec = crd.at({"spec"});
    if (!spec) return versions;
    const Value* const common = schema_in(*spec, "validation");
    if (const Value* const list = spec->find("versions"); list && list->is_array()) {
        for (const Value& item : list->items()) {
            const Value* const name = item.find("name");
            if (!name || !name->is_string()) continue;
            const Value* const served = item.find("served");
            const Value* const own = schema_in(item, "schema");
            versions[name->string()] = {!served || !served->is_boolean() || served->boolean(),
                                        own ? own : common};
        }
    }
    if (versions.empty() && !crd.text_at({"spec", "version"}).empty())
        versions[crd.text_at({"spec", "version"})] = {true, common};
    return versions;
}

void check_stored(const Object& current, const Object& wanted, const Versions& now, Diagnostics& findings) {
    const Value* const stored = current.at({"status", "storedVersions"});
    if (!stored || !stored->is_array()) return;
    for (const Value& version : stored->items()) {
        if (now.contains(version.string_or_empty())) continue;
        findings.push_back(with_note(
            error("classic-crd-stored-version", wanted.where(),
                  fmt::format(
                      "new CRD removes version {} that is listed as a stored version on the existing CRD: {}",
                      version.string_or_empty(), wanted.name),
                  "migrate the stored objects, and remove the version from the CRD's status.storedVersions"),
            "the existing CRD", current.where()));
    }
}

void check_served(const Object& current, const Object& wanted, const Versions& before, const Versions& now,
                  size_t owners, Diagnostics& findings) {
    for (const auto& [name, version] : before) {
        if (!version.served || now.contains(name)) continue;
        findings.push_back(with_note(
            finding(owners > 1 ? Severity::error : Severity::warning, "classic-crd-served-version",
                    wanted.where(),
                    fmt::format("the new CRD {} does not have version {}, which the existing one serves{}",
                                wanted.name, name,
                                owners > 1 ? ": several operators own the CRD, and OLM refuses the upgrade"
                                           : ": clients and objects of this version stop working"),
                    "a version must be there with served: false for one release before it may be removed"),
            "the existing CRD", current.where()));
    }
}

bool is_of(const Object& instance, std::string_view group, std::string_view kind, std::string_view version) {
    return instance.text_at({"kind"}) == kind &&
           instance.text_at({"apiVersion"}) == fmt::format("{}/{}", group, version);
}

} // namespace

void check_crd_upgrade(const Object& current, const Object& wanted, const std::vector<Object>& instances,
                       size_t owners, Diagnostics& findings) {
    const Versions before = versions_of(current);
    const Versions now = versions_of(wanted);
    check_stored(current, wanted, now, findings);
    check_served(current, wanted, before, now, owners, findings);
    const std::string_view group = wanted.text_at({"spec", "group"});
    const std::string_view kind = wanted.text_at({"spec", "names", "kind"});
    for (const auto& [name, version] : now) {
        if (!version.schema || !before.contains(name)) continue;
        for (const Object& instance : instances) {
            if (!is_of(instance, group, kind, name)) continue;
            for (const SchemaViolation& violation : violations(instance.value, *version.schema)) {
                findings.push_back(finding(
                    owners > 1 ? Severity::error : Severity::warning, "classic-crd-instance",
                    {instance.file, violation.offset, 1},
                    fmt::format("{} {}/{} is not valid against the new CRD {}, version {}: {} {}", kind,
                                instance.ns, instance.name, wanted.name, name, violation.path,
                                violation.what),
                    owners > 1
                        ? "several operators own the CRD: OLM refuses the upgrade until the object is valid"
                        : "one operator owns the CRD: OLM upgrades it, and the object can no longer be "
                          "changed"));
            }
        }
    }
}

} // namespace opcat::classic
