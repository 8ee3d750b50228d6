// The rules that the API server has for the metadata of any object.
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

class Metadata {
public:
    Metadata(const kube::Object& object, std::string_view rule, Diagnostics& out)
        : object_(object), rule_(rule), out_(out) {}

    void check() {
        const Fields metadata = object_.at("metadata");
        if (metadata.number("generation") < 0)
            report(metadata.at("generation"), "metadata.generation is less than 0", "remove the field");
        check_labels();
        check_annotations();
        for (const Fields finalizer : metadata.items("finalizers"))
            for (const std::string& reason : kube::label_key_errors(finalizer.value().string_or_empty()))
                report(finalizer, fmt::format("a finalizer is not valid: {}", reason));
        check_owners();
    }

    void check_name_of_crd() {
        const std::string_view name = object_.text("metadata", "name");
        const Location where = place_of(object_, object_, "metadata", "name");
        if (const std::string_view prefix = object_.text("metadata", "generateName"); !prefix.empty()) {
            // The API server lets it end with a '-', before what it appends.
            std::string allowed(prefix);
            if (prefix.size() > 1 && prefix.ends_with('-')) allowed.replace(prefix.size() - 2, 2, "a");
            check_name_of_crd(prefix, allowed, place_of(object_, object_, "metadata", "generateName"));
        }
        if (name.empty())
            report(where, "the CustomResourceDefinition has no name", "write PLURAL.GROUP");
        else
            check_name_of_crd(name, name, where);
    }

    void check_has_name() {
        if (object_.text("metadata", "name").empty() && object_.text("metadata", "generateName").empty())
            report(place_of(object_, object_, "metadata", "name"), "the object has no name",
                   "write metadata.name");
    }

    void check_texts() {
        for (const std::string_view list : {"labels", "annotations"})
            for (const Member& member : object_.members("metadata", list))
                if (!member.value.is_string() && !member.value.is_null())
                    report(member.value,
                           fmt::format("metadata.{}: the value of {} is {}, not a text", list,
                                       member.key.string(), describe(member.value.kind())),
                           "put it in quotes");
    }

private:
    void report(const Fields& part, std::string message, std::string help = {}) {
        report(place_of(object_, part), std::move(message), std::move(help));
    }
    void report(Location where, std::string message, std::string help = {}) {
        out_.push_back(error(rule_, where, std::move(message), std::move(help)));
    }

    // `subdomain`: the text whose characters are checked, which differs from the name for a prefix.
    void check_name_of_crd(std::string_view name, std::string_view subdomain, Location where) {
        for (const std::string& reason : kube::subdomain_errors(subdomain))
            report(where, fmt::format("\"{}\" cannot be a name: {}", name, reason));
        const std::string wanted =
            fmt::format("{}.{}", object_.text("spec", "names", "plural"), object_.text("spec", "group"));
        if (name != wanted)
            report(where, fmt::format("the CustomResourceDefinition is named {}, not {}", name, wanted),
                   "the name is the plural, a dot and the group");
    }

    void check_labels() {
        for (const Member& label : object_.members("metadata", "labels")) {
            const std::string_view key = label.key.string();
            for (const std::string& reason : kube::label_key_errors(key))
                report(label.key, fmt::format("the label \"{}\" is not valid: {}", key, reason));
            for (const std::string& reason : kube::label_value_errors(label.value.string_or_empty()))
                report(label.value, fmt::format("the value of label {} is not valid: {}", key, reason));
        }
    }

    void check_annotations() {
        constexpr size_t most = size_t{256} << 10;
        size_t size = 0;
        for (const Member& annotation : object_.members("metadata", "annotations")) {
            const std::string_view key = annotation.key.string();
            size += key.size() + annotation.value.string_or_empty().size();
            for (const std::string& reason : kube::label_key_errors(ascii_lower(key)))
                report(annotation.key, fmt::format("the annotation \"{}\" is not valid: {}", key, reason));
        }
        if (size > most)
            report(object_.at("metadata", "annotations"),
                   fmt::format("the annotations have {}, more than {}", human_size(size), human_size(most)));
    }

    void check_owners() {
        size_t controllers = 0;
        for (const Fields owner : object_.items("metadata", "ownerReferences")) {
            const std::string_view api = owner.text("apiVersion");
            if (api.empty() || api.ends_with('/')) report(owner, "an owner reference has no apiVersion");
            for (const std::string_view field : {"kind", "name", "uid"})
                if (owner.text(field).empty())
                    report(owner, fmt::format("an owner reference has no {}", field));
            if (owner.flag("controller") && ++controllers > 1)
                report(owner, "only one owner reference may be the controller");
        }
    }

    const kube::Object& object_;
    std::string_view rule_;
    Diagnostics& out_;
};

void check_namespace(const kube::Object& object, std::string_view rule, std::string message,
                     Diagnostics& out) {
    if (!object.text("metadata", "namespace").empty())
        out.push_back(error(rule, place_of(object, object.at("metadata", "namespace")), std::move(message),
                            "remove the field"));
}

} // namespace

void check_crd_metadata(const kube::Object& crd, Diagnostics& out) {
    constexpr std::string_view rule = "crd-metadata";
    Metadata check(crd, rule, out);
    check.check_name_of_crd();
    check.check();
}

void check_object_metadata(const kube::Object& object, Diagnostics& out) {
    constexpr std::string_view rule = "object-metadata";
    Metadata check(object, rule, out);
    check.check_has_name();
    check.check_texts();
    check.check();
    check_namespace(
        object, rule,
        "opm and operator-sdk refuse a namespace in a manifest: OLM sets it when it installs the operator",
        out);
}

void check_crd_namespace(const kube::Object& crd, Diagnostics& out) {
    check_namespace(crd, "crd-metadata", "a CustomResourceDefinition is in no namespace", out);
}

} // namespace opcat::bundle_checks
