#include "commands/list.hpp"

#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/query/tables.hpp"
#include "terminal/findings.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>

namespace opcat {
namespace {

std::string deprecated(const DeprecationEntry* deprecation) {
    return deprecation ? "deprecated" : "";
}

// Names are complete, for scripts; unbounded text is shortened, unless everything is asked for.
constexpr size_t widest_cell = 40;

std::string as_table(const std::vector<PackageRow>& rows, bool /*wide*/) {
    std::string text = "NAME\tDISPLAY NAME\tDEFAULT CHANNEL\tCHANNELS\tNOTE\n";
    for (const PackageRow& row : rows)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\n", cell(row.package->name), cell(row.display_name),
                            cell(row.default_channel), row.package->channels.size(),
                            deprecated(row.package->deprecation));
    return text;
}

std::string as_table(const std::vector<ChannelRow>& rows, bool /*wide*/) {
    std::string text = "PACKAGE\tCHANNEL\tHEAD\tENTRIES\tNOTE\n";
    for (const ChannelRow& row : rows)
        text += fmt::format("{}\t{}{}\t{}\t{}\t{}\n", cell(row.package->name), cell(row.channel->name),
                            row.channel->is_default ? " (default)" : "",
                            !row.head.empty()               ? cell(row.head)
                            : row.channel->heads.size() > 1 ? "several"
                                                            : "none",
                            row.channel->entries.size(), deprecated(row.channel->deprecation));
    return text;
}

std::string as_table(const std::vector<BundleRow>& rows, bool wide) {
    std::string text = "PACKAGE\tCHANNEL\tBUNDLE\tVERSION\tREPLACES\tSKIPS\tSKIP RANGE\tNOTE";
    text += wide ? "\tIMAGE\n" : "\n";
    for (const BundleRow& row : rows) {
        const ChannelEntry& entry = *row.entry->source;
        const std::vector<std::string_view> skips(entry.skips.begin(), entry.skips.end());
        const std::string range = cell(entry.skip_range);
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", cell(row.package->name), cell(row.channel->name),
            cell(row.node->name), cell(row.node->version_text), cell(entry.replaces),
            cell(wide ? fmt::format("{}", fmt::join(skips, ",")) : shorten_list(skips, widest_cell)),
            wide ? range : shorten(range, widest_cell), deprecated(row.node->deprecation));
        if (wide) text += "\t" + cell(row.node->bundle ? row.node->bundle->image.text : std::string_view());
        text += '\n';
    }
    return text;
}

std::string as_table(const std::vector<ImageRow>& rows, bool wide) {
    std::string text = "IMAGE\tKIND\tBUNDLES\n";
    for (const ImageRow& row : rows) {
        std::vector<std::string_view> bundles;
        for (const Bundle* bundle : row.bundles) bundles.push_back(bundle->name);
        text += fmt::format(
            "{}\t{}\t{}\n", cell(row.image),
            row.is_bundle ? (row.is_related ? "bundle, related" : "bundle") : "related",
            cell(wide ? fmt::format("{}", fmt::join(bundles, ",")) : shorten_list(bundles, widest_cell)));
    }
    return text;
}

std::string as_table(const std::vector<LifecycleRow>& rows, bool /*wide*/) {
    std::string text = "PACKAGE\tVERSION\tSUPPORT\tPHASE\tALL SUPPORT ENDS\tOPENSHIFT\n";
    for (const LifecycleRow& row : rows)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", cell(row.package), cell(row.version.name),
                            to_string(row.support.state), cell(row.phase),
                            row.support.ends ? date_text(*row.support.ends) : "",
                            cell(fmt::format("{}", fmt::join(row.version.versions_of("openshift"), ", "))));
    return text;
}

std::string name_of(const PackageRow& row) {
    return std::string(row.package->name);
}
std::string name_of(const ChannelRow& row) {
    return std::string(row.channel->name);
}
std::string name_of(const BundleRow& row) {
    return std::string(row.node->name);
}

std::string name_of(const ImageRow& row) {
    return std::string(row.image);
}
std::string name_of(const LifecycleRow& row) {
    return fmt::format("{} {}", row.package, row.version.name.text);
}

// Each name once, in the order of the rows.
template <typename Row>
std::string as_names(const std::vector<Row>& rows) {
    std::string text;
    std::set<std::string> seen;
    for (const Row& row : rows)
        if (const std::string name = name_of(row); seen.insert(name).second) text += cell(name) + "\n";
    return text;
}

template <typename Row>
void print(const std::vector<Row>& rows, const ListOptions& options, Session& session) {
    if (options.format == Form::json)
        session.out.write(rows_as_json(rows));
    else if (options.format == Form::yaml)
        session.out.write(json_as_yaml(rows_as_json(rows)));
    else if (options.format == Form::name)
        session.out.write(as_names(rows));
    else if (options.format == Form::wide)
        session.out.write(align_table(as_table(rows, true), 0, EmptyColumns::kept));
    else
        session.out.write(table_in_locale(as_table(rows, false), session));
}

void print_packages(const UpgradeGraph& graph, const ListOptions& options, const Selected& selected,
                    Session& session) {
    if (options.ready_for) return print_readiness(graph, options, selected, session);
    std::vector<PackageRow> rows = list_packages(graph, CsvSource::objects_and_metadata);
    std::erase_if(rows, [&](const PackageRow& row) {
        return !is_selected(selected, row.package->name, row.package->name);
    });
    print(rows, options, session);
}

void print_channels(const UpgradeGraph& graph, const ListOptions& options, const Selected& selected,
                    Session& session) {
    std::vector<ChannelRow> rows;
    for (const PackageView& package : select(graph, options.package, {}))
        for (const ChannelRow& row : list_channels(*package.package))
            if (is_selected(selected, row.package->name, row.channel->name)) rows.push_back(row);
    print(rows, options, session);
}

void print_bundles(const UpgradeGraph& graph, const ListOptions& options, const Selected& selected,
                   Session& session) {
    std::vector<BundleRow> rows;
    for (const PackageView& package : select(graph, options.package, options.channel))
        for (const BundleRow& row : list_bundles(*package.package, options.order))
            if ((options.channel.empty() || row.channel->name == options.channel) &&
                is_selected(selected, row.package->name, row.node->name))
                rows.push_back(row);
    print(rows, options, session);
}

// With the options that all lists have.
Command add_list_of(Command list, const std::string& name, const std::string& description,
                    const std::shared_ptr<ListOptions>& options, const Session& session) {
    const Command command = list.add_command(name, description);
    if (name == "packages")
        command
            .add_option("REF", options->references,
                        reference_help(session) + "; several, as NAME=REF: packages by catalogs")
            .required();
    else
        command.add_option("REF", options->reference, reference_help(session)).required();
    command.add_choice("-o,--output", options->format,
                       {Form::table, Form::wide, Form::json, Form::yaml, Form::name},
                       "table, wide (whole cells, every column), json, yaml or name");
    add_image_flags(command, options->images);
    add_template_flags(command, options->templates);
    return command;
}

// Nothing if there are errors, which are shown.
std::optional<Source> open_listed(const ListOptions& options, Session& session) {
    Source source =
        open(options.reference, opening(options.images, session, StandardInput::taken, options.templates),
             session.pool());
    if (!report_findings(source.loaded().diagnostics, session)) return std::nullopt;
    warn_of_no_packages(source.catalog(), options.reference, session);
    return source;
}

Command add(Command list, const std::string& name, const std::string& description,
            const std::shared_ptr<ListOptions>& options,
            void (*print_all)(const UpgradeGraph&, const ListOptions&, const Selected&, Session&),
            Session& session) {
    const Command command = add_list_of(list, name, description, options, session);
    command.add_option(
        "--where SQL", options->where,
        fmt::format("Only those for which this is true: SQL, as after WHERE, about the columns of "
                    "the table {} of `opcat query`",
                    name));
    command.callback([options, print_all, name, &session] {
        if (!options->ready_for && options->olm.given())
            throw RequestError("--olm-release and --feature-set need --ready-for v1");
        if (options->references.size() > 1) return print_across(*options, session);
        if (!options->references.empty()) options->reference = options->references.front();
        const auto source = open_listed(*options, session);
        if (!source) return;
        Selected selected;
        if (!options->where.empty())
            selected = query::selected(*source, name, options->where, session.pool());
        print_all(build_upgrade_graph(source->catalog(), session.pool()), *options, selected, session);
    });
    return command;
}

void print_lifecycles(const ListOptions& options, Session& session) {
    const Date at = read_day(options.at);
    const auto source = open_listed(options, session);
    if (!source) return;
    const std::vector<LifecycleRow> rows = list_lifecycles(source->catalog(), options.package, at);
    // Refuses a package that the catalog does not have.
    if (rows.empty()) select(build_upgrade_graph(source->catalog(), session.pool()), options.package, {});
    print(rows, options, session);
}

void print_images(const ListOptions& options, Session& session) {
    const auto selection = selection_of(options.selection, session);
    if (!selection) return;
    auto source = open_listed(options, session);
    if (!source) return;
    LoadedCatalog loaded = std::move(*source).take();
    if (loaded.bundles_unknown)
        throw RequestError("most images are named in the bundles of the template",
                           "--resolve-images pulls them");
    const auto print_rows = [&](const std::vector<ImageRow>& rows) {
        if (options.sizes)
            print_sizes(rows, options, session);
        else
            print(rows, options, session);
    };
    if (selection->packages.empty()) return print_rows(list_images(loaded.catalog));
    const FilteredCatalog filtered =
        filter_catalog(loaded.catalog, *selection, options.selection.with_dependencies, session.pool());
    if (!report_findings(filtered.diagnostics, session)) return;
    for (const std::string& missing : filtered.report.missing_dependencies) session.print_warning(missing);
    print_rows(list_images(filtered.catalog));
}

} // namespace

void add_list(Command tree, Session& session) {
    const Command list = tree.add_command("list", "List packages, channels, bundles, images or lifecycles");
    list.needs_command();
    list.footer("Examples:\n"
                "  opcat list packages catalog/\n"
                "  opcat list channels catalog/ -p foo\n"
                "  opcat list bundles catalog/ -p foo -c stable -o name\n"
                "  opcat list images catalog/ -p foo --with-dependencies -o name");
    const auto for_packages = std::make_shared<ListOptions>();
    const Command packages =
        add(list, "packages", "Packages with their default channels", for_packages, print_packages, session);
    packages.footer("Examples:\n  opcat list packages catalog/\n"
                    "  opcat list packages v4.16=old/ v4.20=new/\n"
                    "  opcat list packages catalog/ --where \"bundles > 10 AND deprecated IS NULL\"\n"
                    "  opcat list packages catalog/ --ready-for v1 --feature-set experimental");
    packages.add_choice("--ready-for", for_packages->ready_for, {OlmGeneration::v1},
                        "Whether OLM v1 installs what it would choose of each package, and why not");
    add_olm_release_flags(packages, for_packages->olm);
    const auto for_channels = std::make_shared<ListOptions>();
    add(list, "channels", "Channels with their heads", for_channels, print_channels, session)
        .footer("Example:\n  opcat list channels catalog/ -p foo")
        .add_option("-p,--package", for_channels->package, "Only this package");
    const auto for_bundles = std::make_shared<ListOptions>();
    const Command bundles =
        add(list, "bundles", "Bundles, once for each channel", for_bundles, print_bundles, session);
    bundles.footer("Example:\n  opcat list bundles catalog/ -p foo -c stable -o name");
    bundles.add_option("-p,--package", for_bundles->package, "Only this package");
    bundles.add_option("-c,--channel", for_bundles->channel, "Only channels of this name");
    bundles.add_choice("--sort-by", for_bundles->order,
                       {{"version", BundleOrder::version}, {"name", BundleOrder::name}},
                       "Order in a channel: by version, the lowest first (default), or by name");
    const auto for_images = std::make_shared<ListOptions>();
    const Command images = add_list_of(list, "images",
                                       "Images of bundles and their related images, each once; of all "
                                       "packages, or of the selection of `opcat filter`",
                                       for_images, session);
    add_selection_flags(images, for_images->selection);
    images.add_flag(
        "--sizes", for_images->sizes,
        "Ask the registries what pulling each image takes, of all its platforms or --platform, and "
        "add it up by package: layers that images share count once");
    images.footer("Examples:\n"
                  "  opcat list images catalog/ -p foo --with-dependencies -o name\n"
                  "  opcat list images catalog/ --sizes --platform linux/amd64");
    images.callback([for_images, &session] { print_images(*for_images, session); });
    const auto for_lifecycles = std::make_shared<ListOptions>();
    const Command lifecycles = add_list_of(
        list, "lifecycles", "How long the versions of operators are supported, and on which OpenShift",
        for_lifecycles, session);
    lifecycles.add_option("-p,--package", for_lifecycles->package, "Only this package");
    lifecycles.add_option("--at DATE", for_lifecycles->at, "The day whose support counts (default: today)");
    lifecycles.footer("Example:\n  opcat list lifecycles catalog/ -p foo --at 2027-01-31");
    lifecycles.callback([for_lifecycles, &session] { print_lifecycles(*for_lifecycles, session); });
}

namespace {

struct OpmListOptions {
    std::string reference;
    std::string package;
};

// opm lists valid catalogs only.
bool is_valid(const LoadedCatalog& loaded, Session& session) {
    return report_findings(loaded.diagnostics, session) &&
           report_findings(find_errors(loaded.catalog, session.pool()), session);
}

std::vector<const PackageGraph*> packages_to_list(const UpgradeGraph& graph, const std::string& package) {
    std::vector<const PackageGraph*> packages;
    std::vector<std::string_view> names;
    for (const PackageGraph& one : graph.packages) {
        names.push_back(one.name);
        if (package.empty() || one.name == package) packages.push_back(&one);
    }
    if (packages.empty() && !package.empty())
        throw RequestError(fmt::format("package {} not found", go_quote(package)),
                           did_you_mean(package, names));
    return packages;
}

std::string packages_as_text(const UpgradeGraph& graph, const std::string&) {
    std::string text = "NAME\tDISPLAY NAME\tDEFAULT CHANNEL\n";
    for (const PackageRow& row : list_packages(graph, CsvSource::objects))
        text += fmt::format("{}\t{}\t{}\n", row.package->name, row.display_name, row.default_channel);
    return text;
}

std::string channels_as_text(const UpgradeGraph& graph, const std::string& package) {
    std::string text = "PACKAGE\tCHANNEL\tHEAD\n";
    for (const PackageGraph* one : packages_to_list(graph, package))
        for (const ChannelRow& row : list_channels(*one))
            text += fmt::format("{}\t{}\t{}\n", one->name, row.channel->name, row.head);
    return text;
}

std::string bundles_as_text(const UpgradeGraph& graph, const std::string& package) {
    std::string text = "PACKAGE\tCHANNEL\tBUNDLE\tREPLACES\tSKIPS\tSKIP RANGE\tIMAGE\n";
    for (const PackageGraph* one : packages_to_list(graph, package))
        for (const BundleRow& row : list_bundles(*one, BundleOrder::name)) {
            std::vector<std::string_view> skips(row.entry->source->skips.begin(),
                                                row.entry->source->skips.end());
            text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", one->name, row.channel->name, row.node->name,
                                row.entry->source->replaces.text, fmt::join(skips, ","),
                                row.entry->source->skip_range.text, row.node->bundle->image.text);
        }
    return text;
}

void add_for_opm(Command list, const std::string& name, const std::string& description,
                 std::string (*as_text)(const UpgradeGraph&, const std::string&), bool takes_package,
                 Session& session) {
    const auto options = std::make_shared<OpmListOptions>();
    const Command command = list.add_command(name, description);
    command.add_option("indexRef", options->reference, "Catalog").required();
    if (takes_package) command.add_option("packageName", options->package, "List only this package");
    command.callback([options, as_text, &session] {
        OpenOptions how = opening({}, session);
        how.taken = Taken::catalogs;
        const Source source = open(options->reference, how, session.pool());
        if (!is_valid(source.loaded(), session)) return;
        const UpgradeGraph graph = build_upgrade_graph(source.catalog(), session.pool());
        session.out.write(align_columns(as_text(graph, options->package)));
    });
}

} // namespace

void add_opm_list(Command alpha, Session& session) {
    const Command list = alpha.add_command("list", "List contents of an index");
    list.needs_command();
    add_for_opm(list, "packages", "List packages in an index", packages_as_text, false, session);
    add_for_opm(list, "channels", "List package channels in an index", channels_as_text, true, session);
    add_for_opm(list, "bundles", "List package bundles in an index", bundles_as_text, true, session);
    list.footer("Example:\n  opm alpha list channels catalog/ foo");
}

} // namespace opcat
