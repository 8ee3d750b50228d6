#include "opcat/edit/release_config.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/document/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace opcat::edit {
namespace {

namespace fs = std::filesystem;

// A file of settings: one object of YAML.
class Settings {
public:
    explicit Settings(const fs::path& path) : file_(read_file(path, path.string(), largest)) {
        Diagnostics problems;
        const auto ranges = split_into_documents(*file_, problems);
        Diagnostic problem;
        const auto root =
            ranges.empty() ? std::nullopt : read_document(*file_, ranges.front(), arena_, problem);
        if (!root || !root->is_object())
            throw RequestError(fmt::format("{} is not an object of YAML", path.string()));
        root_ = *root;
    }

    const Value& root() const { return root_; }

    // A misspelt edge would be none.
    void refuse_all_but(const Value& object, std::span<const std::string_view> known) const {
        if (!object.is_object()) refuse(object, "this must be an object");
        for (const Member& member : object.members())
            if (std::ranges::find(known, member.key.string()) == known.end())
                refuse(member.key, fmt::format("there is no field {}; the fields are {}",
                                               go_quote(member.key.string()), fmt::join(known, ", ")));
    }
    [[noreturn]] void refuse(const Value& at, const std::string& what) const {
        throw RequestError(fmt::format("{}: {}", opcat::place_of({file_.get(), at.offset(), 1}), what));
    }
    std::string text(const Value& object, std::string_view key) const {
        const Value* const found = object.find(key);
        if (!found || found->is_null()) return {};
        if (!found->is_string()) refuse(*found, fmt::format("{} must be a text", key));
        return std::string(found->string());
    }
    std::vector<std::string> texts(const Value& object, std::string_view key) const {
        std::vector<std::string> all;
        for (const Value& item : items(object, key)) {
            if (!item.is_string()) refuse(item, fmt::format("{} must be texts", key));
            all.emplace_back(item.string());
        }
        return all;
    }
    std::span<const Value> items(const Value& object, std::string_view key) const {
        const Value* const found = object.find(key);
        if (!found || found->is_null()) return {};
        if (!found->is_array()) refuse(*found, fmt::format("{} must be a list", key));
        return found->items();
    }

private:
    static constexpr uint64_t largest = uint64_t{1} << 20;

    std::unique_ptr<SourceFile> file_;
    Arena arena_;
    Value root_;
};

} // namespace

std::vector<TemplateRelease> read_release_config(const fs::path& version_directory, const Release& release,
                                                 std::span<const CatalogSetting> mapped) {
    const fs::path config = version_directory / "release-config.yaml";
    std::error_code absent;
    if (!fs::exists(config, absent))
        throw RequestError(fmt::format("{} has no release-config.yaml", version_directory.string()),
                           "name the directory of a version: operators/OPERATOR/VERSION");
    const Settings settings(config);
    std::vector<TemplateRelease> all;
    settings.refuse_all_but(settings.root(), std::array<std::string_view, 1>{"catalog_templates"});
    for (const Value& item : settings.items(settings.root(), "catalog_templates")) {
        settings.refuse_all_but(item, std::array<std::string_view, 5>{"template_name", "channels", "replaces",
                                                                      "skips", "skipRange"});
        const std::string name = settings.text(item, "template_name");
        const auto catalog = std::ranges::find_if(
            mapped, [&](const CatalogSetting& setting) { return setting.template_file.filename() == name; });
        if (catalog == mapped.end())
            settings.refuse(item,
                            fmt::format("{} is not in fbc.catalog_mapping of ci.yaml, or fbc.enabled is "
                                        "not true there",
                                        name));
        const std::string& type = catalog->template_type;
        const auto kind = type.empty() ? TemplateKind::basic : find_template_kind(type);
        if (!kind) settings.refuse(item, fmt::format("{} is of the unknown kind {} in ci.yaml", name, type));
        TemplateRelease one{.file = catalog->template_file, .kind = *kind, .request = {}};
        one.request.release = release;
        one.request.channels = settings.texts(item, "channels");
        EdgeChoice& edges = one.request.edges;
        edges.replaces = settings.text(item, "replaces");
        edges.skips = settings.texts(item, "skips");
        edges.skip_range = settings.text(item, "skipRange");
        edges.none = *kind != TemplateKind::semver && !edges.is_given();
        all.push_back(std::move(one));
    }
    if (all.empty()) settings.refuse(settings.root(), "catalog_templates names no template");
    return all;
}

} // namespace opcat::edit
