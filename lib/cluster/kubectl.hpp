// The cluster, through kubectl: the user's kubeconfig, context and rights.
//
// kubectl runs as a child process with a closed standard input (it would ask for a user name there) and a
// deadline of ours (its own does not hold: ../shared/design/cluster.md, section 1). Names become arguments
// only if they are names.
#pragma once

#include "base/process.hpp"
#include "cluster/json.hpp"
#include "cluster/kubectl_error.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct KubectlOptions {
    std::string program = "kubectl";
    std::string kubeconfig = {}; // empty: as kubectl finds it
    std::string context = {};
    std::string as = {};                                               // the user to act as
    std::chrono::milliseconds call_timeout = std::chrono::seconds(30); // of one call
};

// Where to look for objects: one namespace, all of them, or, for kinds without a namespace, nowhere.
struct Scope {
    std::string ns = {};
    bool all = false;
    static Scope in(std::string ns) { return {std::move(ns), false}; }
    static Scope everywhere() { return {{}, true}; }
    static Scope cluster() { return {}; }
};

using RunProcess = std::function<ProcessResult(const ProcessRequest&)>;

// All functions throw KubectlError, whose message says what was being done, and UsageError for names that are
// none. A call that the server could not serve just then is tried again a few times.
class Kubectl {
public:
    explicit Kubectl(KubectlOptions options, RunProcess run = run_process);

    // The API groups that the cluster serves.
    std::set<std::string> api_groups() const;
    // "v1.31.2"
    std::string server_version() const;
    // The namespace of the kubeconfig's context; "default" if it names none.
    std::string current_namespace() const;

    // Nothing if there is no such object, or no such kind of object.
    std::optional<Json> get(std::string_view resource, const std::string& name,
                            const Scope& scope = Scope::cluster()) const;
    // All objects of one or more kinds ("a,b"); none of a kind that the cluster does not serve.
    std::vector<Json> list(std::string_view resources, const Scope& scope = Scope::cluster(),
                           const std::string& selector = {}) const;
    // What the API server answers at a path.
    std::string raw(const std::string& path) const;

    // Server-side apply of all objects in one call. Not atomic: the error says what was done before it.
    // Hands back what the server warns of, as pods that a namespace's policy will not let in.
    std::vector<std::string> apply(const std::vector<Json>& objects, bool force_conflicts = false) const;
    // What `apply` would make of the objects, conflicts apart; nothing is changed.
    std::vector<Json> applied(const std::vector<Json>& objects) const;
    // A merge patch.
    void patch(std::string_view resource, const std::string& name, const Scope& scope,
               const Json& patch) const;
    // Those of the objects that the cluster has, as they are there.
    std::vector<Json> existing(const std::vector<Json>& objects) const;
    // Asks for the deletion of those that there are, in this order, and does not wait for it.
    void remove_objects(const std::vector<Json>& objects) const;
    // Asks for the deletion and does not wait for it. Nothing happens if there is no such object.
    void remove(std::string_view resource, const std::string& name, const Scope& scope) const;

    const KubectlOptions& options() const { return options_; }

private:
    ProcessResult call(const std::string& doing, std::vector<std::string> arguments,
                       std::string_view input = {}) const;
    // What kubectl printed.
    std::string call_or_throw(const std::string& doing, const std::vector<std::string>& arguments,
                              std::string_view input = {}) const;
    ProcessResult result_or_throw(const std::string& doing, const std::vector<std::string>& arguments,
                                  std::string_view input) const;

    KubectlOptions options_;
    RunProcess run_;
};

// The field manager of all that opcat applies.
inline constexpr const char* field_manager = "opcat";

// Throws UsageError if `name` cannot be the name of a Kubernetes object; `what` is what it is meant to be.
void require_name(std::string_view what, const std::string& name);
// The same for names of namespaces, which have no dots.
void require_namespace(const std::string& name);

// One List of all objects, as kubectl takes it.
Json list_of(const std::vector<Json>& objects);

} // namespace opcat::cluster
