// Checks what a pull request to a repository of operators changes (operatorcert/parsed_file.py and
// entrypoints/detect_changed_operators.py).
#pragma once

#include "opcat/policy/operator_repo.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::policy {

using NamePair =
    std::pair<std::string, std::string>; // an operator and its bundle, or a catalog and its operator

struct ChangedNames {
    std::set<NamePair> added, modified, deleted;
};

struct PullRequest {
    std::set<std::string> operators; // that are touched
    ChangedNames bundles;
    ChangedNames catalogs;             // catalog and operator
    std::set<std::string> other_files; // of no operator and no catalog
};

// `files` are relative to the repositories, those that are removed as well.
PullRequest changes_of(const std::vector<std::string>& files, const Repository& head, const Repository& base);

struct ChangeCheck {
    std::string_view name; // the official method
    std::string_view what; // as in CheckInfo of policy.hpp, like the following
    std::string_view fix;
};

// In the official order: Python sorts the methods by name.
inline constexpr ChangeCheck change_checks[] = {
    {"check_added_bundles", "at most one bundle is added, and none deleted at the same time",
     "split the change into one pull request for each bundle"},
    {"check_affected_catalog_operators", "bundles and catalogs do not change together",
     "send the bundle first, and its catalogs in a second pull request"},
    {"check_affected_operators", "bundles of one operator only change",
     "split the change into one pull request for each operator"},
    {"check_deleted_bundles",
     "bundles are deleted only from operators with fbc.enabled, and not while a catalog has them",
     "remove the bundle from the catalogs first, or keep it"},
    {"check_extra_files", "only files of operators and catalogs change",
     "leave out the files that belong to no operator and no catalog"},
    {"check_modified_bundles", "no file of an existing bundle changes",
     "add a new version of the bundle instead"},
};

struct ChangeError {
    std::string check;   // the official method
    std::string message; // the official words
};

// In the official order. An exception of Python ends the list, and is its last item.
std::vector<ChangeError> change_errors(const PullRequest& changes, const Repository& head,
                                       const Repository& base);

} // namespace opcat::policy
