// The figures of OLM classic's own metrics, as far as the cluster's state tells them, in the text format of
// Prometheus (../shared/reference/olm-concepts.zh.txt, section 2.4.8).
#pragma once

#include "cluster/classic_state.hpp"

#include <string>

namespace opcat::cluster {

// Counters that only OLM's processes keep (csv_upgrade_count, installplan_warnings_total,
// olm_resolution_duration_seconds, subscription_sync_total) are not there.
std::string prometheus_text(const ClassicObjects& objects);

} // namespace opcat::cluster
