#include "opcat/mirror/check_report.hpp"

#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

std::string_view to_string(PartState state) {
    switch (state) {
    case PartState::missing:
        return "missing";
    case PartState::damaged:
        return "damaged";
    case PartState::unknown:
        break;
    }
    return "unknown";
}

std::string_view to_string(CheckedImage::Kind kind) {
    switch (kind) {
    case CheckedImage::Kind::catalog:
        return "catalog";
    case CheckedImage::Kind::attachment:
        return "attachment";
    case CheckedImage::Kind::image:
        break;
    }
    return "image";
}

// The bundles, or what else needs it.
std::string needed_by(const CheckedImage& image) {
    constexpr size_t columns = 60;
    std::vector<std::string_view> names(image.bundles.begin(), image.bundles.end());
    if (names.empty()) names.assign(image.catalogs.begin(), image.catalogs.end());
    return shorten_list(names, columns);
}

bool has_known_fault(const CheckedImage& image) {
    return std::any_of(image.faults.begin(), image.faults.end(),
                       [](const PartFault& fault) { return fault.state != PartState::unknown; });
}

} // namespace

std::string check_as_rows(const std::vector<CheckedImage>& images) {
    std::string rows = "STATE\tIMAGE\tPART\tNEEDED BY\tREPAIR\n";
    for (const CheckedImage& image : images)
        for (const PartFault& fault : image.faults)
            rows += fmt::format("{}\t{}\t{}{}{}\t{}\t{}\n", to_string(fault.state),
                                escape_controls(image.name), fault.part, fault.digest.empty() ? "" : " ",
                                escape_controls(fault.digest), escape_controls(needed_by(image)),
                                image.repaired       ? "done"
                                : image.not_repaired ? "failed"
                                                     : "");
    return rows;
}

std::string check_as_json(const std::vector<CheckedImage>& images, const CheckTotals& totals, bool verified) {
    using Json = nlohmann::ordered_json;
    Json faulty = Json::array();
    for (const CheckedImage& image : images) {
        if (image.faults.empty()) continue;
        Json faults = Json::array();
        for (const PartFault& fault : image.faults) {
            Json one{{"state", to_string(fault.state)}, {"part", fault.part}, {"why", fault.why}};
            if (!fault.digest.empty()) one["digest"] = fault.digest;
            faults.push_back(std::move(one));
        }
        Json item{{"image", image.name},       {"kind", to_string(image.kind)}, {"catalogs", image.catalogs},
                  {"bundles", image.bundles},  {"sources", image.sources},      {"faults", std::move(faults)},
                  {"repaired", image.repaired}};
        if (!image.digest.empty()) item["digest"] = image.digest;
        if (image.not_repaired) item["notRepaired"] = image.not_repaired->what();
        faulty.push_back(std::move(item));
    }
    const FaultyImages count = count_faulty(images);
    return as_document(Json{{"schema", "opcat.mirror-check.v1"},
                            {"images", images.size()},
                            {"manifests", totals.manifests},
                            {"blobs", totals.blobs},
                            {"verified", verified},
                            {"bytesRead", totals.bytes},
                            {"broken", count.broken},
                            {"unknown", count.unknown},
                            {"faulty", std::move(faulty)}});
}

FaultyImages count_faulty(const std::vector<CheckedImage>& images) {
    FaultyImages count;
    for (const CheckedImage& image : images) {
        if (image.faults.empty() || image.repaired) continue;
        ++(has_known_fault(image) ? count.broken : count.unknown);
    }
    return count;
}

} // namespace opcat
