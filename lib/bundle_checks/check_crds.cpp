// CustomResourceDefinitions as the API server validates them when they are created, without their schemas and
// status, which operator-sdk does not check.
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/bundle_checks/addresses.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <span>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

constexpr std::string_view subresources = "subresources";
constexpr std::string_view columns = "additionalPrinterColumns";

// RFC 1035: as a DNS-1123 label, but it begins with a letter.
bool is_dns1035_label(std::string_view text) {
    return kube::is_dns1123_label(text) && text.size() <= kube::longest_label &&
           !(text[0] >= '0' && text[0] <= '9');
}

// A definition with the API server's defaults filled in.
class Definition {
public:
    explicit Definition(const kube::Object& crd)
        : object(crd), spec(crd.at("spec")), names(spec.at("names")) {
        is_v1beta1 = crd.text("apiVersion").ends_with("v1beta1");
        for (const Fields one : spec.items("versions")) versions.push_back(one);
        has_versions = !versions.empty();
        const Value preserve = spec.at("preserveUnknownFields").value();
        preserves_unknown = preserve.is_boolean() ? preserve.boolean() : is_v1beta1;
        singular = text_or(names.text("singular"), ascii_lower(names.text("kind")));
        const std::string_view kind = names.text("kind");
        list_kind =
            text_or(names.text("listKind"), kind.empty() ? std::string() : fmt::format("{}List", kind));
        version = std::string(is_v1beta1 ? spec.text("version") : "");
        if (version.empty() && has_versions) version = versions[0].text("name");
    }

    const kube::Object& object;
    Fields spec;
    Fields names;
    bool is_v1beta1 = false;
    bool has_versions = false;
    bool preserves_unknown = false;
    std::vector<Fields> versions;
    std::string singular, list_kind;
    std::string version; // of v1beta1, or that of the first version

private:
    static std::string text_or(std::string_view text, std::string otherwise) {
        return text.empty() ? std::move(otherwise) : std::string(text);
    }
};

bool is_set(const Fields& part) {
    return part.value().is_array() ? !part.value().items().empty() : static_cast<bool>(part);
}

// Returns true if a schema, or one within it, has a default.
bool has_default(const Value& schema) {
    if (schema.is_array()) return std::any_of(schema.items().begin(), schema.items().end(), has_default);
    if (!schema.is_object()) return false;
    constexpr std::array<std::string_view, 7> inner = {
        "items", "allOf", "oneOf", "anyOf", "not", "additionalProperties", "additionalItems"};
    constexpr std::array<std::string_view, 4> named = {"properties", "patternProperties", "definitions",
                                                       "dependencies"};
    if (const Value* const found = schema.find("default"); found && !found->is_null()) return true;
    return std::any_of(inner.begin(), inner.end(),
                       [&](std::string_view field) {
                           const Value* const found = schema.find(field);
                           return found && has_default(*found);
                       }) ||
           std::any_of(named.begin(), named.end(), [&](std::string_view field) {
               const auto members = Fields(schema).members(field);
               return std::any_of(members.begin(), members.end(),
                                  [](const Member& member) { return has_default(member.value); });
           });
}

class Checker {
public:
    Checker(const kube::Object& crd, Diagnostics& out) : crd_(crd), out_(out) {}

    void check() {
        check_crd_metadata(crd_.object, out_);
        check_group();
        check_scope();
        check_names();
        check_versions();
        check_shared_fields();
        check_unknown_fields();
        check_conversion();
        check_approval();
    }

private:
    template <typename... Keys>
    Location at(const Fields& from, const Keys&... keys) const {
        return place_of(crd_.object, from, keys...);
    }
    // For the table of rules every finding names its rule with its message.
    void report(std::string_view rule, Location where, std::string message, std::string help = {}) {
        out_.push_back(error(rule, where, std::move(message), std::move(help)));
    }

    void check_group() {
        const std::string_view group = crd_.spec.text("group");
        const Location where = at(crd_.spec, "group");
        if (group.empty())
            report("crd-names", where, "the CustomResourceDefinition has no group");
        else if (!kube::subdomain_errors(group).empty())
            report("crd-names", where, fmt::format("the group \"{}\" is not a domain in lower case", group));
        else if (group.find('.') == group.npos)
            report("crd-names", where, fmt::format("the group \"{}\" has no dot", group),
                   "use a domain that you own, such as example.com");
    }

    void check_scope() {
        std::string_view scope = crd_.spec.text("scope");
        if (scope.empty() && crd_.is_v1beta1) scope = "Namespaced";
        if (scope == "Namespaced" || scope == "Cluster") return;
        report("crd-scope", at(crd_.spec, "scope"),
               scope.empty() ? "the CustomResourceDefinition has no scope"
                             : fmt::format("there is no scope \"{}\"", scope),
               "write Namespaced or Cluster");
    }

    void check_names() {
        const Fields& names = crd_.names;
        const auto check = [&](std::string_view field, std::string_view name, bool is_kind) {
            if (name.empty())
                report("crd-names", at(crd_.spec, "names", field),
                       fmt::format("the CustomResourceDefinition has no {}", field));
            else if (!is_dns1035_label(is_kind ? ascii_lower(name) : std::string(name)))
                report("crd-names", at(crd_.spec, "names", field),
                       fmt::format("the {} \"{}\" is not an RFC 1035 label", field, name), label_help());
        };
        check("plural", names.text("plural"), false);
        check("singular", crd_.singular, false);
        check("kind", names.text("kind"), true);
        check("listKind", crd_.list_kind, true);
        for (const std::string_view list : {"shortNames", "categories"})
            for (const Fields name : names.items(list))
                if (!is_dns1035_label(name.value().string_or_empty()))
                    report("crd-names", at(name),
                           fmt::format("\"{}\" in {} is not an RFC 1035 label",
                                       name.value().string_or_empty(), list),
                           label_help());
        if (const std::string_view kind = names.text("kind"); !kind.empty() && kind == crd_.list_kind)
            report("crd-names", at(names, "listKind"), "kind and listKind are the same",
                   fmt::format("write \"listKind: {}List\"", kind));
    }

    static std::string label_help() {
        return "use up to 63 lower-case letters, digits and '-', with a letter first";
    }

    void check_versions() {
        std::set<std::string_view> names;
        bool is_unique = true;
        size_t stored = 0;
        for (const Fields& version : crd_.versions) {
            const std::string_view name = version.text("name");
            is_unique = names.insert(name).second && is_unique;
            stored += version.flag("storage") ? 1 : 0;
            check_version_name(name, at(version, "name"));
            check_deprecation(version);
        }
        // v1beta1 without versions has the one of spec.version.
        if (!crd_.has_versions && !crd_.version.empty()) {
            stored = 1;
            check_version_name(crd_.version, at(crd_.spec, "version"));
        }
        // The API server checks the first one twice: where it is, and as the version of v1beta1.
        if (!crd_.version.empty())
            check_version_name(crd_.version, crd_.has_versions && !crd_.is_v1beta1
                                                 ? at(crd_.versions[0], "name")
                                                 : at(crd_.spec, "version"));
        const Location where = at(crd_.spec, "versions");
        if (!is_unique) report("crd-versions", where, "two versions have the same name");
        if (stored != 1)
            report("crd-versions", where,
                   stored == 0 ? "no version is the one that is stored" : "several versions are to be stored",
                   "write \"storage: true\" for one version, and \"storage: false\" for the others");
        if (crd_.has_versions && !crd_.version.empty() && crd_.versions[0].text("name") != crd_.version)
            report("crd-versions", at(crd_.spec, "version"), "spec.version is not the first of spec.versions",
                   "leave out spec.version");
    }

    void check_version_name(std::string_view name, Location where) {
        if (!is_dns1035_label(name))
            report("crd-versions", where, fmt::format("the version \"{}\" is not an RFC 1035 label", name),
                   label_help());
    }

    void check_deprecation(const Fields& version) {
        const Value warning = version.at("deprecationWarning").value();
        if (!warning.is_string()) return;
        const Location where = at(version, "deprecationWarning");
        const std::string_view text = warning.string();
        constexpr size_t most = 256; // bytes
        if (!version.flag("deprecated")) {
            report("crd-versions", where, "a version that is not deprecated has a deprecationWarning",
                   "write \"deprecated: true\", or remove the warning");
            return;
        }
        if (text.empty()) report("crd-versions", where, "the deprecationWarning is empty");
        if (text.size() > most)
            report("crd-versions", where, fmt::format("the deprecationWarning has more than {} bytes", most));
        const auto characters = utf8_characters(text);
        if (!std::all_of(characters.begin(), characters.end(), [](std::string_view character) {
                return !is_control(character) && is_printable(decode_utf8(character));
            }))
            report("crd-versions", where, "the deprecationWarning has characters that cannot be printed");
    }

    // ---- what versions share, or have each for themselves

    // Schema, subresources and columns: in v1beta1 of the definition or of each version; in v1 of each
    // version, but if they are equal in all versions, the API server treats them as the definition's.
    void check_shared_fields() {
        check_one_place("validation", "schema", "schemas");
        check_one_place(subresources, subresources, "subresources");
        check_one_place(columns, columns, "printer columns");
        each_once(subresources, [&](const Fields& found) { check_scale(found.at("scale")); });
        each_once(columns, [&](const Fields& found) {
            for (const Fields column : found.items()) check_column(column);
        });
    }

    bool is_equal_in_all_versions(std::string_view field) const {
        return std::all_of(crd_.versions.begin(), crd_.versions.end(), [&](const Fields& version) {
            return kube::is_equal(version.at(field).value(), crd_.versions[0].at(field).value());
        });
    }

    void check_one_place(std::string_view of_all, std::string_view of_version, std::string_view what) {
        if (!crd_.is_v1beta1) return;
        const bool some = std::any_of(crd_.versions.begin(), crd_.versions.end(),
                                      [&](const Fields& version) { return is_set(version.at(of_version)); });
        if (!some) return;
        if (is_set(crd_.spec.at(of_all)))
            report("crd-shared-fields", at(crd_.spec, of_all),
                   fmt::format("there are {} for all versions, and of single versions", what),
                   "keep one of the two");
        if (is_equal_in_all_versions(of_version))
            report("crd-shared-fields", at(crd_.spec, "versions"),
                   fmt::format("the {} are the same in every version", what),
                   fmt::format("write them once, as spec.{}", of_all));
    }

    template <typename Use>
    void each_once(std::string_view field, Use use) {
        if (crd_.is_v1beta1 && is_set(crd_.spec.at(field))) use(crd_.spec.at(field));
        const bool once = !crd_.is_v1beta1 && is_equal_in_all_versions(field);
        for (const Fields& version : crd_.versions) {
            use(version.at(field));
            if (once) return;
        }
    }

    static bool is_simple_path(std::string_view path) { return path.starts_with('.'); }

    void check_scale(const Fields& scale) {
        if (!scale) return;
        if (!scale.text("specReplicasPath").starts_with(".spec."))
            report("crd-scale", at(scale, "specReplicasPath"),
                   "the subresource scale does not say where the number of replicas is",
                   "specReplicasPath is a path below .spec, such as .spec.replicas");
        const std::string_view selector = scale.text("labelSelectorPath");
        if (!selector.empty() && !selector.starts_with(".spec.") && !selector.starts_with(".status."))
            report("crd-scale", at(scale, "labelSelectorPath"),
                   "labelSelectorPath is not a path below .spec or .status");
    }

    void check_column(const Fields& column) {
        constexpr std::array<std::string_view, 5> types = {"integer", "number", "string", "boolean", "date"};
        constexpr std::array<std::string_view, 8> formats = {"int32", "int64", "float",     "double",
                                                             "byte",  "date",  "date-time", "password"};
        const auto is_among = [](const auto& list, std::string_view text) {
            return std::find(list.begin(), list.end(), text) != list.end();
        };
        if (column.text("name").empty())
            report("crd-columns", at(column, "name"), "a printer column has no name");
        if (const std::string_view type = column.text("type"); !is_among(types, type))
            report("crd-columns", at(column, "type"),
                   type.empty() ? "a printer column has no type"
                                : fmt::format("a printer column has the type \"{}\"", type),
                   "use integer, number, string, boolean or date");
        if (const std::string_view format = column.text("format");
            !format.empty() && !is_among(formats, format))
            report("crd-columns", at(column, "format"),
                   fmt::format("a printer column has the format \"{}\"", format),
                   "use int32, int64, float, double, byte, date, date-time or password");
        const std::string_view path = crd_.is_v1beta1 ? "JSONPath" : "jsonPath";
        if (!is_simple_path(column.text(path)))
            report("crd-columns", at(column, path),
                   fmt::format("the {} of a printer column is not a path", path),
                   "begin it with a dot: .spec.size");
    }

    // ---- the definition as a whole

    void check_unknown_fields() {
        if (!crd_.preserves_unknown) return;
        const Location where = at(crd_.spec, "preserveUnknownFields");
        report("crd-preserve-unknown-fields", where, "the CustomResourceDefinition preserves unknown fields",
               crd_.is_v1beta1
                   ? "write \"preserveUnknownFields: false\", or use apiextensions.k8s.io/v1"
                   : "remove the field, and write \"x-kubernetes-preserve-unknown-fields: true\" in "
                     "the schema where it is needed");
        const bool any = has_default(crd_.spec.at("validation", "openAPIV3Schema").value()) ||
                         std::any_of(crd_.versions.begin(), crd_.versions.end(), [](const Fields& version) {
                             return has_default(version.at("schema", "openAPIV3Schema").value());
                         });
        if (any)
            report("crd-preserve-unknown-fields", where,
                   "the schema has defaults, which need \"preserveUnknownFields: false\"");
    }

    void check_conversion() {
        const Fields conversion = crd_.spec.at("conversion");
        if (!conversion) return;
        const std::string_view strategy = conversion.text("strategy");
        const Location where = at(conversion, "strategy");
        if (strategy != "None" && crd_.preserves_unknown)
            report("crd-conversion", where, "objects that preserve unknown fields cannot be converted",
                   "write \"preserveUnknownFields: false\"");
        if (strategy != "None" && strategy != "Webhook")
            report("crd-conversion", where,
                   strategy.empty() ? "the conversion has no strategy"
                                    : fmt::format("there is no conversion strategy \"{}\"", strategy),
                   "write None or Webhook");
        const Fields webhook = crd_.is_v1beta1 ? conversion : conversion.at("webhook");
        const std::string_view client_field = crd_.is_v1beta1 ? "webhookClientConfig" : "clientConfig";
        const Fields client = webhook.at(client_field);
        if (strategy == "Webhook") {
            check_client(conversion, client);
            check_review_versions(conversion, webhook);
            return;
        }
        if (client)
            report("crd-conversion", at(client), "only the strategy Webhook has a client configuration");
        if (!webhook.items("conversionReviewVersions").empty())
            report("crd-conversion", at(webhook, "conversionReviewVersions"),
                   "only the strategy Webhook has conversionReviewVersions");
    }

    void check_client(const Fields& conversion, const Fields& client) {
        const Value url = client.at("url").value();
        const Fields service = client.at("service");
        if (!client) {
            report("crd-conversion", at(conversion), "the webhook has no client configuration");
        } else if (url.is_string() == static_cast<bool>(service)) {
            report("crd-conversion", at(client), "the webhook needs either a url or a service");
        } else if (service) {
            check_service(service);
        } else {
            for (const std::string& problem : webhook_url_problems(url.string()))
                report("crd-conversion", at(client, "url"), problem);
        }
    }

    void check_service(const Fields& service) {
        for (const std::string_view field : {"name", "namespace"})
            if (service.text(field).empty())
                report("crd-conversion", at(service, field),
                       fmt::format("the service of the webhook has no {}", field));
        if (const int64_t port = service.number_or(443, "port"); port < 1 || port > 65535)
            report("crd-conversion", at(service, "port"), fmt::format("{} is not a port", port),
                   "a port is a number from 1 to 65535");
        std::string_view path = service.text("path");
        if (path.empty() || path == "/") return;
        const Location where = at(service, "path");
        if (path == "//") return report("crd-conversion", where, "a part of the webhook's path is empty");
        if (path[0] != '/') report("crd-conversion", where, "the webhook's path does not begin with '/'");
        path.remove_prefix(1);
        if (path.ends_with('/')) path.remove_suffix(1);
        for (size_t begin = 0; begin <= path.size();) {
            const size_t end = std::min(path.size(), path.find('/', begin));
            const std::string_view step = path.substr(begin, end - begin);
            begin = end + 1;
            if (step.empty()) {
                report("crd-conversion", where, "a part of the webhook's path is empty");
                continue;
            }
            for (const std::string& reason : kube::subdomain_errors(step))
                report("crd-conversion", where,
                       fmt::format("\"{}\" in the webhook's path is not valid: {}", step, reason));
        }
    }

    void check_review_versions(const Fields& conversion, const Fields& webhook) {
        const auto versions = webhook.items("conversionReviewVersions");
        if (versions.empty()) {
            if (!crd_.is_v1beta1)
                report("crd-conversion", at(conversion, "webhook"),
                       "the webhook does not say which versions of ConversionReview it understands",
                       "write \"conversionReviewVersions: [v1]\"");
            return;
        }
        std::set<std::string_view> seen;
        bool any_known = false;
        for (const Fields item : versions) {
            const std::string_view version = item.value().string_or_empty();
            any_known = any_known || version == "v1" || version == "v1beta1";
            if (!seen.insert(version).second)
                report("crd-conversion", at(item), fmt::format("{} is listed twice", version));
            else if (!is_dns1035_label(version))
                report("crd-conversion", at(item),
                       fmt::format("the version \"{}\" is not an RFC 1035 label", version), label_help());
        }
        if (!any_known)
            report("crd-conversion", at(webhook, "conversionReviewVersions"),
                   "the webhook understands neither v1 nor v1beta1 of ConversionReview");
    }

    void check_approval() {
        constexpr std::string_view annotation = "api-approved.kubernetes.io";
        const std::string_view group = crd_.spec.text("group");
        const bool is_protected = group == "k8s.io" || group == "kubernetes.io" ||
                                  group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
        if (!is_protected) return;
        const std::string_view value = crd_.object.annotation(annotation);
        if (value.starts_with("unapproved") || is_url_with_host(value)) return;
        report(
            "crd-approval", at(crd_.object, "metadata", "annotations", annotation),
            fmt::format("the group {} belongs to Kubernetes, and the annotation {} has no URL of an approval",
                        group, annotation),
            "use a group of your own");
    }

    Definition crd_;
    Diagnostics& out_;
};

} // namespace

void check_crd(const kube::Object& crd, Diagnostics& out) {
    Checker(crd, out).check();
}

void check_crds(const Source& bundle, Diagnostics& out) {
    for (const kube::Object& crd : bundle.crds) {
        check_crd(crd, out);
        check_crd_namespace(crd, out);
    }
}

} // namespace opcat::bundle_checks
