// What has to change on a cluster so that it has some objects.
#pragma once

#include "opcat/cluster/kubectl.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

// Whether the namespace exists. Throws Error if it is being deleted.
bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns);

// The steps from the objects that a cluster has to those that it should have.
class ObjectChanges {
public:
    enum class Action : uint8_t { none, create, change };

    // Compares the wanted objects with the cluster's. Changes nothing. `kubectl` must outlive the object.
    // Throws KubectlError.
    ObjectChanges(const Kubectl& kubectl, std::vector<Object> wanted);

    const std::vector<Object>& wanted() const { return wanted_; }
    // What to do so that there is the wanted object of this index.
    Action action(size_t index) const { return actions_[index]; }
    bool any() const;
    // Whether an object of this kind is created or changed.
    bool touches(std::string_view kind) const;

    // Creates and changes what is not as wanted, in the order of the wanted objects: a namespace comes before
    // what lies in it. Returns what the server warns of. Throws KubectlError; some of the objects may then
    // have been created.
    std::vector<std::string> apply(bool force_conflicts);
    // Deletes what `apply` created, and nothing else; may be called after `apply` has thrown. Returns what it
    // deleted. Throws KubectlError.
    std::vector<Object> undo() const;

private:
    void drop_unchanged(const std::vector<Object>& existing);
    std::vector<Object> objects_to(Action action) const;

    const Kubectl& kubectl_;
    std::vector<Object> wanted_;
    std::vector<Action> actions_; // of each wanted object
    bool applied_ = false;
};

} // namespace opcat::cluster
