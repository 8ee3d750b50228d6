#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/image_stores.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "terminal/session.hpp"
#include "terminal/transfers.hpp"

#include <filesystem>
#include <memory>

namespace opcat {
namespace {

struct CopyOptions {
    std::string from;
    std::string to;
    image::Attachments attachments = image::Attachments::all;
    ImageFlags images;
};

// What is attached to the image that has been copied, where both places are repositories.
std::vector<image::CopyJob> attached(image::ImageStores& stores, const image::Name& from,
                                     const image::Name& to, const std::string& digest,
                                     image::Attachments wanted, const Session& session) {
    std::vector<image::CopyJob> jobs;
    if (!from.spec || !to.spec) return jobs;
    const image::Name copied = required(image::Name::parse(from.spec->name() + "@" + digest));
    const image::ImageStores::Attached found = stores.attachments(copied, wanted);
    if (!found.is_complete)
        session.print_warning(fmt::format("{} does not let this account look for all that is attached to the "
                                          "image: signatures may be missing",
                                          from.spec->registry()));
    for (const image::Name& source : found.names) {
        const std::string reference = source.text.substr(from.spec->name().size()); // with ':' or '@'
        const image::Name target = required(image::Name::parse(to.spec->name() + reference));
        jobs.push_back({source.text, target.text, [&stores, source] { return stores.attachment(source); },
                        [&stores, target] { return stores.writer(target); }});
    }
    return jobs;
}

void run(const CopyOptions& options, bool names_attachments, Session& session) {
    const image::Name from = named_image(options.from);
    const image::Name to = named_target(options.to);
    if (names_attachments && options.attachments != image::Attachments::none && (!from.spec || !to.spec))
        throw RequestError("--attachments is for copies from a registry to a registry",
                           "`opcat mirror --to dir:DIR` takes them along, too");
    // A layout may get another tag of its own image.
    std::error_code absent;
    if (!from.spec && !to.spec &&
        !(std::filesystem::is_directory(from.path, absent) &&
          std::filesystem::equivalent(from.path, to.path, absent)))
        require_apart({{"the target", to.path}}, {from.path});
    image::ImageStores stores(image_options(options.images, session));
    image::CopyJob job{from.text, to.text, [&] { return stores.reader(from); },
                       [&] { return stores.writer(to); }};
    job.may_lack_images = true; // another program may have made a sparse index there
    TransferDisplay display(session);
    const auto results = image::copy_images({&job, 1}, {.platform = stores.options().platform},
                                            session.pool_for_network(), display.callback());
    const image::CopyResult& result = results.front();
    if (result.failure) throw Error(*result.failure);
    if (!result.warning.empty()) session.print_warning(result.warning);
    const auto more = attached(stores, from, to, result.digest, options.attachments, session);
    for (const image::CopyResult& one :
         image::copy_images(more, {}, session.pool_for_network(), display.callback()))
        if (one.failure) throw Error(*one.failure);
    session.out.write(result.digest + "\n");
}

} // namespace

void add_copy(Command tree, Session& session) {
    const auto options = std::make_shared<CopyOptions>();
    options->images.no_cache = true; // copied blobs are seldom needed again
    const Command command = tree.add_command("copy", "Copy an image, byte for byte");
    command.alias("push");
    const std::string image = "registry/repo:tag, @sha256:..., oci:DIR[:TAG], oci-archive:FILE[:TAG] or "
                              "docker-archive:FILE[:TAG]";
    command.add_option("SRC", options->from, "The image: " + image).required();
    command.add_option("DEST", options->to, "Where to put it, in any of these forms").required();
    command.add_option("--platform OS/ARCH[/VARIANT]", options->images.platform,
                       "Platform to copy from a multi-platform image (default: all)");
    const Option attachments = add_attachments_option(command, options->attachments);
    add_log_option(command, session);
    add_registry_flags(command, options->images);
    command.footer(
        "The digest of the image does not change, and is printed. Only what the target lacks is transferred; "
        "its tag is written last. From one registry to another, signatures, attestations and other referrers "
        "of the "
        "image and its platforms come along.\n\n"
        "Examples:\n  opcat copy quay.io/example/catalog:v1 registry.example/catalog:v1\n"
        "  opcat push oci:layout:v1 registry.example/catalog:v1\n"
        "  opcat copy registry.example/catalog:v1 oci-archive:catalog.tar --platform linux/arm64");
    command.callback([options, attachments, &session] { run(*options, attachments.given(), session); });
}

} // namespace opcat
