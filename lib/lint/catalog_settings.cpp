#include "opcat/lint/catalog_settings.hpp"

#include "opcat/base/below.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace opcat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view rule = "configuration";
constexpr std::string_view placeholder = "{version}";

// "4.18" as it is written, and nothing longer.
std::optional<olmv1::MinorVersion> minor_version(std::string_view text) {
    const auto version = olmv1::minor_version_of_cluster(text);
    if (!version || version->to_string() != text) return std::nullopt;
    return *version;
}

bool has_extension(const fs::path& file) {
    const std::string extension = file.extension().string();
    return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

class Reader {
public:
    Reader(const SourceFile& file, fs::path directory, Diagnostics& diagnostics)
        : file_(file), directory_(std::move(directory)), diagnostics_(diagnostics) {}

    std::vector<CatalogSetting> read(const Value& list) {
        for (const Value& item : list.items()) {
            if (item.is_object())
                read_item(item);
            else
                add_error(item, fmt::format("a catalog must be an object, not {}", describe(item.kind())),
                          "write {template: FILE, catalog: FILE, openshift: [\"4.18\"]}");
        }
        refuse_overwritten_templates();
        return std::move(all_);
    }

    std::vector<CatalogSetting> read_mapping(const Value& root) {
        const FieldReader fields(&file_, root, "ci.yaml", diagnostics_);
        const Value* const fbc = fields.object("fbc");
        if (!fbc) return {};
        const FieldReader of_fbc(&file_, *fbc, "fbc", diagnostics_);
        const Value* const enabled = of_fbc.find("enabled");
        const Value* const mapping = of_fbc.array("catalog_mapping");
        if (!mapping || !enabled || !enabled->is_boolean() || !enabled->boolean()) return {};
        const fs::path repository = directory_.parent_path().parent_path();
        const std::string operator_name = directory_.filename().string();
        for (const Value& item : mapping->items()) {
            if (!item.is_object()) continue;
            const FieldReader one(&file_, item, "an item of catalog_mapping", diagnostics_);
            const Text name = one.string("template_name");
            const Text type = one.string("type");
            const auto from = template_named(name);
            for (const Text& catalog : one.strings("catalog_names", arena_)) {
                std::string_view version = catalog;
                if (version.starts_with('v')) version.remove_prefix(1);
                const auto to =
                    path_of(catalog, repository,
                            (fs::path("catalogs") / catalog.text / operator_name / "catalog.yaml").string());
                if (from && to)
                    add({.template_file = *from,
                         .catalog = *to,
                         .openshift = minor_version(version) ? std::string(version) : std::string(),
                         .origin = origin(catalog.offset),
                         .template_type = std::string(type.text)},
                        catalog);
            }
        }
        refuse_overwritten_templates();
        return std::move(all_);
    }

private:
    std::string origin(uint32_t offset) const { return place_of({&file_, offset, 1}); }

    void add_error(const Value& at, std::string message, std::string help = {}) {
        const auto length = static_cast<uint32_t>(std::max<size_t>(1, at.string_or_empty().size()));
        diagnostics_.push_back(
            error(rule, {&file_, at.offset(), length}, std::move(message), std::move(help)));
    }
    void add_error(const Text& at, std::string message, std::string help = {}) {
        add_error(Value::of(at.text, at.offset), std::move(message), std::move(help));
    }

    // A path below `top`, and not in a repository of git; nothing, with an error at `written`, if it leads
    // elsewhere.
    std::optional<fs::path> path_of(const Text& written, const fs::path& top, const std::string& path) {
        fs::path whole = (top / path).lexically_normal();
        if (!whole.has_filename()) whole = whole.parent_path(); // "catalog/"
        std::error_code failed;
        const fs::path real_top = fs::weakly_canonical(top, failed);
        const fs::path real = fs::weakly_canonical(whole, failed);
        const auto lies_in = [](const fs::path& one, const fs::path& directory) {
            const fs::path inside = one.lexically_relative(directory);
            return is_below(one, directory) && one != directory &&
                   std::ranges::none_of(inside, is_git_directory);
        };
        if (!path.empty() && !failed && lies_in(whole, top) && lies_in(real, real_top)) return whole;
        add_error(written, fmt::format("{} is not a path below {}", go_quote(written.text),
                                       top == directory_                 ? "the directory of this file"
                                       : top.parent_path() == directory_ ? top.filename().string() + "/"
                                                                         : "the repository"));
        return std::nullopt;
    }

    // In the directory of an operator's templates: elsewhere are its other files, such as ci.yaml.
    std::optional<fs::path> template_named(const Text& name) {
        const std::string templates = "catalog-templates";
        auto path = path_of(name, directory_, (fs::path(templates) / name.text).string());
        if (path) path = path_of(name, directory_ / templates, std::string(name.text));
        return path;
    }

    // Other files are not opened as templates: the excerpts of findings would show them.
    std::optional<fs::path> template_at(const Text& written, std::optional<fs::path> path) {
        std::error_code failed;
        if (!path || (has_extension(*path) && has_extension(fs::weakly_canonical(*path, failed))))
            return path;
        add_error(written, fmt::format("{} is not a template: its name does not end in .yaml, .yml or .json",
                                       go_quote(written.text)));
        return std::nullopt;
    }

    // Returns a path of an item with the version in place of the braces.
    std::optional<fs::path> path_for(const Text& written, const std::string& version) {
        std::string path(written.text);
        for (size_t at = path.find('{'); at != path.npos; at = path.find('{', at)) {
            if (path.compare(at, placeholder.size(), placeholder) != 0) {
                add_error(written,
                          fmt::format("{} has a brace that is not {}", go_quote(written.text), placeholder));
                return std::nullopt;
            }
            if (version.empty()) {
                add_error(written,
                          fmt::format("{} names a version, and there is none", go_quote(written.text)),
                          "list the versions: openshift: [\"4.17\", \"4.18\"]");
                return std::nullopt;
            }
            path.replace(at, placeholder.size(), version);
            at += version.size();
        }
        return path_of(written, directory_, path);
    }

    // Texts, since the number 4.20 is 4.2.
    std::vector<std::pair<std::string, Value>> versions_of(const FieldReader& fields) {
        std::vector<std::pair<std::string, Value>> versions;
        const Value* const list = fields.array("openshift");
        if (!list) return versions;
        for (const Value& item : list->items()) {
            const std::string text(item.string_or_empty());
            if (minor_version(text))
                versions.emplace_back(text, item);
            else if (item.is_string())
                add_error(item, fmt::format("{} is not a minor version of OpenShift", go_quote(text)),
                          "write it as \"4.18\"");
            else
                add_error(
                    item,
                    fmt::format("a version of OpenShift must be a string, not {}", describe(item.kind())),
                    "write it in quotes: without them, 4.20 is the number 4.2");
        }
        if (list->items().empty())
            add_error(*list, "the list of versions is empty", "leave it out, or write [\"4.18\"]");
        return versions;
    }

    void read_item(const Value& item) {
        const FieldReader fields(&file_, item, "a catalog", diagnostics_);
        constexpr std::array<std::string_view, 4> known{"template", "catalog", "openshift", "layout"};
        fields.refuse_all_but(known, rule);
        const size_t before = diagnostics_.added();
        const Text from = fields.string("template");
        const Text to = fields.string("catalog");
        const Text layout = fields.string("layout");
        const auto versions = versions_of(fields);
        CatalogSetting setting{.template_file = {},
                               .catalog = {},
                               .openshift = {},
                               .layout = find_layout(layout).value_or(Layout::package),
                               .origin = origin(item.offset())};
        if (to.empty() && diagnostics_.added() == before)
            add_error(Value::of_null(item.offset()), "a catalog needs \"catalog\"",
                      "name the file or directory that it is in");
        if (!layout.empty() && !find_layout(layout))
            add_error(layout, fmt::format("{} is not a layout", go_quote(layout.text)),
                      fmt::format("the layouts are {}", fmt::join(layout_names, ", ")));
        if (diagnostics_.added() != before) return;
        const bool needs_placeholder = versions.size() > 1;
        if (needs_placeholder && to.text.find(placeholder) == std::string_view::npos)
            return add_error(
                to, fmt::format("{} is one catalog for {} versions", go_quote(to.text), versions.size()),
                fmt::format("write {} where the version belongs", placeholder));
        const auto add_version = [&](const std::string& version) {
            const auto catalog = path_for(to, version);
            const auto source =
                from.empty() ? std::optional<fs::path>() : template_at(from, path_for(from, version));
            if (!catalog || (!from.empty() && !source)) return false;
            setting.catalog = *catalog;
            setting.template_file = source.value_or(fs::path());
            setting.openshift = version;
            if (!layout.empty() && setting.is_file()) {
                add_error(layout,
                          fmt::format("{} is a file, and layouts are for directories", go_quote(to.text)),
                          "name a directory");
                return false;
            }
            return add(setting, to);
        };
        if (versions.empty()) add_version({});
        // One mistake is enough for all versions.
        for (const auto& [version, at] : versions)
            if (!add_version(version)) return;
    }

    // Rendering would replace what people wrote.
    void refuse_overwritten_templates() {
        for (const CatalogSetting& setting : all_)
            if (const auto same = places_.find(setting.template_file); same != places_.end())
                add_error(written_.at(same->first),
                          fmt::format("{} is a template, too: rendering it would overwrite it",
                                      same->first.lexically_relative(directory_).string()),
                          fmt::format("give the catalog another name; the template is named at {}",
                                      setting.origin));
    }

    bool add(CatalogSetting setting, const Text& written) {
        if (!places_.emplace(setting.catalog, setting.origin).second) {
            add_error(
                written,
                fmt::format("{} is named twice", setting.catalog.lexically_relative(directory_).string()),
                fmt::format("also at {}", places_[setting.catalog]));
            return false;
        }
        written_.emplace(setting.catalog, written);
        all_.push_back(std::move(setting));
        return true;
    }

    const SourceFile& file_;
    const fs::path directory_;
    Diagnostics& diagnostics_;
    Arena arena_;
    std::vector<CatalogSetting> all_;
    std::map<fs::path, std::string> places_; // and where each is named
    std::map<fs::path, Text> written_;       // and how
};

} // namespace

bool CatalogSetting::is_file() const {
    return has_extension(catalog);
}

bool CatalogSetting::takes_csv_metadata() const {
    const auto version = minor_version(openshift);
    return version && *version >= olmv1::MinorVersion{4, 17};
}

std::vector<CatalogSetting> read_catalog_settings(const SourceFile& file, const Value& list,
                                                  const fs::path& directory, Diagnostics& diagnostics) {
    return Reader(file, directory, diagnostics).read(list);
}

std::vector<CatalogSetting> read_catalog_mapping(const SourceFile& file, const fs::path& directory,
                                                 Diagnostics& diagnostics) {
    Arena arena;
    const auto root = read_object(file, arena, "ci.yaml", rule, diagnostics);
    if (!root) return {};
    return Reader(file, directory, diagnostics).read_mapping(*root);
}

std::string openshift_version_for(const fs::path& path, const std::vector<CatalogSetting>& catalogs) {
    const fs::path absolute = fs::absolute(path).lexically_normal();
    for (const CatalogSetting& setting : catalogs)
        if (is_below(absolute, setting.catalog) ||
            (setting.is_file() && setting.catalog.parent_path() == absolute))
            return setting.openshift;
    return {};
}

} // namespace opcat
