#include "commands/validate_konflux.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/workspace/open.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace opcat {
namespace {

namespace fs = std::filesystem;
using policy::PolicyRun;

constexpr uint64_t largest_dockerfile = uint64_t{1} << 20;

// Returns the version of OpenShift that the user names, or else that of the image, of the configuration, or
// of the nearest folder with such a name.
std::string openshift_of(const std::string& reference, const policy::FragmentImage* image,
                         const Configuration& configuration, const ValidateOptions& options, PolicyRun& run) {
    const auto of_image = image ? policy::openshift_of(*image) : std::nullopt;
    if (!options.openshift.empty()) {
        const auto same = of_image ? openshift_version_of_tag(*of_image) : std::nullopt;
        const auto given = openshift_version(options.openshift);
        if (of_image && !(same && same->to_string() == given->to_string()))
            run.not_checked.push_back(
                {"validate-fbc version",
                 fmt::format("the image is for OpenShift {}, and --openshift {} is checked", *of_image,
                             options.openshift)});
        return options.openshift;
    }
    if (of_image) return *of_image;
    if (std::string version = openshift_version_for(reference, configuration.catalogs); !version.empty())
        return version;
    for (fs::path path = fs::absolute(reference).lexically_normal(); path.has_relative_path();
         path = path.parent_path())
        if (const std::string name = path.filename().string(); openshift_version(name)) return name;
    throw RequestError(fmt::format("which version of OpenShift {} is for is not known", go_quote(reference)),
                       "add --openshift 4.18");
}

policy::FragmentImage facts_of(const CatalogImage& opened) {
    const image::UnpackedImage& image = opened.image;
    const auto annotation = [&](const char* name) {
        const auto found = image.annotations.find(name);
        return found == image.annotations.end() ? std::string() : found->second;
    };
    policy::FragmentImage facts{.base = annotation("org.opencontainers.image.base.name"),
                                .labels = image.labels,
                                .opm_files = 0,
                                .has_health_probe = false,
                                .has_catalog = opened.catalog.has_value()};
    const std::string digest = annotation("org.opencontainers.image.base.digest");
    if (!digest.empty() && !facts.base.empty())
        facts.base = facts.base.substr(0, facts.base.find('@')) + "@" + digest;
    for (const image::FoundFile& file : image.found) {
        if (file.path.ends_with("grpc_health_probe")) facts.has_health_probe = true;
        if (file.path.ends_with("opm") && file.is_regular) ++*facts.opm_files;
    }
    return facts;
}

// A fragment, with what is known about its image.
struct OpenedFragment {
    std::optional<Source> catalog; // nothing: the image has none
    fs::path directory = {};       // empty: it has no folders
    std::optional<policy::FragmentImage> image = {};
    std::shared_ptr<const CatalogImage> owner = {};
};

OpenedFragment open_fragment(const std::string& reference, const Source* catalog,
                             const ValidateOptions& options, PolicyRun& run, Session& session) {
    const OpenOptions how = opening(options.images, session, StandardInput::taken);
    if (names_image(reference)) {
        const auto opened = std::make_shared<const CatalogImage>(
            open_catalog_image(reference, {"opm", "grpc_health_probe"}, how, session.pool()));
        run.checked_here = {"base-image", "configs-label", "opm", "grpc_health_probe"};
        run.not_checked.push_back({"validate-fbc opm",
                                   "opcat looks for opm in the image of the fragment, which has "
                                   "the files of its base image, and does not read the base image"});
        return {opened->catalog, opened->directory, facts_of(*opened), opened};
    }
    OpenedFragment fragment{catalog ? *catalog : open(reference, how, session.pool())};
    std::error_code failed;
    if (fs::is_directory(reference, failed))
        fragment.directory = reference;
    else
        run.not_checked.push_back({"validate-fbc folders", "the fragment is not a directory"});
    if (options.policy.dockerfile.empty()) return fragment;
    fragment.image = policy::read_dockerfile(
        read_file(options.policy.dockerfile, options.policy.dockerfile, largest_dockerfile)->bytes(),
        options.policy.dockerfile);
    run.checked_here = {"base-image", "configs-label"};
    return fragment;
}

} // namespace

PolicyRun run_konflux(const std::string& reference, const Source* catalog, const Configuration& configuration,
                      const ValidateOptions& options, Session& session) {
    PolicyRun run{.policy = policy::Pipeline::konflux};
    const OpenedFragment opened = open_fragment(reference, catalog, options, run, session);
    if (opened.image) run.fragment = policy::check_fragment_image(*opened.image);
    std::optional<Source> index;
    if (!options.policy.target_index.empty())
        index = open(options.policy.target_index, opening(options.images, session, StandardInput::refused),
                     session.pool());
    if (opened.owner) run.owners.push_back(opened.owner);
    if (!run.fragment) {
        const Source& fragment = *opened.catalog;
        run.owners.push_back(fragment.owner());
        run.fragment = policy::validate_fbc(
            {fragment, opened.directory,
             openshift_of(reference, opened.image ? &*opened.image : nullptr, configuration, options, run),
             opened.image ? &*opened.image : nullptr, index ? &*index : nullptr},
            session.pool());
        if (run.fragment->unreleased) {
            run.checked_here.insert(run.checked_here.end(),
                                    {"related-images", "olm.unpinned_related_images"});
            if (!configuration.registries.empty())
                run.checked_here.emplace_back("olm.allowed_registries_related");
            run.conforma =
                policy::check_related_images(fragment, *run.fragment->unreleased, configuration.registries);
        }
    }
    if (!index)
        run.not_checked.push_back(
            {"fbc-target-index-pruning-check", "no target index is given: --target-index"});
    else if (opened.catalog)
        run.pruning = policy::check_pruning(*opened.catalog, *index);
    return run;
}

} // namespace opcat
