#include "opcat/lsp/field_schemas.hpp"

#include "editor_schemas.hpp"
#include "opcat/base/json.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/cue/json_schema.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/policy/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <map>

namespace opcat::lsp {

using OrderedJson = nlohmann::ordered_json;

std::optional<DocumentKind> operator_file_kind(std::string_view path) {
    // The name of the file, and of the directories that it is in.
    const auto take_name = [&] {
        const size_t slash = path.rfind('/');
        const std::string_view name = path.substr(slash + 1);
        path = slash == path.npos ? std::string_view() : path.substr(0, slash);
        return name;
    };
    const std::string_view name = take_name();
    const bool is_ci = name == "ci.yaml" || name == "ci.yml";
    const bool is_release = name == "release-config.yaml" || name == "release-config.yml";
    if (!is_ci && !is_release) return std::nullopt;
    if (is_release) take_name(); // the version
    take_name();                 // the operator
    if (take_name() != "operators") return std::nullopt;
    return is_ci ? DocumentKind::operator_configuration : DocumentKind::release_configuration;
}

std::optional<DocumentKind> document_kind(std::string_view path, std::string_view text) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (name == configuration_file_name) return DocumentKind::configuration;
    if (const auto kind = operator_file_kind(path)) return kind;
    constexpr size_t beginning = size_t{64} << 10;
    const std::string_view start = text.substr(0, beginning);
    constexpr std::pair<std::string_view, DocumentKind> schemas[] = {
        {"olm.template.basic", DocumentKind::basic_template},
        {"olm.semver", DocumentKind::semver_template},
        {"olm.template.substitutes", DocumentKind::substitutes_template}};
    for (const auto& [schema_name, kind] : schemas)
        if (start.find(schema_name) != start.npos) return kind;
    if (start.find("schema") != start.npos) return DocumentKind::blob;
    const auto has_key = [&](std::string_view key) {
        const size_t at = start.find(key);
        return at != start.npos && (at == 0 || start[at - 1] == '\n');
    };
    if (has_key("references:")) return DocumentKind::composite;
    if (has_key("packages:")) return DocumentKind::filter;
    return std::nullopt;
}

namespace {

constexpr std::pair<DocumentKind, std::string_view> definitions[] = {
    {DocumentKind::basic_template, "#BasicTemplate"},
    {DocumentKind::semver_template, "#SemverTemplate"},
    {DocumentKind::substitutes_template, "#SubstitutesTemplate"},
    {DocumentKind::configuration, "#Configuration"},
    {DocumentKind::composite, "#Composite"},
    {DocumentKind::filter, "#Filter"}};

// A JSON Schema with its parts that say something about one value: references followed, alternatives all
// taken.
class SchemaParts {
public:
    explicit SchemaParts(const OrderedJson& root) : root_(&root) { add(root, 0); }

    SchemaParts step(std::string_view name) const {
        SchemaParts next(*root_, nullptr);
        for (const OrderedJson* part : parts_) {
            if (name == "[]") {
                if (const auto items = part->find("items"); items != part->end()) next.add(*items, 0);
            } else if (const auto properties = part->find("properties"); properties != part->end()) {
                if (const auto found = properties->find(std::string(name)); found != properties->end())
                    next.add(*found, 0);
            }
        }
        return next;
    }
    bool empty() const { return parts_.empty(); }

    std::vector<Field> fields() const {
        std::map<std::string, Field> all;
        std::vector<std::string> order;
        for (const OrderedJson* part : parts_) {
            const auto properties = part->find("properties");
            if (properties == part->end()) continue;
            for (const auto& [name, schema] : properties->items()) {
                if (schema.is_boolean() || schema.contains("not")) continue;
                const auto [place, is_new] = all.try_emplace(name);
                if (is_new) order.push_back(name);
                const Field described = SchemaParts(*root_, &schema).describe(name);
                Field& field = place->second;
                field.name = name;
                if (field.description.empty()) field.description = described.description;
                if (field.type.empty()) field.type = described.type;
                if (field.values.empty()) field.values = described.values;
                if (const auto required = part->find("required"); required != part->end())
                    field.required |= std::find(required->begin(), required->end(), name) != required->end();
            }
        }
        std::vector<Field> result;
        result.reserve(order.size());
        for (const std::string& name : order) result.push_back(std::move(all[name]));
        return result;
    }

    Field describe(const std::string& name) const {
        Field field;
        field.name = name;
        for (const OrderedJson* part : parts_) {
            const auto text = [&](const char* member) {
                const auto found = part->find(member);
                return found != part->end() && found->is_string() ? found->get<std::string>() : std::string();
            };
            if (field.description.empty()) field.description = text("description");
            if (field.type.empty()) field.type = text("type");
            if (const std::string constant = text("const"); !constant.empty())
                field.values.push_back(constant);
            if (const auto values = part->find("enum"); values != part->end())
                for (const OrderedJson& value : *values)
                    if (value.is_string()) field.values.push_back(value.get<std::string>());
        }
        if (field.type.empty() && !step("[]").empty()) field.type = "array";
        if (field.type == "boolean") field.values = {"true", "false"};
        return field;
    }

private:
    SchemaParts(const OrderedJson& root, const OrderedJson* part) : root_(&root) {
        if (part) add(*part, 0);
    }

    void add(const OrderedJson& schema, size_t depth) {
        constexpr size_t deepest = 32;
        constexpr size_t most = 256;
        if (!schema.is_object() || depth > deepest || parts_.size() > most) return;
        parts_.push_back(&schema);
        if (const auto reference = schema.find("$ref"); reference != schema.end()) {
            constexpr std::string_view prefix = "#";
            const auto& text = reference->get_ref<const std::string&>();
            const OrderedJson::json_pointer pointer(text.substr(prefix.size()));
            if (root_->contains(pointer)) add((*root_)[pointer], depth + 1);
        }
        for (const char* several : {"allOf", "anyOf", "oneOf"})
            if (const auto found = schema.find(several); found != schema.end())
                for (const OrderedJson& one : *found) add(one, depth + 1);
    }

    const OrderedJson* root_;
    std::vector<const OrderedJson*> parts_;
};

OrderedJson parsed_schema(const cue::Schema& schema, const cue::Definition& definition) {
    const cue::JsonSchemaCase one{.schema = &schema, .definition = &definition};
    return parse_json<OrderedJson>(cue::to_json_schema({&one, 1}, definition.name));
}

} // namespace

struct FieldSchemas::Parsed {
    std::shared_ptr<const Schemas> schemas; // the definitions are theirs
    struct Use {
        SchemaUse::Of of;
        std::string name;
        std::string description;
        OrderedJson schema;
    };
    std::vector<Use> uses;
    std::map<DocumentKind, OrderedJson> documents;

    std::string describe(SchemaUse::Of of, std::string_view name) const;

    // Calls `visit` with what says something about the object that a path leads to.
    template <class Visit>
    void visit(DocumentKind kind, const CursorContext& context, const std::vector<std::string>& path,
               Visit visit) const {
        const auto walk = [&](const OrderedJson& schema, size_t from) {
            SchemaParts parts(schema);
            for (size_t i = from; i < path.size(); ++i) parts = parts.step(path[i]);
            visit(parts);
        };
        if (kind != DocumentKind::blob) {
            if (const auto found = documents.find(kind); found != documents.end()) walk(found->second, 0);
            return;
        }
        const std::string_view schema_name = context.root("schema");
        bool known = false;
        for (const Use& use : uses)
            if (use.of == SchemaUse::Of::blob && use.name == schema_name) {
                known = true;
                walk(use.schema, 0);
            }
        for (const Use& use : uses)
            if (use.of == SchemaUse::Of::every_blob && !known) walk(use.schema, 0);
        if (path.size() < 2 || path[0] != "properties" || path[1] != "[]") return;
        // The item of the list is the last object but the root that has a type.
        std::string_view type;
        for (size_t level = 0; level + 1 < context.siblings.size() && type.empty(); ++level)
            type = context.sibling("type", level);
        for (const Use& use : uses)
            if (use.of == SchemaUse::Of::property && use.name == type) walk(use.schema, 2);
    }
};

FieldSchemas::FieldSchemas(const std::shared_ptr<const Schemas>& schemas)
    : parsed_(std::make_unique<Parsed>()) {
    const auto described = std::make_shared<Schemas>(*schemas);
    described->add_descriptions();
    parsed_->schemas = described;
    for (const SchemaUse& use : parsed_->schemas->uses()) {
        if (use.of == SchemaUse::Of::none) continue;
        parsed_->uses.push_back({use.of, std::string(use.name),
                                 use.schema->comment(use.definition->documentation),
                                 parsed_schema(*use.schema, *use.definition)});
    }
    Diagnostics problems;
    const auto schema = cue::Schema::compile(
        std::make_shared<SourceFile>("documents.cue", embedded::documents_cue), problems);
    assert(schema);
    for (const auto& [kind, name] : definitions)
        if (const cue::Definition* const definition = schema->find(name))
            parsed_->documents[kind] = parsed_schema(*schema, *definition);
    for (const auto& [kind, text] : {std::pair(DocumentKind::operator_configuration, policy::ci_schema()),
                                     {DocumentKind::release_configuration, policy::release_config_schema()}})
        parsed_->documents[kind] = parse_json<OrderedJson>(text);
}

FieldSchemas::~FieldSchemas() = default;
FieldSchemas::FieldSchemas(FieldSchemas&&) noexcept = default;

std::vector<Field> FieldSchemas::fields(DocumentKind kind, const CursorContext& context) const {
    std::vector<std::string> path = context.path;
    if (!context.is_key && !path.empty()) path.pop_back();
    std::vector<Field> all;
    parsed_->visit(kind, context, path, [&](const SchemaParts& parts) {
        for (Field& field : parts.fields())
            if (std::none_of(all.begin(), all.end(),
                             [&](const Field& one) { return one.name == field.name; }))
                all.push_back(std::move(field));
    });
    return all;
}

std::optional<Field> FieldSchemas::field(DocumentKind kind, const CursorContext& context) const {
    std::optional<Field> found;
    if (context.path.empty()) return found;
    parsed_->visit(kind, context, context.path, [&](const SchemaParts& parts) {
        if (parts.empty()) return;
        const Field described = parts.describe(context.path.back());
        if (!found || (found->description.empty() && !described.description.empty())) found = described;
    });
    return found;
}

std::string FieldSchemas::Parsed::describe(SchemaUse::Of of, std::string_view name) const {
    for (const Use& use : uses)
        if (use.of == of && use.name == name && !use.description.empty()) return use.description;
    return {};
}

std::string FieldSchemas::describe_schema(std::string_view schema) const {
    return parsed_->describe(SchemaUse::Of::blob, schema);
}

std::string FieldSchemas::describe_property_type(std::string_view type) const {
    return parsed_->describe(SchemaUse::Of::property, type);
}

std::vector<std::string> FieldSchemas::property_types() const {
    std::vector<std::string> types;
    for (const std::string_view type :
         {property_type::package, property_type::package_required, property_type::gvk,
          property_type::gvk_required, property_type::constraint, property_type::bundle_object,
          property_type::csv_metadata, property_type::max_openshift_version})
        types.emplace_back(type);
    for (const Parsed::Use& use : parsed_->uses)
        if (use.of == SchemaUse::Of::property &&
            std::find(types.begin(), types.end(), use.name) == types.end())
            types.push_back(use.name);
    return types;
}

std::vector<std::string> FieldSchemas::blob_schemas() const {
    std::vector<std::string> names;
    for (const Parsed::Use& use : parsed_->uses)
        if (use.of == SchemaUse::Of::blob && std::find(names.begin(), names.end(), use.name) == names.end())
            names.push_back(use.name);
    return names;
}

} // namespace opcat::lsp
