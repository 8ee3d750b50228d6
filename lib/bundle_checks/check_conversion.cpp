// Webhooks that convert custom resources. OLM makes their Service and their certificate, and writes both into
// the CustomResourceDefinition, if the ClusterServiceVersion lists the definition in an entry of
// webhookdefinitions (operator-lifecycle-manager, createOrUpdateConversionWebhook).
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

bool is_conversion(const Fields& webhook) {
    return webhook.text("type") == "ConversionWebhook";
}

class ConversionCheck {
public:
    ConversionCheck(const Source& bundle, Diagnostics& out) : bundle_(bundle), out_(out) {
        for (const Fields webhook : bundle.csv.items("spec", "webhookdefinitions")) {
            made_.insert(replace_all(std::string(webhook.text("deploymentName")), ".", "-") + "-service");
            if (is_conversion(webhook))
                for (const std::string& crd : webhook.strings("conversionCRDs")) listed_.insert(crd);
        }
        for (const kube::Object& object : bundle.objects)
            if (object.kind() == "Service") made_.insert(object.name);
        for (const Fields crd : bundle.csv.items("spec", "customresourcedefinitions", "owned"))
            owned_.insert(crd.text("name"));
        for (const kube::Object& crd : bundle.crds)
            if (crd.flag("spec", "preserveUnknownFields")) preserving_.emplace(crd.name, &crd);
    }

    void run() {
        for (const kube::Object& crd : bundle_.crds)
            if (!listed_.contains(crd.name)) check_unlisted(crd);
        for (const Fields webhook : bundle_.csv.items("spec", "webhookdefinitions"))
            if (is_conversion(webhook)) check_listed(webhook);
    }

private:
    void check_unlisted(const kube::Object& crd) {
        const Fields conversion = crd.at("spec", "conversion");
        if (conversion.text("strategy") != "Webhook") return;
        const Fields in_v1 = conversion.at("webhook", "clientConfig");
        const Fields client = in_v1 ? in_v1 : conversion.at("webhookClientConfig");
        const std::string_view service = client.text("service", "name");
        if (service.empty()) return; // a url, or what the API server refuses
        const std::string help =
            fmt::format("add an entry of type ConversionWebhook to spec.webhookdefinitions of the "
                        "ClusterServiceVersion, with conversionCRDs: [{}]",
                        crd.name);
        if (!made_.contains(service))
            out_.push_back(error("crd-conversion-webhook", place_of(crd, client, "service", "name"),
                                 fmt::format("{} is converted by the service {}, which neither OLM nor the "
                                             "bundle makes",
                                             crd.name, service),
                                 help));
        else
            out_.push_back(
                warning("crd-conversion-webhook", place_of(crd, conversion, "strategy"),
                        fmt::format("OLM does not give the webhook that converts {} a certificate: "
                                    "no ConversionWebhook lists it",
                                    crd.name),
                        help));
    }

    void check_listed(const Fields& webhook) {
        const kube::Object& csv = bundle_.csv;
        if (webhook.items("conversionCRDs").empty())
            out_.push_back(error("crd-conversion-webhook", place_of(csv, webhook, "type"),
                                 "OLM fails: this ConversionWebhook lists no CustomResourceDefinition",
                                 "name those that it converts in conversionCRDs"));
        for (const Fields listed : webhook.items("conversionCRDs")) {
            const std::string_view name = listed.value().string_or_empty();
            if (owned_.contains(name)) {
                check_preserving(name, place_of(csv, listed));
                continue;
            }
            out_.push_back(error("crd-conversion-webhook", place_of(csv, listed),
                                 fmt::format("OLM fails: the ClusterServiceVersion does not own {}", name),
                                 suggest(name)));
        }
    }

    // Suggests for the first names only, because each is compared with all.
    std::string suggest(std::string_view name) {
        constexpr size_t most_suggestions = 100;
        const std::string otherwise = "add it to spec.customresourcedefinitions.owned, or remove it";
        if (++suggestions_ > most_suggestions) return otherwise;
        const std::vector<std::string_view> known(owned_.begin(), owned_.end());
        const std::string_view meant = misspelt(name, known);
        return meant.empty() ? otherwise : fmt::format("did you mean {}?", meant);
    }

    void check_preserving(std::string_view name, Location where) {
        const auto found = preserving_.find(name);
        if (found == preserving_.end()) return;
        const kube::Object& crd = *found->second;
        out_.push_back(with_note(
            error("crd-conversion-webhook", where,
                  fmt::format("OLM fails: {} preserves unknown fields, so it cannot be converted", name),
                  "write \"preserveUnknownFields: false\""),
            "it says so here", place_of(crd, crd, "spec", "preserveUnknownFields")));
    }

    const Source& bundle_;
    Diagnostics& out_;
    std::set<std::string, std::less<>> made_;   // names of Services
    std::set<std::string, std::less<>> listed_; // names of definitions
    std::set<std::string_view> owned_;          // the same
    std::map<std::string_view, const kube::Object*> preserving_;
    size_t suggestions_ = 0;
};

} // namespace

void check_conversion(const Source& bundle, Diagnostics& out) {
    ConversionCheck(bundle, out).run();
}

} // namespace opcat::bundle_checks
