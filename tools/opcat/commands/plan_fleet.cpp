// `opcat plan --fleet`: a cluster in each line, and what blocks how many of them.
#include "commands/plan.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

namespace opcat {
namespace {

using namespace planning;
using olmv1::MinorVersion;
using FleetJson = nlohmann::ordered_json;

std::string text_of(const FleetJson& object, const char* member) {
    const auto found = object.find(member);
    if (found == object.end() || found->is_null()) return {};
    if (!found->is_string()) throw RequestError(fmt::format("\"{}\" must be a string", member));
    return found->get<std::string>();
}

// One line.
struct FleetCluster {
    std::string name;
    std::string version;
    std::string to;
    MinorVersion from;
    MinorVersion target;
    const FleetJson* operators = nullptr;
};

struct FleetQuestion {
    FleetJson json;
    std::string error;
    FleetCluster cluster;
};

FleetQuestion read_question(const BatchLine& line, const PlanFlags& flags) {
    FleetQuestion question;
    try {
        question.json = question_in(line);
        FleetCluster& cluster = question.cluster;
        cluster.name = text_of(question.json, "cluster");
        cluster.version = text_of(question.json, "version");
        cluster.to = text_of(question.json, "to");
        if (cluster.version.empty()) cluster.version = flags.cluster_version;
        if (cluster.to.empty()) cluster.to = flags.to;
        if (cluster.version.empty()) throw RequestError("\"version\" is missing");
        if (cluster.to.empty()) throw RequestError("\"to\" is missing, and there is no --to");
        cluster.from = read_openshift_version("version", cluster.version);
        cluster.target = read_openshift_version("to", cluster.to);
        (void)stops_between(cluster.from, cluster.target, flags.eus, {});
        const auto operators = question.json.find("operators");
        if (operators == question.json.end() || !operators->is_array())
            throw RequestError("\"operators\" must be a list");
        for (const FleetJson& one : *operators)
            if (!one.is_object() && !one.is_string())
                throw RequestError("\"operators\" must have objects or strings in it");
    } catch (const RequestError& error) {
        question.error = why_refused(line, error);
    }
    return question;
}

class Fleet {
public:
    Fleet(const PlanFlags& flags, Session& session)
        : flags_(flags), session_(session), options_(plan_options(flags)), catalogs_(flags, session) {}

    void run() {
        if (flags_.format && flags_.format != Form::text && flags_.format != Form::json)
            throw RequestError("--fleet answers with -o json, lines, or with -o text, the table alone");
        is_table_asked_ = flags_.format == Form::text;
        if (is_table_asked_ && flags_.fleet.shard.given())
            throw RequestError("the output of a shard is lines", "leave out -o text");
        run_batch(
            flags_.fleet, command_line(), [&](std::span<const BatchLine> lines) { return answer(lines); },
            flags_.images, session_);
        if (is_table_asked_)
            session_.out.write(table());
        else if (!session_.options.quiet)
            session_.print(table());
        if (clusters_ != ok_) session_.exit_status = exit_findings;
    }

private:
    // What the answers depend on in addition to the lines.
    std::string command_line() const {
        std::string text = fmt::format("plan {} {} {} {} {}", flags_.cluster_version, flags_.to, flags_.eus,
                                       to_string(flags_.olm), date_text(options_.at));
        for (const std::string& catalog : flags_.catalogs) text += " " + catalog;
        return text;
    }

    // What some lines need, each catalog once.
    void load_catalogs(std::span<const FleetQuestion> questions) {
        std::set<std::pair<MinorVersion, MinorVersion>> ways;
        for (const FleetQuestion& question : questions)
            if (question.error.empty()) ways.emplace(question.cluster.from, question.cluster.target);
        std::set<MinorVersion> versions;
        for (const auto& [from, to] : ways)
            for (const Stop& stop : stops_between(from, to, flags_.eus, {})) versions.insert(stop.version);
        if (!catalogs_.load({versions.begin(), versions.end()}))
            throw Error("a catalog has errors, so nothing can be planned with it");
    }

    const OperatorNames& names_at(const MinorVersion& version) {
        const std::lock_guard lock(mutex_);
        auto& names = names_[version];
        if (!names) names = std::make_unique<OperatorNames>(catalogs_.all(), version, session_.pool());
        return *names;
    }

    // As the line has it, before the catalogs complete it.
    InstalledOperator read_operator(const FleetJson& json, const MinorVersion& from) {
        if (json.is_string()) return names_at(from).read(json.get<std::string>(), flags_.olm);
        InstalledOperator installed;
        if (const std::string name = text_of(json, "name"); !name.empty())
            installed = names_at(from).read(name, flags_.olm);
        const std::string generation = text_of(json, "olm");
        const auto named = olm_generation_named(generation);
        if (!generation.empty() && !named) throw RequestError("\"olm\" must be classic or v1");
        installed.olm = named.value_or(flags_.olm);
        if (const std::string package = text_of(json, "package"); !package.empty())
            installed.package = package;
        if (const std::string bundle = text_of(json, "bundle"); !bundle.empty()) installed.bundle = bundle;
        if (const std::string version = text_of(json, "version"); !version.empty()) {
            auto parsed = semver::VersionRelease::parse_legacy(version);
            if (parsed)
                installed.version = *std::move(parsed);
            else
                installed.unknown = fmt::format("\"{}\" is not a version", version);
        }
        if (const std::string channel = text_of(json, "channel"); !channel.empty())
            installed.channels = {channel};
        installed.ns = text_of(json, "namespace");
        const std::string approval = text_of(json, "approval");
        if (!approval.empty() && approval != "Manual" && approval != "Automatic")
            throw RequestError("\"approval\" must be Manual or Automatic");
        installed.by_hand = installed.by_hand || approval == "Manual";
        if (installed.olm == OlmGeneration::v1) apply_range(installed, text_of(json, "range"));
        if (installed.given.empty())
            installed.given = installed.package.empty() ? installed.bundle : installed.package;
        return installed;
    }

    std::shared_ptr<const OperatorPlan> plan_of(const FleetJson& json, const FleetCluster& cluster,
                                                std::span<const Stop> stops) {
        const std::string key =
            cluster.from.to_string() + '\n' + cluster.target.to_string() + '\n' + as_line(json);
        {
            const std::lock_guard lock(mutex_);
            if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
        }
        InstalledOperator installed = read_operator(json, cluster.from);
        complete(installed, stops);
        auto plan = std::make_shared<const OperatorPlan>(plan_operator(installed, stops, options_));
        const std::lock_guard lock(mutex_);
        if (plans_.size() < most_plans) plans_.emplace(key, plan);
        return plan;
    }

    std::vector<std::string> answer(std::span<const BatchLine> lines) {
        std::vector<std::string> answers(lines.size());
        std::vector<FleetQuestion> questions(lines.size());
        session_.pool().for_each(lines.size(),
                                 [&](size_t i) { questions[i] = read_question(lines[i], flags_); });
        load_catalogs(questions);
        session_.pool().for_each(lines.size(), [&](size_t i) {
            const FleetQuestion& question = questions[i];
            FleetJson json = FleetJson::object();
            std::string error = question.error;
            if (error.empty()) {
                try {
                    json = answer_to(question.cluster, question.json.at("operators"));
                } catch (const RequestError& wrong) {
                    error = why_refused(lines[i], wrong);
                }
            }
            if (!error.empty()) {
                json = {{"verdict", to_string(Verdict::unknown)}, {"error", error}};
                count(Verdict::unknown);
            }
            // The lines are not printed where the table is asked for, which counts all of them.
            if (!is_table_asked_) answers[i] = as_batch_line(json);
        });
        return answers;
    }

    FleetJson answer_to(const FleetCluster& cluster, const FleetJson& operators) {
        std::vector<Stop> stops = stops_between(cluster.from, cluster.target, flags_.eus, catalogs_.all());
        std::vector<std::shared_ptr<const OperatorPlan>> plans;
        for (const FleetJson& one : operators) plans.push_back(plan_of(one, cluster, stops));
        const ClusterPlan plan = put_in_order(std::move(stops), std::move(plans), options_, facts_);
        FleetJson json{{"cluster", cluster.name},
                       {"from", cluster.version},
                       {"to", cluster.to},
                       {"verdict", to_string(plan.verdict)},
                       {"operators", FleetJson::array()}};
        for (const auto& one : plan.operators) {
            size_t steps = 0;
            for (const OperatorStop& stop : one->stops) steps += stop.steps.size();
            FleetJson row{
                {"name", one->installed.given}, {"verdict", to_string(one->verdict)}, {"steps", steps}};
            if (one->verdict == Verdict::blocked) {
                row["at"] = plan.stops[one->stops.size() - 1].version.to_string();
                row["obstacle"] = {{"kind", to_string(one->blocked.kind)}, {"text", one->blocked.text}};
            }
            if (one->verdict == Verdict::unknown) row["error"] = one->unknown;
            if (one->verdict == Verdict::ok) row["bundle"] = one->stops.back().leaves;
            json["operators"].push_back(std::move(row));
        }
        if (plan.operators.empty()) json["error"] = "there is no operator to plan for";
        note_blocks(plan);
        return json;
    }

    struct Block {
        std::string package, kind, at, example;
        friend bool operator<(const Block& a, const Block& b) {
            return std::tie(a.package, a.kind, a.at) < std::tie(b.package, b.kind, b.at);
        }
    };

    void note_blocks(const ClusterPlan& plan) {
        std::set<Block> blocks;
        for (const auto& one : plan.operators)
            if (one->verdict != Verdict::ok)
                blocks.insert({one->installed.package.empty() ? one->installed.given : one->installed.package,
                               std::string(one->verdict == Verdict::blocked ? to_string(one->blocked.kind)
                                                                            : to_string(one->verdict)),
                               one->stops.empty() ? plan.stops.front().version.to_string()
                                                  : plan.stops[one->stops.size() - 1].version.to_string(),
                               one->verdict == Verdict::blocked ? one->blocked.text : one->unknown});
        count(plan.verdict);
        const std::lock_guard lock(mutex_);
        for (const Block& block : blocks) ++blocked_by_[block];
    }

    void count(Verdict verdict) {
        ++clusters_;
        if (verdict == Verdict::ok) ++ok_;
        if (verdict == Verdict::blocked) ++blocked_;
    }

    std::string table() const {
        std::string text = fmt::format("{}: {} ok, {} blocked, {} not known\n", counted(clusters_, "cluster"),
                                       ok_.load(), blocked_.load(), clusters_ - ok_ - blocked_);
        std::vector<std::pair<size_t, const Block*>> rows;
        for (const auto& [block, clusters] : blocked_by_) rows.emplace_back(clusters, &block);
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        if (rows.empty()) return text;
        std::vector<std::vector<std::string>> cells{{"CLUSTERS", "OPERATOR", "AT", "WHAT", "FOR EXAMPLE"}};
        for (const auto& [clusters, block] : rows)
            cells.push_back(
                {fmt::to_string(clusters), block->package, block->at, block->kind, block->example});
        return text + aligned(cells);
    }

    static constexpr size_t most_plans = 200'000;

    const PlanFlags& flags_;
    Session& session_;
    PlanOptions options_;
    PlanCatalogs catalogs_;
    BundleFacts facts_;
    std::mutex mutex_;
    std::map<MinorVersion, std::unique_ptr<OperatorNames>> names_;
    std::unordered_map<std::string, std::shared_ptr<const OperatorPlan>> plans_;
    std::map<Block, size_t> blocked_by_;
    std::atomic<size_t> clusters_ = 0;
    std::atomic<size_t> ok_ = 0;
    std::atomic<size_t> blocked_ = 0;
    bool is_table_asked_ = false;
};

} // namespace

void plan_fleet(const PlanFlags& flags, Session& session) {
    Fleet(flags, session).run();
}

} // namespace opcat
