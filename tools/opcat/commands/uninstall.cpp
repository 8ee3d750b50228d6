#include "cluster_flow.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <functional>

namespace opcat {
namespace {

using namespace cluster;

struct Options {
    ClusterFlags cluster;
    FlowFlags flow;
    std::string package;
    bool delete_crds = false;
    bool delete_groups = false;
    bool delete_operands = false;
};

// A CustomResourceDefinition of the operator and what users have made with it.
struct Operands {
    std::string crd; // "widgets.example.com"
    std::vector<Object> objects;
    std::string unread; // why they could not be counted
};

class Uninstall {
public:
    Uninstall(const Options& options, const Connection& connection, Session& session)
        : options_(options), kubectl_(connection.kubectl), served_(connection.served), ns_(connection.ns),
          session_(session) {}

    void run() {
        find_it();
        if (found_ == 0) {
            session_.print(fmt::format("{} is not installed{}, nothing was changed\n", options_.package,
                                       wants(Olm::classic) && served_.classic ? " in namespace " + ns_ : ""));
            return;
        }
        if (found_ > 1)
            throw RequestError(fmt::format("{} is installed in several ways", options_.package),
                               "say which one goes: --olm classic, v1 or none");
        if (classic_)
            uninstall_classic();
        else if (extension_)
            uninstall_extension();
        else
            uninstall_set();
    }

private:
    bool wants(Olm olm) const {
        const auto wanted = options_.cluster.wanted_olm();
        return !wanted || *wanted == olm;
    }

    void find_it() {
        require_name("packages", options_.package);
        if (wants(Olm::classic) && served_.classic) look([&] { find_subscription(); });
        if (wants(Olm::v1) && served_.v1)
            look([&] { extension_ = find_extension(kubectl_, options_.package); });
        if (wants(Olm::none)) look([&] { set_ = objects_of_set(kubectl_, options_.package); });
        found_ = int{classic_.has_value()} + int{extension_.has_value()} + int{!set_.empty()};
        // Who may see one way of installing need not have the right to see the others.
        if (found_ == 0 && forbidden_) std::rethrow_exception(forbidden_);
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
        objects_ = read_classic(kubectl_, ns_);
        for (const OperatorState& state : classic_states(objects_))
            if (state.package == options_.package && state.ns == ns_) classic_ = state;
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
    }

    size_t operand_count() const {
        size_t count = 0;
        for (const Operands& operands : operands_) count += operands.objects.size();
        return count;
    }

    void list_operands(const std::string& fate) {
        constexpr size_t most = 5;
        for (const Operands& operands : operands_) {
            if (!operands.unread.empty())
                lines_.push_back(fmt::format("  {} {} (how many could not be counted: {})", fate,
                                             operands.crd, for_terminal(operands.unread, 4)));
            for (size_t i = 0; i < operands.objects.size() && i < most; ++i)
                lines_.push_back(fmt::format("  {} {}", fate, operands.objects[i].describe()));
            if (operands.objects.size() > most)
                lines_.push_back(
                    fmt::format("  {} {} more of {}", fate, operands.objects.size() - most, operands.crd));
        }
    }

    void delete_operands() {
        std::vector<Object> all;
        for (const Operands& operands : operands_)
            all.insert(all.end(), operands.objects.begin(), operands.objects.end());
        if (all.empty()) return;
        // While the operator runs: it may have to finish them.
        kubectl_.remove_objects(all);
        wait_gone(
            fmt::format("waiting for the end of {}", counted(all.size(), "custom resource")),
            [&] { return kubectl_.existing(all).empty(); },
            "custom resources are still there: their operator must take its finalizers off them");
        for (const Object& object : all) say("deleted " + object.describe());
    }

    // ---- saying and asking

    void say(const std::string& line) const {
        if (!session_.options.quiet) session_.print(line + "\n");
    }

    bool agreed() {
        for (const std::string& line : lines_) session_.print(line + "\n");
        if (options_.flow.dry_run) return false;
        if (options_.flow.yes) return true;
        if (!can_ask())
            throw RequestError("uninstalling must be confirmed, and there is no terminal to ask on",
                               "add --yes");
        if (confirm(session_, "Go on?")) return true;
        session_.print("nothing was changed\n");
        return false;
    }

    void wait_gone(const std::string& step, const std::function<bool()>& gone, const std::string& otherwise) {
        if (options_.flow.no_wait) return;
        say_when_interrupted(
            fmt::format("interrupted while {}: what was asked to be deleted goes on being deleted; "
                        "run the command again to do the rest",
                        step));
        StepDisplay steps(session_);
        const bool is_gone = wait_until(
            [&] {
                steps.show(step);
                return gone();
            },
            options_.flow.wait());
        steps.end(is_gone);
        say_when_interrupted("");
        if (!is_gone)
            throw Error(fmt::format("uninstalling {} was not done within {}: {}", options_.package,
                                    options_.flow.timeout, otherwise));
    }

    // ---- OLM classic

    void uninstall_classic() {
        const Object* const subscription = objects_.subscription_of(options_.package, ns_);
        std::vector<std::string> csvs; // remembered before the Subscription goes, which alone knows them
        const auto add_csv = [&](const std::string& name) {
            if (objects_.csv(name, ns_) && std::find(csvs.begin(), csvs.end(), name) == csvs.end())
                csvs.push_back(name);
        };
        if (subscription)
            for (const char* field : {"currentCSV", "installedCSV"})
                add_csv(std::string(subscription->text("status", field)));
        add_csv(classic_->installed);
        add_csv(classic_->next);
        std::vector<std::string> crds;
        for (const std::string& csv : csvs)
            for (const Fields owned :
                 objects_.csv(csv, ns_)->items("spec", "customresourcedefinitions", "owned"))
                if (const std::string crd(owned.text("name")); !crd.empty()) {
                    if (std::find(crds.begin(), crds.end(), crd) == crds.end()) crds.push_back(crd);
                    count_operands(crd);
                }
        if (options_.delete_crds && operand_count() > 0 && !options_.delete_operands)
            throw RequestError(fmt::format("--delete-crds would delete {} with them",
                                           counted(operand_count(), "custom resource")),
                               "add --delete-operands if that is meant");
        const auto groups = objects_.groups_in(ns_);
        const bool last = objects_.subscriptions.size() <= (subscription ? 1U : 0U);
        if (options_.delete_groups && !last)
            throw RequestError(
                fmt::format("namespace {} has other operators that need its OperatorGroup", ns_),
                "leave out --delete-operator-groups");

        lines_.push_back(fmt::format("Uninstalling {} from namespace {}:", options_.package, ns_));
        if (subscription) lines_.push_back("  goes   " + subscription->describe() + " and its InstallPlans");
        for (const std::string& csv : csvs)
            lines_.push_back(fmt::format(
                "  goes   ClusterServiceVersion {}/{} with its Deployments, accounts and roles", ns_, csv));
        list_operands(options_.delete_operands ? "goes  " : "stays ");
        for (const std::string& crd : crds)
            lines_.push_back(fmt::format("  {} CustomResourceDefinition {}",
                                         options_.delete_crds ? "goes  " : "stays ", crd));
        for (const Object* group : groups)
            lines_.push_back(
                fmt::format("  {} {}", options_.delete_groups ? "goes  " : "stays ", group->describe()));
        for (const Object& other : objects_.subscriptions)
            if (&other != subscription && !other.text("spec", "startingCSV").empty() &&
                other.name.starts_with(fmt::format("{}-", other.text("spec", "name"))) &&
                other.name.ends_with(fmt::format("-{}", other.text("spec", "sourceNamespace"))))
                lines_.push_back(
                    fmt::format("  stays  {}, which came along as a dependency", other.describe()));
        if (!agreed()) return;

        if (options_.delete_operands) delete_operands();
        if (subscription) {
            kubectl_.remove(resource::subscriptions, subscription->name, Scope::in(ns_));
            say("deleted " + subscription->describe());
        }
        for (const std::string& csv : csvs) {
            kubectl_.remove(resource::csvs, csv, Scope::in(ns_));
            say(fmt::format("deleted ClusterServiceVersion {}/{}", ns_, csv));
        }
        wait_gone(
            "waiting until OLM has cleaned up",
            [&] {
                return std::none_of(csvs.begin(), csvs.end(), [&](const std::string& csv) {
                    return kubectl_.get(resource::csvs, csv, Scope::in(ns_)).has_value();
                });
            },
            "the ClusterServiceVersion is still there: OLM must take its finalizer off it");
        if (options_.delete_crds)
            for (const std::string& crd : crds) {
                kubectl_.remove(resource::crds, crd, Scope::cluster());
                say("deleted CustomResourceDefinition " + crd);
            }
        if (options_.delete_groups)
            for (const Object* group : groups) {
                kubectl_.remove(resource::operator_groups, group->name, Scope::in(ns_));
                say("deleted " + group->describe());
            }
        session_.print(fmt::format("{} is uninstalled from namespace {}\n", options_.package, ns_));
    }

    // ---- OLM v1

    void uninstall_extension() {
        const std::string name = extension_->name;
        for (const Object& crd :
             kubectl_.list(resource::crds, Scope::cluster(), std::string(owner_name_label) + "=" + name))
            count_operands(crd.name);
        const std::vector<Object> account =
            kubectl_.list(installer_kinds, Scope::everywhere(), std::string(installer_label) + "=" + name);
        lines_.push_back(fmt::format("Uninstalling ClusterExtension {}:", name));
        lines_.push_back("  goes   ClusterExtension " + name + " with all objects of its bundle");
        for (const Operands& operands : operands_)
            lines_.push_back("  goes   CustomResourceDefinition " + operands.crd +
                             ", and with it what was made of it");
        list_operands("goes  ");
        for (const Object& object : account) lines_.push_back("  goes   " + object.describe());
        lines_.push_back(fmt::format("  stays  Namespace {}", extension_->text("spec", "namespace")));
        if (operand_count() > 0)
            lines_.push_back(fmt::format("{} {} lost: OLM v1 deletes the CustomResourceDefinitions",
                                         counted(operand_count(), "custom resource"),
                                         operand_count() == 1 ? "is" : "are"));
        if (operand_count() > 0 && !options_.delete_operands && !options_.flow.dry_run) {
            for (const std::string& line : lines_) session_.print(line + "\n");
            throw RequestError(
                fmt::format("this would delete {}", counted(operand_count(), "custom resource")),
                "add --delete-operands if that is meant");
        }
        if (!agreed()) return;
        delete_operands();
        kubectl_.remove(resource::cluster_extensions, name, Scope::cluster());
        say("deleted ClusterExtension " + name);
        wait_gone(
            "waiting until OLM has cleaned up",
            [&] { return !kubectl_.get(resource::cluster_extensions, name).has_value(); },
            "the ClusterExtension is still there: OLM must take its finalizers off it");
        // Not before: the extension's objects are deleted with these rights.
        kubectl_.remove_objects(account);
        for (const Object& object : account) say("deleted " + object.describe());
        session_.print(fmt::format("{} is uninstalled\n", name));
    }

    // ---- without OLM

    void uninstall_set() {
        std::vector<Object> crds;
        std::vector<Object> others;
        for (const Object& object : set_)
            (object.kind() == "CustomResourceDefinition" ? crds : others).push_back(object);
        for (const Object& crd : crds) count_operands(crd.name);
        const bool keep_crds = !options_.delete_crds;
        if (options_.delete_crds && operand_count() > 0 && !options_.delete_operands)
            throw RequestError(fmt::format("--delete-crds would delete {} with them",
                                           counted(operand_count(), "custom resource")),
                               "add --delete-operands if that is meant");
        lines_.push_back(fmt::format("Uninstalling {}:", options_.package));
        for (const Object& object : others) lines_.push_back("  goes   " + object.describe());
        for (const Object& crd : crds)
            lines_.push_back((keep_crds && operand_count() > 0 ? "  stays  " : "  goes   ") + crd.describe());
        list_operands(options_.delete_operands ? "goes  " : "stays ");
        if (!agreed()) return;
        if (options_.delete_operands) delete_operands();
        // Custom resources are data; without them, nobody misses their definitions.
        if (operand_count() == 0 || options_.delete_operands)
            others.insert(others.end(), crds.begin(), crds.end());
        kubectl_.remove_objects(others);
        for (const Object& object : others) say("deleted " + object.describe());
        wait_gone(
            "waiting until all objects are gone", [&] { return kubectl_.existing(others).empty(); },
            "some objects are still there");
        session_.print(fmt::format("{} is uninstalled\n", options_.package));
    }

    const Options& options_;
    const Kubectl& kubectl_;
    Served served_;
    const std::string& ns_;
    Session& session_;
    int found_ = 0;
    ClassicObjects objects_;
    std::optional<OperatorState> classic_;
    std::optional<Object> extension_;
    std::exception_ptr forbidden_; // why not all could be looked at
    std::vector<Object> set_;
    std::vector<Operands> operands_;
    std::vector<std::string> lines_;
};

} // namespace

void add_uninstall(Command tree, Session& session) {
    const Command command = tree.add_command("uninstall", "Uninstall an operator");
    const auto options = std::make_shared<Options>();
    command.add_option("PACKAGE", options->package, "The operator's package").required();
    command.add_flag("--delete-crds", options->delete_crds, "Delete its CustomResourceDefinitions, too");
    command.add_flag(
        "--delete-operator-groups", options->delete_groups,
        "OLM classic: delete the namespace's OperatorGroups, too, if no other operator needs them");
    command.add_flag("--delete-operands", options->delete_operands,
                     "Delete the custom resources that users have made, too");
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    command.footer(
        "What goes and what stays is said first. OLM v1 deletes CustomResourceDefinitions and with them all "
        "custom\nresources; OLM classic keeps both.\n\n"
        "Examples:\n"
        "  opcat uninstall prometheus -n monitoring\n"
        "  opcat uninstall prometheus -n monitoring --delete-operands --delete-crds --yes");
    command.callback([options, &session] { Uninstall(*options, connect(options->cluster), session).run(); });
}

} // namespace opcat
