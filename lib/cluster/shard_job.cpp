#include "opcat/cluster/shard_job.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace opcat::cluster {
namespace {

// An object has at most 1 MiB, with its metadata, and lines grow by their escapes.
constexpr size_t max_piece = size_t{512} * 1024;
constexpr const char* container_name = "opcat";
constexpr const char* run_annotation = "opcat/run";

// Cut at line breaks.
std::vector<std::string_view> pieces_of(std::string_view items) {
    std::vector<std::string_view> pieces;
    while (!items.empty()) {
        size_t end = items.size();
        if (end > max_piece) {
            end = items.rfind('\n', max_piece - 1) + 1;
            if (end == 0)
                throw Error(
                    fmt::format("an item is longer than {} bytes, which no ConfigMap can hold", max_piece));
        }
        pieces.push_back(items.substr(0, end));
        items.remove_prefix(end);
    }
    return pieces;
}

Json metadata_of(const ShardJobSpec& spec, const std::string& name) {
    return {{"name", name},
            {"namespace", spec.ns},
            {"labels", {{"app.kubernetes.io/name", "opcat"}, {"opcat/job", spec.name}}}};
}

std::string name_of_piece(const ShardJobSpec& spec, size_t i) {
    return fmt::format("{}-items-{}", spec.name, i);
}

// A file for each piece, whose names sort in their order.
std::string file_of_piece(size_t i) {
    return fmt::format("{:06}", i);
}

struct Mounts {
    Json volumes = Json::array();
    Json mounts = Json::array();

    void add(const char* name, const std::string& path, Json source, bool read_only) {
        source["name"] = name;
        volumes.push_back(std::move(source));
        Json mount{{"name", name}, {"mountPath", path}};
        if (read_only) mount["readOnly"] = true;
        mounts.push_back(std::move(mount));
    }
};

Mounts mounts_of(const ShardJobSpec& spec, size_t pieces) {
    Mounts all;
    all.add("tmp", "/tmp", {{"emptyDir", Json::object()}}, false);
    if (pieces > 0) {
        Json sources = Json::array();
        for (size_t i = 0; i < pieces; ++i)
            sources.push_back({{"configMap", {{"name", name_of_piece(spec, i)}}}});
        all.add("items", items_path, {{"projected", {{"sources", std::move(sources)}}}}, true);
    }
    if (!spec.claim.empty())
        all.add("results", results_path, {{"persistentVolumeClaim", {{"claimName", spec.claim}}}}, false);
    if (!spec.pull_secret.empty()) {
        const std::string directory =
            std::string(authfile_path).substr(0, std::string_view(authfile_path).rfind('/'));
        all.add("auth", directory, {{"secret", {{"secretName", spec.pull_secret}}}}, true);
    }
    return all;
}

Json container_of(const ShardJobSpec& spec, Json mounts) {
    Json resources = Json::object();
    if (!spec.cpu.empty()) resources["requests"]["cpu"] = spec.cpu;
    if (!spec.memory.empty()) {
        resources["requests"]["memory"] = spec.memory;
        resources["limits"]["memory"] = spec.memory;
    }
    return {{"name", container_name},
            {"image", spec.image},
            {"args", spec.arguments},
            {"env", {{{"name", "HOME"}, {"value", "/tmp"}}}},
            {"resources", std::move(resources)},
            {"terminationMessagePolicy", "FallbackToLogsOnError"},
            {"securityContext",
             {{"allowPrivilegeEscalation", false},
              {"readOnlyRootFilesystem", true},
              {"capabilities", {{"drop", {"ALL"}}}}}},
            {"volumeMounts", std::move(mounts)}};
}

Json pod_of(const ShardJobSpec& spec, size_t pieces) {
    constexpr int nobody = 65532;
    Mounts mounts = mounts_of(spec, pieces);
    Json pod{{"restartPolicy", "Never"},
             {"serviceAccountName", spec.name},
             {"automountServiceAccountToken", false},
             {"securityContext",
              {{"runAsNonRoot", true},
               {"runAsUser", nobody},
               {"runAsGroup", nobody},
               {"fsGroup", nobody},
               {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
    if (!spec.pull_secret.empty()) pod["imagePullSecrets"] = {{{"name", spec.pull_secret}}};
    pod["containers"] = Json::array({container_of(spec, std::move(mounts.mounts))});
    pod["volumes"] = std::move(mounts.volumes);
    return pod;
}

// In Kubernetes' terms: a shard whose items fail permanently is given up alone, an evicted pod is not
// counted.
Json failure_policy() {
    return {{"rules",
             {{{"action", "FailIndex"},
               {"onExitCodes", {{"containerName", container_name}, {"operator", "In"}, {"values", {1, 2}}}}},
              {{"action", "Ignore"}, {"onPodConditions", {{{"type", "DisruptionTarget"}}}}}}}};
}

Json job_of(const ShardJobSpec& spec, size_t pieces) {
    Json metadata = metadata_of(spec, spec.name);
    const Json labels = metadata["labels"];
    metadata["annotations"] = {{run_annotation, spec.run}};
    return {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata", std::move(metadata)},
            {"spec",
             {{"completionMode", "Indexed"},
              {"completions", spec.shards},
              {"parallelism", std::min(spec.parallelism, spec.shards)},
              {"backoffLimitPerIndex", spec.retries},
              {"maxFailedIndexes", spec.shards},
              {"podFailurePolicy", failure_policy()},
              {"ttlSecondsAfterFinished", spec.keep.count()},
              {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod_of(spec, pieces)}}}}}};
}

// The number of indices in "0-3,7".
unsigned count_indexes(std::string_view text) {
    unsigned count = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        unsigned first = 0;
        at = std::from_chars(at, end, first).ptr;
        unsigned last = first;
        if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
        if (last >= first) count += last - first + 1;
        if (at < end && *at != ',') return count;
        ++at;
    }
    return count;
}

} // namespace

std::vector<Object> shard_job_objects(const ShardJobSpec& spec) {
    std::vector<Object> objects;
    const std::vector<std::string_view> pieces = pieces_of(spec.items);
    for (size_t i = 0; i < pieces.size(); ++i)
        objects.push_back(object_of({{"apiVersion", "v1"},
                                     {"kind", "ConfigMap"},
                                     {"metadata", metadata_of(spec, name_of_piece(spec, i))},
                                     {"immutable", true},
                                     {"data", {{file_of_piece(i), std::string(pieces[i])}}}}));
    objects.push_back(object_of({{"apiVersion", "v1"},
                                 {"kind", "ServiceAccount"},
                                 {"metadata", metadata_of(spec, spec.name)},
                                 {"automountServiceAccountToken", false}}));
    objects.push_back(object_of(job_of(spec, pieces.size())));
    return objects;
}

std::vector<Object> owned_by(const Object& job, const std::vector<Object>& objects) {
    const Json owner{{"apiVersion", "batch/v1"},
                     {"kind", "Job"},
                     {"name", job.name},
                     {"uid", std::string(job.text("metadata", "uid"))}};
    std::vector<Object> owned;
    for (const Object& object : objects) {
        if (object.is_same_as(job)) continue;
        Json json = json_of(object.value());
        json["metadata"]["ownerReferences"] = Json::array({owner});
        owned.push_back(object_of(json));
    }
    return owned;
}

bool is_job_of(const Object& job, const ShardJobSpec& spec) {
    return job.annotation(run_annotation) == spec.run;
}

ShardJobState state_of_shard_job(const Object& job) {
    ShardJobState state;
    state.done = count_indexes(job.text("status", "completedIndexes"));
    state.failed = count_indexes(job.text("status", "failedIndexes"));
    state.running = static_cast<unsigned>(std::clamp<int64_t>(job.number("status", "active"), 0, UINT32_MAX));
    if (const Condition failed = job.condition("Failed"); failed.is_true()) {
        state.end = ShardJobState::End::failed;
        state.reason = failed.message.empty() ? failed.reason : failed.message;
    } else if (job.condition("Complete").is_true()) {
        state.end = ShardJobState::End::complete;
    }
    return state;
}

std::string pods_of_job(const std::string& name) {
    return "opcat/job=" + name;
}

std::string trouble_of_shard(const Object& pod) {
    const std::string_view index = pod.annotation("batch.kubernetes.io/job-completion-index");
    const std::string shard = fmt::format("shard {}", index.empty() ? "?" : index);
    for (const Fields status : pod.items("status", "containerStatuses")) {
        const Fields ended = status.at("state", "terminated");
        if (ended.number("exitCode") == 0) continue;
        std::string text =
            fmt::format("{} ended with exit status {}: {}", shard, ended.number("exitCode"),
                        ended.text("message").empty() ? ended.text("reason") : ended.text("message"));
        while (text.ends_with('\n')) text.pop_back();
        return text;
    }
    const std::string trouble = trouble_of_pod(pod);
    return trouble.empty() ? trouble : fmt::format("{}: {}", shard, trouble);
}

} // namespace opcat::cluster
