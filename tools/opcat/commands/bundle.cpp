#include "cluster_flow.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

namespace opcat {
namespace {

struct BundleManifestsOptions {
    ImageFlags images;
    std::string reference;
    std::string ns = "default";
    std::vector<std::string> watch;
    bool cert_manager = true;
    Form output = Form::yaml;
};

void run(const BundleManifestsOptions& options, Session& session) {
    const cluster::CatalogAccess access = catalog_access(options.images, session);
    const LoadedCatalog loaded = access.load(options.reference);
    if (!report_findings(loaded.diagnostics, session)) return;
    if (loaded.catalog.bundles.size() != 1)
        throw RequestError(fmt::format("{} is not one bundle", options.reference),
                           "name a bundle directory or the image of a bundle");
    const auto objects = cluster::render_bundle(
        cluster::content_of(loaded.catalog.bundles.front(), access),
        {.ns = options.ns, .watch = options.watch, .cert_manager = options.cert_manager});
    if (options.output == Form::json) {
        session.out.write(as_document(parse_json<cluster::Json>(kube::to_text(objects))));
        return;
    }
    for (const kube::Object& object : objects) session.out.write("---\n" + kube::to_yaml(object.value()));
}

} // namespace

void add_bundle(Command tree, Session& session) {
    const Command command = tree.add_command("bundle", "Show, check and predict bundles");
    command.needs_command();
    command.footer("Examples:\n"
                   "  opcat bundle validate shop/1.0.0\n"
                   "  opcat bundle manifests registry.example/shop-bundle:v1.0.0 -n shop");
    const Command manifests = command.add_command("manifests", "Print the objects that a bundle installs");
    auto& options = manifests.action<BundleManifestsOptions>(run, session);
    manifests.add_option("REF", options.reference, "A bundle: a directory or an image").required();
    manifests.add_option("-n,--namespace", options.ns, "The namespace to install into").show_default();
    manifests.add_option("--watch-namespace NAMESPACE", options.watch, "A namespace to watch (default: all)");
    manifests.add_choice("-o,--output", options.output, {Form::yaml, Form::json}, "yaml or json")
        .show_default();
    add_image_flags(manifests, options.images);
    manifests.footer(
        "The objects are those that OLM v1 makes; webhooks get their certificates from cert-manager.\n\n"
        "Example:\n"
        "  opcat bundle manifests registry.example/shop-bundle:v1.0.0 -n shop");
    add_bundle_predict(command, session);
    add_bundle_validate(command, session);
}

} // namespace opcat
