// The answers of `resolve ocp-upgrade`, for people and for programs.
#pragma once

#include "opcat/resolve/v1/ocp_upgrade.hpp"

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace opcat::olmv1 {

// An operator to check, and who would upgrade it.
struct OperatorQuestion {
    std::string name; // "BUNDLE@VERSION", or as a user names it
    AskedOlms olms;
    // From a cluster, whose CSV says what counts there; else what the catalog says counts.
    std::optional<MaxOpenShift> max = {};
};

// Nothing can be said of it.
struct UnknownOperator {
    std::string name;
    std::string why;
    std::string hint;
};

struct OperatorAnswer {
    OperatorQuestion question;
    std::variant<UpgradeBlock, UnknownOperator> verdict;

    // Returns true if it is known that the operator does not keep OpenShift back.
    bool allows_upgrade() const;
};

// Looks the operator up in the catalogs of the cluster, and checks it. Where several have it and contradict
// one another, what counts is not known: the one that has an obstacle answers. `next` as for check_upgrade().
OperatorAnswer check_operator(OperatorQuestion question, std::span<const NamedCatalog> catalogs,
                              std::span<const NamedCatalog> next, const MinorVersion& cluster);

struct OcpUpgradeReport {
    MinorVersion cluster;
    MinorVersion next;
    bool next_catalogs_are_known = false; // those of the next version
    std::vector<OperatorAnswer> operators;
    // Why opm refuses catalogs, of which OLM classic then gets nothing.
    std::vector<std::string> refused = {};

    // Lines of text, without control characters.
    std::string as_text() const;
    // The document of schema "opcat.resolve-ocp-upgrade.v1" (docs/json-output.md).
    std::string as_json() const;
};

} // namespace opcat::olmv1
