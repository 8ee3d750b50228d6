// A run in shards as an Indexed Job of Kubernetes (batch/v1): each pod is one shard.
#pragma once

#include "opcat/cluster/objects.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct ShardJobSpec {
    std::string name;
    std::string ns;
    std::string run;                    // equal for equal runs, and only for them; not empty
    std::string image;                  // that has opcat as its entry point
    std::vector<std::string> arguments; // of opcat; $(JOB_COMPLETION_INDEX) is the index of the shard
    std::string items = {};             // lines for `items_path`; empty: there is no such directory
    unsigned shards = 1;
    unsigned parallelism = 1;
    unsigned retries = 3;           // of a shard that failed for a temporary reason
    std::string claim = {};         // a PersistentVolumeClaim for `results_path`
    std::string pull_secret = {};   // for the image, and for `authfile_path`
    std::string cpu = {};           // of a pod: requested
    std::string memory = {};        // requested, and the limit
    std::chrono::seconds keep = {}; // how long the Job is kept when it has ended
};

// Paths in a pod.
inline constexpr const char* items_path = "/opcat/items"; // a directory of pieces, sorted by name
inline constexpr const char* results_path = "/opcat/results";
inline constexpr const char* authfile_path = "/opcat/auth/.dockerconfigjson";

// ConfigMaps with the items, none larger than the API server accepts, a ServiceAccount without rights, and
// the Job last. A shard that exits with 1 or 2 is not retried, an evicted one always; other exit statuses
// count as retries. Pods have no privileges, a read-only root file system and /tmp. Throws Error for a line
// that does not fit into a ConfigMap.
std::vector<Object> shard_job_objects(const ShardJobSpec& spec);
// The same objects, to be deleted together with the Job.
std::vector<Object> owned_by(const Object& job, const std::vector<Object>& objects);
// Returns true if a Job of this name is that of this run.
bool is_job_of(const Object& job, const ShardJobSpec& spec);

struct ShardJobState {
    enum class End : uint8_t { none, complete, failed };
    unsigned done = 0;
    unsigned failed = 0; // not tried again
    unsigned running = 0;
    End end = End::none;
    std::string reason; // of a failure

    friend bool operator==(const ShardJobState&, const ShardJobState&) = default;
};
ShardJobState state_of_shard_job(const Object& job);

// Selects the pods of a Job.
std::string pods_of_job(const std::string& name);
// Why a shard's pod does not run, or has ended: "shard 3: pod a: container b: ImagePullBackOff: …". Empty if
// it runs.
std::string trouble_of_shard(const Object& pod);

} // namespace opcat::cluster
