// What a pull request to a repository of operators may change (operatorcert/parsed_file.py and
// entrypoints/detect_changed_operators.py).
#pragma once

#include "opcat/policy/operator_repo.hpp"

#include <set>
#include <string>
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

struct ChangeError {
    std::string check;   // the official method
    std::string message; // the official words
};

// In the official order. An exception of Python ends the list, and is its last item.
std::vector<ChangeError> change_errors(const PullRequest& changes, const Repository& head,
                                       const Repository& base);

} // namespace opcat::policy
