#include "opcat/mirror/run_report.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/name.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <set>

namespace opcat {
namespace {

std::string_view state_of(const image::CopyResult& copy, bool dry_run) {
    if (copy.failure) return "failed";
    if (!copy.done) return "skipped";
    return !copy.changed ? "there" : dry_run ? "missing" : "copied";
}

} // namespace

std::string run_as_json(const MirroredImages& mirrored, const std::vector<std::string>& removed,
                        bool dry_run) {
    using Json = nlohmann::ordered_json;
    Json images = Json::array();
    for (const MirroredImage& image : mirrored.images) {
        const image::CopyResult& copy = image.copy;
        Json item{{"source", copy.from}, {"target", copy.to}, {"state", state_of(copy, dry_run)}};
        if (!copy.digest.empty()) item["digest"] = copy.digest;
        if (copy.done && copy.changed) {
            item["bytes"] = copy.bytes;
            item["bytesToSend"] = copy.bytes_sent;
        }
        if (copy.failure) item["error"] = copy.failure->what();
        item["isCatalog"] = image.is_catalog;
        item["catalogs"] = image.catalogs;
        item["bundles"] = image.bundles;
        images.push_back(std::move(item));
    }
    return as_document(Json{{"schema", "opcat.mirror-run.v1"},
                            {"dryRun", dry_run},
                            {"images", std::move(images)},
                            {"removed", removed},
                            {"incompleteBundles", incomplete_bundles(mirrored)},
                            {"failed", mirrored.failed}});
}

RunTotals totals_of(const MirroredImages& mirrored) {
    RunTotals totals;
    for (const MirroredImage& image : mirrored.images) {
        if (!image.copy.done) continue;
        ++(image.copy.changed ? totals.changed : totals.there);
        totals.sent += image.copy.bytes_sent;
    }
    return totals;
}

std::string sizes_as_rows(const MirroredImages& mirrored) {
    std::string rows = "TO SEND\tSIZE\tIMAGE\tTARGET\n";
    for (const MirroredImage& image : mirrored.images)
        if (const image::CopyResult& copy = image.copy; copy.done)
            rows += fmt::format("{:>9}\t{:>9}\t{}\t{}\n", human_size(copy.bytes_sent),
                                copy.changed ? human_size(copy.bytes) : "there", copy.from, copy.to);
    return rows;
}

std::string mapping_of(const MirroredImages& mirrored, bool only_missing) {
    std::string text;
    for (const MirroredImage& image : mirrored.images) {
        const image::CopyResult& copy = image.copy;
        const bool is_made_here = !image::Name::parse(copy.from) && !copy.from.starts_with("archive:");
        if (copy.to.empty() || is_made_here || (only_missing && copy.done && !copy.changed)) continue;
        text += fmt::format("{}={}\n", copy.from, copy.to);
    }
    return text;
}

std::vector<std::string> incomplete_bundles(const MirroredImages& mirrored) {
    std::vector<std::string> bundles;
    std::set<std::string> seen;
    for (const MirroredImage& image : mirrored.images)
        if (image.copy.failure)
            for (const std::string& bundle : image.bundles)
                if (seen.insert(bundle).second) bundles.push_back(bundle);
    return bundles;
}

} // namespace opcat
