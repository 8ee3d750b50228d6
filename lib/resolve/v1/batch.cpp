#include "opcat/resolve/v1/batch.hpp"

#include "opcat/base/batch.hpp"
#include "opcat/base/error.hpp"
#include "opcat/resolve/v1/installed.hpp"
#include "opcat/resolve/v1/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::olmv1 {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_catalogs = 1000;

const Json* member_of(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

RequestError wrong(const char* name, const char* wanted) {
    return RequestError(fmt::format("\"{}\" must be {}", name, wanted));
}

std::string string_of(const Json& object, const char* name, bool required) {
    const Json* const value = member_of(object, name);
    if (!value && !required) return {};
    if (!value || !value->is_string()) throw wrong(name, "a string");
    return value->get<std::string>();
}

std::vector<std::string> strings_of(const Json& object, const char* name) {
    const Json* const value = member_of(object, name);
    if (!value) return {};
    if (!value->is_array()) throw wrong(name, "a list of strings");
    std::vector<std::string> strings;
    for (const Json& item : *value) {
        if (!item.is_string()) throw wrong(name, "a list of strings");
        strings.push_back(item.get<std::string>());
    }
    return strings;
}

Labels labels_of(const Json& object, const char* name) {
    Labels labels;
    const Json* const value = member_of(object, name);
    if (!value) return labels;
    if (!value->is_object()) throw wrong(name, "an object of strings");
    for (const auto& [key, label] : value->items()) {
        if (!label.is_string()) throw wrong(name, "an object of strings");
        labels[key] = label.get<std::string>();
    }
    return labels;
}

LabelSelectorSpec selector_of(const Json& value) {
    if (!value.is_object()) throw wrong("selector", "an object");
    LabelSelectorSpec selector;
    selector.match_labels = labels_of(value, "matchLabels");
    if (const Json* const expressions = member_of(value, "matchExpressions")) {
        if (!expressions->is_array()) throw wrong("matchExpressions", "a list of objects");
        for (const Json& item : *expressions) {
            if (!item.is_object()) throw wrong("matchExpressions", "a list of objects");
            selector.match_expressions.push_back({string_of(item, "key", true),
                                                  string_of(item, "operator", true),
                                                  strings_of(item, "values")});
        }
    }
    return selector;
}

InstalledBundle installed_of(const Json& value) {
    if (!value.is_object()) throw wrong("installed", "an object or a string");
    static constexpr std::string_view members[] = {"name", "version", "release"};
    refuse_misspelt(value, members);
    InstalledBundle installed{string_of(value, "name", true), string_of(value, "version", true),
                              std::nullopt};
    if (member_of(value, "release")) installed.release = string_of(value, "release", true);
    return installed;
}

BatchCatalog catalog_of(const Json& value) {
    if (!value.is_object()) throw wrong("catalogs", "a list of objects");
    static constexpr std::string_view members[] = {"name", "ref", "labels", "priority", "unavailable"};
    refuse_misspelt(value, members);
    BatchCatalog line;
    line.catalog.name = string_of(value, "name", true);
    line.reference = string_of(value, "ref", true);
    line.catalog.labels = labels_of(value, "labels");
    if (const Json* const priority = member_of(value, "priority")) {
        if (!priority->is_number_integer()) throw wrong("priority", "an integer");
        const auto number = priority->get<int64_t>();
        if (number != static_cast<int32_t>(number)) throw wrong("priority", "an integer of 32 bits");
        line.catalog.priority = static_cast<int32_t>(number);
    }
    if (const Json* const unavailable = member_of(value, "unavailable")) {
        if (!unavailable->is_boolean()) throw wrong("unavailable", "true or false");
        line.catalog.unavailable = unavailable->get<bool>();
    }
    return line;
}

std::string feature_set_of(const Json& line) {
    std::string name = string_of(line, "featureSet", false);
    if (!name.empty() && name != "standard" && name != "experimental")
        throw wrong("featureSet", "standard or experimental");
    return name;
}

Json answer_json(const Request& request, const Choice& choice) {
    Json json = choice_json(choice);
    if (const auto notice = deprecation_notice(request, choice))
        json["deprecation"] = notice_json(*notice, true);
    return json;
}

} // namespace

BatchQuestion read_batch_question(const Json& value) {
    static constexpr std::string_view members[] = {"catalogs",   "package",   "version",   "channels",
                                                   "policy",     "installed", "selector",  "olmRelease",
                                                   "featureSet", "features",  "candidates"};
    refuse_misspelt(value, members);
    BatchQuestion question;
    const Json* const catalogs = member_of(value, "catalogs");
    if (!catalogs || !catalogs->is_array()) throw wrong("catalogs", "a list of objects");
    if (catalogs->size() > most_catalogs) throw wrong("catalogs", "at most 1000");
    for (const Json& catalog : *catalogs) question.catalogs.push_back(catalog_of(catalog));
    Request& request = question.request;
    request.package = string_of(value, "package", true);
    request.version = string_of(value, "version", false);
    request.channels = strings_of(value, "channels");
    const std::string policy = string_of(value, "policy", false);
    if (policy == to_string(Policy::self_certified))
        request.policy = Policy::self_certified;
    else if (!policy.empty() && policy != to_string(request.policy))
        throw wrong("policy", "CatalogProvided or SelfCertified");
    if (const Json* const installed = member_of(value, "installed")) {
        if (installed->is_string())
            question.installed = installed->get<std::string>();
        else
            request.installed = installed_of(*installed);
    }
    if (const Json* const selector = member_of(value, "selector")) request.selector = selector_of(*selector);
    if (member_of(value, "olmRelease") || member_of(value, "featureSet")) {
        request.installer = Installer{
            .release = OlmRelease::named(string_of(value, "olmRelease", false), feature_set_of(value))};
        request.release_support = request.installer->release.supports_bundle_releases();
    }
    for (const std::string& feature : strings_of(value, "features")) {
        if (feature != "BundleReleaseSupport")
            throw RequestError(fmt::format("there is no feature \"{}\"", feature));
        request.release_support = true;
    }
    if (const Json* const candidates = member_of(value, "candidates")) {
        if (!candidates->is_number_unsigned()) throw wrong("candidates", "the number to report");
        question.candidates = candidates->get<size_t>();
    }
    return question;
}

Json answer_to(BatchQuestion& question) {
    std::vector<NamedCatalog> catalogs;
    for (const BatchCatalog& catalog : question.catalogs) catalogs.push_back(catalog.catalog);
    if (!question.installed.empty())
        question.request.installed = read_installed(question.installed, question.request, catalogs);
    const Resolution resolution = resolve(question.request, catalogs);
    Json answer = Json::object();
    if (resolution.choice) {
        const Choice& choice = *resolution.choice;
        answer = answer_json(question.request, choice);
        if (const auto verdict = judge_install(question.request, choice))
            answer["install"] = to_json(question.request, choice, *verdict);
    }
    if (!resolution.error.empty()) answer["error"] = resolution.error;
    if (resolution.unvalidated)
        answer["unvalidated"] = answer_json(question.request, *resolution.unvalidated);
    if (!question.candidates) return answer;
    for (const CatalogAnswer& catalog : resolution.catalogs)
        for (size_t i = 0; i < std::min(*question.candidates, catalog.candidates.size()); ++i)
            answer["candidates"][catalog.catalog->name].push_back(catalog.candidates[i]->name());
    return answer;
}

} // namespace opcat::olmv1
