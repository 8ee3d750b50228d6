#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/template/template.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace opcat {
namespace {

std::vector<BundleReference> read_references(const std::vector<Bundle>& bundles, Diagnostics& out) {
    static constexpr std::string_view known[] = {"schema", "image", "name"};
    std::vector<BundleReference> references;
    std::set<std::string_view> seen;
    for (const Bundle& bundle : bundles) {
        if (bundle.image.empty() || !bundle.package.empty() || !bundle.properties.empty() ||
            !bundle.related_images.empty())
            out.push_back(error("template", bundle.start(),
                                "a bundle in a basic template must have an image, and neither package, "
                                "properties nor relatedImages",
                                "write nothing but schema and image: the rest comes from the bundle"));
        else
            FieldReader(bundle.file, bundle.value, "a bundle in a basic template", out)
                .refuse_all_but(known, "template", Severity::warning);
        if (!bundle.image.empty() && !seen.insert(bundle.image).second)
            out.push_back(warning("template", bundle.at(bundle.image),
                                  fmt::format("the bundle {} is listed twice", bundle.image.text),
                                  "remove one of the two"));
        references.push_back({bundle.image, bundle.at(bundle.image)});
    }
    return references;
}

struct NamedBundle {
    const Channel* channel;
    const ChannelEntry* entry; // the first one of its name
};

std::vector<NamedBundle> bundles_of_channels(const std::vector<Channel>& channels) {
    std::vector<NamedBundle> named;
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Channel& channel : channels)
        for (const ChannelEntry& entry : channel.entries)
            if (!entry.name.empty() && seen.emplace(channel.package, entry.name).second)
                named.push_back({&channel, &entry});
    return named;
}

// A bundle that is listed again instead of the one that is missing: one mistake. False: it is another one.
bool report_repeated(const std::vector<BundleReference>& references, const std::vector<NamedBundle>& unlike,
                     size_t missing, LoadedCatalog& loaded) {
    std::set<std::string_view> seen;
    std::vector<BundleReference> repeated;
    for (const BundleReference& reference : references)
        if (!seen.insert(reference.text).second) repeated.push_back(reference);
    if (repeated.size() != missing) return false;
    for (size_t i = 0; i < repeated.size(); ++i) {
        const Location where = repeated[i].where;
        // Which says less.
        std::erase_if(loaded.diagnostics, [&](const Diagnostic& known) {
            return known.rule == "template" && known.where.offset == where.offset;
        });
        const bool is_known = unlike.size() == missing;
        loaded.oddities.push_back(error(
            "entry-without-bundle", where,
            fmt::format("the bundle {} is listed twice, and {} has no bundle", repeated[i].text,
                        is_known ? fmt::format("entry \"{}\"", unlike[i].entry->name.text) : "an entry"),
            "write the image of the bundle that is missing in place of one of the two"));
    }
    return true;
}

// All of it loads, so that it hides no other finding.
// Which ones have no bundle only the bundles can tell; but if just as many have a version that no image
// names, it is these.
void report_too_few(const std::vector<NamedBundle>& named, const std::set<std::string_view>& images,
                    const std::vector<BundleReference>& references, LoadedCatalog& loaded) {
    std::vector<NamedBundle> unlike;
    std::copy_if(named.begin(), named.end(), std::back_inserter(unlike), [&](const NamedBundle& one) {
        const std::string_view version = version_in_name(one.entry->name);
        return !version.empty() && std::none_of(images.begin(), images.end(), [&](std::string_view image) {
            return image.find(version) != image.npos;
        });
    });
    if (report_repeated(references, unlike, named.size() - images.size(), loaded)) return;
    Diagnostics& out = loaded.oddities;
    const std::string counts =
        fmt::format("the channels have {} of different names, and the template has {}",
                    named.size() == 1 ? "1 entry" : fmt::format("{} entries", named.size()),
                    counted(images.size(), "bundle"));
    if (unlike.size() == named.size() - images.size()) {
        for (const NamedBundle& one : unlike)
            out.push_back(with_note(error("entry-without-bundle", one.channel->at(one.entry->name),
                                          fmt::format("entry \"{}\" of channel \"{}\" has no bundle",
                                                      one.entry->name.text, one.channel->name.text),
                                          "add \"schema: olm.bundle\" with its image"),
                                    counts + ", of which no image names this version"));
        return;
    }
    out.push_back(error("entry-without-bundle", named.front().channel->start(),
                        counts + ": some have no bundle",
                        "add the missing bundles; --resolve-images pulls those that are there and names the "
                        "entries"));
}

// The bundles are there, but only the channels name them.
void leave_unknown(const std::vector<BundleReference>& references, LoadedCatalog& loaded) {
    loaded.catalog.bundles.clear();
    if (references.empty()) return;
    std::set<std::string_view> images;
    for (const BundleReference& reference : references) images.insert(reference.text);
    const std::vector<NamedBundle> named = bundles_of_channels(loaded.catalog.channels);
    if (named.size() > images.size()) report_too_few(named, images, references, loaded);
    loaded.bundles_unknown = true;
    for (const auto& [channel, entry] : named) {
        Bundle bundle;
        bundle.is_unknown = true;
        bundle.name = entry->name;
        bundle.package = channel->package;
        bundle.origin = {channel->file, channel->at(entry->name).offset, 0};
        loaded.catalog.bundles.push_back(bundle);
    }
}

} // namespace

LoadedCatalog render_basic(const TemplateFile& file, const LoadBundles& load) {
    LoadedCatalog result;
    static constexpr std::string_view known[] = {"schema", "entries"};
    file.fields(result.diagnostics).refuse_all_but(known, "template", Severity::warning);
    decode_entries(file, result);
    const std::vector<BundleReference> references =
        read_references(result.catalog.bundles, result.diagnostics);
    auto bundles = has_errors(result.diagnostics) ? std::nullopt : load_bundles(references, load, result);
    if (bundles)
        result.catalog.bundles = *std::move(bundles);
    else
        leave_unknown(references, result);
    return result;
}

} // namespace opcat
