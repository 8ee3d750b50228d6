// A cluster of some objects that answers kubectl's questions about them.
#pragma once

#include "../load_text.hpp"
#include "json_objects.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "simulated_time.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::cluster {

struct ObjectServer {
    std::vector<Json> objects = {};
    std::set<std::string> forbidden = {};        // plurals that alice may not read, and "reviews"
    std::map<std::string, std::string> raw = {}; // answers at paths
    std::vector<std::vector<std::string>> calls = {};
    // The answer to a review of rights.
    std::function<bool(const Object&)> allows = [](const Object&) { return true; };
    // The answer to SelfSubjectRulesReviews; nothing: nobody may act as another user.
    Json rules = {};

    Kubectl kubectl() {
        return Kubectl(
            {.clock = simulated_clock(), .calls_at_once = 1}, [this](const ProcessRequest& request) {
                std::vector<std::string>& call =
                    calls.emplace_back(request.arguments.begin() + 1, request.arguments.end());
                std::erase_if(call, [](const std::string& one) { return one.starts_with("--as="); });
                return answer(calls.back(), request.input);
            });
    }

private:
    static ProcessResult refused(const std::string& words) {
        return {1, "", "Error from server " + words + "\n"};
    }

    ProcessResult answer(const std::vector<std::string>& arguments, std::string_view input) const {
        const std::string& verb = arguments[0];
        if (verb == "create" && arguments.back() == "--output=json") return rules_reviewed(input);
        if (verb == "create") return reviewed(input);
        if (verb != "get") return {0, std::string(input), ""};
        if (arguments[1] == "--raw") return answer_at(arguments[2]);
        if (arguments[1] == "--filename=-") return existing(input);
        std::string ns;
        std::string selector;
        for (const std::string& argument : arguments) {
            if (argument.starts_with("--namespace=")) ns = argument.substr(12);
            if (argument.starts_with("--selector=")) selector = argument.substr(11);
        }
        std::vector<Object> found;
        for (size_t begin = 0; begin <= arguments[1].size();) {
            const size_t end = std::min(arguments[1].find(',', begin), arguments[1].size());
            const std::string resource = arguments[1].substr(begin, end - begin);
            const std::string plural = resource.substr(0, resource.find('.'));
            if (forbidden.contains(plural)) return forbidden_to_list(plural, ns);
            for (const Object& object : objects_of(objects))
                if (plural_of_kind(object.kind()) == plural && (ns.empty() || object.ns == ns) &&
                    is_selected(object, selector))
                    found.push_back(object);
            begin = end + 1;
        }
        if (arguments[2].starts_with("-")) return {0, kube::to_text(found), ""};
        for (const Object& object : found)
            if (object.name == arguments[2]) return {0, kube::to_text(object.value()), ""};
        return refused(fmt::format("(NotFound): {} \"{}\" not found", arguments[1], arguments[2]));
    }

    ProcessResult answer_at(const std::string& path) const {
        if (const auto found = raw.find(path); found != raw.end()) return {0, found->second, ""};
        if (path == "/version") return {0, R"({"gitVersion":"v1.33.0"})", ""};
        if (path == "/readyz") return {0, "ok", ""};
        return refused("(NotFound): the server could not find the requested resource");
    }

    ProcessResult rules_reviewed(std::string_view input) const {
        if (rules.is_null())
            return refused(
                "(Forbidden): serviceaccounts \"mine\" is forbidden: User \"alice\" cannot impersonate "
                "resource \"serviceaccounts\" in API group \"\" in the namespace \"shop\"");
        std::vector<Object> answers;
        for (const Object& review : kube::objects_in(kube::parse_object(input, "the reviews"))) {
            Json answer = json_of(review.value());
            answer["status"] = rules;
            // In the whole cluster it has none.
            if (review.text("spec", "namespace") != "shop")
                answer["status"]["resourceRules"] = answer["status"]["nonResourceRules"] = Json::array();
            answers.push_back(object_of(answer));
        }
        return {0, kube::to_text(answers), ""};
    }

    ProcessResult reviewed(std::string_view input) const {
        if (forbidden.contains("reviews"))
            return refused(
                "(Forbidden): reviews is forbidden: User \"alice\" cannot create resource \"reviews\" in "
                "API group \"\" at the cluster scope");
        std::string out;
        for (const Object& review : kube::objects_in(kube::parse_object(input, "the reviews")))
            out += allows(review) ? "true\n" : "false\n";
        return {0, out, ""};
    }

    static ProcessResult forbidden_to_list(const std::string& plural, const std::string& ns) {
        return refused(
            fmt::format("(Forbidden): {} is forbidden: User \"alice\" cannot list resource \"{}\" in API "
                        "group \"\" in the namespace \"{}\"",
                        plural, plural, ns));
    }

    ProcessResult existing(std::string_view input) const {
        const std::vector<Object> all = objects_of(objects);
        std::vector<Object> found;
        for (const Object& wanted : kube::objects_in(kube::parse_object(input, "the objects"))) {
            if (const std::string plural = plural_of_kind(wanted.kind()); forbidden.contains(plural))
                return forbidden_to_list(plural, wanted.ns);
            if (const Object* const same = kube::find_same(all, wanted)) found.push_back(*same);
        }
        return {0, kube::to_text(found), ""};
    }

    // "key", "!key" or "key=value".
    static bool is_selected(const Object& object, std::string_view selector) {
        if (selector.empty()) return true;
        if (selector.starts_with('!')) return object.label(selector.substr(1)).empty();
        const size_t equals = selector.find('=');
        const std::string_view value = object.label(selector.substr(0, equals));
        return equals == selector.npos ? !value.empty() : value == selector.substr(equals + 1);
    }
};

// Catalogs and bundles by reference, as their images hold them.
struct CatalogTexts {
    std::map<std::string, std::string> texts;
    ThreadPool pool{1};

    CatalogAccess access() {
        return {[this](const std::string& reference) {
                    if (!texts.contains(reference)) throw Error("cannot pull " + reference);
                    return load_text(texts.at(reference));
                },
                pool};
    }
};

} // namespace opcat::cluster
