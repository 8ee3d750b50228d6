// What a command changes in a cluster.
#pragma once

#include "cluster/kubectl.hpp"
#include "cluster_flow.hpp"

#include <string_view>
#include <vector>

namespace opcat {

// Of some objects that of the same kind, namespace and name; nullptr if there is none.
const cluster::Json* counterpart(const std::vector<cluster::Json>& objects, const cluster::Json& object);

// Objects that are to be as told.
class Changes {
public:
    // Compares them with the cluster's, which is not changed. Throws KubectlError.
    Changes(const cluster::Kubectl& kubectl, std::vector<cluster::Json> wanted);

    bool any() const { return !create_.empty() || !change_.empty(); }
    const std::vector<cluster::Json>& wanted() const { return wanted_; }
    // Creates or changes.
    bool touches(std::string_view kind) const;

    // For --dry-run and -o.
    void show(const FlowFlags& flags, Session& session) const;
    // Applies what is not as wanted, and names it. What a call that failed has created is deleted again with
    // --cleanup-on-failure.
    void carry_out(const FlowFlags& flags, const Session& session);
    // Deletes what was created, and nothing else.
    void undo(const Session& session) const;

private:
    void drop_what_stays(const std::vector<cluster::Json>& existing);

    const cluster::Kubectl& kubectl_;
    std::vector<cluster::Json> wanted_;
    std::vector<cluster::Json> create_;
    std::vector<cluster::Json> change_;
    std::vector<cluster::Json> created_;
};

} // namespace opcat
