#include "commands/resolve.hpp"

#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/installed.hpp"
#include "opcat/resolve/v1/load_failure.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace opcat {

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::string text;
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i)
            text += escape_controls(row[i]) + (i + 1 < row.size() ? '\t' : '\n');
    return align_table(text, 0, EmptyColumns::kept);
}

namespace {

using namespace olmv1;

std::unique_ptr<CatalogIndex> load_or_failure(const std::string& reference, const ImageFlags& images,
                                              Session& session) {
    try {
        LoadedCatalog loaded = load_references({reference}, session, {.images = images});
        if (count_findings(loaded.diagnostics).errors > 0)
            return std::make_unique<CatalogIndex>(load_failure(loaded.diagnostics));
        return std::make_unique<CatalogIndex>(std::move(loaded.catalog));
    } catch (const Error& error) {
        std::error_code ignored;
        // OLM's message about a directory that does not exist.
        if (!std::filesystem::exists(reference, ignored))
            return std::make_unique<CatalogIndex>(std::string("stat .: no such file or directory"));
        return std::make_unique<CatalogIndex>(std::string(error.what()));
    }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0;;) {
        const size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == text.npos) return parts;
        begin = end + 1;
    }
}

// The last part of a path or a pull spec, without tag and digest: the usual name of the catalog.
std::string name_from(std::string_view reference) {
    while (reference.size() > 1 && reference.ends_with('/')) reference.remove_suffix(1);
    std::string_view name = reference.substr(reference.rfind('/') + 1);
    name = name.substr(0, name.find('@'));
    const size_t colon = name.rfind(':');
    if (colon != name.npos && colon > 0) name = name.substr(0, colon);
    return std::string(name);
}

struct CatalogOption {
    NamedCatalog catalog;
    std::string reference;
};

void apply(std::string_view setting, CatalogOption& option, const std::string& text) {
    const auto wrong = [&](std::string_view why) {
        return RequestError(fmt::format("--catalog {}: {}", text, why),
                            "write [NAME=]REF[,priority=N][,labels=KEY=VALUE][,unavailable]");
    };
    if (setting == "unavailable") {
        option.catalog.unavailable = true;
    } else if (setting.starts_with("priority=")) {
        const std::string_view number = setting.substr(9);
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), option.catalog.priority);
        if (error != std::errc() || end != number.data() + number.size())
            throw wrong(fmt::format("\"{}\" is not an integer of 32 bits", number));
    } else if (setting.starts_with("labels=")) {
        const std::string_view label = setting.substr(7);
        const size_t equals = label.find('=');
        if (equals == label.npos) throw wrong(fmt::format("\"{}\" is not KEY=VALUE", label));
        option.catalog.labels[std::string(label.substr(0, equals))] = label.substr(equals + 1);
    } else {
        throw wrong(fmt::format("\"{}\" is not a setting", setting));
    }
}

CatalogOption parse_option(const std::string& text) {
    const auto parts = split(text, ',');
    CatalogOption option;
    // A name has no slash; a path may have an equals sign.
    const std::string_view first = parts[0];
    const size_t equals = first.find('=');
    const bool named = equals != first.npos && equals > 0 && first.substr(0, equals).find('/') == first.npos;
    option.reference = named ? first.substr(equals + 1) : first;
    option.catalog.name = named ? std::string(first.substr(0, equals)) : name_from(option.reference);
    if (option.reference.empty()) throw RequestError(fmt::format("--catalog {}: there is no REF", text));
    for (size_t i = 1; i < parts.size(); ++i) apply(parts[i], option, text);
    return option;
}

} // namespace

const CatalogIndex& CatalogCache::index_or_failure(const std::string& reference) {
    std::unique_ptr<CatalogIndex>& index = indices_[reference];
    if (!index) index = load_or_failure(reference, images_, session_);
    return *index;
}

bool CatalogCache::load_all(const std::vector<std::string>& references) {
    std::vector<std::string> missing;
    for (const std::string& one : references)
        if (!indices_.contains(one) && std::find(missing.begin(), missing.end(), one) == missing.end())
            missing.push_back(one);
    std::vector<LoadedCatalog> loaded = load_each_reference(missing, session_, {.images = images_});
    bool good = true;
    for (size_t i = 0; i < missing.size(); ++i) {
        if (report_findings(loaded[i].diagnostics, session_))
            indices_[missing[i]] = std::make_unique<CatalogIndex>(std::move(loaded[i].catalog));
        else
            good = false;
    }
    return good;
}

std::optional<std::vector<NamedCatalog>> CatalogCache::load(const std::vector<std::string>& options) {
    if (options.empty())
        throw RequestError("there is no catalog to resolve from", "name one with --catalog [NAME=]REF");
    std::vector<CatalogOption> parsed;
    for (const std::string& text : options) {
        CatalogOption option = parse_option(text);
        for (const CatalogOption& other : parsed)
            if (other.catalog.name == option.catalog.name)
                throw RequestError(fmt::format("two catalogs are called {}", option.catalog.name),
                                   "give them different names with --catalog NAME=REF");
        parsed.push_back(std::move(option));
    }
    std::vector<std::string> references;
    references.reserve(parsed.size());
    for (const CatalogOption& option : parsed) references.push_back(option.reference);
    if (!load_all(references)) return std::nullopt;
    std::vector<NamedCatalog> catalogs;
    for (CatalogOption& option : parsed) {
        option.catalog.index = indices_.at(option.reference).get();
        catalogs.push_back(std::move(option.catalog));
    }
    return catalogs;
}

namespace {

using Json = nlohmann::ordered_json;

struct ResolveOptions {
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

void run(const ResolveOptions& options, Session& session) {
    const auto cluster = minor_version_of_cluster(options.cluster_version);
    if (!cluster)
        throw RequestError(fmt::format("--cluster-version {} is not a version", options.cluster_version),
                           "write it as `oc get clusterversion` prints it: 4.18.3");
    CatalogCache cache(session, options.images);
    const auto catalogs = cache.load(options.catalogs);
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

static void add_resolve_ocp_upgrade(Command resolve, Session& session) {
    const Command command = resolve.add_command(
        "ocp-upgrade", "List installed operators that block the upgrade to the next OpenShift minor version");
    command.footer("Example:\n"
                   "  opcat resolve ocp-upgrade --cluster-version 4.18.3 --catalog catalog/ \\\n"
                   "      --installed argocd-operator.v0.8.0 --installed quay-operator@3.9.1");
    const auto options = std::make_shared<ResolveOptions>();
    command.add_option("--cluster-version", options->cluster_version, "The version that the cluster runs")
        .required();
    command
        .add_option("--installed", options->installed,
                    "The installed bundle: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION")
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

void add_resolve(Command tree, Session& session) {
    const Command command = tree.add_command("resolve", "Predict what OLM would install or upgrade to");
    command.needs_command();
    command.footer("Examples:\n"
                   "  opcat resolve v1 argocd-operator --catalog catalog/ --installed 0.8.0\n"
                   "  opcat resolve classic -n shop --catalog olm/community=catalog/ --subscribe prometheus\n"
                   "  opcat resolve ocp-upgrade --cluster-version 4.18.3 --catalog catalog/ --installed "
                   "quay-operator@3.9.1");
    add_resolve_v1(command, session);
    add_resolve_ocp_upgrade(command, session);
    add_resolve_classic(command, session);
}

} // namespace opcat
