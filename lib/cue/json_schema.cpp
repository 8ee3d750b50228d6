#include "opcat/cue/json_schema.hpp"

#include "opcat/base/json.hpp"
#include "opcat/cue/limits.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace opcat::cue {
namespace {

// Members keep the order in which they are written here.
using Json = nlohmann::ordered_json;

Json json_of(const Number& number) {
    if (!number.is_integer) return number.real;
    if (!number.negative) return number.magnitude;
    return static_cast<int64_t>(uint64_t{0} - number.magnitude);
}

Json json_of(const Constant& constant) {
    switch (constant.kind) {
    case Constant::Kind::boolean:
        return constant.boolean;
    case Constant::Kind::number:
        return json_of(constant.number);
    case Constant::Kind::string:
        return constant.text;
    default:
        return nullptr;
    }
}

// The types that a document may have: JSON has no bytes.
bool is_possible(const Alternative& alternative) {
    return (alternative.kinds & static_cast<Kinds>(~kind::bytes)) != 0;
}

void remark(Json& json, const std::string& text) {
    if (json.contains("$comment"))
        json["$comment"] = json["$comment"].get<std::string>() + "; " + text;
    else
        json["$comment"] = text;
}

// "a" and "b" both hold.
void add_clause(Json& json, std::string_view key, Json value) {
    if (!json.contains(key)) {
        json[std::string(key)] = std::move(value);
        return;
    }
    json["allOf"].push_back(Json{{std::string(key), std::move(value)}});
}

// Characters that a reference needs no escapes for.
std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          c == '_' || c == '.' || c == '-';
        out += good ? c : '_';
    }
    return out;
}

class Writer {
public:
    // The reference of a definition.
    Json definition(const Schema& schema, const Definition& definition) {
        use(schema);
        const auto known = names_.find({schema_, definition.node});
        if (known != names_.end()) return reference(known->second);
        count_visits(definition.node);
        const std::string name =
            unused(plain(definition.name.starts_with('#') ? definition.name.substr(1) : definition.name));
        names_[{schema_, definition.node}] = name;
        defs_[name] = nullptr; // keeps its place
        Json json = content(definition.node, name);
        describe(json, definition.range);
        defs_[name] = std::move(json);
        return reference(name);
    }

    Json take_definitions() { return std::move(defs_); }

private:
    static Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

    void use(const Schema& schema) {
        if (schema_ == &schema) return;
        schema_ = &schema;
        comments_.clear();
        visits_.clear();
        note_comments(schema.tree().body);
    }

    void note_comments(const StructLiteral& body) {
        for (const Declaration& declaration : body.declarations) {
            if (declaration.documentation.end > declaration.documentation.begin)
                comments_.emplace(declaration.range.begin, declaration.documentation);
            note_comments(declaration.value);
        }
    }
    void note_comments(const Expression& expression) {
        if (const auto* body = std::get_if<StructLiteral>(&expression.content)) note_comments(*body);
        if (const auto* all = std::get_if<Conjunction>(&expression.content))
            for (const Expression& part : all->parts) note_comments(part);
        if (const auto* any = std::get_if<Disjunction>(&expression.content))
            for (const Expression& part : any->parts) note_comments(part);
        if (const auto* list = std::get_if<ListLiteral>(&expression.content)) {
            for (const Expression& item : list->items) note_comments(item);
            if (list->rest) note_comments(*list->rest);
        }
    }

    void describe(Json& json, Range declaration) const {
        const auto found = comments_.find(declaration.begin);
        if (found == comments_.end() || !json.is_object()) return;
        std::string text = schema_->comment(found->second);
        std::replace(text.begin(), text.end(), '\n', ' ');
        json["description"] = std::move(text);
    }

    const Node& node_at(NodeId id) const { return schema_->program().nodes[id]; }

    // Nodes that are reached more than once have a definition of their own.
    void count_visits(NodeId root) {
        std::vector<NodeId> pending{root};
        while (!pending.empty()) {
            const NodeId id = pending.back();
            pending.pop_back();
            if (++visits_[id] > 1) continue;
            for (const Alternative& one : node_at(id).alternatives) {
                for (const Field& field : one.fields) pending.push_back(field.node);
                pending.insert(pending.end(), one.by_patterns.begin(), one.by_patterns.end());
                pending.insert(pending.end(), one.items.begin(), one.items.end());
                if (one.rest) pending.push_back(*one.rest);
            }
        }
    }

    std::string unused(const std::string& name) const {
        std::string candidate = name;
        for (int i = 2; defs_.contains(candidate); ++i) candidate = fmt::format("{}_{}", name, i);
        return candidate;
    }

    Json node(NodeId id, const std::string& path) {
        const auto known = names_.find({schema_, id});
        if (known != names_.end()) return reference(known->second);
        const Node& node = node_at(id);
        const bool is_large =
            std::any_of(node.alternatives.begin(), node.alternatives.end(),
                        [](const Alternative& one) { return one.has_fields || one.has_items; });
        if (!is_large || visits_[id] < 2) return content(id, path);
        const std::string name = unused(plain(path));
        names_[{schema_, id}] = name;
        defs_[name] = nullptr;
        Json json = content(id, name);
        defs_[name] = std::move(json);
        return reference(name);
    }

    Json content(NodeId id, const std::string& path) {
        const Node& node = node_at(id);
        std::vector<const Alternative*> possible;
        for (const Alternative& one : node.alternatives)
            if (is_possible(one)) possible.push_back(&one);
        if (possible.empty()) return false;
        Json json = Json::object();
        const bool constants = std::all_of(possible.begin(), possible.end(),
                                           [](const Alternative* one) { return one->constant.has_value(); });
        if (possible.size() == 1) {
            json = alternative(*possible.front(), path);
        } else if (constants) {
            for (const Alternative* one : possible) {
                const Json value = json_of(*one->constant);
                if (std::find(json["enum"].begin(), json["enum"].end(), value) == json["enum"].end())
                    json["enum"].push_back(value);
            }
        } else {
            for (const Alternative* one : possible) json["anyOf"].push_back(alternative(*one, path));
        }
        if (const Constant* const constant = default_of(possible); constant && possible.size() > 1)
            json["default"] = json_of(*constant);
        if (json.is_object() && json.empty()) return true;
        return json;
    }

    // Nothing if it is not a constant, or there are several.
    static const Constant* default_of(const std::vector<const Alternative*>& possible) {
        const Constant* found = nullptr;
        for (const Alternative* one : possible) {
            if (one->is_default != Alternative::Default::yes) continue;
            if (!one->constant || (found && !(*found == *one->constant))) return nullptr;
            found = &*one->constant;
        }
        return found;
    }

    Json alternative(const Alternative& one, const std::string& path) {
        if (one.constant) return Json{{"const", json_of(*one.constant)}};
        Json json = Json::object();
        add_type(json, one.kinds);
        for (const Limit& limit : one.limits) add_limit(json, limit);
        if (one.has_fields) add_fields(json, one, path);
        if (one.has_items) add_items(json, one, path);
        return json;
    }

    static void add_type(Json& json, Kinds kinds) {
        static constexpr std::pair<Kinds, std::string_view> names[] = {
            {kind::null, "null"},     {kind::boolean, "boolean"}, {kind::real, "number"},
            {kind::string, "string"}, {kind::list, "array"},      {kind::structure, "object"}};
        constexpr Kinds all = kind::any & static_cast<Kinds>(~kind::bytes);
        if ((kinds & all) == all) return;
        Json types = Json::array();
        if ((kinds & kind::number) == kind::integer) types.push_back("integer");
        for (const auto& [some, name] : names)
            if ((kinds & some) != 0) types.push_back(name);
        if ((kinds & kind::number) == kind::real) remark(json, "a number that is written with a point");
        json["type"] = types.size() == 1 ? types.front() : types;
    }

    static void add_limit(Json& json, const Limit& limit) {
        using What = Limit::What;
        const bool number = limit.operand.kind == Constant::Kind::number;
        switch (limit.what) {
        case What::less:
        case What::less_equal:
        case What::greater:
        case What::greater_equal:
            if (number)
                return add_clause(json,
                                  limit.what == What::less         ? "exclusiveMaximum"
                                  : limit.what == What::less_equal ? "maximum"
                                  : limit.what == What::greater    ? "exclusiveMinimum"
                                                                   : "minimum",
                                  json_of(limit.operand.number));
            return remark(json, "not expressed here: " + to_string(limit));
        case What::not_equal:
            if (limit.operand.kind == Constant::Kind::null) return; // the type says so
            if (limit.operand.kind == Constant::Kind::string && limit.operand.text.empty())
                return add_clause(json, "minLength", 1);
            return add_clause(json, "not", {{"const", json_of(limit.operand)}});
        case What::match:
        case What::not_match: {
            const auto expression = to_ecma_expression(limit.operand.text);
            if (!expression) return remark(json, "not expressed here: " + to_string(limit));
            if (limit.what == What::match) return add_clause(json, "pattern", *expression);
            return add_clause(json, "not", {{"pattern", *expression}});
        }
        case What::min_runes:
            return add_clause(json, "minLength", limit.count);
        case What::max_runes:
            return add_clause(json, "maxLength", limit.count);
        case What::min_items:
            return add_clause(json, "minItems", limit.count);
        case What::max_items:
            return add_clause(json, "maxItems", limit.count);
        case What::unique_items:
            return add_clause(json, "uniqueItems", true);
        }
    }

    void add_fields(Json& json, const Alternative& one, const std::string& path) {
        Json required = Json::array();
        for (const Field& field : one.fields) {
            Json value = field.allowed ? node(field.node, path + "." + field.name) : Json(false);
            describe(value, field.where);
            json["properties"][field.name] = std::move(value);
            const bool filled_in =
                field.presence == Presence::regular && node_at(field.node).when_absent == State::complete;
            if (field.presence != Presence::optional && !filled_in) required.push_back(field.name);
        }
        if (!required.empty()) json["required"] = std::move(required);
        add_patterns(json, one, path);
    }

    // For other names than those of the fields.
    void add_patterns(Json& json, const Alternative& one, const std::string& path) {
        Json others = one.closed_by.empty();
        bool exact = true;
        for (size_t i = 0; i < one.patterns.size(); ++i) {
            const uint32_t set = 1U << i;
            const bool allowed = std::all_of(one.closed_by.begin(), one.closed_by.end(),
                                             [&](uint32_t closing) { return (closing & set) != 0; });
            Json value =
                allowed ? node(one.by_patterns[set], fmt::format("{}.pattern{}", path, i + 1)) : Json(false);
            const auto expression = name_expression(one.patterns[i].label);
            if (expression && expression->empty())
                others = std::move(value);
            else if (expression)
                json["patternProperties"][*expression] = std::move(value);
            else
                exact = false;
        }
        if (!exact) {
            remark(json, "not expressed here: the names of other fields");
            return;
        }
        if (others != Json(true)) json["additionalProperties"] = std::move(others);
    }

    // The regular expression of the names that a label matches; empty: all; nothing: not expressible.
    std::optional<std::string> name_expression(NodeId label) const {
        std::string any_of;
        for (const Alternative& one : node_at(label).alternatives) {
            std::optional<std::string> expression;
            if (one.constant) {
                expression = to_ecma_expression("^" + RE2_quote(one.constant->text) + "$");
            } else if (one.limits.empty()) {
                return std::string();
            } else if (one.limits.size() == 1 && one.limits.front().what == Limit::What::match) {
                expression = to_ecma_expression(one.limits.front().operand.text);
            }
            if (!expression) return std::nullopt;
            any_of += (any_of.empty() ? "" : "|") + *expression;
        }
        return any_of;
    }

    static std::string RE2_quote(std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (std::string_view("^$\\.*+?()[]{}|/").find(c) != std::string_view::npos) out += '\\';
            out += c;
        }
        return out;
    }

    void add_items(Json& json, const Alternative& one, const std::string& path) {
        Json first = Json::array();
        for (size_t i = 0; i < one.items.size(); ++i)
            first.push_back(node(one.items[i], fmt::format("{}.item{}", path, i + 1)));
        if (!first.empty()) {
            json["prefixItems"] = std::move(first);
            add_clause(json, "minItems", one.items.size());
        }
        Json rest = one.rest ? node(*one.rest, path + ".item") : Json(false);
        if (rest != Json(true)) json["items"] = std::move(rest);
    }

    const Schema* schema_ = nullptr;
    std::map<uint32_t, Range> comments_; // by the first byte of the declaration
    std::map<NodeId, unsigned> visits_;
    std::map<std::pair<const Schema*, NodeId>, std::string> names_;
    Json defs_ = Json::object();
};

} // namespace

std::string to_json_schema(std::span<const JsonSchemaCase> cases, std::string_view title) {
    Writer writer;
    Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
    Json of_document = Json::array();
    std::map<std::string_view, Json> of_items;
    for (const JsonSchemaCase& one : cases) {
        Json reference = writer.definition(*one.schema, *one.definition);
        if (!one.field.empty()) {
            const std::string field(one.field);
            Json condition{{"type", "object"},
                           {"required", Json::array({field})},
                           {"properties", {{field, {{"const", one.constant}}}}}};
            reference = Json{{"if", std::move(condition)}, {"then", std::move(reference)}};
        }
        if (one.list.empty())
            of_document.push_back(std::move(reference));
        else
            of_items[one.list].push_back(std::move(reference));
    }
    if (of_document.size() == 1 && of_document.front().contains("$ref"))
        json["$ref"] = of_document.front()["$ref"];
    else if (!of_document.empty())
        json["allOf"] = std::move(of_document);
    for (auto& [list, items] : of_items)
        json["properties"][std::string(list)]["items"]["allOf"] = std::move(items);
    json["$defs"] = writer.take_definitions();
    return as_document(json);
}

namespace {

// The characters that ECMAScript accepts after a backslash with RE2's meaning.
constexpr std::string_view same_escapes = "dDwWbBfnrtv^$\\.*+?()[]{}|/";
// RE2's, of ASCII; ECMAScript's include other spaces.
constexpr std::string_view spaces = "\\t\\n\\f\\r ";

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Translation {
public:
    explicit Translation(std::string_view text) : text_(text) {}

    std::optional<std::string> run() {
        while (at_ < text_.size())
            if (!step()) return std::nullopt;
        return std::move(out_);
    }

private:
    bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
    bool take(size_t count) {
        out_ += text_.substr(at_, count);
        at_ += count;
        return true;
    }
    bool replace(size_t count, std::string_view by) {
        out_ += by;
        at_ += count;
        return true;
    }

    bool step() {
        // RE2 accepts "^*", ECMAScript does not.
        const bool after_assertion = std::exchange(after_assertion_, false);
        const char c = text_[at_];
        if (after_assertion && (c == '*' || c == '+' || c == '?' || (c == '{' && is_repetition())))
            return false;
        if (c == '\\') return escape();
        if (in_class_) {
            if (starts("[:")) return false;
            if (c == ']') in_class_ = false;
            return take(1);
        }
        if (starts("(?P<")) return replace(4, "(?<");
        if (starts("(?") && !starts("(?:")) return false;
        if (c == '[') {
            in_class_ = true;
            take(1);
            if (at_ < text_.size() && text_[at_] == '^') take(1);
            return !starts("]"); // which would be the first of the class
        }
        if (c == '{' && !is_repetition()) return replace(1, "\\{");
        if (c == '{') return take(text_.find('}', at_) - at_ + 1);
        if (c == '}' || c == ']') return replace(1, c == '}' ? "\\}" : "\\]");
        if (c == '.') return replace(1, "[^\\n]"); // ECMAScript's dot excludes other line breaks, too
        after_assertion_ = c == '^' || c == '$';
        return take(1);
    }

    bool is_repetition() const {
        const std::string_view rest = text_.substr(at_ + 1);
        const size_t end = rest.find_first_not_of("0123456789,");
        return end != rest.npos && end > 0 && rest[0] != ',' && rest[end] == '}';
    }

    bool escape() {
        if (at_ + 1 >= text_.size()) return false;
        const char c = text_[at_ + 1];
        after_assertion_ = !in_class_ && std::string_view("AzbB").find(c) != std::string_view::npos;
        if (c == 's') return replace(2, in_class_ ? std::string(spaces) : fmt::format("[{}]", spaces));
        if (c == 'S') return !in_class_ && replace(2, fmt::format("[^{}]", spaces));
        if (c == 'A' && !in_class_) return replace(2, "^");
        if (c == 'z' && !in_class_) return replace(2, "$");
        if (c == 'a') return replace(2, "\\x07");
        if (c == 'p' || c == 'P') return unicode_class(c == 'P');
        if (c == 'x' && starts("\\x{")) return replace(2, "\\u") && take(in_braces().size() + 2);
        if (c == 'x') return take(2);
        if (same_escapes.find(c) != same_escapes.npos) return take(2);
        if (is_letter_or_digit(c)) return false;
        if (c == '-' && in_class_) return take(2);
        ++at_;
        return take(1);
    }

    // The text between "{" here and "}".
    std::string_view in_braces() const {
        const size_t end = text_.find('}', at_);
        return end == text_.npos ? std::string_view() : text_.substr(at_ + 1, end - at_ - 1);
    }

    // "\pL", "\p{Lu}", "\p{^Greek}". Names of more than two letters are scripts.
    bool unicode_class(bool negated) {
        at_ += 2;
        if (at_ >= text_.size()) return false;
        const bool has_braces = text_[at_] == '{';
        std::string_view name = has_braces ? in_braces() : text_.substr(at_, 1);
        at_ += name.size() + (has_braces ? 2 : 0);
        if (name.starts_with('^')) {
            negated = !negated;
            name.remove_prefix(1);
        }
        const bool is_script = name.size() > 2 && name != "Any";
        out_ += fmt::format("\\{}{{{}{}}}", negated ? 'P' : 'p', is_script ? "Script=" : "", name);
        return !name.empty();
    }

    std::string_view text_;
    size_t at_ = 0;
    bool in_class_ = false;
    bool after_assertion_ = false;
    std::string out_;
};

} // namespace

std::optional<std::string> to_ecma_expression(std::string_view expression) {
    return Translation(expression).run();
}

} // namespace opcat::cue
