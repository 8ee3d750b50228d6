// Packages in other ways than one after the other: by what OLM v1 makes of them, and by catalogs.
#include "commands/list.hpp"
#include "named_catalogs.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/readiness/readiness.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <map>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

// The bundle that OLM v1 chooses, and why it is not installed, or what else to know.
std::string readiness_table(const std::vector<readiness::PackageReadiness>& packages, bool wide) {
    std::string text = "PACKAGE\tBUNDLE\tREADY FOR V1\tWHY\n";
    for (const readiness::PackageReadiness& package : packages) {
        if (package.bundles.empty()) continue;
        const readiness::BundleReadiness& bundle = package.bundles.front();
        std::string why;
        for (const readiness::Reason& reason : bundle.reasons) {
            if (!wide && !why.empty()) break;
            why += (why.empty() ? "" : "; ") + reason.message;
        }
        if (!wide && bundle.reasons.size() > 1)
            why = fmt::format("{} (and {} more)", why, bundle.reasons.size() - 1);
        if (why.empty() && !bundle.not_checked.empty())
            why = fmt::format("not checked: {}", fmt::join(bundle.not_checked, ", "));
        text += fmt::format("{}\t{}\t{}\t{}\n", cell(package.package->name), cell(bundle.bundle->name),
                            to_string(bundle.verdict), cell(why));
    }
    return text;
}

} // namespace

void print_readiness(const UpgradeGraph& graph, const ListOptions& options, const Selected& selected,
                     Session& session) {
    const olmv1::OlmRelease release = options.olm.read();
    auto packages = readiness::readiness_of(graph, release, session.pool());
    std::erase_if(packages, [&](const readiness::PackageReadiness& one) {
        return !is_selected(selected, one.package->name, one.package->name);
    });
    if (options.format == Form::json || options.format == Form::yaml) {
        const std::string json = as_document(readiness::as_json(packages, release));
        session.out.write(options.format == Form::json ? json : json_as_yaml(json));
        return;
    }
    if (options.format == Form::name) {
        for (const readiness::PackageReadiness& package : packages)
            if (!package.bundles.empty() &&
                package.bundles.front().verdict <= readiness::Verdict::no_obstacle_known)
                session.out.write(cell(package.package->name) + "\n");
        return;
    }
    const bool wide = options.format == Form::wide;
    const std::string rows = readiness_table(packages, wide);
    session.out.write(wide ? align_table(rows, 0, EmptyColumns::kept) : table_in_locale(rows, session));
    std::map<readiness::Verdict, size_t> counts;
    for (const readiness::PackageReadiness& package : packages)
        if (!package.bundles.empty()) ++counts[package.bundles.front().verdict];
    std::string summary;
    for (const auto& [verdict, count] : counts)
        summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, to_string(verdict));
    session.out.write(
        fmt::format("\n{}: {}\n", release.describe(), summary.empty() ? "no packages" : summary));
}

namespace {

struct Offer {
    std::string channel; // the default one
    std::string head;    // empty: there is none, or several
    std::string version;
};

} // namespace

void print_across(const ListOptions& options, Session& session) {
    if (options.ready_for || !options.where.empty())
        throw RequestError("--ready-for and --where are about one catalog");
    const auto catalogs = open_named(options.references, options.images, session);
    if (!catalogs) return;
    std::map<std::string, std::map<size_t, Offer>> packages; // by catalog
    for (size_t i = 0; i < catalogs->size(); ++i)
        for (const PackageGraph& package :
             build_upgrade_graph((*catalogs)[i].source.catalog(), session.pool()).packages) {
            if (!package.package) continue;
            Offer& offer = packages[std::string(package.name)][i];
            offer.channel = package.package->default_channel;
            const ChannelGraph* const channel = package.find_channel(offer.channel);
            if (const NodeId head = channel ? channel->head() : no_node; head != no_node) {
                offer.head = package.nodes[head].name;
                offer.version = package.nodes[head].version_text;
            }
        }
    if (options.format == Form::json || options.format == Form::yaml) {
        Json json{
            {"schema", "opcat.list-across.v1"}, {"catalogs", Json::array()}, {"packages", Json::array()}};
        for (const query::NamedCatalog& catalog : *catalogs) json["catalogs"].push_back(catalog.name);
        for (const auto& [name, offers] : packages) {
            Json in = Json::object();
            for (const auto& [i, offer] : offers)
                in[(*catalogs)[i].name] = {
                    {"defaultChannel", offer.channel}, {"head", offer.head}, {"version", offer.version}};
            json["packages"].push_back({{"name", name}, {"in", std::move(in)}});
        }
        const std::string text = as_document(json);
        session.out.write(options.format == Form::json ? text : json_as_yaml(text));
        return;
    }
    if (options.format == Form::name) {
        for (const auto& [name, offers] : packages) session.out.write(cell(name) + "\n");
        return;
    }
    std::string rows = "PACKAGE";
    for (const query::NamedCatalog& catalog : *catalogs) rows += "\t" + cell(catalog.name);
    rows += '\n';
    for (const auto& [name, offers] : packages) {
        rows += cell(name);
        for (size_t i = 0; i < catalogs->size(); ++i) {
            const auto offer = offers.find(i);
            rows += "\t" + (offer == offers.end()            ? std::string("-")
                            : !offer->second.version.empty() ? cell(offer->second.version)
                            : !offer->second.head.empty()    ? cell(offer->second.head)
                                                             : std::string("no single head"));
        }
        rows += '\n';
    }
    session.out.write(options.format == Form::wide ? align_table(rows, 0, EmptyColumns::kept)
                                                   : table_in_locale(rows, session));
}

} // namespace opcat
