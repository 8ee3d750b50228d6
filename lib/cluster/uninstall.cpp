#include "opcat/cluster/uninstall.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/installer_rights.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/snapshot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <utility>

namespace opcat::cluster {
namespace {

class UninstallPlanner {
public:
    UninstallPlanner(const Kubectl& kubectl, const Served& served, const UninstallRequest& request)
        : kubectl_(kubectl), served_(served), request_(request) {}

    UninstallPlan run() {
        require_name("packages", request_.package);
        plan_.name = request_.package;
        find_ways();
        if (plan_.olm == Olm::classic)
            plan_classic();
        else if (plan_.olm == Olm::v1)
            plan_extension();
        else if (plan_.olm == Olm::none)
            plan_set();
        return std::move(plan_);
    }

private:
    bool wants(Olm olm) const { return !request_.olm || *request_.olm == olm; }

    void find_ways() {
        std::vector<Olm> ways;
        if (wants(Olm::classic) && served_.classic) look([&] { find_subscription(); });
        if (wants(Olm::v1) && served_.v1)
            look([&] {
                extension_ = find_extension(kubectl_, request_.package);
                const std::string ns(extension_ ? extension_->text("spec", "namespace") : std::string_view());
                if (ns.empty() || request_.only_in.empty() || ns == request_.only_in) return;
                elsewhere_ = fmt::format("{} installs into namespace {}", extension_->describe(), ns);
                extension_.reset();
            });
        if (wants(Olm::none)) look([&] { set_ = objects_of_set(kubectl_, request_.package); });
        if (!classic_.empty()) ways.push_back(Olm::classic);
        if (extension_) ways.push_back(Olm::v1);
        if (!set_.empty()) ways.push_back(Olm::none);
        // A user who may see one kind of installation may not have the right to see the others.
        if (ways.empty() && forbidden_) std::rethrow_exception(forbidden_);
        if (ways.empty() && !elsewhere_.empty())
            throw OpenRequest(
                {.message = fmt::format("{} is not installed in namespace {}: {}", request_.package,
                                        request_.only_in, elsewhere_),
                 .help = "name that namespace, or none: a ClusterExtension is of the whole cluster"});
        if (ways.size() > 1)
            throw OpenRequest({.message = fmt::format("{} is installed more than once", request_.package),
                               .remedy = Remedy::choose_olm});
        if (!ways.empty()) plan_.olm = ways[0];
    }

    void look(const std::function<void()>& find) {
        try {
            find();
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            if (!forbidden_) forbidden_ = std::current_exception();
        }
    }

    void find_subscription() {
        objects_ = read_classic(kubectl_, request_.ns);
        for (const OperatorState& state : classic_states(objects_))
            if (state.package == request_.package && state.ns == request_.ns) classic_.push_back(state);
    }

    // ---- what users have made

    void count_operands(const std::string& crd) {
        if (std::any_of(operands_.begin(), operands_.end(), [&](const Operands& o) { return o.crd == crd; }))
            return;
        Operands& operands = operands_.emplace_back();
        operands.crd = crd;
        try {
            operands.objects = kubectl_.list(crd, Scope::everywhere());
        } catch (const KubectlError& error) {
            operands.unread = error.what();
        }
        plan_.operand_count += operands.objects.size();
    }

    // Returns true if no definition has custom resources; also false if that is not known.
    bool has_no_operands() const {
        return std::all_of(operands_.begin(), operands_.end(), [](const Operands& operands) {
            return operands.objects.empty() && operands.unread.empty();
        });
    }

    // They go with their definitions, or alone.
    void list_operands(bool crds_go) {
        constexpr size_t most = 5;
        const bool go = crds_go || request_.delete_operands;
        for (const Operands& operands : operands_) {
            if (!operands.unread.empty())
                add_effect(crds_go, fmt::format("{} (how many could not be counted: {})", operands.crd,
                                                operands.unread));
            for (size_t i = 0; i < operands.objects.size() && i < most; ++i)
                add_effect(go, operands.objects[i].describe());
            if (operands.objects.size() > most)
                add_effect(go, fmt::format("{} more of {}", operands.objects.size() - most, operands.crd));
        }
    }

    void delete_operands() {
        for (const Operands& operands : operands_) {
            // Deleting the operator first would leave nobody to finish them.
            if (!operands.unread.empty() && request_.delete_operands && !request_.delete_shared)
                plan_.obstacle = {fmt::format("the custom resources of {} cannot be deleted first: {}",
                                              operands.crd, operands.unread),
                                  "let a user do it who may list them; --force goes on without"};
            plan_.operands.insert(plan_.operands.end(), operands.objects.begin(), operands.objects.end());
        }
    }

    // Custom resources would be lost with their definitions although the user did not ask for that.
    void check_operands() {
        if (request_.delete_operands || has_no_operands()) return;
        std::string message =
            fmt::format("this would delete {}", counted(plan_.operand_count, "custom resource"));
        if (plan_.operand_count == 0)
            for (const Operands& operands : operands_)
                if (!operands.unread.empty())
                    message =
                        "it is not known whether this would delete custom resources: " + operands.unread;
        plan_.obstacle = {.message = std::move(message), .remedy = Remedy::delete_operands};
    }

    // Definitions are cluster-wide: the same operator may run in other namespaces, or with OLM v1.
    void check_other_owners(const std::vector<Object>& crds, const std::vector<Object>& csvs) {
        try {
            for (const Object& csv : kubectl_.list(resource::csvs, Scope::everywhere(), "!olm.copiedFrom")) {
                if (kube::find_named(csvs, csv.name, csv.ns)) continue;
                const auto uses = [&](const char* list) {
                    const auto definitions = csv.items("spec", "customresourcedefinitions", list);
                    return std::any_of(definitions.begin(), definitions.end(), [&](const Fields& one) {
                        return kube::find_named(crds, one.text("name"), {}) != nullptr;
                    });
                };
                if (uses("owned") || uses("required")) plan_.other_owners.push_back(csv.describe());
            }
            for (const Object& crd : kubectl_.existing(crds))
                if (const std::string_view owner = crd.label(owner_name_label); !owner.empty())
                    plan_.other_owners.push_back(fmt::format("ClusterExtension {}", owner));
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            plan_.other_owners.push_back(fmt::format(
                "perhaps others: {}, so it is not known who else uses the definitions", error.what()));
        }
        if (plan_.other_owners.empty() || request_.delete_shared) return;
        std::string message =
            fmt::format("this would delete what others use: {}", plan_.other_owners.front());
        for (size_t i = 1; i < plan_.other_owners.size(); ++i) message += ", " + plan_.other_owners[i];
        if (const std::string counts = operands_by_namespace(); !counts.empty())
            message += fmt::format("; custom resources: {}", counts);
        plan_.obstacle = {.message = std::move(message), .remedy = Remedy::delete_shared};
    }

    // Custom resources that this operator does not look after.
    void note_unwatched(const Object& group) {
        const std::vector<std::string> watched = group.strings("status", "namespaces");
        if (watched.empty() || std::find(watched.begin(), watched.end(), "") != watched.end()) return;
        const std::string counts = operands_by_namespace([&](const Object& object) {
            return !object.ns.empty() &&
                   std::find(watched.begin(), watched.end(), object.ns) == watched.end();
        });
        if (!counts.empty())
            plan_.other_owners.push_back(fmt::format(
                "custom resources in namespaces that {} does not watch ({})", request_.package, counts));
    }

    // "3 in namespace shop, 1 in namespace test"
    std::string operands_by_namespace(const std::function<bool(const Object&)>& counts_too = {}) const {
        std::map<std::string, size_t> counts;
        for (const Operands& operands : operands_)
            for (const Object& object : operands.objects)
                if (!counts_too || counts_too(object)) ++counts[object.ns];
        std::string text;
        for (const auto& [ns, count] : counts)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                                ns.empty() ? "without a namespace" : "in namespace " + ns);
        return text;
    }

    void add_effect(bool goes, std::string what) { plan_.effects.push_back({goes, std::move(what)}); }

    // ---- OLM classic

    void plan_classic() {
        const std::string& ns = request_.ns;
        const std::vector<const Object*> subscriptions = objects_.subscriptions_of(request_.package, ns);
        std::vector<Object> csvs; // read before the Subscriptions are deleted, which alone know them
        const auto add_csv = [&](const std::string& name) {
            const Object* const csv = objects_.csv(name, ns);
            if (csv && !kube::find_named(csvs, name, ns)) csvs.push_back(*csv);
        };
        for (const Object* subscription : subscriptions)
            for (const char* field : {"currentCSV", "installedCSV"})
                add_csv(std::string(subscription->text("status", field)));
        for (const OperatorState& state : classic_) {
            add_csv(state.installed);
            add_csv(state.next);
        }
        std::vector<Object> crds; // of the operator, not of its dependencies
        for (const Object& csv : csvs)
            for (const Fields owned : csv.items("spec", "customresourcedefinitions", "owned"))
                if (const std::string crd(owned.text("name")); !crd.empty()) {
                    if (!kube::find_named(crds, crd, {})) crds.push_back(crd_reference(crd));
                    count_operands(crd);
                }
        if (request_.delete_crds) check_operands();
        std::vector<Dependency> dependencies = find_dependencies();
        const std::vector<Object> leaving = choose_leaving(dependencies, csvs);
        const auto groups = objects_.groups_in(ns);
        if (request_.delete_crds || request_.delete_operands) {
            if (groups.size() == 1) note_unwatched(*groups.front());
            check_other_owners(crds, leaving);
        }
        check_users(csvs, leaving);
        const auto dependencies_that_go = std::count_if(dependencies.begin(), dependencies.end(),
                                                        [](const Dependency& one) { return one.goes; });
        const bool last =
            objects_.subscriptions.size() <= subscriptions.size() + static_cast<size_t>(dependencies_that_go);
        if (request_.delete_groups && !last && !plan_.obstacle)
            plan_.obstacle = {
                .message = fmt::format("namespace {} has other operators that need its OperatorGroup", ns),
                .remedy = Remedy::keep_groups};

        for (const Object* subscription : subscriptions) {
            add_effect(true, subscription->describe() + " and its InstallPlans");
            plan_.roots.push_back(*subscription);
        }
        for (const Object& csv : csvs) {
            add_effect(true, csv.describe() + " with its Deployments, accounts and roles");
            plan_.roots.push_back(csv);
        }
        list_operands(request_.delete_crds);
        if (request_.delete_operands) delete_operands();
        for (const Object& crd : crds) {
            add_effect(request_.delete_crds, crd.describe());
            if (request_.delete_crds) plan_.rest.push_back(crd);
        }
        if (request_.delete_crds) {
            plan_.definitions = crds;
            plan_.lost = operands_;
        }
        for (const Object* group : groups) {
            add_effect(request_.delete_groups, group->describe());
            if (request_.delete_groups) plan_.rest.push_back(*group);
        }
        for (const Dependency& one : dependencies) plan_dependency(one, leaving);
        plan_operator_object();
        add_effect(false, "Namespace " + ns);
    }

    // Operators of the namespace that would lose what they require.
    void check_users(const std::vector<Object>& csvs, const std::vector<Object>& leaving) {
        for (const Object& user : objects_.csvs)
            if (user.ns == request_.ns && !kube::find_named(leaving, user.name, user.ns) &&
                std::any_of(csvs.begin(), csvs.end(),
                            [&](const Object& csv) { return needs(user, request_.package, csv); }))
                plan_.needed_by.push_back(fmt::format("{} requires {}", user.describe(), request_.package));
        refuse_if_needed();
    }

    void refuse_if_needed() {
        if (plan_.needed_by.empty() || request_.delete_shared) return;
        plan_.obstacle = {.message = "others need what this would delete: " + listed(plan_.needed_by),
                          .remedy = Remedy::uninstall_users};
    }

    // ClusterExtensions that use an account or a namespace that goes, or an account whose rights go.
    void check_extensions() {
        const auto note = [&](const Object& extension, const std::string& what) {
            std::string sentence = fmt::format("{} uses {}", extension.describe(), what);
            if (std::find(plan_.needed_by.begin(), plan_.needed_by.end(), sentence) == plan_.needed_by.end())
                plan_.needed_by.push_back(std::move(sentence));
        };
        try {
            for (const Object& other : kubectl_.list(resource::cluster_extensions)) {
                if (extension_ && other.name == extension_->name) continue;
                const std::string_view ns = other.text("spec", "namespace");
                const std::string_view account = other.text("spec", "serviceAccount", "name");
                for (const std::vector<Object>* some : {&plan_.roots, &plan_.rest})
                    for (const Object& object : *some)
                        if (object.kind() == "Namespace" ? object.name == ns
                                                         : object.kind() == "ServiceAccount" &&
                                                               object.name == account && object.ns == ns)
                            note(other, object.describe());
                if (extension_ && !plan_.rest.empty() && !account.empty() &&
                    ns == extension_->text("spec", "namespace") &&
                    account == extension_->text("spec", "serviceAccount", "name"))
                    note(other, fmt::format("ServiceAccount {}/{}", ns, account));
                if (extension_ && package_of(other) == request_.package)
                    add_effect(false, other.describe() + ", which is for the same package");
            }
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            plan_.unread.push_back(
                fmt::format("{}, so it is not known whether one uses what is deleted", error.what()));
        }
        refuse_if_needed();
    }

    // An operator that OLM may have installed because another one needs it.
    struct Dependency {
        const Object* subscription = nullptr;
        const Object* csv = nullptr; // nullptr: it has none
        bool goes = false;
    };

    // Subscriptions that OLM creates for dependencies: PACKAGE-CHANNEL-SOURCE-SOURCENAMESPACE.
    static bool is_generated(const Object& subscription) {
        return !subscription.text("spec", "startingCSV").empty() &&
               subscription.name.starts_with(fmt::format("{}-", subscription.text("spec", "name"))) &&
               subscription.name.ends_with(fmt::format("-{}", subscription.text("spec", "sourceNamespace")));
    }

    std::vector<Dependency> find_dependencies() const {
        std::vector<Dependency> found;
        for (const Object& subscription : objects_.subscriptions) {
            if (subscription.text("spec", "name") == request_.package || !is_generated(subscription))
                continue;
            const Object* csv = objects_.csv(subscription.text("status", "installedCSV"), request_.ns);
            if (!csv) csv = objects_.csv(subscription.text("status", "currentCSV"), request_.ns);
            found.push_back({&subscription, csv});
        }
        return found;
    }

    // The CSVs that need it: first those that leave, then the others.
    std::pair<std::string, std::string> users_of(const Dependency& dependency,
                                                 const std::vector<Object>& leaving) const {
        std::pair<std::string, std::string> users;
        for (const Object& csv : objects_.csvs) {
            if (!dependency.csv || csv.ns != request_.ns || csv.name == dependency.csv->name ||
                !needs(csv, dependency.subscription->text("spec", "name"), *dependency.csv))
                continue;
            std::string& names = kube::find_named(leaving, csv.name, csv.ns) ? users.first : users.second;
            names += (names.empty() ? "" : ", ") + csv.name;
        }
        return users;
    }

    // The CSVs that leave: `csvs`, and dependencies that only others that leave need.
    std::vector<Object> choose_leaving(std::vector<Dependency>& dependencies,
                                       const std::vector<Object>& csvs) const {
        std::vector<Object> leaving = csvs;
        for (bool changed = request_.with_dependencies; changed;) {
            changed = false;
            for (Dependency& one : dependencies) {
                const auto [mine, others] = users_of(one, leaving);
                if (one.goes || mine.empty() || !others.empty()) continue;
                one.goes = changed = true;
                leaving.push_back(*one.csv);
            }
        }
        return leaving;
    }

    void plan_dependency(const Dependency& dependency, const std::vector<Object>& leaving) {
        const std::string what =
            dependency.subscription->describe() + ", which was installed as a dependency";
        if (!dependency.goes) {
            const std::string others = users_of(dependency, leaving).second;
            return add_effect(false,
                              others.empty() ? what : fmt::format("{}: {} needs it, too", what, others));
        }
        add_effect(true, what);
        plan_.roots.push_back(*dependency.subscription);
        add_effect(true, dependency.csv->describe() + " with its Deployments, accounts and roles");
        plan_.roots.push_back(*dependency.csv);
    }

    // Returns true if a CSV depends on another, of a package, by its definitions or by the properties of its
    // bundle, which OLM notes in an annotation.
    static bool needs(const Object& csv, std::string_view package, const Object& other) {
        const auto owned = other.items("spec", "customresourcedefinitions", "owned");
        const auto provides = [&](const auto& is_wanted) {
            return std::any_of(owned.begin(), owned.end(), [&](const Fields& crd) { return is_wanted(crd); });
        };
        for (const Fields wanted : csv.items("spec", "customresourcedefinitions", "required"))
            if (provides([&](const Fields& crd) { return crd.text("name") == wanted.text("name"); }))
                return true;
        const Object properties = kube::parse_object(csv.annotation("operatorframework.io/properties"));
        for (const Fields property : properties.items("properties")) {
            const std::string_view type = property.text("type");
            const Fields value = property.at("value");
            if (type == "olm.package.required" && value.text("packageName") == package) return true;
            if (type == "olm.gvk.required" && provides([&](const Fields& crd) {
                    return crd.text("kind") == value.text("kind") &&
                           crd.text("version") == value.text("version") &&
                           crd.text("name").ends_with(fmt::format(".{}", value.text("group")));
                }))
                return true;
        }
        return false;
    }

    // OLM's list of an operator's objects. OLM recreates it as long as one of them exists, definitions
    // included.
    void plan_operator_object() {
        look([&] {
            if (auto object = kubectl_.get(resource::operators, request_.package + "." + request_.ns)) {
                add_effect(request_.delete_crds, object->describe());
                if (request_.delete_crds) plan_.rest.push_back(std::move(*object));
            }
        });
    }

    // ---- OLM v1

    void plan_extension() {
        plan_.name = extension_->name;
        for (const Object& crd : kubectl_.list(resource::crds, Scope::cluster(),
                                               std::string(owner_name_label) + "=" + extension_->name))
            count_operands(crd.name);
        // Deleted last: OLM uses them until the extension is being deleted.
        std::vector<Object> kept;
        for (Object& object : kubectl_.list(installer_kinds, Scope::everywhere(),
                                            std::string(installer_label) + "=" + extension_->name))
            (is_created_for(object, extension_->name) ? plan_.rest : kept).push_back(std::move(object));
        check_operands();
        plan_.lost = operands_;
        add_effect(true, "ClusterExtension " + extension_->name + " with all objects of its bundle");
        plan_.roots.push_back(*extension_);
        for (const Operands& operands : operands_)
            add_effect(true, "CustomResourceDefinition " + operands.crd + " with its custom resources");
        list_operands(true);
        delete_operands();
        for (const Object& object : plan_.rest) add_effect(true, object.describe());
        for (const Object& object : kept)
            add_effect(false, object.describe() + ", which opcat did not create");
        const std::string ns(extension_->text("spec", "namespace"));
        const std::string account(extension_->text("spec", "serviceAccount", "name"));
        if (!account.empty() && !kube::find_named(plan_.rest, account, ns) &&
            !kube::find_named(kept, account, ns))
            add_effect(false, fmt::format("ServiceAccount {}/{}, which opcat did not create", ns, account));
        add_effect(false, fmt::format("Namespace {}", ns));
        check_extensions();
    }

    // ---- without OLM

    void plan_set() {
        std::vector<Object> crds;
        for (const Object& object : set_) (is_crd(object) ? crds : plan_.roots).push_back(object);
        for (const Object& crd : crds) count_operands(crd.name);
        if (request_.delete_crds) check_operands();
        // Custom resources are data; without them, the definitions are not needed.
        const bool crds_go = request_.delete_operands || has_no_operands();
        for (const Object& object : plan_.roots) add_effect(true, object.describe());
        for (const Object& crd : crds) add_effect(crds_go, crd.describe());
        list_operands(crds_go);
        if (request_.delete_operands) delete_operands();
        if (crds_go) {
            plan_.rest = plan_.definitions = crds;
            plan_.lost = operands_;
        }
        std::set<std::string> namespaces; // that had objects of it
        for (const Object& object : set_)
            if (!object.ns.empty()) namespaces.insert(object.ns);
        for (const std::string& ns : namespaces) add_effect(false, "Namespace " + ns);
        if (served_.v1) check_extensions();
    }

    const Kubectl& kubectl_;
    const Served& served_;
    const UninstallRequest& request_;
    ClassicObjects objects_;
    std::vector<OperatorState> classic_; // one for each Subscription
    std::optional<Object> extension_;
    std::string elsewhere_; // the extension that is for another namespace
    std::vector<Object> set_;
    std::exception_ptr forbidden_; // why not all could be looked at
    std::vector<Operands> operands_;
    UninstallPlan plan_;
};

} // namespace

UninstallPlan plan_uninstall(const Kubectl& kubectl, const Served& served, const UninstallRequest& request) {
    return UninstallPlanner(kubectl, served, request).run();
}

} // namespace opcat::cluster
