#include "opcat/resolve/v1/cluster_extension.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/semver/constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>

namespace opcat::olmv1 {
namespace {

constexpr std::string_view api_group = "olm.operatorframework.io/";
constexpr std::string_view api_version = "olm.operatorframework.io/v1";
constexpr size_t most_channels = 256;
constexpr size_t longest_version = 64;
constexpr unsigned first_with_filled_inline = 8; // spec.config.inline may no longer be empty

constexpr std::string_view metadata_fields[] = {"name",
                                                "generateName",
                                                "namespace",
                                                "selfLink",
                                                "uid",
                                                "resourceVersion",
                                                "generation",
                                                "creationTimestamp",
                                                "labels",
                                                "deletionTimestamp",
                                                "deletionGracePeriodSeconds",
                                                "annotations",
                                                "ownerReferences",
                                                "finalizers",
                                                "managedFields"};

constexpr std::string_view subdomain_rule =
    "must be a valid DNS1123 subdomain. It must contain only lowercase alphanumeric characters, hyphens (-) "
    "or "
    "periods (.), start and end with an alphanumeric character, and be no longer than 253 characters";

std::string_view openapi_type(const Value& value) {
    if (value.is_boolean()) return "boolean";
    if (value.is_string()) return "string";
    if (value.is_array()) return "array";
    if (value.is_object()) return "object";
    if (value.is_null()) return "null";
    return value.kind() == Value::Kind::real ? "number" : "integer";
}

// Reads one object and notes what the API server refuses, with its place.
class Admission {
public:
    Admission(const SourceFile& file, const OlmRelease& release, ClusterExtension& extension)
        : file_(file), release_(release), extension_(extension) {}

    void read(const Value& object) {
        check_fields(object, "", {"apiVersion", "kind", "metadata", "spec", "status"});
        if (const std::string_view version = object.find("apiVersion")->string_or_empty();
            version != api_version)
            refuse(*object.find("apiVersion"),
                   fmt::format("no matches for kind \"ClusterExtension\" in version {}", go_quote(version)),
                   fmt::format("write apiVersion: {}", api_version));
        read_name(object);
        if (const Value* const spec = member(object, "", "spec", Needed::no))
            check_spec(*spec);
        else if (!extension_.is_refused()) // the API server takes it, but nobody can resolve it
            refuse(object, "the ClusterExtension has no spec");
        if (kube::Fields(object).is_terminating())
            refuse(object, "the ClusterExtension is being deleted: OLM v1 resolves nothing for it");
        extension_.request = request_of(object);
        extension_.request.release_support |= release_.supports_bundle_releases();
        extension_.request.installer = installer_for(object, release_);
    }

private:
    enum class Needed : uint8_t { no, yes };

    void report(Severity severity, uint32_t offset, uint32_t length, std::string message, std::string help) {
        extension_.findings.push_back({.severity = severity,
                                       .rule = "cluster-extension",
                                       .message = std::move(message),
                                       .where = {&file_, offset, length},
                                       .notes = {},
                                       .help = std::move(help)});
    }
    static uint32_t length_of(const Value& at) {
        return at.is_string() ? static_cast<uint32_t>(at.string().size()) : 1;
    }
    void refuse(const Value& at, std::string message, std::string help = {}) {
        report(Severity::error, at.offset(), length_of(at), std::move(message), std::move(help));
    }
    void refuse_text(const std::string& path, const Value& value, std::string_view rule,
                     std::string help = {}) {
        refuse(value, fmt::format("{}: Invalid value: {}: {}", path, go_quote(value.string()), rule),
               std::move(help));
    }

    static std::string join(std::string_view path, std::string_view field) {
        return path.empty() ? std::string(field) : fmt::format("{}.{}", path, field);
    }

    // The API server drops fields that it does not know, unless it is asked to refuse them, as kubectl does.
    void check_fields(const Value& object, std::string_view path, std::vector<std::string_view> known) {
        for (const Member& field : object.members()) {
            if (std::find(known.begin(), known.end(), field.key.string()) != known.end()) continue;
            const std::string full = join(path, field.key.string());
            const std::string elsewhere = releases_with(full);
            report(Severity::warning, field.key.offset(), length_of(field.key),
                   fmt::format("unknown field {}: with {} the API server drops it, and kubectl refuses it",
                               go_quote(full), release_.describe()),
                   elsewhere.empty() ? did_you_mean(field.key.string(), known) : elsewhere);
        }
    }

    static std::string releases_with(std::string_view field) {
        if (field == "spec.config")
            return "the experimental feature set has it since 1.5, and the standard one of 1.8: name them "
                   "with --feature-set and --olm-release";
        if (field == "spec.progressDeadlineMinutes")
            return "the experimental feature set has it since 1.8: name them with --feature-set and "
                   "--olm-release";
        return {};
    }

    // A member of the kind wanted; nullptr if there is none, which is refused where it is needed.
    const Value* typed(const Value& object, std::string_view path, std::string_view field, Needed needed,
                       Value::Kind kind, std::string_view kind_name) {
        const Value* const value = object.find(field);
        if (!value || value->is_null()) {
            if (needed == Needed::yes) refuse(object, fmt::format("{}: Required value", join(path, field)));
            return nullptr;
        }
        if (value->kind() == kind) return value;
        const std::string full = join(path, field);
        refuse(*value,
               fmt::format("{0}: Invalid value: \"{1}\": {0} in body must be of type {2}: \"{1}\"", full,
                           openapi_type(*value), kind_name),
               value->is_number() && kind == Value::Kind::string ? "write it in quotes" : "");
        return nullptr;
    }
    const Value* member(const Value& object, std::string_view path, std::string_view field, Needed needed) {
        return typed(object, path, field, needed, Value::Kind::object, "object");
    }
    const Value* text(const Value& object, std::string_view path, std::string_view field, Needed needed) {
        return typed(object, path, field, needed, Value::Kind::string, "string");
    }
    const Value* list(const Value& object, std::string_view path, std::string_view field) {
        return typed(object, path, field, Needed::no, Value::Kind::array, "array");
    }

    bool is_short_enough(const std::string& path, const Value& value, size_t limit) {
        if (utf8_characters(value.string()).size() <= limit) return true;
        refuse(value, fmt::format("{}: Too long: may not be more than {} bytes", path, limit));
        return false;
    }

    void check_subdomain(const std::string& path, const Value& value, std::string_view rule) {
        if (is_short_enough(path, value, kube::longest_subdomain) &&
            !kube::is_dns1123_subdomain(value.string()))
            refuse_text(path, value, rule);
    }

    void read_name(const Value& object) {
        const Value* const metadata = member(object, "", "metadata", Needed::yes);
        if (!metadata) return;
        check_fields(*metadata, "metadata", {std::begin(metadata_fields), std::end(metadata_fields)});
        const Value* const beginning = text(*metadata, "metadata", "generateName", Needed::no);
        const Value* const name = text(*metadata, "metadata", "name", beginning ? Needed::no : Needed::yes);
        if (!name) {
            if (beginning) extension_.name = beginning->string();
            return;
        }
        extension_.name = name->string();
        if (const auto errors = kube::subdomain_errors(name->string()); !errors.empty())
            refuse_text("metadata.name", *name, fmt::format("{}", fmt::join(errors, ", ")));
    }

    void check_spec(const Value& spec) {
        std::vector<std::string_view> known = {"namespace", "serviceAccount", "source", "install"};
        if (release_.has_config()) known.emplace_back("config");
        if (release_.has_progress_deadline()) known.emplace_back("progressDeadlineMinutes");
        check_fields(spec, "spec", std::move(known));
        if (const Value* const name = text(spec, "spec", "namespace", Needed::yes))
            if (is_short_enough("spec.namespace", *name, kube::longest_label) &&
                !kube::is_dns1123_label(name->string()))
                refuse_text("spec.namespace", *name, "namespace must be a valid DNS1123 label");
        const Needed account_needed = release_.requires_account() ? Needed::yes : Needed::no;
        if (const Value* const account = member(spec, "spec", "serviceAccount", account_needed))
            check_account(*account, account_needed);
        if (release_.has_config())
            if (const Value* const config = member(spec, "spec", "config", Needed::no)) check_config(*config);
        if (release_.has_progress_deadline()) check_progress_deadline(spec);
        if (const Value* const install = member(spec, "spec", "install", Needed::no)) check_install(*install);
        if (const Value* const source = member(spec, "spec", "source", Needed::yes)) check_source(*source);
    }

    void check_account(const Value& account, Needed name_needed) {
        const std::string path = "spec.serviceAccount";
        check_fields(account, path, {"name"});
        const Value* const name = text(account, path, "name", name_needed);
        if (name && name_needed == Needed::no && name->string().empty())
            refuse(*name, fmt::format("{0}.name: Invalid value: \"\": {0}.name in body should be at least 1 "
                                      "chars long",
                                      path));
        else if (name)
            check_subdomain(path + ".name", *name, fmt::format("name {}", subdomain_rule));
        if (name_needed == Needed::no) check_filled(account, path);
    }

    void check_filled(const Value& object, std::string_view path) {
        if (object.members().empty())
            refuse(object,
                   fmt::format("{0}: Invalid value: 0: {0} in body should have at least 1 properties", path));
    }

    void check_config(const Value& config) {
        const std::string path = "spec.config";
        check_fields(config, path, {"configType", "inline"});
        const Value* const type = text(config, path, "configType", Needed::yes);
        if (type) check_enum(path + ".configType", *type, {"Inline"});
        const Value* const content = config.find("inline");
        if (!content || content->is_null()) {
            if (type)
                refuse(config,
                       "spec.config: Invalid value: \"object\": inline is required when configType is "
                       "Inline, and forbidden otherwise");
            return;
        }
        if (member(config, path, "inline", Needed::no) && release_.minor >= first_with_filled_inline)
            check_filled(*content, path + ".inline");
    }

    void check_progress_deadline(const Value& spec) {
        constexpr double least = 10;
        constexpr double most = 720;
        const std::string path = "spec.progressDeadlineMinutes";
        const Value* const minutes = spec.find("progressDeadlineMinutes");
        if (!minutes || minutes->is_null()) return;
        const auto invalid = [&](std::string_view value, std::string_view rule) {
            refuse(*minutes, fmt::format("{0}: Invalid value: {1}: {0} in body {2}", path, value, rule));
        };
        if (!minutes->is_number()) {
            const std::string type = fmt::format("\"{}\"", openapi_type(*minutes));
            return invalid(type, "must be of type integer: " + type);
        }
        const double number = minutes->number();
        if (number != std::floor(number)) return invalid("\"number\"", "must be of type integer: \"number\"");
        if (number < least) invalid(fmt::format("{}", number), "should be greater than or equal to 10");
        if (number > most) invalid(fmt::format("{}", number), "should be less than or equal to 720");
    }

    void check_install(const Value& install) {
        check_fields(install, "spec.install", {"preflight"});
        const Value* const preflight = install.find("preflight");
        if (!preflight || preflight->is_null()) {
            refuse(install, "spec.install: Invalid value: \"object\": at least one of [preflight] are "
                            "required when install is specified");
            return;
        }
        if (!member(install, "spec.install", "preflight", Needed::yes)) return;
        const std::string path = "spec.install.preflight.crdUpgradeSafety";
        const Value* const safety =
            member(*preflight, "spec.install.preflight", "crdUpgradeSafety", Needed::yes);
        if (const Value* const enforcement =
                safety ? text(*safety, path, "enforcement", Needed::yes) : nullptr)
            check_enum(path + ".enforcement", *enforcement, {"None", "Strict"});
    }

    void check_enum(const std::string& path, const Value& value,
                    std::initializer_list<std::string_view> known) {
        if (std::find(known.begin(), known.end(), value.string()) != known.end()) return;
        std::vector<std::string> quoted;
        for (const std::string_view one : known) quoted.push_back(go_quote(one));
        refuse(value,
               fmt::format("{}: Unsupported value: {}: supported values: {}", path, go_quote(value.string()),
                           fmt::join(quoted, ", ")),
               did_you_mean(value.string(), std::vector<std::string_view>(known)));
    }

    void check_source(const Value& source) {
        check_fields(source, "spec.source", {"sourceType", "catalog"});
        const Value* const type = text(source, "spec.source", "sourceType", Needed::yes);
        if (type) check_enum("spec.source.sourceType", *type, {"Catalog"});
        const Value* const catalog = source.find("catalog");
        if (!catalog || catalog->is_null())
            refuse(source, "spec.source: Invalid value: \"object\": catalog is required when sourceType is "
                           "Catalog, and forbidden otherwise");
        else if (const Value* const object = member(source, "spec.source", "catalog", Needed::no))
            check_catalog(*object);
    }

    void check_catalog(const Value& catalog) {
        const std::string path = "spec.source.catalog";
        check_fields(catalog, path,
                     {"packageName", "version", "channels", "selector", "upgradeConstraintPolicy"});
        if (const Value* const name = text(catalog, path, "packageName", Needed::yes))
            check_subdomain(path + ".packageName", *name, fmt::format("packageName {}", subdomain_rule));
        if (const Value* const version = text(catalog, path, "version", Needed::no))
            if (is_short_enough(path + ".version", *version, longest_version) &&
                !semver::is_admitted_by_cluster_extension(version->string()))
                refuse_text(path + ".version", *version, "invalid version expression",
                            help_on(version->string()));
        if (const Value* const channels = list(catalog, path, "channels"))
            check_channels(*channels, path + ".channels");
        if (const Value* const policy = text(catalog, path, "upgradeConstraintPolicy", Needed::no))
            check_enum(path + ".upgradeConstraintPolicy", *policy,
                       {to_string(Policy::catalog_provided), to_string(Policy::self_certified)});
        if (const Value* const selector = member(catalog, path, "selector", Needed::no))
            check_selector(*selector, path + ".selector");
    }

    static std::string help_on(std::string_view version) {
        if (version.empty()) return "leave version out to ask for any";
        return semver::Constraints::parse(version)
                   ? "OLM would understand it, but the API server lets fewer forms pass: write it with "
                     "comparison operators, such as >=1.2.0 <2.0.0"
                   : "";
    }

    void check_channels(const Value& channels, const std::string& path) {
        if (channels.items().size() > most_channels)
            refuse(channels, fmt::format("{}: Too many: {}: must have at most {} items", path,
                                         channels.items().size(), most_channels));
        for (size_t i = 0; i < channels.items().size(); ++i) {
            const Value& channel = channels.items()[i];
            const std::string item = fmt::format("{}[{}]", path, i);
            if (!channel.is_string()) {
                refuse(channel,
                       fmt::format("{0}: Invalid value: \"{1}\": {0} in body must be of type string: \"{1}\"",
                                   item, openapi_type(channel)),
                       channel.is_number() || channel.is_boolean() ? "write it in quotes" : "");
                continue;
            }
            check_subdomain(item, channel, "channels entries must be valid DNS1123 subdomains");
        }
    }

    void check_selector(const Value& selector, const std::string& path) {
        check_fields(selector, path, {"matchLabels", "matchExpressions"});
        if (const Value* const labels = member(selector, path, "matchLabels", Needed::no))
            for (const Member& label : labels->members())
                text(*labels, path + ".matchLabels", label.key.string(), Needed::no);
        const Value* const expressions = list(selector, path, "matchExpressions");
        if (!expressions) return;
        for (size_t i = 0; i < expressions->items().size(); ++i)
            check_expression(expressions->items()[i], fmt::format("{}.matchExpressions[{}]", path, i));
    }

    void check_expression(const Value& item, const std::string& path) {
        if (!item.is_object()) {
            refuse(item,
                   fmt::format("{0}: Invalid value: \"{1}\": {0} in body must be of type object: \"{1}\"",
                               path, openapi_type(item)));
            return;
        }
        check_fields(item, path, {"key", "operator", "values"});
        text(item, path, "key", Needed::yes);
        text(item, path, "operator", Needed::yes);
        if (const Value* const values = list(item, path, "values"))
            for (const Value& value : values->items())
                if (!value.is_string())
                    refuse(value,
                           fmt::format("{0}.values: Invalid value: \"{1}\": {0}.values in body must be of "
                                       "type string: \"{1}\"",
                                       path, openapi_type(value)),
                           "write it in quotes");
    }

    const SourceFile& file_;
    const OlmRelease& release_;
    ClusterExtension& extension_;
};

bool is_cluster_extension(const Value& document) {
    const Value* const kind = document.find("kind");
    const Value* const version = document.find("apiVersion");
    return kind && kind->string_or_empty() == "ClusterExtension" && version &&
           version->string_or_empty().starts_with(api_group);
}

// The object in a document, or those of a List, as `kubectl get` prints several.
std::vector<const Value*> objects_in(const Value& document) {
    const Value* const kind = document.find("kind");
    const Value* const items = document.find("items");
    if (!kind || !kind->string_or_empty().ends_with("List") || !items || !items->is_array())
        return {&document};
    std::vector<const Value*> objects;
    for (const Value& item : items->items()) objects.push_back(&item);
    return objects;
}

} // namespace

bool ClusterExtension::is_refused() const {
    return has_errors(findings);
}

std::vector<ClusterExtension> read_cluster_extensions(const SourceFile& file, const OlmRelease& release,
                                                      Diagnostics& problems) {
    std::vector<ClusterExtension> extensions;
    std::map<std::string, Value> seen; // the first of each name
    Arena arena;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Diagnostic problem;
        const auto document = read_document(file, range, arena, problem);
        if (!document) {
            problems.push_back(std::move(problem));
            continue;
        }
        if (auto ambiguous = find_ambiguous_key(file, *document, "cluster-extension")) {
            problems.push_back(*std::move(ambiguous));
            continue;
        }
        for (const Value* const object : objects_in(*document)) {
            if (!is_cluster_extension(*object)) continue;
            Admission(file, release, extensions.emplace_back()).read(*object);
            const auto [first, is_new] = seen.try_emplace(extensions.back().name, *object);
            if (is_new || extensions.back().name.empty() || kube::is_equal(first->second, *object)) continue;
            const Location where{&file, object->offset(), 1};
            extensions.back().findings.push_back(with_note(
                {.rule = "cluster-extension",
                 .message =
                     fmt::format("ClusterExtension {} is given twice, with different content: which one "
                                 "the cluster has is not known",
                                 extensions.back().name),
                 .where = where,
                 .notes = {},
                 .help = "leave out the older one"},
                "the other one", {&file, first->second.offset(), 1}));
        }
    }
    return extensions;
}

} // namespace opcat::olmv1
