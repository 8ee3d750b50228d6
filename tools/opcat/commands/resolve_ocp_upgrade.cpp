#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "resolve.hpp"
#include "resolve/v1/installed.hpp"
#include "resolve/v1/max_openshift.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace olmv1;
using Json = nlohmann::ordered_json;

struct Options {
    std::string cluster_version;
    std::vector<std::string> catalogs;
    std::vector<std::string> installed;
    std::string output = "text";
    ImageFlags images;
};

std::string version_of(const PackageBundle& bundle) {
    return version_or_mark(bundle, false);
}

std::string way_out(const UpgradeBlock& block) {
    if (!block.way_out.empty()) {
        std::string text = "upgrade it to";
        for (const PackageBundle* bundle : block.way_out)
            text += fmt::format("{} {}", bundle == block.way_out.front() ? "" : ", then to", bundle->name());
        return text;
    }
    if (block.forced)
        return fmt::format("no edge leads to a version that does not block; {} does not, and only "
                           "upgradeConstraintPolicy: SelfCertified allows it: verify the consequences first",
                           block.forced->name());
    return "no version in the catalog does not block: wait for one, or uninstall the operator first";
}

std::string as_text(const std::vector<UpgradeBlock>& blocks, const MinorVersion& cluster) {
    std::string text;
    size_t blocking = 0;
    for (const UpgradeBlock& block : blocks) {
        const PackageBundle& bundle = *block.installed.bundle;
        const std::string what = fmt::format("{} ({})", bundle.name(), version_of(bundle));
        if (block.kind == UpgradeBlock::Kind::none) {
            text += fmt::format("ok      {}: {}\n", what,
                                block.max ? fmt::format("up to OpenShift {}", block.max->to_string())
                                          : "for any version of OpenShift");
            continue;
        }
        ++blocking;
        if (block.kind == UpgradeBlock::Kind::blocks)
            text += fmt::format("blocks  {}: olm.maxOpenShiftVersion is {}\n", what, block.max->to_string());
        else
            text += fmt::format("blocks  {}: {}\n", what, block.error);
        text += fmt::format("        {}\n", way_out(block));
    }
    text += blocking == 0 ? fmt::format("\nnothing keeps OpenShift {} from {}\n", cluster.to_string(),
                                        cluster.next().to_string())
                          : fmt::format("\n{} of {} {} OpenShift {} from {}\n", blocking,
                                        counted(blocks.size(), "operator"), blocking == 1 ? "keeps" : "keep",
                                        cluster.to_string(), cluster.next().to_string());
    return escape_controls_in_lines(text);
}

std::string as_json(const std::vector<UpgradeBlock>& blocks, const MinorVersion& cluster) {
    Json json = {{"schema", "opcat.resolve-ocp-upgrade.v1"},
                 {"cluster", cluster.to_string()},
                 {"next", cluster.next().to_string()},
                 {"operators", Json::array()}};
    for (const UpgradeBlock& block : blocks) {
        const PackageBundle& bundle = *block.installed.bundle;
        Json row = {{"bundle", bundle.name()},
                    {"version", version_of(bundle)},
                    {"package", block.installed.package->name},
                    {"catalog", block.installed.catalog->name},
                    {"blocks", block.kind != UpgradeBlock::Kind::none}};
        if (block.max) row["maxOpenShiftVersion"] = block.max->to_string();
        if (!block.error.empty()) row["error"] = block.error;
        for (const PackageBundle* step : block.way_out) row["upgrades"].push_back(step->name());
        if (block.forced) row["selfCertified"] = block.forced->name();
        json["operators"].push_back(std::move(row));
    }
    return as_document(json);
}

void run(const Options& options, Session& session) {
    const auto cluster = minor_version_of_cluster(options.cluster_version);
    if (!cluster)
        throw UsageError(fmt::format("--cluster-version {} is no version", options.cluster_version),
                         "write it as `oc get clusterversion` prints it: 4.18.3");
    CatalogShelf shelf(session, options.images);
    const auto catalogs = shelf.load(options.catalogs);
    if (!catalogs) {
        session.exit_status = exit_findings;
        return;
    }
    std::vector<UpgradeBlock> blocks;
    for (const std::string& text : options.installed)
        blocks.push_back(check_upgrade(find_operator(text, *catalogs), *cluster));
    session.out.write(options.output == "json" ? as_json(blocks, *cluster) : as_text(blocks, *cluster));
    const bool any = std::any_of(blocks.begin(), blocks.end(), [](const UpgradeBlock& block) {
        return block.kind != UpgradeBlock::Kind::none;
    });
    if (any) session.exit_status = exit_findings;
}

} // namespace

void add_resolve_ocp_upgrade(Command resolve, Session& session) {
    const Command command = resolve.add_command(
        "ocp-upgrade", "Tell which installed operators keep OpenShift from its next minor version");
    command.footer("Example:\n"
                   "  opcat resolve ocp-upgrade --cluster-version 4.18.3 --catalog catalog/ \\\n"
                   "      --installed argocd-operator.v0.8.0 --installed quay-operator@3.9.1");
    const auto options = std::make_shared<Options>();
    command.add_option("--cluster-version", options->cluster_version, "The version that the cluster runs")
        .required();
    command
        .add_option("--installed", options->installed,
                    "What is installed: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION")
        .required()
        .value_name("BUNDLE");
    command.add_option("--catalog", options->catalogs, "Where the bundles are: [NAME=]REF")
        .required()
        .value_name("CATALOG");
    command.add_option("-o,--output", options->output, "text or json")
        .one_of({"text", "json"})
        .show_default();
    add_image_flags(command, options->images);
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
