#include "catalog/order.hpp"

#include "go/sort.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace opcat {

std::vector<PackageBlobs> by_package(const Catalog& catalog) {
    struct Contents {
        std::vector<const Package*> packages;
        std::vector<const Channel*> channels;
        std::vector<const Bundle*> bundles;
        std::vector<const Deprecations*> deprecations;
        std::vector<const OtherBlob*> others;
    };
    std::map<std::string_view, Contents> packages;
    for (const Package& p : catalog.packages) packages[p.name].packages.push_back(&p);
    for (const Channel& c : catalog.channels) packages[c.package].channels.push_back(&c);
    for (const Bundle& b : catalog.bundles) packages[b.package].bundles.push_back(&b);
    for (const Deprecations& d : catalog.deprecations) packages[d.package].deprecations.push_back(&d);
    for (const OtherBlob& o : catalog.others) packages[o.package].others.push_back(&o);

    std::vector<PackageBlobs> result;
    for (auto& [name, contents] : packages) {
        if (name.empty()) continue;
        const auto by_name = [](const Blob* a, const Blob* b) { return a->name.text < b->name.text; };
        const auto by_schema = [](const OtherBlob* a, const OtherBlob* b) {
            return a->schema.text < b->schema.text;
        };
        // Where several have one name, opm's order shows.
        go_sort(std::span(contents.channels), by_name);
        go_sort(std::span(contents.bundles), by_name);
        std::stable_sort(contents.others.begin(), contents.others.end(), by_schema);
        PackageBlobs blobs{name, {}};
        const auto add = [&](const auto& some) {
            blobs.blobs.insert(blobs.blobs.end(), some.begin(), some.end());
        };
        add(contents.packages);
        add(contents.channels);
        add(contents.bundles);
        add(contents.others);
        add(contents.deprecations);
        result.push_back(std::move(blobs));
    }
    const std::vector<const OtherBlob*>& free = packages[{}].others;
    if (!free.empty()) result.push_back({{}, {free.begin(), free.end()}});
    return result;
}

} // namespace opcat
