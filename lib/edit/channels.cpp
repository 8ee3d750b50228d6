// Channels as a whole, and pull specs: rename, create, default channel, images.
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/edit/channel_model.hpp"
#include "opcat/edit/edit.hpp"
#include "opcat/edit/parts.hpp"

#include <fmt/core.h>

namespace opcat::edit {
namespace {

void refuse_semver(const CatalogText& catalog) {
    if (catalog.is_semver())
        throw RequestError(
            fmt::format("{} is a semver template: its channels follow from its bundles", catalog.path()),
            "edit the catalog that it is rendered to, or a basic template (opcat template convert)");
}

void require_no_channel(const CatalogText& catalog, const std::string& package, const std::string& name) {
    if (catalog.find(schema::channel, package, name))
        throw RequestError(
            fmt::format("package {} has a channel {} in {} already", package, name, catalog.path()));
}

// Replaces the name of a channel in deprecations by its new name.
void rename_in_deprecations(CatalogText& catalog, const std::string& package, const std::string& from,
                            const std::string& to) {
    for (const BlobText& blob : catalog.blobs(schema::deprecations)) {
        if (blob.package() != package) continue;
        for (const Value& entry : blob.entries()) {
            const Value* const reference = entry.find("reference");
            const Value* const schema = reference ? reference->find("schema") : nullptr;
            const Value* const name = reference ? reference->find("name") : nullptr;
            if (schema && name && schema->string_or_empty() == schema::channel &&
                name->string_or_empty() == from)
                catalog.text(blob).set(*reference, "name", text_of(to, catalog.arena()));
        }
    }
}

} // namespace

void rename_channel(Edit& edit, const std::string& package, const std::string& from, const std::string& to) {
    for (CatalogText& catalog : edit.catalogs) {
        refuse_semver(catalog);
        const std::string of = required_package(catalog, package);
        const BlobText channel = required_channel(catalog, of, from);
        require_no_channel(catalog, of, to);
        Arena& arena = catalog.arena();
        catalog.text(channel).set(channel.value, "name", text_of(to, arena));
        if (const auto blob = catalog.find(schema::package, of, of);
            blob && blob->text("defaultChannel") == from)
            catalog.text(*blob).set(blob->value, "defaultChannel", text_of(to, arena));
        rename_in_deprecations(catalog, of, from, to);
        edit.done.push_back(fmt::format("{}: channel {} is called {}: subscriptions to {} get nothing more",
                                        catalog.path(), from, to, from));
    }
}

void create_channel(Edit& edit, const std::string& package, const std::string& name,
                    const std::string& from) {
    for (CatalogText& catalog : edit.catalogs) {
        refuse_semver(catalog);
        const std::string of = required_package(catalog, package);
        const BlobText source = required_channel(catalog, of, from);
        require_no_channel(catalog, of, name);
        Arena& arena = catalog.arena();
        const Value* const entries = source.value.find("entries");
        catalog.add(object_of({{"schema", Value::of(schema::channel)},
                               {"package", text_of(of, arena)},
                               {"name", text_of(name, arena)},
                               {"entries", entries ? *entries : Value()}},
                              arena));
        edit.done.push_back(fmt::format("{}: channel {} has the entries of {}", catalog.path(), name, from));
    }
}

void set_default_channel(Edit& edit, const std::string& package, const std::string& channel) {
    for (CatalogText& catalog : edit.catalogs) {
        refuse_semver(catalog);
        const std::string of = required_package(catalog, package);
        const BlobText wanted = required_channel(catalog, of, channel);
        const auto blob = catalog.find(schema::package, of, of);
        if (!blob) throw RequestError(fmt::format("{} has no olm.package blob of {}", catalog.path(), of));
        if (blob->text("defaultChannel") == channel) continue;
        catalog.text(*blob).set(blob->value, "defaultChannel", text_of(wanted.name(), catalog.arena()));
        edit.done.push_back(fmt::format("{}: the default channel of {} is {}", catalog.path(), of, channel));
    }
}

namespace {

using ChangeImage = std::function<std::optional<std::string>(const std::string& image)>;

// The images in the fields of a bundle and of its related images, and below `bundles` of a semver template.
size_t change_images_in(EditedText& text, const Value& value, const ChangeImage& change) {
    size_t changed = 0;
    if (value.is_array())
        for (const Value& item : value.items()) changed += change_images_in(text, item, change);
    if (!value.is_object()) return changed;
    for (const Member& member : value.members()) {
        const std::string key = ascii_lower(member.key.string());
        if (key == "image" && member.value.is_string()) {
            const std::string image(member.value.string());
            if (const auto now = change(image); now && *now != image) {
                text.set(value, member.key.string(), text_of(*now, text.arena()));
                ++changed;
            }
        } else if (key == "entries" || key == "relatedimages" || key == "bundles" || key == "candidate" ||
                   key == "fast" || key == "stable") {
            changed += change_images_in(text, member.value, change);
        }
    }
    return changed;
}

} // namespace

void change_images(Edit& edit, const std::string& package, const ChangeImage& change) {
    size_t changed = 0;
    for (CatalogText& catalog : edit.catalogs) {
        size_t here = 0;
        if (catalog.is_semver()) {
            EditedText& text = catalog.texts().front();
            for (const Value& document : text.documents()) here += change_images_in(text, document, change);
        } else if (!package.empty()) {
            required_package(catalog, package);
            if (catalog.has_only_images() && catalog.packages().size() > 1)
                throw RequestError(
                    fmt::format("{} has several packages, and does not say whose its images are",
                                catalog.path()),
                    "leave out --package, and name all of a repository with --from");
        }
        for (const BlobText& bundle : catalog.blobs(schema::bundle))
            if (package.empty() || catalog.has_only_images() || bundle.package() == package)
                here += change_images_in(catalog.text(bundle), bundle.value, change);
        if (here > 0)
            edit.done.push_back(fmt::format("{}: {} changed", catalog.path(), counted(here, "pull spec")));
        changed += here;
    }
    if (changed == 0)
        throw RequestError("no image of a bundle has that pull spec",
                           "`opcat list images REF` lists those that a catalog has");
}

} // namespace opcat::edit
