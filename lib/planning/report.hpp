// A plan for people and programs.
#pragma once

#include "opcat/planning/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace opcat::planning {

struct ReportHeader {
    std::string from; // the cluster's version, as it was given
    std::string to;
    Date at; // the day whose support counts
};

std::string plan_as_text(const ClusterPlan& plan, const ReportHeader& header);
std::string plan_as_markdown(const ClusterPlan& plan, const ReportHeader& header);
// A page without scripts, which can be printed.
std::string plan_as_html(const ClusterPlan& plan, const ReportHeader& header);
// Schema opcat.plan.v1 (docs/json-output.md).
nlohmann::ordered_json plan_as_json(const ClusterPlan& plan, const ReportHeader& header);
// Commands of opcat and oc for a shell, in their order. What nobody has named is a word in capitals. Names
// from catalogs are quoted.
std::string plan_as_commands(const ClusterPlan& plan, const ReportHeader& header);

// An ImageSetConfiguration of oc-mirror v2 (mirror.openshift.io/v2alpha1) with the bundles on the way. Of a
// channel with several of them, it names the range from the lowest to the highest version: `extra` of these
// are other versions in that range ("CATALOG: NAME"), and become comments.
std::string plan_as_image_set(const ClusterPlan& plan, const std::vector<std::string>& extra);

// Parts that the formats share; control characters in them are escaped.

// "upgrade shop.v1.0.0 to shop.v2.0.0", "subscribe to channel stable".
std::string describe(const PlanStep& step, const InstalledOperator& installed);
// "OLM does it by itself", "approve it".
std::string_view who_does(const PlanStep& step, const InstalledOperator& installed);
// "shop (namespace retail)".
std::string title_of(const InstalledOperator& installed);
// "3 of 5 operators can get there, 1 is blocked, 1 is not known".
std::string summary(const ClusterPlan& plan);

// A warning about an operator, said once for all minor versions where it holds.
struct PlanWarning {
    size_t operator_index;
    std::string text;
};
std::vector<PlanWarning> warnings_of(const ClusterPlan& plan);

} // namespace opcat::planning
