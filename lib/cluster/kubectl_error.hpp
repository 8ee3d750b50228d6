// What kubectl's failures mean. Its exit status is 1 for all of them; the kind stands in its standard error
// only (../shared/design/cluster.md, section 1).
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace opcat::cluster {

enum class FailureKind : uint8_t {
    not_found,        // the object does not exist
    no_such_resource, // the cluster does not serve this kind of object
    forbidden,        // the user lacks a right
    unauthorized,     // the cluster does not know the user: a bad token, an expired certificate
    terminating,      // the namespace is being deleted
    already_exists,
    conflict,      // another manager owns a field, or the object has changed meanwhile
    invalid,       // the API server refuses the object
    unreachable,   // no connection
    configuration, // the kubeconfig is wrong
    timeout,
    server,  // the API server fails or is busy; another try may help
    program, // kubectl cannot be run
    other
};

struct Failure {
    FailureKind kind = FailureKind::other;
    std::string message; // kubectl's own, without its noise; may have several lines
    // What the user lacks, with `forbidden`.
    std::string user, verb, resource, group, ns;

    // Whether the same call may work a moment later.
    bool may_pass() const {
        return kind == FailureKind::server || kind == FailureKind::timeout ||
               kind == FailureKind::unreachable;
    }
};

// `err` is kubectl's standard error of a call that failed.
Failure classify(std::string_view err);

// A call that failed. `what()` says what was being done and what is wrong, in one sentence.
class KubectlError : public Error {
public:
    // `doing` completes "cannot …": "read the Subscriptions of namespace shop".
    KubectlError(const std::string& doing, Failure failure);
    const Failure& failure() const { return failure_; }
    FailureKind kind() const { return failure_.kind; }

private:
    Failure failure_;
};

// The failure in words, without what was being done.
std::string words_for(const Failure& failure);

} // namespace opcat::cluster
