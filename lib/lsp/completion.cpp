#include "opcat/lsp/completion.hpp"

#include "opcat/lint/rules.hpp"
#include "opcat/lsp/mentions.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

namespace opcat::lsp {

namespace {

constexpr size_t most_completions = 1'000;

// A text as a value: in quotes where JSON or YAML needs them and none are open.
std::string as_value(std::string_view text, const CursorContext& context) {
    if (context.quote != 0) return std::string(text);
    const bool special = text.empty() ||
                         std::string_view(">=<!*&%@`|[]{},#?-\"' ").find(text.front()) != text.npos ||
                         text.find(": ") != text.npos || text.find(" #") != text.npos ||
                         (text.find_first_not_of("0123456789.eExX+-_:") == text.npos &&
                          std::count(text.begin(), text.end(), '.') < 2);
    return context.is_json || special ? fmt::format("\"{}\"", text) : std::string(text);
}

// Returns the name of a field with what is written after it.
std::string as_field(const Field& field, const CursorContext& context) {
    if (context.is_json) {
        const std::string name = context.quote != 0 ? field.name : fmt::format("\"{}\"", field.name);
        return context.quote != 0 ? name : name + ": ";
    }
    const bool in_flow = !context.path.empty() && context.indent.empty();
    if (in_flow || !field.is_collection()) return field.name + ": ";
    const std::string deeper = "\n" + context.indent + "  ";
    return field.name + ":" + deeper + (field.type == "array" ? "- " : "");
}

std::string version_text(const Bundle& bundle) {
    const BundleVersion version = version_of(bundle, false);
    return version ? shown(*version, false) : std::string();
}

// "shop.v1.2.3" to "1.2.3".
std::string version_in_name(std::string_view name) {
    const size_t dot = name.find(".v");
    if (dot == name.npos) return {};
    const std::string_view rest = name.substr(dot + 2);
    return !rest.empty() && rest.front() >= '0' && rest.front() <= '9' ? std::string(rest) : std::string();
}

class Completer {
public:
    Completer(DocumentKind kind, const CursorContext& context, const FieldSchemas& schemas,
              const CatalogAnalysis* analysis)
        : kind_(kind), context_(context), schemas_(schemas), analysis_(analysis) {}

    std::vector<Completion> run() {
        if (context_.is_key) {
            if (!ends_in_item() || !offer_items()) offer_fields();
        } else if (!offer_references()) {
            offer_values();
        }
        if (all_.size() > most_completions) all_.resize(most_completions);
        return std::move(all_);
    }

private:
    bool ends_in_item() const { return !context_.path.empty() && context_.path.back() == "[]"; }

    void add(CompletionKind kind, std::string_view value, std::string detail = {},
             std::string documentation = {}) {
        if (!value.empty() && seen_.emplace(value).second)
            all_.push_back({std::string(value), as_value(value, context_), std::move(detail),
                            std::move(documentation), kind});
    }

    void offer_fields() {
        const std::set<std::string_view> given = [&] {
            std::set<std::string_view> names;
            if (!context_.siblings.empty())
                for (const auto& [name, value] : context_.siblings.front()) names.insert(name);
            return names;
        }();
        if (kind_ == DocumentKind::configuration && !context_.path.empty() &&
            context_.path.back() == "rules") {
            for (const Rule& rule : rules())
                if (!given.contains(rule.id))
                    all_.push_back({std::string(rule.id), std::string(rule.id) + ": ",
                                    std::string(rule.title), std::string(rule.why), CompletionKind::field});
            return;
        }
        std::vector<Field> fields = schemas_.fields(kind_, context_);
        std::stable_partition(fields.begin(), fields.end(),
                              [](const Field& field) { return field.required; });
        for (const Field& field : fields)
            if (!given.contains(field.name))
                all_.push_back({field.name, as_field(field, context_), field.required ? "required" : "",
                                field.description, CompletionKind::field});
    }

    // An item of a list of names, which looks like a key while it is typed.
    bool offer_items() {
        const size_t before = all_.size();
        offer_references();
        return all_.size() > before || schemas_.fields(kind_, context_).empty();
    }

    // The name of the object that an item of a list is, or the blob is, around the cursor.
    std::string_view package() const {
        return context_.root("schema") == schema::package ? context_.root("name") : context_.root("package");
    }

    // The name of the innermost object around the cursor that has one.
    std::string_view name_around() const {
        for (size_t level = 0; level < context_.siblings.size(); ++level)
            if (const std::string_view name = context_.sibling("name", level); !name.empty()) return name;
        return {};
    }

    bool offer_references() {
        const std::string field = context_.field();
        switch (kind_) {
        case DocumentKind::blob:
            return offer_in_blob(field);
        case DocumentKind::basic_template:
        case DocumentKind::substitutes_template:
            return offer_in_entry();
        case DocumentKind::configuration:
            if (field == "rules[].id") {
                for (const Rule& rule : rules()) add(CompletionKind::value, rule.id, std::string(rule.title));
                return true;
            }
            if (field.starts_with("rules.") || field.starts_with("overrides[].rules.")) {
                for (const std::string_view level : level_names) add(CompletionKind::value, level);
                return true;
            }
            return field == "overrides[].packages[]" && offer_packages();
        case DocumentKind::filter:
            if (field == "packages[].name") return offer_packages();
            if (field == "packages[].channels[]") return offer_channels(name_around());
            if (field == "packages[].versions[]") return offer_ranges(name_around(), {});
            return false;
        default:
            return false;
        }
    }

    // An entry of a template is a blob.
    bool offer_in_entry() {
        CursorContext in_blob = context_;
        if (in_blob.path.size() < 3 || in_blob.path.front() != "entries" || in_blob.siblings.size() < 2)
            return offer_in_blob(context_.field());
        in_blob.path.erase(in_blob.path.begin(), in_blob.path.begin() + 2);
        in_blob.siblings.pop_back();
        Completer of_blob(DocumentKind::blob, in_blob, schemas_, analysis_);
        const bool answers = of_blob.offer_in_blob(in_blob.field());
        all_ = std::move(of_blob.all_);
        return answers;
    }

    bool offer_in_blob(const std::string& field) {
        const std::string_view schema_name = context_.root("schema");
        if (field == "schema") return offer_schemas();
        if (field == "package") return offer_packages();
        if (field == "properties[].type") {
            for (const std::string& type : schemas_.property_types())
                add(CompletionKind::value, type, schemas_.describe_property_type(type));
            return true;
        }
        if (field.starts_with("properties[].value")) return offer_in_property(field);
        if (schema_name == schema::package && field == "defaultChannel") return offer_channels(package());
        if (schema_name == schema::channel) {
            if (field == "entries[].name") return offer_bundles(true);
            if (field == "entries[].replaces" || field == "entries[].skips[]") return offer_bundles(false);
            if (field == "entries[].skipRange") return offer_ranges(package(), context_.sibling("name"));
        }
        if (schema_name == schema::deprecations) {
            if (field == "entries[].reference.schema") {
                for (const std::string_view name : {schema::bundle, schema::channel, schema::package})
                    add(CompletionKind::value, name);
                return true;
            }
            if (field == "entries[].reference.name")
                return context_.sibling("schema") == schema::channel ? offer_channels(package())
                                                                     : offer_bundles(false);
        }
        if (schema_name == schema::bundle && field == "name") return offer_missing_bundles();
        return false;
    }

    bool offer_schemas() {
        for (const std::string& name : schemas_.blob_schemas())
            add(CompletionKind::value, name, schemas_.describe_schema(name));
        for (const std::string_view name : {"olm.template.basic", "olm.semver", "olm.template.substitutes"})
            add(CompletionKind::value, name, "a template");
        return true;
    }

    bool offer_packages() {
        if (analysis_)
            for (const std::string_view name : packages_of(*analysis_)) add(CompletionKind::reference, name);
        return true;
    }

    PackageIndex index(std::string_view package) const {
        return analysis_ ? index_of_package(*analysis_, package) : PackageIndex();
    }

    bool offer_channels(std::string_view package) {
        for (const Channel* channel : index(package).channels) add(CompletionKind::reference, channel->name);
        return true;
    }

    // Bundles of the package; for new entries first those that no entry of the channel is for. Names that
    // only edges have come last.
    bool offer_bundles(bool for_entry) {
        const PackageIndex of_package = index(package());
        const std::string_view own = for_entry ? std::string_view() : name_around();
        std::set<std::string_view> entries;
        for (const Channel* channel : of_package.channels)
            if (channel->name == context_.root("name"))
                for (const ChannelEntry& entry : channel->entries) entries.insert(entry.name);
        std::vector<const Bundle*> bundles = of_package.bundles;
        std::reverse(bundles.begin(), bundles.end()); // new ones are at the end
        std::stable_partition(bundles.begin(), bundles.end(), [&](const Bundle* bundle) {
            return entries.contains(bundle->name) != for_entry;
        });
        for (const Bundle* bundle : bundles) {
            if (bundle->name == own && !for_entry) continue;
            add(CompletionKind::reference, bundle->name, version_text(*bundle));
        }
        if (!for_entry)
            for (const std::string_view entry : entries)
                if (entry != own) add(CompletionKind::reference, entry);
        return true;
    }

    // Names that entries have and no bundle.
    bool offer_missing_bundles() {
        const PackageIndex of_package = index(package());
        for (const Channel* channel : of_package.channels)
            for (const ChannelEntry& entry : channel->entries)
                if (!of_package.bundle_by_name.contains(entry.name))
                    add(CompletionKind::reference, entry.name,
                        fmt::format("an entry of {}", channel->name.text));
        return true;
    }

    // For a new version of a package, ranges of what is before it: of its own minor version, and from each
    // earlier one on.
    bool offer_ranges(std::string_view package, std::string_view upper_name) {
        const PackageIndex of_package = index(package);
        std::set<semver::VersionRelease> versions;
        std::optional<semver::VersionRelease> upper;
        for (const Bundle* bundle : of_package.bundles)
            if (const BundleVersion version = version_of(*bundle, false)) {
                versions.insert(*version);
                if (bundle->name == upper_name) upper = *version;
            }
        std::string end;
        if (upper)
            end = fmt::format(" <{}", shown(*upper, false));
        else if (const std::string text = version_in_name(upper_name); !text.empty())
            end = " <" + text;
        std::set<std::pair<uint64_t, uint64_t>> minors;
        for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
            if (upper && !(*version < *upper)) continue;
            const std::pair minor(version->version.major, version->version.minor);
            if (minors.insert(minor).second)
                add(CompletionKind::value, fmt::format(">={}.{}.0{}", minor.first, minor.second, end));
        }
        return true;
    }

    bool offer_in_property(const std::string& field) {
        std::string_view type;
        for (size_t level = 1; level < context_.siblings.size() && type.empty(); ++level)
            type = context_.sibling("type", level);
        if (field == "properties[].value.packageName") {
            if (type == property_type::package)
                add(CompletionKind::reference, package());
            else
                offer_packages();
            return true;
        }
        if (type == property_type::package && field == "properties[].value.version") {
            add(CompletionKind::value, version_in_name(context_.root("name")), "from the name of the bundle");
            return true;
        }
        if (type == property_type::package_required && field == "properties[].value.versionRange")
            return offer_ranges(context_.sibling("packageName"), {});
        if (type == property_type::gvk_required)
            for (const std::string_view part : {"group", "version", "kind"})
                if (field == fmt::format("properties[].value.{}", part)) return offer_apis(part);
        return false;
    }

    // Offers the APIs that bundles of the catalog provide, as far as they fit what is given.
    bool offer_apis(std::string_view part) {
        if (!analysis_) return true;
        const auto text = [](const Value& api, std::string_view name) {
            const Value* const found = api.find(name);
            return found ? found->string_or_empty() : std::string_view();
        };
        analysis_->for_each_catalog([&](const Catalog& catalog) {
            for (const Bundle& bundle : catalog.bundles)
                for (const Property& property : bundle.properties) {
                    if (property.type != property_type::gvk || !property.value) continue;
                    bool fits = true;
                    for (const std::string_view other : {"group", "version", "kind"})
                        if (const std::string_view given = context_.sibling(other);
                            other != part && !given.empty())
                            fits &= text(*property.value, other) == given;
                    if (fits)
                        add(CompletionKind::reference, text(*property.value, part),
                            std::string(bundle.package.text));
                }
        });
        return true;
    }

    void offer_values() {
        if (const auto field = schemas_.field(kind_, context_))
            for (const std::string& value : field->values) {
                if (!seen_.insert(value).second) continue;
                const bool bare = field->type == "boolean";
                all_.push_back(
                    {value, bare ? value : as_value(value, context_), {}, {}, CompletionKind::value});
            }
    }

    DocumentKind kind_;
    const CursorContext& context_;
    const FieldSchemas& schemas_;
    const CatalogAnalysis* analysis_;
    std::set<std::string, std::less<>> seen_;
    std::vector<Completion> all_;
};

} // namespace

std::vector<Completion> complete(DocumentKind kind, const CursorContext& context, const FieldSchemas& schemas,
                                 const CatalogAnalysis* analysis) {
    return Completer(kind, context, schemas, analysis).run();
}

} // namespace opcat::lsp
