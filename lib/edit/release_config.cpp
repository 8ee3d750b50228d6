#include "opcat/edit/release_config.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/stream.hpp"

#include <fmt/core.h>

#include <map>
#include <memory>

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

// The kinds of an operator's templates by their names.
std::map<std::string, TemplateKind> mapped_templates(const Settings& ci) {
    const Value* const fbc = ci.root().find("fbc");
    const Value* const enabled = fbc ? fbc->find("enabled") : nullptr;
    if (!enabled || !enabled->is_boolean() || !enabled->boolean())
        ci.refuse(fbc ? *fbc : ci.root(), "fbc.enabled is not true: the operator has no catalog templates");
    std::map<std::string, TemplateKind> kinds;
    for (const Value& item : ci.items(*fbc, "catalog_mapping")) {
        const std::string type = ci.text(item, "type");
        const auto kind = type.empty() ? TemplateKind::basic : find_template_kind(type);
        if (!kind) ci.refuse(item, fmt::format("{} is no kind of template", type));
        kinds[ci.text(item, "template_name")] = *kind;
    }
    return kinds;
}

} // namespace

std::vector<TemplateRelease> read_release_config(const fs::path& version_directory, const Release& release) {
    const fs::path directory = fs::absolute(version_directory).lexically_normal();
    const fs::path config = version_directory / "release-config.yaml";
    std::error_code absent;
    if (!fs::exists(config, absent))
        throw RequestError(fmt::format("{} has no release-config.yaml", version_directory.string()),
                           "name the directory of a version: operators/OPERATOR/VERSION");
    const fs::path of_operator =
        directory.filename().empty() ? directory.parent_path().parent_path() : directory.parent_path();
    const Settings settings(config);
    const auto kinds = mapped_templates(Settings(of_operator / "ci.yaml"));
    std::vector<TemplateRelease> all;
    for (const Value& item : settings.items(settings.root(), "catalog_templates")) {
        const std::string name = settings.text(item, "template_name");
        const auto kind = kinds.find(name);
        if (kind == kinds.end() || fs::path(name).filename() != name)
            settings.refuse(item, fmt::format("{} is not in fbc.catalog_mapping of ci.yaml", name));
        TemplateRelease one{
            .file = (of_operator / "catalog-templates" / name).lexically_proximate(fs::current_path()),
            .kind = kind->second,
            .request = {}};
        one.request.release = release;
        one.request.channels = settings.texts(item, "channels");
        EdgeChoice& edges = one.request.edges;
        edges.replaces = settings.text(item, "replaces");
        edges.skips = settings.texts(item, "skips");
        edges.skip_range = settings.text(item, "skipRange");
        edges.none = !edges.is_given();
        all.push_back(std::move(one));
    }
    if (all.empty()) settings.refuse(settings.root(), "catalog_templates names no template");
    return all;
}

} // namespace opcat::edit
