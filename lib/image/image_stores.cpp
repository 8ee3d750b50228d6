#include "opcat/image/image_stores.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/once.hpp"
#include "opcat/image/attachments.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/image/push.hpp"
#include "opcat/image/registries_conf.hpp"
#include "opcat/image/registry.hpp"
#include "opcat/image/tags.hpp"
#include "opcat/image/verification.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>

namespace opcat::image {

struct ImageStores::State {
    const Options options;
    RegistryClient client;
    KnownBlobs known;
    AttachmentFinder finder{client};
    Verification verification{client};
    Once loaded;
    RegistriesConf conf_; // read when a registry is first needed

    explicit State(Options given) : options(std::move(given)), client(options) {}

    const RegistriesConf& conf() {
        loaded.run([&] { conf_ = RegistriesConf::load(options.registries_conf); });
        return conf_;
    }

    std::unique_ptr<ImageReader> open(const Name& name, CheckManifest check);
};

ImageStores::ImageStores(Options options) : state_(std::make_unique<State>(std::move(options))) {}
ImageStores::~ImageStores() = default;

const Options& ImageStores::options() const {
    return state_->options;
}

std::unique_ptr<ImageReader> ImageStores::reader(const Name& name) {
    return state_->open(name, state_->verification.of(name));
}

std::unique_ptr<ImageReader> ImageStores::attachment(const Name& name) {
    return state_->open(name, {});
}

void ImageStores::check_directory(const std::string& directory) {
    try {
        state_->verification.check_directory("dir", directory);
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot read {}: {}", directory, error.what()));
    }
}

std::unique_ptr<ImageReader> ImageStores::State::open(const Name& name, CheckManifest check) {
    switch (name.transport) {
    case Transport::oci_layout:
        return read_oci_layout(name.path, name.tag);
    case Transport::oci_archive:
        return read_oci_archive(name.path, name.tag, options);
    case Transport::docker_archive:
        return read_docker_archive(name.path, name.tag, options);
    case Transport::registry:
        break;
    }
    return read_from_registry(client, conf().endpoints(*name.spec), std::move(check));
}

std::unique_ptr<ImageReader> ImageStores::target(const Name& name) {
    if (name.transport != Transport::registry) return state_->open(name, {});
    return read_from_registry(state_->client, {state_->conf().push_endpoint(*name.spec)});
}

std::unique_ptr<ImageWriter> ImageStores::writer(const Name& name) {
    switch (name.transport) {
    case Transport::oci_layout:
        return write_to_oci_layout(name.path, name.tag);
    case Transport::oci_archive:
        return write_to_oci_archive(name.path, name.tag, state_->options);
    case Transport::docker_archive:
        return write_to_docker_archive(
            name.path, name.tag.empty() ? "" : required(PullSpec::parse(name.tag)).to_string(),
            state_->options);
    case Transport::registry:
        break;
    }
    return write_to_registry(state_->client, state_->known, state_->conf().push_endpoint(*name.spec));
}

ImageStores::Attached ImageStores::attachments(const Name& image, Attachments wanted) {
    if (!image.spec || wanted == Attachments::none) return {};
    std::optional<Error> failure;
    for (const Endpoint& endpoint : state_->conf().endpoints(*image.spec)) {
        try {
            const AttachmentFinder::Found found = state_->finder.find(endpoint, wanted);
            Attached attached{.names = {}, .is_complete = found.is_complete};
            for (const std::string& reference : found.references)
                attached.names.push_back(required(Name::parse(
                    image.spec->name() + (reference.find(':') == reference.npos ? ':' : '@') + reference)));
            return attached;
        } catch (const Error& error) {
            failure = error;
        }
    }
    throw Error(*failure);
}

std::optional<std::map<std::string, std::string>>
ImageStores::named_by_others(const PullSpec& repository,
                             const std::function<bool(std::string_view)>& is_known) {
    return images_named_by(state_->client, state_->conf().push_endpoint(repository),
                           [&](std::string_view tag) { return !is_known(tag); });
}

bool ImageStores::remove(const PullSpec& repository, const std::string& digest) {
    return delete_from_registry(state_->client, state_->known, state_->conf().push_endpoint(repository),
                                digest);
}

} // namespace opcat::image
