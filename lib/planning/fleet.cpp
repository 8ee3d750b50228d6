#include "opcat/planning/fleet.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace opcat::planning {

using FleetJson = nlohmann::ordered_json;

struct Fleet::Cluster {
    std::string name;
    std::string version;
    std::string to;
    MinorVersion from;
    MinorVersion target;
};

struct Fleet::Question {
    FleetJson json;
    std::string error;
    Cluster cluster;
};

namespace {

constexpr size_t most_plans = 200'000;

std::string text_of(const FleetJson& object, const char* member) {
    const auto found = object.find(member);
    if (found == object.end() || found->is_null()) return {};
    if (!found->is_string()) throw RequestError(fmt::format("\"{}\" must be a string", member));
    return found->get<std::string>();
}

} // namespace

Fleet::Fleet(FleetOptions options, const std::deque<PlatformCatalog>& catalogs, LoadCatalogs load,
             ThreadPool& pool)
    : options_(std::move(options)), catalogs_(catalogs), load_(std::move(load)), pool_(pool) {}

Fleet::~Fleet() = default;

Fleet::Question Fleet::read_question(const BatchLine& line) const {
    Question question;
    try {
        question.json = question_in(line);
        static constexpr std::string_view members[] = {"cluster", "version", "to", "operators"};
        refuse_misspelt(question.json, members);
        Cluster& cluster = question.cluster;
        cluster.name = text_of(question.json, "cluster");
        cluster.version = text_of(question.json, "version");
        cluster.to = text_of(question.json, "to");
        if (cluster.version.empty()) cluster.version = options_.cluster_version;
        if (cluster.to.empty()) cluster.to = options_.to;
        if (cluster.version.empty()) throw RequestError("\"version\" is missing");
        if (cluster.to.empty())
            throw RequestError("\"to\" is missing", "write it, or give --to for all clusters");
        cluster.from = read_openshift_version("version", cluster.version);
        cluster.target = read_openshift_version("to", cluster.to);
        (void)stops_between(cluster.from, cluster.target, options_.eus, {});
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

// What some lines need, each catalog once.
void Fleet::load_catalogs(std::span<const Question> questions) {
    std::set<std::pair<MinorVersion, MinorVersion>> ways;
    for (const Question& question : questions)
        if (question.error.empty()) ways.emplace(question.cluster.from, question.cluster.target);
    std::set<MinorVersion> versions;
    for (const auto& [from, to] : ways)
        for (const Stop& stop : stops_between(from, to, options_.eus, {})) versions.insert(stop.version);
    load_({versions.begin(), versions.end()});
}

const OperatorNames& Fleet::names_at(const MinorVersion& version) {
    const std::lock_guard lock(mutex_);
    auto& names = names_[version];
    if (!names) names = std::make_unique<OperatorNames>(catalogs_, version, pool_);
    return *names;
}

// As the line has it, before the catalogs complete it.
InstalledOperator Fleet::read_operator(const FleetJson& json, const MinorVersion& from) {
    if (json.is_string()) return names_at(from).read(json.get<std::string>(), options_.olm);
    static constexpr std::string_view members[] = {"name",    "olm",       "package",  "bundle", "version",
                                                   "channel", "namespace", "approval", "range"};
    refuse_misspelt(json, members);
    InstalledOperator installed;
    if (const std::string name = text_of(json, "name"); !name.empty())
        installed = names_at(from).read(name, options_.olm);
    const std::string generation = text_of(json, "olm");
    const auto named = olm_generation_named(generation);
    if (!generation.empty() && !named) throw RequestError("\"olm\" must be classic or v1");
    installed.olm = named.value_or(options_.olm);
    if (const std::string package = text_of(json, "package"); !package.empty()) installed.package = package;
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

std::shared_ptr<const OperatorPlan> Fleet::plan_of(const FleetJson& json, const Cluster& cluster,
                                                   std::span<const Stop> stops) {
    const std::string key =
        cluster.from.to_string() + '\n' + cluster.target.to_string() + '\n' + as_line(json);
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
    }
    InstalledOperator installed = read_operator(json, cluster.from);
    complete(installed, stops);
    auto plan = std::make_shared<const OperatorPlan>(plan_operator(installed, stops, options_.plan));
    const std::lock_guard lock(mutex_);
    if (plans_.size() < most_plans) plans_.emplace(key, plan);
    return plan;
}

std::vector<std::string> Fleet::answer(std::span<const BatchLine> lines) {
    std::vector<std::string> answers(lines.size());
    std::vector<Question> questions(lines.size());
    pool_.for_each(lines.size(), [&](size_t i) { questions[i] = read_question(lines[i]); });
    load_catalogs(questions);
    pool_.for_each(lines.size(), [&](size_t i) {
        const Question& question = questions[i];
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
            json = FleetJson::object();
            if (!question.cluster.name.empty()) json["cluster"] = question.cluster.name;
            json["verdict"] = to_string(Verdict::unknown);
            json["error"] = error;
            count(Verdict::unknown);
            const std::lock_guard lock(mutex_);
            const size_t of_line = error.find(": "); // "line 3: …"
            ++blocked_by_[{"-", error.substr(of_line + 2), "-", error.substr(0, of_line)}];
        }
        answers[i] = as_batch_line(json);
    });
    return answers;
}

FleetJson Fleet::answer_to(const Cluster& cluster, const FleetJson& operators) {
    std::vector<Stop> stops = stops_between(cluster.from, cluster.target, options_.eus, catalogs_);
    std::vector<std::shared_ptr<const OperatorPlan>> plans;
    std::vector<InstalledOperator> installed;
    for (const FleetJson& one : operators) {
        plans.push_back(plan_of(one, cluster, stops));
        installed.push_back(plans.back()->installed);
    }
    refuse_repeated(installed);
    const ClusterPlan plan = put_in_order(std::move(stops), std::move(plans), options_.plan, facts_);
    FleetJson json{{"cluster", cluster.name},
                   {"from", cluster.version},
                   {"to", cluster.to},
                   {"verdict", to_string(plan.verdict)},
                   {"operators", FleetJson::array()}};
    for (const auto& one : plan.operators) {
        size_t steps = 0;
        for (const OperatorStop& stop : one->stops) steps += stop.steps.size();
        FleetJson row{{"name", one->installed.given}, {"verdict", to_string(one->verdict)}, {"steps", steps}};
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

void Fleet::note_blocks(const ClusterPlan& plan) {
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

void Fleet::count(Verdict verdict) {
    ++clusters_;
    if (verdict == Verdict::ok) ++ok_;
    if (verdict == Verdict::blocked) ++blocked_;
}

std::string Fleet::table() const {
    std::string text = fmt::format("{}: {} ok, {} blocked, {} not known\n", counted(clusters_, "cluster"),
                                   ok_.load(), blocked_.load(), clusters_ - ok_ - blocked_);
    std::vector<std::pair<size_t, const Block*>> rows;
    for (const auto& [block, clusters] : blocked_by_) rows.emplace_back(clusters, &block);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (rows.empty()) return text;
    std::vector<std::vector<std::string>> cells{{"CLUSTERS", "OPERATOR", "AT", "WHAT", "FOR EXAMPLE"}};
    for (const auto& [clusters, block] : rows)
        cells.push_back({fmt::to_string(clusters), block->package, block->at, block->kind, block->example});
    return text + aligned(cells);
}

} // namespace opcat::planning
