// Checks the texts and the icon that OperatorHub.io shows.
#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/bundle_checks/addresses.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

constexpr std::array<std::string_view, 4> media_types = {"image/gif", "image/jpeg", "image/png",
                                                         "image/svg+xml"};

constexpr std::array<std::string_view, 5> capabilities = {"Basic Install", "Seamless Upgrades",
                                                          "Full Lifecycle", "Deep Insights", "Auto Pilot"};

constexpr std::array<std::string_view, 16> categories = {"AI/Machine Learning",
                                                         "Application Runtime",
                                                         "Big Data",
                                                         "Cloud Provider",
                                                         "Database",
                                                         "Developer Tools",
                                                         "Integration & Delivery",
                                                         "Logging & Tracing",
                                                         "Modernization & Migration",
                                                         "Monitoring",
                                                         "Networking",
                                                         "Observability",
                                                         "OpenShift Optional",
                                                         "Security",
                                                         "Storage",
                                                         "Streaming & Messaging"};

template <typename List>
bool is_among(const List& list, std::string_view text) {
    return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

void check_maintainers(const kube::Object& csv, Diagnostics& out) {
    for (const Fields maintainer : csv.items("spec", "maintainers")) {
        const std::string_view email = maintainer.text("email");
        if (email.empty() || maintainer.text("name").empty())
            out.push_back(error("csv-maintainers", place_of(csv, maintainer),
                                fmt::format("a maintainer has no {}", email.empty() ? "email" : "name")));
        if (!email.empty() && !is_mail_address(email))
            out.push_back(error("csv-maintainers", place_of(csv, maintainer, "email"),
                                fmt::format("\"{}\" is not an address of mail", email)));
    }
}

void check_links(const kube::Object& csv, Diagnostics& out) {
    for (const Fields link : csv.items("spec", "links")) {
        const std::string_view url = link.text("url");
        if (url.empty() || link.text("name").empty())
            out.push_back(error("csv-links", place_of(csv, link),
                                fmt::format("a link has no {}", url.empty() ? "url" : "name")));
        if (!url.empty() && !is_request_uri(url))
            out.push_back(error("csv-links", place_of(csv, link, "url"),
                                fmt::format("\"{}\" is not a URL", url), "begin it with https://"));
    }
}

void check_version(const kube::Object& csv, Diagnostics& out) {
    const auto version = semver::Version::parse_tolerant(csv.text("spec", "version"));
    if (version && *version != semver::Version{}) return;
    out.push_back(error("csv-version", place_of(csv, csv, "spec", "version"),
                        version ? "the version is 0.0.0" : "the ClusterServiceVersion has no spec.version",
                        "write the version of the operator, such as 1.0.0"));
}

// A slip of one of the types.
std::optional<Diagnostic> misspelt_type(const kube::Object& csv, const Fields& icon) {
    const std::string_view type = icon.text("mediatype");
    if (type.empty() || is_among(media_types, type)) return std::nullopt;
    std::string_view meant = misspelt(type, media_types);
    // Without "image/".
    const std::string whole = fmt::format("image/{}", type);
    if (meant.empty()) {
        const auto* const same = std::ranges::find(media_types, whole);
        meant = same == media_types.end() ? misspelt(whole, media_types) : *same;
    }
    if (meant.empty()) return std::nullopt;
    return warning("csv-icon", place_of(csv, icon, "mediatype"),
                   fmt::format("no console shows icons of type {}", type),
                   fmt::format("did you mean {}?", meant));
}

void check_icon(const kube::Object& csv, Diagnostics& out) {
    const Fields icons = csv.at("spec", "icon");
    const Location where = place_of(csv, csv, "spec", "icon");
    if (!icons) {
        out.push_back(warning("csv-icon-missing", where, "the ClusterServiceVersion has no icon",
                              "add spec.icon with one image: base64data and mediatype"));
        return;
    }
    const auto items = icons.items();
    if (items.size() != 1)
        out.push_back(error("csv-icon", where, fmt::format("there are {} icons, not one", items.size())));
    if (items.empty()) return;
    const Fields icon = items.front();
    const std::string_view type = icon.text("mediatype");
    const bool has_data = !icon.text("base64data").empty();
    if (type.empty() || !has_data)
        out.push_back(error("csv-icon", place_of(csv, icon),
                            fmt::format("the icon has no {}", has_data ? "mediatype" : "base64data")));
    if (type.empty() || is_among(media_types, type)) return;
    out.push_back(misspelt_type(csv, icon).value_or(
        error("csv-icon", place_of(csv, icon, "mediatype"),
              fmt::format("OperatorHub.io does not show icons of type {}", type),
              fmt::format("use {}", fmt::join(media_types, ", ")))));
    out.back().severity = Severity::error;
}

} // namespace

void check_presentation(const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    if (trim_white_space(csv.text("spec", "provider", "name")).empty())
        out.push_back(error("csv-provider", place_of(csv, csv, "spec", "provider", "name"),
                            "the ClusterServiceVersion does not name its provider",
                            "write spec.provider.name"));
    check_maintainers(csv, out);
    check_links(csv, out);
    check_version(csv, out);
    check_icon(csv, out);
    check_min_kube_version(bundle, out);
}

void check_icon_data(const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    for (const Fields icon : csv.items("spec", "icon")) {
        if (auto wrong = misspelt_type(csv, icon)) out.push_back(*std::move(wrong));
        const std::string_view data = icon.text("base64data");
        if (!is_base64(data))
            out.push_back(warning("csv-icon", place_of(csv, icon, "base64data"),
                                  "base64data of the icon is not base64",
                                  data.starts_with("data:")
                                      ? "remove what is before the data: \"data:\", the type and \"base64,\""
                                      : "write the bytes of the image as base64"));
    }
}

void check_capabilities(const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    const Fields level = csv.at("metadata", "annotations", "capabilities");
    if (!level || is_among(capabilities, level.value().string_or_empty())) return;
    out.push_back(error("csv-capabilities", place_of(csv, level),
                        fmt::format("\"{}\" is not a capability level", level.value().string_or_empty()),
                        fmt::format("write one of {}", fmt::join(capabilities, ", "))));
}

void check_categories(const Source& bundle, const BundleCheckOptions& options, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    const Fields annotation = csv.at("metadata", "annotations", "categories");
    if (!annotation) return;
    const std::string_view text = annotation.value().string_or_empty();
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.size(), text.find(',', begin));
        const std::string_view category = trim_white_space(text.substr(begin, end - begin));
        begin = end + 1;
        if (options.categories ? is_among(*options.categories, category) : is_among(categories, category))
            continue;
        out.push_back(error(
            "csv-categories", place_of(csv, annotation), fmt::format("\"{}\" is not a category", category),
            options.categories ? fmt::format("write one of {}", fmt::join(*options.categories, ", "))
                               : fmt::format("write one of {}", fmt::join(categories, ", "))));
    }
}

} // namespace opcat::bundle_checks
