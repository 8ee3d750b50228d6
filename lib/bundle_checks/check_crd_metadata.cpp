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
    Metadata(const kube::Object& crd, Diagnostics& out) : crd_(crd), out_(out) {}

    void check() {
        check_names();
        const Fields metadata = crd_.at("metadata");
        if (metadata.number("generation") < 0)
            report(metadata.at("generation"), "metadata.generation is less than 0", "remove the field");
        check_labels();
        check_annotations();
        for (const Fields finalizer : metadata.items("finalizers"))
            for (const std::string& reason : kube::label_key_errors(finalizer.value().string_or_empty()))
                report(finalizer, fmt::format("a finalizer is not valid: {}", reason));
        check_owners();
    }

private:
    void report(const Fields& part, std::string message, std::string help = {}) {
        report(place_of(crd_, part), std::move(message), std::move(help));
    }
    void report(Location where, std::string message, std::string help = {}) {
        out_.push_back(error("crd-metadata", where, std::move(message), std::move(help)));
    }

    void check_names() {
        const std::string_view name = crd_.text("metadata", "name");
        const Location where = place_of(crd_, crd_, "metadata", "name");
        if (const std::string_view prefix = crd_.text("metadata", "generateName"); !prefix.empty()) {
            // The API server lets it end with a '-', before what it appends.
            std::string allowed(prefix);
            if (prefix.size() > 1 && prefix.ends_with('-')) allowed.replace(prefix.size() - 2, 2, "a");
            check_name(prefix, allowed, place_of(crd_, crd_, "metadata", "generateName"));
        }
        if (name.empty())
            report(where, "the CustomResourceDefinition has no name", "write PLURAL.GROUP");
        else
            check_name(name, name, where);
    }

    // `subdomain`: the text whose characters are checked, which differs from the name for a prefix.
    void check_name(std::string_view name, std::string_view subdomain, Location where) {
        for (const std::string& reason : kube::subdomain_errors(subdomain))
            report(where, fmt::format("\"{}\" cannot be a name: {}", name, reason));
        const std::string wanted =
            fmt::format("{}.{}", crd_.text("spec", "names", "plural"), crd_.text("spec", "group"));
        if (name != wanted)
            report(where, fmt::format("the CustomResourceDefinition is named {}, not {}", name, wanted),
                   "the name is the plural, a dot and the group");
    }

    void check_labels() {
        for (const Member& label : crd_.members("metadata", "labels")) {
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
        for (const Member& annotation : crd_.members("metadata", "annotations")) {
            const std::string_view key = annotation.key.string();
            size += key.size() + annotation.value.string_or_empty().size();
            for (const std::string& reason : kube::label_key_errors(ascii_lower(key)))
                report(annotation.key, fmt::format("the annotation \"{}\" is not valid: {}", key, reason));
        }
        if (size > most)
            report(crd_.at("metadata", "annotations"),
                   fmt::format("the annotations have {}, more than {}", human_size(size), human_size(most)));
    }

    void check_owners() {
        size_t controllers = 0;
        for (const Fields owner : crd_.items("metadata", "ownerReferences")) {
            const std::string_view api = owner.text("apiVersion");
            if (api.empty() || api.ends_with('/')) report(owner, "an owner reference has no apiVersion");
            for (const std::string_view field : {"kind", "name", "uid"})
                if (owner.text(field).empty())
                    report(owner, fmt::format("an owner reference has no {}", field));
            if (owner.flag("controller") && ++controllers > 1)
                report(owner, "only one owner reference may be the controller");
        }
    }

    const kube::Object& crd_;
    Diagnostics& out_;
};

} // namespace

void check_crd_metadata(const kube::Object& crd, Diagnostics& out) {
    Metadata(crd, out).check();
}

void check_crd_namespace(const kube::Object& crd, Diagnostics& out) {
    if (const Fields ns = crd.at("metadata", "namespace"); !crd.text("metadata", "namespace").empty())
        out.push_back(error("crd-metadata", place_of(crd, ns),
                            "a CustomResourceDefinition is in no namespace", "remove the field"));
}

} // namespace opcat::bundle_checks
