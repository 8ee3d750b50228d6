#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/lint/catalog_settings.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/policy/run.hpp"

#include <fmt/core.h>

#include <memory>
#include <optional>

namespace opcat::policy {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t largest_dockerfile = uint64_t{1} << 20;

// Returns the version of OpenShift that the user names, or else that of the image, of the configuration, or
// of the nearest folder with such a name.
std::string openshift_of(const FragmentRequest& asked, const FragmentImage* image,
                         const Configuration& configuration, PolicyRun& run) {
    const auto of_image = image ? openshift_of(*image) : std::nullopt;
    if (!asked.openshift.empty()) {
        const auto same = of_image ? openshift_version_of_tag(*of_image) : std::nullopt;
        const auto given = openshift_version(asked.openshift);
        if (of_image && !(same && same->to_string() == given->to_string()))
            run.not_checked.push_back(
                {"validate-fbc version",
                 fmt::format("the image is for OpenShift {}, and --openshift {} is checked", *of_image,
                             asked.openshift)});
        return asked.openshift;
    }
    if (of_image) return *of_image;
    if (std::string version = openshift_version_for(asked.reference, configuration.catalogs);
        !version.empty())
        return version;
    for (fs::path path = fs::absolute(asked.reference).lexically_normal(); path.has_relative_path();
         path = path.parent_path())
        if (const std::string name = path.filename().string(); openshift_version(name)) return name;
    throw RequestError(
        fmt::format("which version of OpenShift {} is for is not known", go_quote(asked.reference)),
        "add --openshift 4.18");
}

FragmentImage facts_of(const CatalogImage& opened) {
    const image::UnpackedImage& image = opened.image;
    const auto annotation = [&](const char* name) {
        const auto found = image.annotations.find(name);
        return found == image.annotations.end() ? std::string() : found->second;
    };
    FragmentImage facts{.base = annotation("org.opencontainers.image.base.name"),
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
    std::optional<FragmentImage> image = {};
    std::shared_ptr<const CatalogImage> owner = {};
};

OpenedFragment open_fragment(const FragmentRequest& asked, const OpenOptions& how, PolicyRun& run,
                             ThreadPool& pool) {
    if (names_image(asked.reference)) {
        const auto opened = std::make_shared<const CatalogImage>(
            open_catalog_image(asked.reference, {"opm", "grpc_health_probe"}, how, pool));
        run.checked_here = {"base-image", "configs-label", "opm", "grpc_health_probe"};
        run.not_checked.push_back({"validate-fbc opm",
                                   "opcat looks for opm in the image of the fragment, which has "
                                   "the files of its base image, and does not read the base image"});
        return {opened->catalog, opened->directory, facts_of(*opened), opened};
    }
    OpenedFragment fragment{asked.catalog ? *asked.catalog : open(asked.reference, how, pool)};
    std::error_code failed;
    if (fs::is_directory(asked.reference, failed))
        fragment.directory = asked.reference;
    else
        run.not_checked.push_back({"validate-fbc folders", "the fragment is not a directory"});
    if (asked.dockerfile.empty()) return fragment;
    fragment.image = read_dockerfile(
        read_file(asked.dockerfile, asked.dockerfile, largest_dockerfile)->bytes(), asked.dockerfile);
    run.checked_here = {"base-image", "configs-label"};
    return fragment;
}

} // namespace

PolicyRun run_konflux(const FragmentRequest& asked, const Configuration& configuration,
                      const OpenOptions& how, ThreadPool& pool) {
    PolicyRun run{.policy = Pipeline::konflux};
    const OpenedFragment opened = open_fragment(asked, how, run, pool);
    if (opened.image) run.fragment = check_fragment_image(*opened.image);
    std::optional<Source> index;
    if (!asked.target_index.empty()) {
        OpenOptions how_to_open_index = how;
        how_to_open_index.standard_input = {}; // it may be the fragment
        index = open(asked.target_index, how_to_open_index, pool);
    }
    if (opened.owner) run.owners.push_back(opened.owner);
    if (!run.fragment) {
        const Source& fragment = *opened.catalog;
        run.catalog = fragment;
        run.owners.push_back(fragment.owner());
        run.fragment =
            validate_fbc({fragment, opened.directory,
                          openshift_of(asked, opened.image ? &*opened.image : nullptr, configuration, run),
                          opened.image ? &*opened.image : nullptr, index ? &*index : nullptr},
                         pool);
        if (run.fragment->unreleased) {
            run.checked_here.insert(run.checked_here.end(),
                                    {"related-images", "olm.unpinned_related_images"});
            if (!configuration.registries.empty())
                run.checked_here.emplace_back("olm.allowed_registries_related");
            run.conforma =
                check_related_images(fragment, *run.fragment->unreleased, configuration.registries);
        }
    }
    if (!index)
        run.not_checked.push_back(
            {"fbc-target-index-pruning-check", "no target index is given: --target-index"});
    else if (opened.catalog)
        run.pruning = check_pruning(*opened.catalog, *index);
    return run;
}

} // namespace opcat::policy
