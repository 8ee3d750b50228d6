#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/edit/edit.hpp"
#include "opcat/edit/parts.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::edit {

Edit::Edit() = default;
Edit::~Edit() = default;
Edit::Edit(Edit&&) noexcept = default;
Edit& Edit::operator=(Edit&&) noexcept = default;

bool Edit::is_changed() const {
    return std::ranges::any_of(catalogs, [](const CatalogText& catalog) { return catalog.is_changed(); });
}

namespace {

constexpr std::string_view archetypes[] = {"candidate", "fast", "stable"};

void add_to_semver(CatalogText& catalog, const AddRequest& request, std::vector<std::string>& done) {
    EditedText& text = catalog.texts().front();
    Arena& arena = catalog.arena();
    const Value& root = catalog.root();
    for (const std::string& channel : each_once(request.channels)) {
        if (std::ranges::find(archetypes, ascii_lower(channel)) == std::ranges::end(archetypes))
            throw RequestError(fmt::format("a semver template has no channel {}", channel),
                               "its kinds of channels are candidate, fast and stable; the channels follow "
                               "from the versions of bundles");
        // Keys of one file have one manner: opm takes any letter case.
        const bool capital = std::ranges::any_of(root.members(), [](const Member& member) {
            return member.key.string() != "schema" && member.key.string() != "Schema" &&
                   !member.key.string().empty() && member.key.string().front() < 'a';
        });
        const Member* const archetype = catalog.archetype(channel);
        const Value* bundles = nullptr;
        std::string_view bundles_key = capital ? "Bundles" : "bundles";
        std::string_view image_key = capital ? "Image" : "image";
        if (archetype && archetype->value.is_object())
            for (const Member& member : archetype->value.members())
                if (ascii_lower(member.key.string()) == "bundles") {
                    bundles = &member.value;
                    bundles_key = member.key.string();
                }
        if (bundles && bundles->is_array())
            for (const Value& item : bundles->items())
                for (const Member& member : item.is_object() ? item.members() : std::span<const Member>()) {
                    if (ascii_lower(member.key.string()) != "image") continue;
                    image_key = member.key.string();
                    if (member.value.string_or_empty() == request.release.image)
                        throw RequestError(fmt::format("{} has the bundle {} in {} already", catalog.path(),
                                                       request.release.image, archetype->key.string()));
                }
        const Value item = object_of({{image_key, text_of(request.release.image, arena)}}, arena);
        if (archetype && archetype->value.is_object()) {
            text.append(archetype->value, bundles_key, item);
        } else {
            const Value list = Value::of(arena.copy(std::span<const Value>(&item, 1)));
            std::string key = archetype ? std::string(archetype->key.string()) : ascii_lower(channel);
            if (!archetype && capital) key.front() = static_cast<char>(key.front() - 'a' + 'A');
            text.set(root, key, object_of({{arena.copy(bundles_key), list}}, arena));
        }
        done.push_back(fmt::format("{}: {} is in {}", catalog.path(), request.release.image, channel));
    }
}

void require_new(const CatalogText& catalog, const Release& release) {
    for (const BlobText& blob : catalog.blobs(schema::bundle)) {
        const bool is_named = !release.name.empty() && blob.name() == release.name;
        if (!is_named && !(catalog.has_only_images() && blob.text("image") == release.image)) continue;
        throw RequestError(
            is_named ? fmt::format("{} has the bundle {} already", catalog.path(), release.name)
                     : fmt::format("{} has the image {} already", catalog.path(), release.image),
            is_named ? "`opcat edit promote` adds it to further channels"
                     : "if that is the same release, `opcat edit promote` adds it to further channels by the "
                       "name that it has there");
    }
}

// A template names bundles by their images, so that another image of a release is not seen. If all entries
// have a bundle, one of them is that of an entry that is there.
void require_new_entry(const CatalogText& catalog, const AddRequest& request) {
    const Release& release = request.release;
    if (!catalog.has_only_images() || release.name.empty()) return;
    std::set<std::string_view> entries;
    for (const BlobText& channel : catalog.channels(release.package))
        for (const EntryText& entry : entries_of(channel)) entries.insert(entry.name());
    if (!entries.contains(release.name) || catalog.blobs(schema::bundle).size() < entries.size()) return;
    throw RequestError(
        fmt::format("{} has an entry {} already, and a bundle for each entry", catalog.path(), release.name),
        "`opcat edit promote` adds it to further channels, `opcat edit image` gives it another image");
}

void add_to_blobs(CatalogText& catalog, const AddRequest& request, std::vector<std::string>& done) {
    const Release& release = request.release;
    Arena& arena = catalog.arena();
    require_new(catalog, release);
    require_new_entry(catalog, request);
    const auto package = catalog.find(schema::package, release.package, release.package);
    if (!package) {
        const std::string& first =
            request.default_channel.empty() ? request.channels.front() : request.default_channel;
        catalog.add(object_of({{"schema", Value::of(schema::package)},
                               {"name", text_of(release.package, arena)},
                               {"defaultChannel", text_of(first, arena)}},
                              arena));
        done.push_back(fmt::format("{}: package {} is new, its default channel is {}", catalog.path(),
                                   release.package, first));
    } else if (!request.default_channel.empty() &&
               package->text("defaultChannel") != request.default_channel) {
        catalog.text(*package).set(package->value, "defaultChannel", text_of(request.default_channel, arena));
        done.push_back(fmt::format("{}: the default channel of {} is {}", catalog.path(), release.package,
                                   request.default_channel));
    }
    for (const std::string& channel : each_once(request.channels))
        add_entries(catalog, channel, {release}, request.edges, done);
    if (!catalog.has_only_images() && !release.blob)
        throw RequestError(fmt::format("{} is a {}, which has the whole bundle", catalog.path(),
                                       catalog.template_kind() ? "substitutes template" : "catalog"),
                           "name the bundle without --name, --version and --package, so that it is read");
    catalog.add(catalog.has_only_images() ? object_of({{"schema", Value::of(schema::bundle)},
                                                       {"image", text_of(release.image, arena)}},
                                                      arena)
                                          : *release.blob);
}

} // namespace

void EdgeChoice::require_consistent() const {
    if (none && (!replaces.empty() || !skips.empty() || !skip_range.empty() || !take_along.empty()))
        throw RequestError("--edges none is for an entry without edges, and some are named",
                           "leave one of them out");
    if (is_range(take_along) && !skip_range.empty())
        throw RequestError("--take-along with a range and --skip-range both say what the skipRange is",
                           "give one of them");
    const std::string& range = is_range(take_along) ? take_along : skip_range;
    if (const auto parsed = semver::BlangRange::parse(range); parsed && parsed->is_impossible())
        throw RequestError(fmt::format("no version is in {}: nobody would get the new one by it", range),
                           "write the lower bound first: '>=1.0.0 <2.0.0'");
}

void add(CatalogText& catalog, const AddRequest& request, std::vector<std::string>& done) {
    const std::string& version = request.release.version;
    if (!version.empty() && !semver::Version::parse(version))
        throw RequestError(fmt::format("{} is not a version", version),
                           "write MAJOR.MINOR.PATCH, such as 1.2.0");
    if (request.channels.empty())
        throw RequestError("a bundle has to be in a channel", "name it with --channel");
    if (catalog.has_only_images() && request.release.image.empty())
        throw RequestError(
            fmt::format("{} is a template, which names bundles by their images", catalog.path()),
            "name the image of the bundle, or give it with --image");
    if (catalog.is_semver() && (request.edges.is_given() || !request.default_channel.empty()))
        throw RequestError(
            fmt::format("{} is a semver template: its edges and its default channel follow from the versions",
                        catalog.path()),
            "leave them out, or edit a catalog or a basic template (opcat template convert)");
    if (!catalog.has_only_images() && request.release.image.empty())
        throw RequestError("the bundle has no pull spec, so that clusters cannot get it",
                           "give the one that it is published under: --image PULL_SPEC");
    if (catalog.is_semver())
        add_to_semver(catalog, request, done);
    else
        add_to_blobs(catalog, request, done);
}

void add(Edit& edit, const AddRequest& request) {
    for (CatalogText& catalog : edit.catalogs) add(catalog, request, edit.done);
}

} // namespace opcat::edit
