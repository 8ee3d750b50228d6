// Refuses the content of a bundle as `opm alpha bundle validate` does (operator-registry,
// ValidateBundleContent): each file of manifests/ by itself, then all against the ClusterServiceVersion.
#include "opcat/base/error.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <set>
#include <tuple>

namespace opcat {

using namespace bundle_checks;

namespace {

namespace fs = std::filesystem;
using kube::Fields;

struct OpmMemory {
    std::shared_ptr<const void> format;
    Arena arena;
    std::vector<DocumentFile> files;
};

class OpmContent {
public:
    OpmContent(std::shared_ptr<OpmMemory> memory, Diagnostics& out) : memory_(std::move(memory)), out_(out) {}

    void check_files(const fs::path& manifests, const fs::path& shown) {
        refuse_folders(manifests, shown);
        memory_->files = read_folder(manifests, shown, true, memory_->arena);
        for (const DocumentFile& file : memory_->files) check_file(file);
    }

    void check_bundle() {
        if (!first_csv_) {
            out_.push_back(
                error("bundle-csv", {}, "the bundle has no ClusterServiceVersion, and opm crashes"));
            return;
        }
        const kube::Object& csv = *first_csv_;
        for (const Fields owned : csv.items("spec", "customresourcedefinitions", "owned"))
            if (defined_.erase({owned.text("name"), owned.text("version"), owned.text("kind")}) == 0)
                out_.push_back(
                    error("bundle-crd", place_of(csv, owned, "name"),
                          fmt::format("the bundle owns {} {}, but has no CustomResourceDefinition of it",
                                      owned.text("name"), owned.text("version")),
                          "add the manifest once, or correct name, version and kind"));
        if (!csv.text("spec", "release").empty() && !csv.annotation("olm.substitutesFor").empty())
            out_.push_back(error("bundle-release", place_of(csv, csv, "spec", "release"),
                                 "a bundle with a release cannot substitute another one",
                                 "remove the release, or the annotation olm.substitutesFor"));
    }

    // operatorhub's validator looks at the last one.
    const Source& last() const { return last_; }

private:
    void refuse_folders(const fs::path& manifests, const fs::path& shown) {
        std::error_code failed;
        for (fs::directory_iterator at(manifests, failed), end; !failed && at != end; at.increment(failed))
            if (at->symlink_status().type() == fs::file_type::directory)
                out_.push_back(error("bundle-file", {},
                                     fmt::format("{} is a folder among the manifests",
                                                 (shown / at->path().filename()).string()),
                                     "move it out of the folder"));
    }

    void check_file(const DocumentFile& file) {
        if (auto reason = why_no_object(file)) {
            reason->severity = Severity::error;
            reason->message = fmt::format("{} is not a manifest: {}", file.name, reason->message);
            out_.push_back(*std::move(reason));
            return;
        }
        const kube::Object object(*file.value, memory_, file.file.get());
        if (!is_supported_kind(object.kind())) {
            out_.push_back(error("bundle-kind", place_of(object, object, "kind"),
                                 fmt::format("a bundle has no objects of kind {}", object.kind())));
        } else if (object.kind() == "ClusterServiceVersion") {
            last_.csv = as_type(object, "ClusterServiceVersion", memory_->arena, out_);
            if (!first_csv_) first_csv_ = last_.csv;
            check_csv(last_, out_);
        } else if (object.kind() == "CustomResourceDefinition") {
            check_definition(object);
        } else {
            check_object_metadata(object, out_);
        }
    }

    void check_definition(const kube::Object& object) {
        const std::string_view type = type_of_crd(object, out_);
        if (type.empty()) return;
        Source only;
        only.crds.push_back(as_type(object, type, memory_->arena, out_));
        check_crds(only, out_);
        const kube::Object& crd = only.crds.front();
        const std::string_view kind = crd.text("spec", "names", "kind");
        if (const std::string_view version = crd.text("spec", "version"); !version.empty())
            defined_.insert({crd.text("metadata", "name"), version, kind});
        else
            for (const Fields of_crd : crd.items("spec", "versions"))
                defined_.insert({crd.text("metadata", "name"), of_crd.text("name"), kind});
    }

    std::shared_ptr<OpmMemory> memory_;
    Diagnostics& out_;
    std::optional<kube::Object> first_csv_;
    Source last_;
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>>
        defined_; // name, version, kind
};

} // namespace

OpmVerdict validate_as_opm(const fs::path& directory, const fs::path& shown, bool for_operatorhub,
                           const BundleCheckOptions& options) {
    const auto memory = std::make_shared<OpmMemory>();
    OpmVerdict verdict{.format_errors = {}, .findings = {}, .memory = memory};
    Format format = check_format(directory, shown);
    memory->format = format.memory;
    if (!format.opm_errors.empty()) {
        verdict.format_errors = std::move(format.opm_errors);
        verdict.findings = std::move(format.findings);
        return verdict;
    }
    if (format.media_type == helm_media_type) return verdict;
    OpmContent content(memory, verdict.findings);
    content.check_files(directory / "manifests", shown / "manifests");
    content.check_bundle();
    if (for_operatorhub) {
        check_presentation(content.last(), verdict.findings);
        check_capabilities(content.last(), verdict.findings);
        check_categories(content.last(), options, verdict.findings);
        check_removed_apis(content.last(), {}, verdict.findings);
    }
    // opm does not print warnings.
    std::erase_if(verdict.findings, [](const Diagnostic& d) { return d.severity != Severity::error; });
    sort_by_place(verdict.findings);
    return verdict;
}

} // namespace opcat
