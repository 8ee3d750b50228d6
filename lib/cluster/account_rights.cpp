#include "opcat/cluster/account_rights.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace opcat::cluster {
namespace {

constexpr const char* roles_group = "rbac.authorization.k8s.io";

// Each review is a request; these take three round trips.
constexpr size_t most_reviews = 48;
// The number of rights that are looked at: enough for bundles of some hundred rules.
constexpr size_t most_rights = 5000;

// One right that the account needs.
struct Question {
    Json attributes; // of the review's spec
    std::string verb;
    std::string what; // "deployments.apps controller in namespace shop"
};

Question question_about(const std::string& verb, const std::string& group, const std::string& resource,
                        const std::string& name, const std::string& ns) {
    const size_t slash = resource.find('/');
    Json asked{{"verb", verb}, {"group", group}, {"resource", resource.substr(0, slash)}};
    if (slash != resource.npos) asked["subresource"] = resource.substr(slash + 1);
    if (!name.empty()) asked["name"] = name;
    if (!ns.empty()) asked["namespace"] = ns;
    return {{{"resourceAttributes", std::move(asked)}},
            verb,
            fmt::format("{}{}{}{}", resource, group.empty() ? "" : "." + group,
                        name.empty() ? "" : " " + name,
                        ns.empty() ? std::string(" in the whole cluster") : " in namespace " + ns)};
}

// Each string once.
std::vector<std::string> distinct(std::vector<std::string> texts) {
    std::set<std::string> seen;
    std::erase_if(texts, [&](const std::string& text) { return !seen.insert(text).second; });
    return texts;
}

// The questions about roles, each once. A rule is a product of four lists, which can be huge: so they end
// after one more than are looked at.
class Questions {
public:
    void add(const std::vector<Object>& objects, std::string_view kind) {
        for (const Object& object : objects)
            if (object.kind() == kind)
                for (const Fields rule : object.items("rules")) add_rule(rule, object.ns);
    }
    std::vector<Question> take() { return std::move(questions_); }

private:
    bool is_full() const { return questions_.size() > most_rights; }

    void add(Question question) {
        if (seen_.emplace(question.verb, question.what).second) questions_.push_back(std::move(question));
    }

    void add_rule(const Fields& rule, const std::string& ns) {
        std::vector<std::string> names = distinct(rule.strings("resourceNames"));
        if (names.empty()) names.emplace_back();
        const std::vector<std::string> verbs = distinct(rule.strings("verbs"));
        const std::vector<std::string> resources = distinct(rule.strings("resources"));
        for (const std::string& group : distinct(rule.strings("apiGroups")))
            for (const std::string& resource : resources)
                for (const std::string& name : names)
                    for (const std::string& verb : verbs) {
                        if (is_full()) return;
                        add(question_about(verb, group, resource, name, ns));
                    }
        for (const std::string& path : distinct(rule.strings("nonResourceURLs")))
            for (const std::string& verb : verbs) {
                if (is_full()) return;
                add({{{"nonResourceAttributes", {{"path", path}, {"verb", verb}}}}, verb, path});
            }
    }

    std::vector<Question> questions_;
    std::set<std::pair<std::string, std::string>> seen_; // verb and what
};

// The rules that hold for an account, in a namespace and in the whole cluster.
class AccountRules {
public:
    AccountRules(const Object& in_namespace, const Object& in_cluster)
        : in_namespace_(in_namespace), in_cluster_(in_cluster) {}

    // Returns true if there are no others: an authorizer may be unable to list them.
    bool complete() const { return is_complete(in_namespace_) && is_complete(in_cluster_); }

    bool allow(const Question& question) const {
        if (const auto path = question.attributes.find("nonResourceAttributes");
            path != question.attributes.end())
            return any_of(in_cluster_, "nonResourceRules", [&](const Fields& rule) {
                return covers(rule, "verbs", question.verb) &&
                       covers_path(rule, path->at("path").get<std::string>());
            });
        const Json& asked = question.attributes.at("resourceAttributes");
        const std::string group = asked.at("group");
        std::string resource = asked.at("resource");
        const std::string subresource = asked.value("subresource", "");
        if (!subresource.empty()) resource += "/" + subresource;
        const std::string name = asked.value("name", "");
        const Object& rules = asked.contains("namespace") ? in_namespace_ : in_cluster_;
        return any_of(rules, "resourceRules", [&](const Fields& rule) {
            return covers(rule, "verbs", question.verb) && covers(rule, "apiGroups", group) &&
                   (covers(rule, "resources", resource) ||
                    (!subresource.empty() && has(rule, "resources", "*/" + subresource))) &&
                   (rule.items("resourceNames").empty() ||
                    (!name.empty() && has(rule, "resourceNames", name)));
        });
    }

private:
    static bool is_complete(const Object& review) {
        return review.at("status") && !review.flag("status", "incomplete") &&
               review.text("status", "evaluationError").empty();
    }
    template <typename Test>
    static bool any_of(const Object& review, const char* list, const Test& test) {
        const auto rules = review.items("status", list);
        return std::any_of(rules.begin(), rules.end(), [&](const Value& rule) { return test(Fields(rule)); });
    }
    static bool has(const Fields& rule, const char* list, std::string_view text) {
        const auto items = rule.items(list);
        return std::any_of(items.begin(), items.end(),
                           [&](const Value& item) { return item.string_or_empty() == text; });
    }
    static bool covers(const Fields& rule, const char* list, std::string_view text) {
        return has(rule, list, "*") || has(rule, list, text);
    }
    static bool covers_path(const Fields& rule, const std::string& path) {
        for (const Value& item : rule.items("nonResourceURLs")) {
            std::string_view url = item.string_or_empty();
            if (url == path) return true;
            if (!url.ends_with('*')) continue;
            url.remove_suffix(1);
            if (path.starts_with(url)) return true;
        }
        return false;
    }

    Object in_namespace_, in_cluster_;
};

// Asks whether one account has rights.
class Reviewer {
public:
    Reviewer(const Kubectl& kubectl, const std::string& ns, const std::string& account)
        : kubectl_(kubectl), user_(fmt::format("system:serviceaccount:{}:{}", ns, account)),
          groups_({"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"}) {}

    std::vector<bool> ask(const std::vector<Question>& questions) {
        if (!as_account_) {
            try {
                return kubectl_.allowed(reviews_of(questions, "SubjectAccessReview"));
            } catch (const KubectlError& error) {
                if (error.kind() != FailureKind::forbidden) throw;
                as_account_ = kubectl_.acting_as(user_);
            }
        }
        return as_account_->allowed(reviews_of(questions, "SelfSubjectAccessReview"));
    }

    // Returns the account's rules, which answer any number of questions.
    std::optional<AccountRules> rules(const std::string& ns) const {
        try {
            std::vector<Object> reviews;
            for (const std::string& place : {ns, std::string(nowhere)}) {
                Json review{{"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SelfSubjectRulesReview"}};
                review["spec"]["namespace"] = place;
                reviews.push_back(object_of(review));
            }
            const std::vector<Object> answers = kubectl_.acting_as(user_).reviewed(reviews);
            if (answers.size() == reviews.size()) return AccountRules(answers[0], answers[1]);
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
        }
        return std::nullopt;
    }

private:
    // No account has rights in this namespace but those in the whole cluster.
    static constexpr const char* nowhere = "opcat-asks-about-no-namespace";

    std::vector<Object> reviews_of(const std::vector<Question>& questions, const char* kind) const {
        std::vector<Object> reviews;
        for (const Question& question : questions) {
            Json review{{"apiVersion", "authorization.k8s.io/v1"}, {"kind", kind}};
            review["spec"] = question.attributes;
            if (!as_account_) {
                review["spec"]["user"] = user_;
                review["spec"]["groups"] = groups_;
            }
            reviews.push_back(object_of(review));
        }
        return reviews;
    }

    const Kubectl& kubectl_;
    std::string user_;
    std::vector<std::string> groups_;
    std::optional<Kubectl> as_account_; // if the user may not ask about others
};

// Each resource once, with all verbs.
std::vector<std::string> sentences_about(const std::vector<const Question*>& missing) {
    std::vector<std::pair<std::string, std::string>> verbs; // by what
    for (const Question* question : missing) {
        const auto known = std::find_if(verbs.begin(), verbs.end(),
                                        [&](const auto& one) { return one.first == question->what; });
        if (known == verbs.end())
            verbs.emplace_back(question->what, question->verb);
        else
            known->second += ", " + question->verb;
    }
    std::vector<std::string> sentences;
    sentences.reserve(verbs.size());
    for (const auto& [what, may] : verbs) sentences.push_back(fmt::format("{} {}", may, what));
    return sentences;
}

// The rights that remain to be asked for after reviews of the broad ones.
std::vector<Question> open_questions(Reviewer& reviewer, const std::string& ns, const NeededRights& needed) {
    const std::vector<bool> may = reviewer.ask(
        {question_about("*", "*", "*", {}, {}), question_about("escalate", roles_group, "roles", {}, ns),
         question_about("bind", roles_group, "roles", {}, ns),
         question_about("escalate", roles_group, "clusterroles", {}, {}),
         question_about("bind", roles_group, "clusterroles", {}, {})});
    if (may[0]) return {};
    Questions questions;
    for (const char* kind : {"ClusterRole", "Role"}) questions.add(needed.used, kind);
    if (!may[1] || !may[2]) questions.add(needed.granted, "Role");
    if (!may[3] || !may[4]) questions.add(needed.granted, "ClusterRole");
    return questions.take();
}

} // namespace

std::string AccountRights::list() const {
    constexpr size_t most = 5;
    std::string text;
    for (size_t i = 0; i < missing.size() && i < most; ++i) text += (i > 0 ? "; " : "") + missing[i];
    if (missing.size() > most) text += fmt::format("; and {} more", missing.size() - most);
    return text;
}

AccountRights rights_of_account(const Kubectl& kubectl, const std::string& ns, const std::string& account,
                                const NeededRights& needed) {
    AccountRights rights;
    Reviewer reviewer(kubectl, ns, account);
    try {
        std::vector<Question> questions = open_questions(reviewer, ns, needed);
        if (questions.size() > most_rights) {
            rights.unknown = fmt::format("of more than {0} rights, only the first {0} were looked at [limit]",
                                         most_rights);
            questions.resize(most_rights);
        }
        std::vector<bool> allowed(questions.size(), true);
        std::vector<size_t> asked(questions.size()); // positions
        std::iota(asked.begin(), asked.end(), size_t{0});
        if (questions.size() > most_reviews)
            if (const auto rules = reviewer.rules(ns)) {
                std::erase_if(asked, [&](size_t i) { return rules->allow(questions[i]); });
                if (rules->complete())
                    for (const size_t i : std::exchange(asked, {})) allowed[i] = false;
            }
        if (asked.size() > most_reviews) {
            rights.unknown = fmt::format("{} of {} rights were not asked about [limit]",
                                         asked.size() - most_reviews, questions.size());
            asked.resize(most_reviews);
        }
        std::vector<Question> open;
        open.reserve(asked.size());
        for (const size_t i : asked) open.push_back(questions[i]);
        const std::vector<bool> answers = open.empty() ? std::vector<bool>() : reviewer.ask(open);
        for (size_t i = 0; i < asked.size(); ++i) allowed[asked[i]] = answers[i];
        std::vector<const Question*> missing;
        for (size_t i = 0; i < questions.size(); ++i)
            if (!allowed[i]) missing.push_back(&questions[i]);
        rights.missing = sentences_about(missing);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        rights.unknown = error.what();
    }
    return rights;
}

NeededRights scoped_rights(const BundleContent& content, const std::string& ns) {
    Json in_namespace = Json::array();
    Json in_cluster = Json::array();
    const auto creates = [&](Json& where, const std::string& group, const std::string& resource) {
        where.push_back({{"apiGroups", {group}}, {"resources", {resource}}, {"verbs", {"create"}}});
    };
    const auto role = [](const char* kind, const std::string& place, Json rules) {
        Json json = named_object("rbac.authorization.k8s.io/v1", kind, "needed", place);
        json["rules"] = std::move(rules);
        return object_of(json);
    };
    NeededRights needed;
    creates(in_namespace, resource::classic_group, "clusterserviceversions");
    const auto add_permissions = [&](const char* field, const char* kind, const char* plural, Json& where,
                                     const std::string& place) {
        for (const Object& csv : content.csv)
            for (const Fields one : csv.items("spec", "install", "spec", field)) {
                if (needed.granted.empty()) creates(in_namespace, "", "serviceaccounts");
                creates(where, roles_group, std::string(plural) + "s");
                creates(where, roles_group, std::string(plural) + "bindings");
                needed.granted.push_back(role(kind, place, json_of(one.at("rules").value())));
            }
    };
    add_permissions("permissions", "Role", "role", in_namespace, ns);
    add_permissions("clusterPermissions", "ClusterRole", "clusterrole", in_cluster, {});
    for (const Object& other : content.others)
        creates(is_cluster_scoped(other.kind()) ? in_cluster : in_namespace, std::string(other.group()),
                plural_of_kind(other.kind()));
    creates(in_namespace, "apps", "deployments");
    needed.used = {role("Role", ns, std::move(in_namespace)), role("ClusterRole", {}, std::move(in_cluster))};
    return needed;
}

} // namespace opcat::cluster
