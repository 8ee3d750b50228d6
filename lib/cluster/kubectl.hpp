// The cluster, through kubectl: the user's kubeconfig, context and rights.
// kubectl runs as a child process with a closed standard input (it would ask for a user name there) and with
// a deadline of ours (its own is not reliable: docs/spec/cluster.md, section 1). Names are validated before
// they become arguments. Only kubectl's standard error tells failures apart: its exit status is always 1.
#pragma once

#include "opcat/base/clock.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/process.hpp"
#include "opcat/cluster/objects.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct KubectlOptions {
    std::string program = "kubectl";
    std::string kubeconfig = {}; // empty: as kubectl finds it
    bool in_pod = false;         // without a kubeconfig, kubectl then uses the pod's account
    std::string context = {};
    std::string as = {};                                               // the user to act as
    std::chrono::milliseconds call_timeout = std::chrono::seconds(30); // of one call
    // The time for which a server that has answered before may be unavailable, as during a restart.
    std::chrono::milliseconds longest_outage = std::chrono::seconds(90);
    // Called with a sentence, once for each outage that is waited for. May be empty.
    std::function<void(const std::string&)> on_outage = {};
    Clock clock = {};
    unsigned calls_at_once = 16; // with 1, all questions are asked in their order and in the calling thread
};

// The scope in which to look for objects: one namespace, all of them, or nothing for kinds without a
// namespace.
struct Scope {
    std::string ns = {};
    bool all = false;
    static Scope in(std::string ns) { return {std::move(ns), false}; }
    static Scope everywhere() { return {{}, true}; }
    static Scope cluster() { return {}; }
};

struct Failure; // the meaning of a failed call: below

using RunProcess = std::function<ProcessResult(const ProcessRequest&)>;

// All functions throw KubectlError, whose message says what was being done, and RequestError for invalid
// names. A call that the server could not serve is repeated a few times, and for `longest_outage` if the
// server has answered before: all calls may be repeated. Several threads may use one object.
// A server that has just started does not know its custom resources for a second or two. So a resource counts
// as missing only if the server says that it is ready (docs/spec/cluster.md, kubectl).
class Kubectl {
public:
    explicit Kubectl(KubectlOptions options, RunProcess run = run_process);

    // Asks several questions at the same time, so that a distant cluster is waited for once. Returns when all
    // are answered; of what they throw, throws the first in this order. They may use this object, and must
    // not share anything else.
    void together(const std::vector<std::function<void()>>& questions) const;

    // The API groups that the cluster serves: asked for once.
    std::set<std::string> api_groups() const;
    // Their versions: "apps/v1"; of the core group "v1".
    std::set<std::string> api_versions() const;
    // "v1.31.2": asked for once.
    std::string server_version() const;
    // The namespace of the kubeconfig's context; "default" if it does not name one. Throws KubectlError if no
    // context is chosen, because kubectl would then ask whatever listens on localhost:8080. In a pod no
    // context is needed.
    std::string current_namespace() const;

    // Objects of several kinds. Kinds in `optional` that the user may not list are left out, with a sentence
    // in `unread`. Throws KubectlError if one of the others may not be listed.
    std::vector<Object> list_permitted(std::string_view required, std::vector<const char*>& optional,
                                       const Scope& scope, std::vector<std::string>& unread,
                                       const std::string& selector = {}) const;

    // Nothing if the object or its kind does not exist.
    std::optional<Object> get(std::string_view resource, const std::string& name,
                              const Scope& scope = Scope::cluster()) const;
    // All objects of one or more kinds ("a,b"), which are asked for together; none of kinds that the cluster
    // does not serve.
    std::vector<Object> list(std::string_view resources, const Scope& scope = Scope::cluster(),
                             const std::string& selector = {}) const;
    // The objects of one kind and one name, of which a namespace may have several (PackageManifests).
    std::vector<Object> list_named(std::string_view resource, const std::string& name,
                                   const Scope& scope) const;
    // Returns the API server's answer at a path.
    std::string raw(const std::string& path) const;
    // The same, asked for once: for what does not change while a command runs.
    std::string raw_once(const std::string& path) const;
    // Asks for several paths together before `raw_once` does; it fails again for those that fail.
    void raw_ahead(const std::vector<std::string>& paths) const;

    // Server-side apply of all objects in one call. Not atomic: the error says what was done before it.
    // Returns the server's warnings, such as about pods that a namespace's policy will reject.
    std::vector<std::string> apply(const std::vector<Object>& objects, bool force_conflicts = false) const;
    // Throws what `apply` would throw; nothing is changed.
    void try_apply(const std::vector<Object>& objects, bool force_conflicts = false) const;
    // Throws KubectlError if the user may not do this with objects of this kind and namespace; with `name`,
    // with this one: a role may name the objects that it is about.
    void require_right(std::string_view verb, const Object& object, const std::string& name = {}) const;
    // Creates reviews of rights, which no server stores. The result says for each whether it is allowed.
    std::vector<bool> allowed(const std::vector<Object>& reviews) const;
    // The same for reviews whose answer is more than that: the objects with their status.
    std::vector<Object> reviewed(const std::vector<Object>& reviews) const;
    // The objects as `apply` would change them, ignoring conflicts. Read-only.
    std::vector<Object> applied(const std::vector<Object>& objects) const;
    // A merge patch.
    void patch(std::string_view resource, const std::string& name, const Scope& scope,
               const Value& patch) const;
    // The kinds of objects in namespaces that can be listed and deleted, by their full names.
    std::vector<std::string> kinds_in_namespaces() const;
    // Those of the objects that exist, as they are on the cluster.
    std::vector<Object> existing(const std::vector<Object>& objects) const;
    // Deletes those that exist, in this order, without waiting for the end of the deletion.
    void remove_objects(const std::vector<Object>& objects) const;
    // Starts the deletion without waiting for its end. Does nothing if the object does not exist.
    void remove(std::string_view resource, const std::string& name, const Scope& scope) const;

    const KubectlOptions& options() const { return options_; }
    // The program with the arguments for this cluster and user, and then these.
    std::vector<std::string> command_line(std::vector<std::string> arguments) const;
    // The same without waiting for the end of an outage: for callers that retry themselves.
    Kubectl without_patience() const;
    // The same as another user, if the user may impersonate that one.
    Kubectl acting_as(const std::string& user) const;

private:
    // The resources that the cluster serves, once the server is ready.
    Object api_group_list() const;
    // Returns true if the server knows all its resources.
    bool is_ready() const;
    // Returns true if the server is away or starting.
    bool is_outage(const Failure& failure) const;
    ProcessResult call(const std::string& doing, std::vector<std::string> arguments,
                       std::string_view input = {}) const;
    // Returns what kubectl printed.
    std::string call_or_throw(const std::string& doing, const std::vector<std::string>& arguments,
                              std::string_view input = {}) const;
    ProcessResult result_or_throw(const std::string& doing, const std::vector<std::string>& arguments,
                                  std::string_view input) const;

    // The arguments for where to look.
    static void add_scope(std::vector<std::string>& arguments, const Scope& scope);
    std::vector<Object> list_kind(std::string_view resource, const Scope& scope,
                                  const std::string& filter) const;
    // The output of one call for parts of the objects, in their order.
    std::vector<std::string>
    in_parts(const std::vector<Object>& objects,
             const std::function<std::string(const std::vector<Object>& part)>& call) const;
    // Returns what a call prints about objects that are its input.
    std::vector<Object> objects_in_parts(const std::vector<Object>& objects, const std::string& doing,
                                         const std::vector<std::string>& arguments) const;
    void report_outage(const Failure& failure) const;

    struct Shared;
    KubectlOptions options_;
    RunProcess run_;
    std::shared_ptr<Shared> shared_; // with the copies, which are about the same server
};

// The field manager of all that opcat applies.
inline constexpr const char* field_manager = "opcat";

// Throws RequestError if `name` is not a valid name of a Kubernetes object; `what` describes it in the
// message.
void require_name(std::string_view what, const std::string& name);
// The same for names of namespaces, which must not contain dots.
void require_namespace(const std::string& name);

// ---- the meaning of kubectl's failures

enum class FailureKind : uint8_t {
    not_found,        // the object does not exist
    no_such_resource, // the cluster does not serve this kind of object
    forbidden,        // the user lacks a right
    unauthorized,     // the cluster rejects the user: a bad token, an expired certificate
    terminating,      // the namespace is being deleted
    already_exists,
    conflict,      // another manager owns a field, or the object has changed meanwhile
    invalid,       // the API server refuses the object
    unreachable,   // no connection
    configuration, // the kubeconfig is wrong
    timeout,
    server,  // the API server fails or is busy; a retry may help
    program, // kubectl cannot be run
    other
};

struct Failure {
    FailureKind kind = FailureKind::other;
    std::string message = {}; // kubectl's own, without its noise; may have several lines
    // The missing right, for `forbidden`.
    std::string user = {}, verb = {}, resource = {}, group = {}, ns = {};

    // Returns true if the API server has received and refused the request.
    bool is_answer() const {
        return kind <= FailureKind::forbidden ||
               (FailureKind::terminating <= kind && kind <= FailureKind::invalid);
    }
    // Returns true if the same call may work a moment later.
    bool may_pass() const {
        return kind == FailureKind::server || kind == FailureKind::timeout ||
               kind == FailureKind::unreachable;
    }
};

// `err` is kubectl's standard error of a call that failed.
Failure classify(std::string_view err);

// A failed call. `what()` says what was being done and what is wrong, in one sentence.
class KubectlError : public Error {
public:
    // `doing` completes "cannot …": "read the Subscriptions of namespace shop".
    KubectlError(const std::string& doing, Failure failure);
    const Failure& failure() const { return failure_; }
    FailureKind kind() const { return failure_.kind; }

private:
    Failure failure_;
};

// The failure, without what was being done.
std::string words_for(const Failure& failure);

} // namespace opcat::cluster

namespace opcat::cluster::resource {

// ---- the API groups of both OLMs, and the kinds of objects that opcat requests from a cluster, by their
// full names, because short ones are ambiguous. With a version: in "a.b.c.d" kubectl takes b for one, does
// not find it, and asks the cluster for everything that it serves, at each call.

inline constexpr const char* classic_group = "operators.coreos.com";
inline constexpr const char* v1_group = "olm.operatorframework.io";

// OLM classic
inline constexpr const char* subscriptions = "subscriptions.v1alpha1.operators.coreos.com";
inline constexpr const char* install_plans = "installplans.v1alpha1.operators.coreos.com";
inline constexpr const char* csvs = "clusterserviceversions.v1alpha1.operators.coreos.com";
inline constexpr const char* operator_groups = "operatorgroups.v1.operators.coreos.com";
inline constexpr const char* operator_conditions = "operatorconditions.v2.operators.coreos.com";
inline constexpr const char* catalog_sources = "catalogsources.v1alpha1.operators.coreos.com";
inline constexpr const char* operators = "operators.v1.operators.coreos.com";
inline constexpr const char* package_manifests = "packagemanifests.v1.packages.operators.coreos.com";

// OLM v1
inline constexpr const char* cluster_extensions = "clusterextensions.v1.olm.operatorframework.io";
inline constexpr const char* cluster_catalogs = "clustercatalogs.v1.olm.operatorframework.io";

// Kubernetes
inline constexpr const char* namespaces = "namespaces";
inline constexpr const char* pods = "pods";
inline constexpr const char* events = "events";
inline constexpr const char* service_accounts = "serviceaccounts";
inline constexpr const char* jobs = "jobs.batch";
inline constexpr const char* deployments = "deployments.apps";
inline constexpr const char* crds = "customresourcedefinitions.v1.apiextensions.k8s.io";
inline constexpr const char* cluster_roles = "clusterroles.v1.rbac.authorization.k8s.io";
inline constexpr const char* cluster_role_bindings = "clusterrolebindings.v1.rbac.authorization.k8s.io";
inline constexpr const char* roles = "roles.v1.rbac.authorization.k8s.io";
inline constexpr const char* role_bindings = "rolebindings.v1.rbac.authorization.k8s.io";
inline constexpr const char* validating_webhooks =
    "validatingwebhookconfigurations.v1.admissionregistration.k8s.io";
inline constexpr const char* mutating_webhooks =
    "mutatingwebhookconfigurations.v1.admissionregistration.k8s.io";

} // namespace opcat::cluster::resource
