#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/catalog/write.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "sharding.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct RenderOptions {
    ReferenceFlags from;
    ShardFlags shard;
    Format format = Format::json;
    bool migrate = false;
    bool allow_empty = false;
    std::string output_directory;
    std::string image_template;
    ImageFlags images;
};

// One catalog of a shard: its blobs, or its failure.
void add_blobs(LoadedCatalog loaded, const RenderOptions& options, PartWriter& writer, Session& session) {
    if (!has_errors(loaded.diagnostics) && options.migrate)
        loaded.diagnostics = migrate_to_csv_metadata(loaded.catalog, session.pool());
    if (has_errors(loaded.diagnostics)) return writer.fail(failure_of(loaded.diagnostics));
    const std::vector<AnyBlob> blobs = blobs_of(loaded.catalog);
    std::vector<std::string> texts(blobs.size());
    try {
        session.pool().for_each(blobs.size(),
                                [&](size_t i) { append_blob(texts[i], blobs[i], options.format); });
    } catch (const Error& error) {
        return writer.fail(failure_of(error));
    }
    for (size_t i = 0; i < blobs.size(); ++i) {
        const BlobKey key = key_of(blobs[i]);
        writer.add(texts[i], static_cast<uint8_t>(key.kind), key.package, key.name);
    }
}

void render_shard(const RenderOptions& options, const OpenOptions& how, Session& session) {
    session.pool_for_network();
    const std::vector<std::string> references = all_references(options.from);
    const std::string request = fmt::format("render {} {} {} {}", static_cast<int>(options.format),
                                            options.migrate, options.images.platform, options.image_template);
    constexpr size_t portion = 32; // bundles are small, and are pulled concurrently
    run_shard(
        options.shard, {ShardOutput::blobs, request, references, portion},
        [&](std::span<const size_t> items, PartWriter& writer) {
            std::vector<std::string> names;
            for (const size_t item : items) names.push_back(references[item]);
            std::vector<SourceOrError> opened = open_each_that_can(names, how, session.pool());
            for (size_t i = 0; i < items.size(); ++i) {
                writer.begin(items[i], names[i]);
                if (const auto* const error = std::get_if<std::exception_ptr>(&opened[i]))
                    writer.fail(failure_of(*error));
                else
                    add_blobs(std::get<Source>(std::move(opened[i])).take(), options, writer, session);
            }
        },
        options.images, session);
}

void run(const RenderOptions& options, Session& session) {
    OpenOptions how = opening(options.images, session, StandardInput::taken);
    if (!options.image_template.empty()) how.image_template = ImageTemplate::parse(options.image_template);
    if (options.shard.given()) return render_shard(options, how, session);
    const std::vector<std::string> references = all_references(options.from);
    if (!session.as_opm()) require_apart({{"--output-dir", options.output_directory}}, references);
    LoadedCatalog loaded = open_together(references, how, session.pool()).take();
    if (!report_findings(loaded.diagnostics, session)) return;
    if (options.migrate && !report_findings(migrate_to_csv_metadata(loaded.catalog, session.pool()), session))
        return;
    if (!report_empty(loaded.catalog, Content::blob, options.allow_empty, "the result", empty_input_hint,
                      session))
        return;
    if (!options.output_directory.empty())
        write_catalog_directory(loaded.catalog, options.format, options.output_directory, session.pool());
    else
        write_catalog(loaded.catalog, options.format, session.pool(),
                      [&](std::string_view, std::string_view text) { session.out.write(text); });
}

} // namespace

void add_render(Command tree, Session& session) {
    const Command command = tree.add_command("render", "Print catalogs and bundles as one normalised stream");
    auto& options = command.action<RenderOptions>(run, session);
    if (session.as_opm())
        command.add_option("REF", options.from.references, reference_help(session)).required();
    else
        add_reference_flags(command, options.from, session);
    add_format_option(command, options.format);
    const Option level = add_migrate_option(command, options.migrate);
    command.add_option(session.as_opm() ? "--alpha-image-ref-template" : "--image-ref-template",
                       options.image_template,
                       "Image of bundles that are rendered from directories; {{.Package}}, {{.Name}} and "
                       "{{.Version}} are replaced");
    add_allow_empty_flag(command, options.allow_empty, session);
    if (session.as_opm()) {
        command.add_flag("--migrate", options.migrate, "Run all migrations").excludes(level);
    } else {
        const Option directory = command.add_option(
            "--output-dir", options.output_directory,
            "Write DIR/PACKAGE/catalog.json or .yaml for each package instead of one stream; DIR is "
            "new, or empty");
        add_shard_flags(command, options.shard).excludes(directory);
        command.footer("Examples:\n  opcat render catalog/ -o yaml\n  opcat render "
                       "registry.example/operators/catalog:latest --output-dir catalog -o yaml\n  opcat "
                       "render bundle/ --image-ref-template 'registry.example/{{.Package}}:v{{.Version}}'\n"
                       "  opcat render --refs bundles.txt --shard 0/16 --shard-output shards");
    }
    add_image_flags(command, options.images);
}

} // namespace opcat
