// Runs the checks of a pipeline: on a catalog and its image, or on a repository of operators.
#pragma once

#include "opcat/policy/policy.hpp"
#include "opcat/workspace/open.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat::policy {

// Else it is for repositories of operators.
bool is_for_catalogs(Pipeline policy);

// The policies of the configuration that are for what a reference is: of a repository of operators, community
// and certified, in place of the rules for catalogs; of a catalog, konflux and olm-v1.
std::vector<std::string> configured_policies(const Configuration& configuration,
                                             const std::string& reference);

PolicyRun run_olm_v1(const Source& catalog, const olmv1::OlmRelease& release, ThreadPool& pool);

struct FragmentRequest {
    std::string reference;
    const Source* catalog = nullptr; // if it is open already
    std::string openshift = {};      // empty: as the image, the configuration or a folder says
    std::string target_index = {};   // from which it may remove nothing; empty: not known
    std::string dockerfile = {};     // that makes its image; empty: not known
};

// Throws RequestError if the version of OpenShift is not known, Error for what cannot be opened.
PolicyRun run_konflux(const FragmentRequest& asked, const Configuration& configuration,
                      const OpenOptions& how, ThreadPool& pool);

// All of a repository; or only what is named, or differs from the repository before a change.
struct RepositoryRequest {
    std::filesystem::path repository = {};
    std::string changed_since = {}; // a revision of git before the change, or
    std::string base = {};          // the directory before it, with
    std::vector<std::string> changed_files = {};
    std::string operator_name = {};
    std::string bundle = {};                // its directory
    std::vector<std::string> catalogs = {}; // "v4.18/NAME"
    std::vector<std::string> waived = {};   // checks that do not run
    std::filesystem::path temporary = {};   // for the files of a revision
};

// `policy`: community or certified.
PolicyRun run_repository(Pipeline policy, const RepositoryRequest& asked, ThreadPool& pool);

} // namespace opcat::policy
