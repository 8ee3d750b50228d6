// What an image set that is made of a plan mirrors in addition.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/planning/plan.hpp"

#include <string>
#include <vector>

namespace opcat {

struct BeyondPlan {
    // Versions that the plan does not need, but that the ranges of its image set keep (plan_as_image_set), by
    // the rules of oc-mirror: "CATALOG: NAME".
    std::vector<std::string> bundles;
    std::vector<std::string> refusals; // why oc-mirror refuses the part about a catalog: a sentence for each
};
BeyondPlan kept_beyond(const planning::ClusterPlan& plan, ThreadPool& pool);

} // namespace opcat
