#include "opcat/base/text.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/openshift_version.hpp"
#include "opcat/policy/konflux.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace opcat::policy {
namespace {

constexpr std::string_view failure = "!FAILURE! - ";

// @sha256: and 64 hexadecimal digits at the end.
bool is_pinned(std::string_view image) {
    constexpr std::string_view mark = "@sha256:";
    constexpr size_t digits = 64;
    if (image.size() < mark.size() + digits) return false;
    const std::string_view end = image.substr(image.size() - mark.size() - digits);
    return end.starts_with(mark) && std::all_of(end.begin() + mark.size(), end.end(), [](char c) {
               return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
           });
}

bool is_trusted(std::string_view image) {
    return image.starts_with("registry.redhat.io/") || image.starts_with("registry.stage.redhat.io/");
}

class Validation {
public:
    Validation(const Fragment& fragment, ThreadPool& pool) : fragment_(fragment), pool_(pool) {}

    TaskVerdict run() {
        if (fragment_.image && fragment_.image->has_health_probe == false)
            fail("grpc_health_probe binary presence check failed.", {},
                 "take a base image that has grpc_health_probe, and keep it");
        if (!fragment_.directory.empty()) check_folders();
        check_with_opm();
        if (has_errors(fragment_.catalog.loaded().diagnostics))
            return end("Script errored at command: exit 1.");
        collect_bundles();
        if (!has_package_)
            fail("There are no olm package entries defined in this FBC fragment.", {},
                 "add the olm.package blob of the operator");
        if (!check_metadata())
            return end(
                "Script errored at command: BUNDLE_BO_COUNT=$(jq -en 'def count(stream): reduce stream as "
                "$i (0; .+1); count(inputs|select(.schema == \"olm.bundle\" and .properties[].type == "
                "\"olm.bundle.object\"))' ${OPM_RENDERED_CATALOG}).");
        check_images();
        check_index();
        constexpr size_t checks = 12; // that the task counts
        verdict_.failures = failures_;
        verdict_.successes = checks - failures_;
        if (failures_ > 0) verdict_.result = TaskResult::failure;
        if (failures_ == 0)
            verdict_.note = "Task validate-fbc completed: Check result for task result.";
        else if (verdict_.note.empty())
            verdict_.note =
                "Step extract-and-validate failed: Validation checks failed. For details, check Tekton "
                "task log.";
        return std::move(verdict_);
    }

private:
    void fail(std::string_view message, std::vector<Location> where, std::string fix) {
        ++failures_;
        add(message, std::move(where), std::move(fix));
    }

    void add(std::string_view message, std::vector<Location> where, std::string fix) {
        verdict_.messages.push_back({std::string(failure).append(message), std::move(where), std::move(fix)});
    }

    void note(std::string message, Location where) {
        verdict_.notes.push_back({std::move(message), {where}, {}});
    }

    TaskVerdict end(std::string why) {
        verdict_.result = TaskResult::error;
        verdict_.note = "Unexpected error: " + why;
        verdict_.ended_by = std::move(why);
        return std::move(verdict_);
    }

    void check_folders() {
        namespace fs = std::filesystem;
        std::vector<fs::path> folders;
        std::error_code failed;
        for (fs::directory_iterator entry(fragment_.directory, failed), end; !failed && entry != end;
             entry.increment(failed))
            if (fs::is_directory(entry->symlink_status(failed))) folders.push_back(entry->path());
        std::sort(folders.begin(), folders.end());
        const std::string configs = configs_folder();
        if (folders.empty()) {
            fail(fmt::format("No package subdirectories found inside '.{}'. At least one is required.",
                             configs),
                 {}, "put the catalog into a folder with the name of its package");
            verdict_.note =
                fmt::format("FBC directory structure validation failed: No package subdirectories were "
                            "found inside the '{}' directory.",
                            configs);
        }
        std::string empty;
        for (const fs::path& folder : folders) {
            if (!fs::is_empty(folder, failed)) continue;
            const std::string name = fmt::format(".{}/{}", configs, folder.filename().string());
            // All of them count as one failure.
            if (empty.empty()) ++failures_;
            empty += " " + name;
            add(fmt::format("Package directory '{}' is empty.", name), {},
                fmt::format("remove the folder {}, or put the catalog of its package into it",
                            folder.string()));
        }
        if (!empty.empty())
            verdict_.note =
                "FBC directory validation failed. The following package directories are empty:" + empty;
    }

    // Returns the folder of the catalog in the image.
    std::string configs_folder() const {
        const std::string* const label = fragment_.image ? fragment_.image->label(configs_label) : nullptr;
        return label ? *label : "/configs";
    }

    void check_index() {
        if (!fragment_.index) return;
        if (!has_errors(fragment_.index->loaded().diagnostics)) {
            verdict_.unreleased =
                unreleased_related_images(fragment_.catalog.catalog(), fragment_.index->catalog());
            return;
        }
        fail("Could not get related images.", {}, "name a target index that opm can render");
        verdict_.note =
            "Step extract-and-validate failed (1): Could not fetch related images. Make sure you have "
            "catalog.yaml or catalog.json formatted correctly in your file-based catalog (FBC) fragment "
            "image.";
    }

    void check_with_opm() {
        LintResult checked =
            lint({{fragment_.catalog}}, {.rules = LintOptions::Rules::enforced_by_opm}, pool_);
        if (checked.findings.empty()) return;
        std::vector<Location> where;
        for (const Diagnostic& finding : checked.findings) where.push_back(finding.where);
        verdict_.refused = std::move(checked.findings);
        fail("opm validate check failed.", {}, "correct what opm refuses");
    }

    void collect_bundles() {
        for (const PackageBlobs& package : by_package(fragment_.catalog.catalog()))
            for (const AnyBlob& blob : package.blobs)
                if (const auto* const bundle = std::get_if<const Bundle*>(&blob)) bundles_.push_back(*bundle);
        // Blobs without a package are not rendered.
        const auto& packages = fragment_.catalog.catalog().packages;
        has_package_ = std::any_of(packages.begin(), packages.end(),
                                   [](const Package& one) { return !is_dropped(AnyBlob(&one)); });
    }

    struct Count {
        size_t properties = 0;
        std::vector<Location> without; // bundles
        std::vector<Location> twice;
        std::vector<Location> with;
    };

    Count count(std::string_view type) const {
        Count count;
        for (const Bundle* const bundle : bundles_) {
            const auto here = static_cast<size_t>(
                std::count_if(bundle->properties.begin(), bundle->properties.end(),
                              [&](const Property& property) { return property.type == type; }));
            count.properties += here;
            (here == 0 ? count.without : here == 1 ? count.with : count.twice).push_back(bundle->start());
        }
        return count;
    }

    // Returns true if the script goes on.
    bool check_metadata() {
        const auto version = openshift_version_of_tag(fragment_.openshift);
        if (!version) {
            verdict_.messages.push_back({fmt::format("!WARNING! - unable to assess bundle metadata alignment "
                                                     "with OCP version because we cannot "
                                                     "parse OCP version from the base image {}",
                                                     fragment_.openshift),
                                         {},
                                         "name a version such as --openshift 4.18"});
            return true;
        }
        const std::string target = version->to_string();
        const Count objects = count(property_type::bundle_object);
        const Count metadata = count(property_type::csv_metadata);
        // jq cannot iterate over properties that are not there, which the script takes for a forbidden one.
        const auto bare = std::find_if(bundles_.begin(), bundles_.end(),
                                       [](const Bundle* bundle) { return bundle->properties.empty(); });
        const bool jq_fails = bare != bundles_.end();
        const Count& forbidden = version->takes_csv_metadata() ? objects : metadata;
        if (forbidden.properties > 0 || jq_fails) {
            std::vector<Location> where = forbidden.with;
            where.insert(where.end(), forbidden.twice.begin(), forbidden.twice.end());
            if (jq_fails) where.push_back((*bare)->start());
            if (version->takes_csv_metadata())
                fail(fmt::format("olm.bundle.object bundle properties are not permitted in a FBC fragment "
                                 "for OCP version "
                                 "{}. Fragments must move to olm.csv.metadata bundle metadata.",
                                 target),
                     std::move(where),
                     jq_fails
                         ? "give each bundle its properties"
                         : "write the catalog with `opcat migrate`, which makes olm.csv.metadata of them");
            else
                fail(fmt::format("olm.csv.metadata bundle properties are not permitted in a FBC fragment for "
                                 "OCP version "
                                 "{}. Fragments must only use olm.bundle.object bundle metadata.",
                                 target),
                     std::move(where),
                     jq_fails
                         ? "give each bundle its properties"
                         : "render the bundles again, without --migrate-level bundle-object-to-csv-metadata");
        }
        if (jq_fails) return false;
        if (version->takes_csv_metadata())
            check_required(metadata, true);
        else
            check_required(objects, false);
        return true;
    }

    // Properties are counted, not bundles.
    void check_required(const Count& count, bool metadata) {
        const bool fails =
            metadata ? count.properties != bundles_.size() : count.properties < bundles_.size();
        if (fails) {
            std::vector<Location> where = count.without;
            if (metadata) where.insert(where.end(), count.twice.begin(), count.twice.end());
            fail(metadata ? "every olm.bundle object in the fragment must have a corresponding "
                            "olm.csv.metadata bundle "
                            "property"
                          : "every olm.bundle object in the fragment must have at least one "
                            "olm.bundle.object bundle "
                            "property",
                 std::move(where),
                 metadata ? "give each bundle exactly one olm.csv.metadata property: `opcat migrate` does"
                          : "render the bundle again, with its manifests");
            return;
        }
        for (const Location& bundle : count.without)
            note(fmt::format("the bundle has no {} property: the pipeline counts properties, and another "
                             "bundle has more "
                             "than one",
                             metadata ? property_type::csv_metadata : property_type::bundle_object),
                 bundle);
    }

    void check_images() {
        std::string unpinned;
        std::string untrusted;
        std::vector<Location> of_unpinned;
        std::vector<Location> of_untrusted;
        for (const Bundle* const bundle : bundles_) {
            const std::string_view image = bundle->image.text;
            if (image.empty()) continue;
            if (!is_pinned(image)) {
                unpinned += fmt::format("\n  {}", image);
                of_unpinned.push_back(bundle->at(bundle->image));
            }
            if (!is_trusted(image)) {
                untrusted += fmt::format("\n  {}", image);
                of_untrusted.push_back(bundle->at(bundle->image));
            }
        }
        if (!unpinned.empty()) {
            fail("The following olm.bundle image references are not digest-pinned:" + unpinned,
                 std::move(of_unpinned), "name the image by its digest: NAME@sha256:...");
            verdict_.messages.back().wants_digests = true;
        }
        if (!untrusted.empty())
            fail("The following olm.bundle image references are not from registry.redhat.io or "
                 "registry.stage.redhat.io:" +
                     untrusted,
                 std::move(of_untrusted), "name the image in the registry that it is released to");
    }

    const Fragment& fragment_;
    ThreadPool& pool_;
    TaskVerdict verdict_;
    std::vector<const Bundle*> bundles_; // in the order in which opm renders them
    bool has_package_ = false;
    size_t failures_ = 0;
};

} // namespace

std::optional<TaskVerdict> check_fragment_image(const FragmentImage& image) {
    TaskVerdict verdict;
    const auto end = [&](TaskResult result, std::string note) {
        verdict.result = result;
        verdict.note = std::move(note);
        if (result == TaskResult::failure) verdict.failures = 1;
        if (result == TaskResult::error) verdict.ended_by = verdict.note;
        return verdict;
    };
    if (image.base.empty())
        return end(TaskResult::error, "Unexpected error: Script errored at command: exit 1.");
    if (!has_allowed_base(image)) {
        const std::string base = base_with_digest(image);
        verdict.messages.push_back(
            {fmt::format("Base image {} is not allowed for the file based catalog image.", base),
             {},
             "build the image from registry.redhat.io/openshift4/ose-operator-registry-rhel9, "
             "with the version of OpenShift as its tag"});
        return end(
            TaskResult::failure,
            fmt::format("Step extract-and-validate failed: Base image {} is not allowed for the file based "
                        "catalog image. For details, check Tekton task logs.",
                        base));
    }
    if (!openshift_of(image)) {
        verdict.messages.push_back({"!FAILURE! - Could not get OCP version. See "
                                    "https://konflux-ci.dev/architecture/ADR/"
                                    "0026-specifying-ocp-targets-for-fbc.html for defining the parent "
                                    "image.",
                                    {},
                                    "give the base image a tag such as v4.18"});
        return end(TaskResult::failure,
                   "Step extract-and-validate failed: Could not get the OCP version from the base. "
                   " For details, check Tekton task logs.");
    }
    if (!image.label(configs_label) || image.has_catalog == false)
        return end(TaskResult::error, "For details, check Tekton task log.");
    // If there is none, the script counts one empty line, and then calls chmod without a file.
    if (image.opm_files == 0U)
        return end(TaskResult::error,
                   "Unexpected error: Script errored at command: chmod 775 \"$OPM_BINARY\".");
    if (image.opm_files && *image.opm_files > 1)
        return end(TaskResult::error,
                   "Step extract-and-validate failed: Expected exactly one opm binary in base "
                   "image.  For details, check Tekton task log");
    return std::nullopt;
}

std::string_view to_string(TaskResult result) {
    switch (result) {
    case TaskResult::success:
        return "SUCCESS";
    case TaskResult::failure:
        return "FAILURE";
    case TaskResult::error:
        return "ERROR";
    case TaskResult::none:
        break;
    }
    return "NONE";
}

TaskVerdict validate_fbc(const Fragment& fragment, ThreadPool& pool) {
    return Validation(fragment, pool).run();
}

} // namespace opcat::policy
