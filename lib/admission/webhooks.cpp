// Webhooks of a ValidatingWebhookConfiguration or MutatingWebhookConfiguration.
#include "opcat/admission/admission.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::admission {
namespace {

using kube::Fields;

void check_fully_qualified(const std::string& path, const Fields& near, std::string_view name,
                           Refusals& out) {
    if (name.empty()) return out.required(path, near);
    const auto errors = kube::subdomain_errors(name);
    for (const std::string& error : errors) out.invalid_text(path, near, name, error);
    if (errors.empty() && std::count(name.begin(), name.end(), '.') < 2)
        out.invalid_text(path, near, name,
                         "should be a domain with at least three segments separated by dots");
}

void check_list(const Fields& rule, const std::string& path, std::string_view list, Refusals& out) {
    const auto items = rule.items(list);
    const std::string where = path + "." + std::string(list);
    if (items.empty()) return out.required(where, rule);
    const bool has_all = std::any_of(items.begin(), items.end(),
                                     [](const Value& one) { return one.string_or_empty() == "*"; });
    if (items.size() > 1 && has_all && list != "resources")
        out.invalid(where, rule.at(list),
                    list == "apiGroups"     ? "if '*' is present, must not specify other API groups"
                    : list == "apiVersions" ? "if '*' is present, must not specify other API versions"
                                            : "if '*' is present, must not specify other operations");
    size_t index = 0;
    for (const Fields one : items) {
        const std::string item_path = item(where, index++);
        const std::string_view text = one.value().string_or_empty();
        if (text.empty() && list != "apiGroups") out.required(item_path, one); // the core group is ""
        if (list == "operations" && !text.empty())
            out.check_choice(item_path, one, {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
    }
}

// "*/*" and "*" include others.
void check_resources(const Fields& rule, const std::string& path, Refusals& out) {
    const auto items = rule.items("resources");
    const auto has = [&](const auto& test) {
        return std::any_of(items.begin(), items.end(),
                           [&](const Value& one) { return test(one.string_or_empty()); });
    };
    if (items.size() > 1 && has([](std::string_view text) { return text == "*/*"; }))
        out.invalid(path + ".resources", rule.at("resources"),
                    "if '*/*' is present, must not specify other resources");
    else if (has([](std::string_view text) { return text == "*"; }) &&
             has([](std::string_view text) { return text != "*" && text.find('/') == text.npos; }))
        out.invalid(path + ".resources", rule.at("resources"),
                    "if '*' is present, must not specify other resources without subresources");
}

void check_review_versions(const Fields& webhook, const std::string& path, Refusals& out) {
    const auto versions = webhook.items("admissionReviewVersions");
    const std::string where = path + ".admissionReviewVersions";
    if (versions.empty()) return out.required(where, webhook, "must specify one of v1, v1beta1");
    std::set<std::string_view> seen;
    bool is_accepted = false;
    size_t index = 0;
    for (const Fields version : versions) {
        const std::string item_path = item(where, index++);
        const std::string_view text = version.value().string_or_empty();
        is_accepted = is_accepted || text == "v1" || text == "v1beta1";
        if (!seen.insert(text).second)
            out.invalid(item_path, version, "duplicate version");
        else
            for (const std::string& error : dns1035_label_errors(text))
                out.invalid(item_path, version, error);
    }
    if (!is_accepted)
        out.invalid(where, webhook.at("admissionReviewVersions"), "must include at least one of v1, v1beta1");
}

} // namespace

std::vector<Refusal> webhook_refusals(const Fields& webhook, std::string_view name) {
    Refusals out;
    const std::string path = "webhooks[0]";
    check_fully_qualified(path + ".name", webhook.at("generateName") ? webhook.at("generateName") : webhook,
                          name, out);
    size_t index = 0;
    for (const Fields rule : webhook.items("rules")) {
        const std::string where = item(path + ".rules", index++);
        for (const std::string_view list : {"operations", "apiGroups", "apiVersions", "resources"})
            check_list(rule, where, list, out);
        check_resources(rule, where, out);
        out.check_choice(where + ".scope", rule.at("scope"), {"*", "Cluster", "Namespaced"});
    }
    out.check_choice(path + ".failurePolicy", webhook.at("failurePolicy"), {"Fail", "Ignore"});
    out.check_choice(path + ".matchPolicy", webhook.at("matchPolicy"), {"Equivalent", "Exact"});
    if (!webhook.at("sideEffects"))
        out.required(path + ".sideEffects", webhook, "must specify one of None, NoneOnDryRun");
    else
        out.check_choice(path + ".sideEffects", webhook.at("sideEffects"), {"None", "NoneOnDryRun"});
    if (const Fields timeout = webhook.at("timeoutSeconds");
        timeout && (timeout.number() < 1 || timeout.number() > 30))
        out.invalid(path + ".timeoutSeconds", timeout, "the timeout value must be between 1 and 30 seconds");
    check_selector(path + ".objectSelector", webhook.at("objectSelector"), out);
    out.check_choice(path + ".reinvocationPolicy", webhook.at("reinvocationPolicy"), {"IfNeeded", "Never"});
    if (const std::string_view url = webhook.text("webhookPath"); !url.empty() && url[0] != '/')
        out.invalid(path + ".clientConfig.service.path", webhook.at("webhookPath"), "must start with a '/'");
    check_review_versions(webhook, path, out);
    return std::move(out).take();
}

} // namespace opcat::admission
