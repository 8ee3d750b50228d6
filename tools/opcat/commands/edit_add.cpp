#include "command.hpp"
#include "commands/edit.hpp"
#include "opcat/base/error.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/edit/release_config.hpp"
#include "opcat/semver/version.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace opcat {
namespace {

struct AddOptions {
    EditFlags flags;
    std::string reference;
    edit::AddRequest request;
    std::string create;
    std::string image;
    std::optional<bool> edges; // false: none, true: the head
    ImageFlags images;
};

// A bundle that is loaded, and what its ClusterServiceVersion says about edges.
struct LoadedRelease {
    Source source;
    edit::Release release;
};

std::string text_at(const Value& object, std::initializer_list<std::string_view> path) {
    const Value* at = &object;
    for (const std::string_view key : path) at = at ? at->find(key) : nullptr;
    return at ? std::string(at->string_or_empty()) : std::string();
}

std::optional<LoadedRelease> load_release(const AddOptions& options, Session& session) {
    OpenOptions how = opening(options.images, session);
    if (!options.image.empty()) how.image_template = ImageTemplate::parse(options.image);
    LoadedRelease loaded{open(options.reference, how, session.pool()), {}};
    if (!report_findings(loaded.source.loaded().diagnostics, session)) return std::nullopt;
    const std::vector<Bundle>& bundles = loaded.source.catalog().bundles;
    if (bundles.size() != 1 || !loaded.source.catalog().packages.empty())
        throw RequestError(fmt::format("{} is not one bundle", options.reference),
                           "name the image of a bundle, or its directory");
    const Bundle& bundle = bundles.front();
    edit::Release& release = loaded.release;
    release.name = bundle.name;
    release.package = bundle.package;
    release.image = bundle.image;
    if (const auto property = package_property(bundle)) release.version = property->version;
    if (const auto csv = csv_among_objects(bundle)) {
        release.replaces = text_at(csv->value, {"spec", "replaces"});
        release.skip_range = text_at(csv->value, {"metadata", "annotations", "olm.skipRange"});
        const Value* const spec = csv->value.find("spec");
        const Value* const skips = spec ? spec->find("skips") : nullptr;
        if (skips && skips->is_array())
            for (const Value& skip : skips->items()) release.skips.emplace_back(skip.string_or_empty());
    }
    const auto memory = std::make_shared<std::pair<Source, Arena>>(loaded.source, Arena());
    release.blob = std::shared_ptr<const Value>(memory, new (memory->second.bytes(sizeof(Value)))
                                                            Value(to_value(bundle, memory->second)));
    return loaded;
}

void run(const AddOptions& options, Session& session) {
    edit::AddRequest request = options.request;
    request.edges.none = options.edges.has_value() && !*options.edges;
    if (options.edges.value_or(false) && !request.edges.replaces.empty())
        throw RequestError("--edges head and --replaces both say what the entry replaces",
                           "give one of them");
    request.edges.require_consistent();
    edit::Release& release = request.release;
    std::optional<LoadedRelease> loaded;
    if (release.name.empty() || release.package.empty() || release.version.empty()) {
        loaded = load_release(options, session);
        if (!loaded) return;
        const edit::Release given = release;
        release = loaded->release;
        const auto prefer = [](const std::string& wish, std::string& found) {
            if (!wish.empty()) found = wish;
        };
        prefer(given.name, release.name);
        prefer(given.package, release.package);
        prefer(given.version, release.version);
    } else {
        release.image = options.reference;
    }
    const auto in_name = semver::Version::parse_tolerant(version_in_name(release.name));
    const auto said = semver::Version::parse(release.version);
    if (in_name && said && !(*in_name == *said))
        session.print_warning(fmt::format(
            "the name {} has the version {}, and the bundle is {}: where bundles are not read, users are "
            "looked for by the version in the name",
            release.name, version_in_name(release.name), release.version));
    if (!options.image.empty()) release.image = options.image;
    std::optional<edit::CreateOptions> create;
    if (!options.create.empty())
        create = edit::CreateOptions{find_template_kind(options.create), release.package,
                                     request.default_channel.empty() && !request.channels.empty()
                                         ? request.channels.front()
                                         : request.default_channel};
    const auto references = references_of(options.flags, release.package, session, create);
    if (!references) return;
    run_edit(
        options.flags, *references, release.package, [&](edit::Edit& edit) { edit::add(edit, request); },
        request.default_channel.empty() ? std::span<const RegressionKind>() : edit::meant_by_default_channel,
        session);
}

void apply(const AddOptions& options, Session& session) {
    auto loaded = load_release(options, session);
    if (!loaded) return;
    edit::Release release = loaded->release;
    release.image = options.image;
    // Its edges are those of release-config.yaml.
    release.replaces.clear();
    release.skips.clear();
    release.skip_range.clear();
    auto catalogs = mapped_catalogs(std::filesystem::path(options.reference) / "..", session);
    if (!catalogs) return;
    // The part of what it asks for that is for these versions.
    std::vector<edit::TemplateRelease> wanted =
        edit::read_release_config(options.reference, release, *catalogs);
    std::erase_if(*catalogs, [&](const CatalogSetting& catalog) {
        return std::ranges::find(wanted, catalog.template_file, &edit::TemplateRelease::file) == wanted.end();
    });
    const std::vector<CatalogSetting> chosen = chosen_catalogs(*catalogs, options.flags.openshift);
    std::erase_if(wanted, [&](const edit::TemplateRelease& one) {
        return std::ranges::find(chosen, one.file, &CatalogSetting::template_file) == chosen.end();
    });
    std::vector<edit::EditedReference> references;
    references.reserve(wanted.size());
    for (const edit::TemplateRelease& one : wanted)
        references.push_back(
            {as_people_write(one.file),
             edit::CreateOptions{one.kind, release.package,
                                 one.request.channels.empty() ? "" : one.request.channels.front()}});
    run_edit(
        options.flags, references, {},
        [&](edit::Edit& edit) {
            for (size_t i = 0; i < wanted.size(); ++i) {
                if (i == edit.catalogs.size() || edit.catalogs[i].template_kind() != wanted[i].kind)
                    throw RequestError(fmt::format("{} does not have the schema {}, which ci.yaml says",
                                                   references[i].path, schema_of(wanted[i].kind)),
                                       "correct `type` in ci.yaml, or the template");
                edit::add(edit.catalogs[i], wanted[i].request, edit.done);
            }
        },
        {}, session);
}

} // namespace

void add_edit_add(Command tree, Session& session) {
    const Command command = tree.add_command("add", "Add a bundle to channels of catalogs and templates");
    auto& options = command.action<AddOptions>(run, session);
    edit::AddRequest& request = options.request;
    command
        .add_option("BUNDLE", options.reference,
                    "The bundle: an image, oci:DIR[:TAG], oci-archive:FILE, or its directory")
        .required();
    command.add_option("-c,--channel NAME", request.channels, "A channel that the bundle is added to");
    const Command edges = command.under("Edges");
    edges.add_option("--replaces NAME", request.edges.replaces,
                     "The entry that it replaces (default: the channel's head)");
    edges.add_option("--skips NAME", request.edges.skips, "An entry that it skips");
    edges.add_option("--skip-range RANGE", request.edges.skip_range, "The versions that it covers");
    edges.add_option("--take-along RANGE|NAMES", request.edges.take_along,
                     "Users of these versions get it directly: a range, or names with commas between");
    edges.add_choice("--edges", options.edges, {{"none", false}, {"head", true}},
                     "none: the entry has no edges; head: it replaces the channel's head");
    const Command known = command.under("For a bundle that is not read (all three)");
    known.add_option("--name NAME", request.release.name, "Its name");
    known.add_option("--version VERSION", request.release.version, "Its version");
    known.add_option("-p,--package PACKAGE", request.release.package, "Its package");
    command.add_option("--image PULL_SPEC", options.image,
                       "The pull spec of a bundle that is read from a directory or a layout");
    command.add_option("--default-channel NAME", request.default_channel,
                       "The default channel of the package (default of a new one: the first channel)");
    command
        .add_option("--create", options.create,
                    "Make a file that is missing or empty: basic, semver or catalog")
        .one_of({"basic", "semver", "catalog"});
    add_edit_flags(command, options.flags);
    add_image_flags(command, options.images);
    command.footer(
        "Examples:\n"
        "  opcat edit add registry.example/foo-bundle:v1.2.0 --channel stable --in template.yaml\n"
        "  opcat edit add bundle/ --channel fast --in catalog/ --take-along '>=1.0.0 <1.2.0' --diff\n"
        "  opcat edit add registry.example/foo-bundle:v1.2.0 -c stable --create basic --in foo.yaml \\\n"
        "      --name foo.v1.2.0 --version 1.2.0 --package foo --diff");
}

void add_edit_apply(Command tree, Session& session) {
    const Command command = tree.add_command(
        "apply", "Do what the release-config.yaml beside a bundle asks for, in the operator's templates");
    auto& options = command.action<AddOptions>(apply, session);
    command
        .add_option("DIR", options.reference,
                    "The directory of a version in an operator repository: operators/OPERATOR/VERSION")
        .required();
    command.add_option("--image PULL_SPEC", options.image, "The pull spec of the bundle's image").required();
    add_writing_flags(command, options.flags);
    command.footer(
        "Examples:\n"
        "  opcat edit apply operators/foo/1.2.0 --image registry.example/foo:1.2.0 --diff\n"
        "  opcat edit apply operators/foo/1.2.0 --image registry.example/foo:1.2.0 --openshift '>=4.16'\n\n"
        "It changes OPERATOR/catalog-templates/NAME, the templates that ci.yaml maps\n"
        "(fbc.catalog_mapping).");
}

} // namespace opcat
