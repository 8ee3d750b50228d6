// Plans for many clusters (docs/planning-an-upgrade.md): a question for each, and what blocks how many.
#pragma once

#include "opcat/base/batch.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/planning/operator_names.hpp"
#include "opcat/planning/plan.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace opcat::planning {

struct FleetOptions {
    PlanOptions plan;
    std::string cluster_version; // of clusters without one; may be empty, like the next
    std::string to;
    OlmGeneration olm = OlmGeneration::classic; // of operators without one
    bool eus = false;
};

class Fleet {
public:
    // Adds the catalogs of these versions to those of the fleet, each once. Throws Error.
    using LoadCatalogs = std::function<void(const std::vector<MinorVersion>&)>;

    Fleet(FleetOptions options, const std::deque<PlatformCatalog>& catalogs, LoadCatalogs load,
          ThreadPool& pool);
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;
    ~Fleet();

    // One answer for each line, also for those that are not questions.
    std::vector<std::string> answer(std::span<const BatchLine> lines);

    // What blocks how many of the clusters that were answered, in columns.
    std::string table() const;
    bool all_reach_it() const { return clusters_ == ok_; }

private:
    struct Question;
    struct Cluster;
    struct Block {
        std::string package, kind, at, example;
        friend bool operator<(const Block& a, const Block& b) {
            return std::tie(a.package, a.kind, a.at) < std::tie(b.package, b.kind, b.at);
        }
    };

    Question read_question(const BatchLine& line) const;
    void load_catalogs(std::span<const Question> questions);
    const OperatorNames& names_at(const MinorVersion& version);
    InstalledOperator read_operator(const nlohmann::ordered_json& json, const MinorVersion& from);
    std::shared_ptr<const OperatorPlan> plan_of(const nlohmann::ordered_json& json, const Cluster& cluster,
                                                std::span<const Stop> stops);
    nlohmann::ordered_json answer_to(const Cluster& cluster, const nlohmann::ordered_json& operators);
    void note_blocks(const ClusterPlan& plan);
    void count(Verdict verdict);

    FleetOptions options_;
    const std::deque<PlatformCatalog>& catalogs_;
    LoadCatalogs load_;
    ThreadPool& pool_;
    BundleFacts facts_;
    std::mutex mutex_;
    std::map<MinorVersion, std::unique_ptr<OperatorNames>> names_;
    std::unordered_map<std::string, std::shared_ptr<const OperatorPlan>> plans_;
    std::map<Block, size_t> blocked_by_;
    std::atomic<size_t> clusters_ = 0;
    std::atomic<size_t> ok_ = 0;
    std::atomic<size_t> blocked_ = 0;
};

} // namespace opcat::planning
