// Who installs from a catalog, and what a change of it means for them.
#include "commands/catalog.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/cluster/state.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace opcat {

using namespace cluster;

namespace {

// What the user may not list is missing from what is known.
std::vector<Object> list_for_users(const Kubectl& kubectl, const char* kind, const Scope& scope,
                                   std::string& unread) {
    try {
        return kubectl.list(kind, scope);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        unread = error.what();
        return {};
    }
}

std::vector<std::string> names_of_catalogs(const std::vector<const Object*>& catalogs) {
    std::vector<std::string> names;
    names.reserve(catalogs.size());
    for (const Object* const catalog : catalogs) names.push_back(catalog->name);
    return names;
}

class V1Users {
public:
    // `are_all`: the catalogs are all that the cluster has.
    V1Users(const Object& catalog, CatalogChange change, const std::vector<Object>& catalogs, bool are_all)
        : catalog_(catalog), change_(change), are_all_(are_all) {
        for (const Object& one : catalogs)
            if (one.name != catalog.name && is_available(one)) others_.push_back(&one);
    }

    void add(const Object& extension, CatalogUsers& users) const {
        if (!selects_catalog(extension, catalog_)) return;
        std::vector<const Object*> others = others_;
        std::erase_if(others, [&](const Object* one) { return !selects_catalog(extension, *one); });
        const std::string who = extension.describe();
        if (!are_all_) {
            users.are_harmed = true;
            users.sentences.push_back(
                fmt::format("{} selects it; whether it selects other catalogs is not known", who));
            return;
        }
        if (change_ == CatalogChange::enabled) {
            const std::vector<const Object*> equals = equal_to_it(others);
            if (!equals.empty()) users.are_harmed = true;
            std::erase_if(others, [&](const Object* one) { return priority(*one) <= priority(catalog_); });
            users.sentences.push_back(
                equals.empty()
                    ? fmt::format("{} can be upgraded from it{}", who,
                                  others.empty() ? std::string()
                                                 : fmt::format(" unless {} has package {}",
                                                               listed(names_of_catalogs(others), SIZE_MAX,
                                                                      std::identity(), "or"),
                                                               package_of(extension)))
                    : fmt::format("{} selects {}, too, with the same priority ({}): if both have "
                                  "package {}, OLM v1 stops its upgrades and reports that",
                                  who, listed(names_of_catalogs(equals)), priority(catalog_),
                                  package_of(extension)));
            return;
        }
        users.are_harmed = true;
        users.sentences.push_back(
            others.empty()
                ? fmt::format("{} selects no other catalog: it runs on and gets no upgrades, and "
                              "OLM reports that it finds no bundles",
                              who)
                : fmt::format("{} is resolved from {} alone", who, listed(names_of_catalogs(others))));
    }

    // About packages that other catalogs have, too. Returns true if there are such of the same priority.
    bool add_equals(CatalogUsers& users) const {
        const std::vector<const Object*> equals = equal_to_it(others_);
        if (change_ == CatalogChange::enabled && !equals.empty())
            users.sentences.push_back(
                fmt::format("it has the priority of {} ({}): of a package that both have, OLM v1 installs "
                            "neither unless the extension names a catalog",
                            listed(names_of_catalogs(equals)), priority(catalog_)));
        return !equals.empty();
    }

private:
    static int64_t priority(const Object& catalog) { return catalog.number("spec", "priority"); }

    std::vector<const Object*> equal_to_it(std::vector<const Object*> some) const {
        std::erase_if(some, [&](const Object* one) { return priority(*one) != priority(catalog_); });
        return some;
    }

    const Object& catalog_;
    CatalogChange change_;
    bool are_all_;
    std::vector<const Object*> others_; // that are available
};

} // namespace

bool is_available(const Object& cluster_catalog) {
    return cluster_catalog.text("spec", "availabilityMode") != unavailable_mode;
}

bool require_enabled(const Object& catalog, Session& session) {
    if (is_available(catalog)) return true;
    session.print_error(
        fmt::format("{} is disabled: the cluster neither reads nor serves it, so nothing was changed",
                    catalog.describe()),
        fmt::format("opcat catalog enable {} first", catalog.name));
    session.exit_status = exit_findings;
    return false;
}

CatalogUsers users_of(const FoundCatalog& found, CatalogChange change, const Kubectl& kubectl,
                      const Session& session) {
    CatalogUsers users;
    const Object& catalog = found.object;
    std::string unread;
    if (found.olm == Olm::v1) {
        std::vector<Object> catalogs;
        std::vector<Object> extensions;
        std::string unread_catalogs;
        kubectl.together(
            {[&] {
                 extensions = list_for_users(kubectl, resource::cluster_extensions, Scope::cluster(), unread);
             },
             [&] {
                 catalogs =
                     list_for_users(kubectl, resource::cluster_catalogs, Scope::cluster(), unread_catalogs);
             }});
        if (!unread_catalogs.empty())
            session.print_warning(unread_catalogs + ": other catalogs may have the same packages");
        const V1Users v1(catalog, change, catalogs, unread_catalogs.empty());
        for (const Object& extension : extensions) v1.add(extension, users);
        const bool has_equals = v1.add_equals(users);
        users.may_be_harmed = !unread.empty() && (change != CatalogChange::enabled || has_equals);
    } else {
        std::vector<Object> subscriptions =
            list_for_users(kubectl, resource::subscriptions, Scope::everywhere(), unread);
        if (!unread.empty()) {
            users.may_be_harmed = true;
            std::string refused;
            subscriptions = list_for_users(kubectl, resource::subscriptions, Scope::in(catalog.ns), refused);
        }
        for (const Object& subscription : subscriptions)
            if (subscription.text("spec", "source") == catalog.name &&
                subscription.text("spec", "sourceNamespace") == catalog.ns) {
                users.are_harmed = true;
                users.sentences.push_back(fmt::format(
                    "{} installs from it: it runs on, and gets no more updates", subscription.describe()));
            }
    }
    if (!unread.empty()) session.print_warning(unread + ": others may install from the catalog");
    return users;
}

bool may_change(const CatalogUsers& users, std::string_view doing, const FlowFlags& flow, Session& session) {
    if (flow.yes || (!users.are_harmed && !users.may_be_harmed)) return true;
    return agreed(session,
                  fmt::format("{} a catalog that {} in use", doing, users.are_harmed ? "is" : "may be"));
}

} // namespace opcat
