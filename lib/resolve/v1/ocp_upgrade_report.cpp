#include "opcat/resolve/v1/ocp_upgrade_report.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/explanation.hpp"
#include "opcat/resolve/v1/install_rules.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace opcat::olmv1 {
namespace {

using Json = nlohmann::ordered_json;

bool is_obstacle(const OperatorAnswer& answer) {
    const auto* const block = std::get_if<UpgradeBlock>(&answer.verdict);
    return block && (block->kind == UpgradeBlock::Kind::blocks || block->kind == UpgradeBlock::Kind::invalid);
}

std::string version_of(const PackageBundle& bundle) {
    return version_or_mark(bundle, false);
}

// `installer`: OLM v1's; nothing for OLM classic.
std::string describe(const UpgradeBlock::WayOut& way, const std::optional<Installer>& installer) {
    std::string text = "upgrade it to";
    for (const PackageBundle* bundle : way.steps) {
        text += fmt::format("{} {}", bundle == way.steps.front() ? "" : ", then to", bundle->name());
        if (installer && judge_install(install_facts(*bundle->bundle), *installer).needs_watch_namespace)
            text += fmt::format(" (with {})", watch_field(installer->release));
    }
    if (!way.channel.empty()) text += fmt::format(" (channel {})", way.channel);
    if (way.beyond)
        text +=
            fmt::format("; with automatic approval OLM goes on to {}, which blocks again: approve by hand",
                        way.beyond->name());
    return text;
}

std::string ways_out(const UpgradeBlock& block, const AskedOlms& olms) {
    std::string text;
    constexpr std::string_view none = "no upgrade in the catalog ends the block: wait for one, or uninstall "
                                      "the operator first";
    if (olms.classic)
        text += fmt::format("        OLM classic: {}\n", block.classic ? describe(*block.classic, {}) : none);
    if (!olms.v1) return text;
    const std::string forced =
        block.forced ? fmt::format("no edge leads to a version that does not block; {} does not, and only "
                                   "upgradeConstraintPolicy: SelfCertified allows it: verify the "
                                   "consequences first",
                                   block.forced->name())
                     : std::string(none);
    return text + fmt::format("        OLM v1: {}\n",
                              block.v1 ? describe(*block.v1, Installer{olms.release}) : forced);
}

std::string row_of(const OperatorAnswer& answer) {
    if (const auto* const unknown = std::get_if<UnknownOperator>(&answer.verdict))
        return fmt::format("unknown {}: {}\n{}", unknown->name, unknown->why,
                           unknown->hint.empty() ? "" : fmt::format("        {}\n", unknown->hint));
    const auto& block = std::get<UpgradeBlock>(answer.verdict);
    const PackageBundle& bundle = *block.installed.bundle;
    const std::string what = fmt::format("{} ({})", bundle.name(), version_of(bundle));
    switch (block.kind) {
    case UpgradeBlock::Kind::none:
        return fmt::format("ok      {}: {}\n", what,
                           block.max ? fmt::format("up to OpenShift {}", block.max->to_string())
                                     : "declares no limit");
    case UpgradeBlock::Kind::gone:
        return fmt::format("gone    {}: {}\n", what, block.error);
    case UpgradeBlock::Kind::blocks:
        return fmt::format("blocks  {}: olm.maxOpenShiftVersion is {}\n{}", what, block.max->to_string(),
                           ways_out(block, answer.question.olms));
    case UpgradeBlock::Kind::invalid:
        return fmt::format("blocks  {}: {}\n{}", what, block.error, ways_out(block, answer.question.olms));
    }
    return {};
}

// What decides, too, whether OLM v1 makes the upgrades that end blocks, and is not known.
std::set<std::string_view> unknown_of_ways(const std::vector<OperatorAnswer>& answers) {
    std::set<std::string_view> unknown;
    for (const OperatorAnswer& answer : answers) {
        const auto* const block = std::get_if<UpgradeBlock>(&answer.verdict);
        if (!block || !block->v1) continue;
        const Installer installer{answer.question.olms.release};
        for (const PackageBundle* step : block->v1->steps)
            for (const std::string_view what : judge_install(install_facts(*step->bundle), installer).unknown)
                unknown.insert(what);
    }
    return unknown;
}

Json steps_of(std::string_view olm, const UpgradeBlock::WayOut& way) {
    Json json{{"olm", olm}};
    if (!way.channel.empty()) json["channel"] = way.channel;
    for (const PackageBundle* step : way.steps) json["upgrades"].push_back(step->name());
    if (way.beyond) json["automaticallyTo"] = way.beyond->name();
    return json;
}

Json row_as_json(const OperatorAnswer& answer) {
    Json olms = Json::array();
    if (answer.question.olms.classic) olms.push_back("classic");
    if (answer.question.olms.v1) olms.push_back("v1");
    if (const auto* const unknown = std::get_if<UnknownOperator>(&answer.verdict))
        return {{"name", unknown->name}, {"verdict", "unknown"}, {"error", unknown->why}, {"olms", olms}};
    const auto& block = std::get<UpgradeBlock>(answer.verdict);
    const PackageBundle& bundle = *block.installed.bundle;
    const char* const verdict = is_obstacle(answer) ? "blocks" : answer.allows_upgrade() ? "ok" : "gone";
    Json row = {{"bundle", bundle.name()},
                {"version", version_of(bundle)},
                {"package", block.installed.package->name},
                {"catalog", block.installed.catalog->name},
                {"verdict", verdict},
                {"blocks", is_obstacle(answer)}};
    if (block.max) row["maxOpenShiftVersion"] = block.max->to_string();
    if (!block.error.empty()) row["error"] = block.error;
    if (block.classic) row["ways"].push_back(steps_of("classic", *block.classic));
    if (block.v1) row["ways"].push_back(steps_of("v1", *block.v1));
    if (block.forced) row["selfCertified"] = block.forced->name();
    row["olms"] = std::move(olms);
    return row;
}

} // namespace

OperatorAnswer check_operator(OperatorQuestion question, std::span<const NamedCatalog> catalogs,
                              std::span<const NamedCatalog> next, const MinorVersion& cluster) {
    try {
        std::optional<UpgradeBlock> worst;
        for (const auto& one : find_operator(question.name, catalogs)) {
            if (worst && worst->kind != UpgradeBlock::Kind::none) break;
            UpgradeBlock block = check_upgrade(one, cluster, question.olms, next, question.max);
            if (!worst || block.kind != UpgradeBlock::Kind::none) worst = std::move(block);
        }
        return {std::move(question), *std::move(worst)};
    } catch (const RequestError& error) {
        UnknownOperator unknown{question.name, error.what(), error.hint()};
        return {std::move(question), std::move(unknown)};
    }
}

bool OperatorAnswer::allows_upgrade() const {
    const auto* const block = std::get_if<UpgradeBlock>(&verdict);
    return block && block->kind == UpgradeBlock::Kind::none;
}

std::string OcpUpgradeReport::as_text() const {
    std::string text;
    for (const OperatorAnswer& answer : operators) text += row_of(answer);
    const auto blocking = std::count_if(operators.begin(), operators.end(), is_obstacle);
    const auto allowing = std::count_if(operators.begin(), operators.end(),
                                        [](const OperatorAnswer& one) { return one.allows_upgrade(); });
    const size_t open = operators.size() - static_cast<size_t>(blocking) - static_cast<size_t>(allowing);
    const std::string from_to = fmt::format("OpenShift {} from {}", cluster.to_string(), next.to_string());
    if (blocking > 0)
        text += fmt::format("\n{} of {} {} {}\n", blocking, counted(operators.size(), "operator"),
                            blocking == 1 ? "keeps" : "keep", from_to);
    else if (open == 0)
        text += fmt::format("\nno installed operator declares a limit that keeps {}\n", from_to);
    if (open > 0)
        text += fmt::format("{}{} of {} {} not known to be fit for OpenShift {}\n", blocking > 0 ? "" : "\n",
                            open, counted(operators.size(), "operator"), open == 1 ? "is" : "are",
                            next.to_string());
    if (!next_catalogs_are_known)
        text += fmt::format("not checked: whether the catalogs of OpenShift {} have these operators "
                            "(--next-catalog)\n",
                            next.to_string());
    if (const auto unknown = unknown_of_ways(operators); !unknown.empty())
        text += fmt::format("not checked: {} of these upgrades, which also decide whether OLM v1 installs "
                            "them\n",
                            listed(unknown));
    return escape_controls_in_lines(text);
}

std::string OcpUpgradeReport::as_json() const {
    Json json = {{"schema", "opcat.resolve-ocp-upgrade.v1"},
                 {"cluster", cluster.to_string()},
                 {"next", next.to_string()},
                 {"nextCatalogsChecked", next_catalogs_are_known},
                 {"unknown", unknown_of_ways(operators)},
                 {"operators", Json::array()}};
    for (const OperatorAnswer& answer : operators) json["operators"].push_back(row_as_json(answer));
    if (!refused.empty()) json["refused"] = refused;
    return as_document(json);
}

} // namespace opcat::olmv1
