// `opcat list images --sizes`: what pulling the images takes.
#include "commands/list.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/image/image_parts.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

// The images of one package, or of all.
struct Total {
    std::string_view package;
    std::vector<const image::ImageBlobs*> images;
    size_t unknown = 0;

    void add(const image::ImageBlobs& image) {
        images.push_back(&image);
        unknown += image.failure ? 1 : 0;
    }
};

// By package, and last of all together.
std::vector<Total> totals_of(const std::vector<ImageRow>& rows, const std::vector<image::ImageBlobs>& sizes) {
    std::map<std::string_view, Total> by_package;
    Total all{"", {}};
    for (size_t i = 0; i < rows.size(); ++i) {
        std::set<std::string_view> packages;
        for (const Bundle* const bundle : rows[i].bundles) packages.insert(bundle->package);
        for (const std::string_view package : packages) {
            Total& total = by_package[package];
            total.package = package;
            total.add(sizes[i]);
        }
        all.add(sizes[i]);
    }
    std::vector<Total> totals;
    for (auto& [name, total] : by_package) totals.push_back(std::move(total));
    totals.push_back(std::move(all));
    return totals;
}

std::string size_of(const image::ImageBlobs& image) {
    const image::ImageBlobs* const one = &image;
    return image.failure ? "unknown" : human_size(image::bytes_of(std::span(&one, 1)));
}

std::string as_table(const std::vector<ImageRow>& rows, const std::vector<image::ImageBlobs>& sizes,
                     bool wide) {
    std::string text = wide ? "IMAGE\tSIZE\tBUNDLES\n" : "IMAGE\tSIZE\n";
    for (size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::string_view> bundles;
        for (const Bundle* const bundle : rows[i].bundles) bundles.push_back(bundle->name);
        text += fmt::format("{}\t{}{}\n", cell(rows[i].image), size_of(sizes[i]),
                            wide ? "\t" + cell(fmt::format("{}", fmt::join(bundles, ","))) : std::string());
    }
    return text;
}

std::string as_table(const std::vector<Total>& totals) {
    std::string text = "PACKAGE\tIMAGES\tSIZE\n";
    for (const Total& total : totals)
        text += fmt::format("{}\t{}\t{}{}\n",
                            total.package.empty() ? std::string("all together") : cell(total.package),
                            total.images.size(), total.unknown > 0 ? "at least " : "",
                            human_size(image::bytes_of(total.images)));
    return text;
}

std::string as_json(const std::vector<ImageRow>& rows, const std::vector<image::ImageBlobs>& sizes,
                    const std::vector<Total>& totals) {
    auto json = parse_json<Json>(rows_as_json(rows));
    for (size_t i = 0; i < rows.size(); ++i) {
        const image::ImageBlobs* const one = &sizes[i];
        json["images"][i]["size"] = one->failure ? Json(nullptr) : Json(image::bytes_of(std::span(&one, 1)));
        if (one->failure) json["images"][i]["problem"] = one->failure->what();
    }
    const auto entry = [](const Total& total) {
        return Json{{"images", total.images.size()},
                    {"size", image::bytes_of(total.images)},
                    {"unknown", total.unknown}};
    };
    json["packages"] = Json::array();
    for (const Total& total : std::span(totals).first(totals.size() - 1)) {
        Json one{{"name", total.package}};
        one.update(entry(total));
        json["packages"].push_back(std::move(one));
    }
    json["together"] = entry(totals.back());
    return as_document(json);
}

} // namespace

void print_sizes(const std::vector<ImageRow>& rows, const ListOptions& options, Session& session) {
    if (options.format == Form::name)
        throw RequestError("-o name prints names alone", "leave out --sizes, or use another form");
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const ImageRow& row : rows) names.emplace_back(row.image);
    const image::Options how = image_options(options.images, session);
    image::ImageStores stores(how);
    const std::vector<image::ImageBlobs> sizes = read_blobs(stores, names, how.platform, session.pool());
    const std::vector<Total> totals = totals_of(rows, sizes);
    if (options.format == Form::json || options.format == Form::yaml) {
        const std::string json = as_json(rows, sizes, totals);
        session.out.write(options.format == Form::yaml ? json_as_yaml(json) : json);
    } else {
        const bool wide = options.format == Form::wide;
        session.out.write(wide ? align_table(as_table(rows, sizes, true), 0, EmptyColumns::kept)
                               : table_in_locale(as_table(rows, sizes, false), session));
        session.out.write("\n" + table_in_locale(as_table(totals), session));
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        if (!sizes[i].failure) continue;
        session.print_error(
            fmt::format("the size of {} is not known: {}", cell(rows[i].image), sizes[i].failure->what()),
            sizes[i].failure->hint());
        session.exit_status = exit_environment;
    }
}

} // namespace opcat
