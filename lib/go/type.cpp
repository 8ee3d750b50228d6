#include "opcat/go/type.hpp"

#include "opcat/base/text.hpp"
#include "opcat/go/fields.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <utility>

namespace opcat::go {
namespace {

using Kind = Type::Kind;

struct BasicType {
    std::string_view name;
    Kind kind;
    std::string_view description;
};

constexpr BasicType basic_types[] = {
    {"string", Kind::string, "a string"},
    {"bool", Kind::boolean, "true or false"},
    {"int32", Kind::int32, "a 32-bit integer"},
    {"int64", Kind::int64, "a 64-bit integer"},
    {"float", Kind::real, "a number"},
    {"any", Kind::any, ""},
    {"base64", Kind::base64, "a string of base64"},
    {"time", Kind::time, "a time as in RFC 3339"},
    {"quantity", Kind::quantity, "a quantity"},
    {"int_or_string", Kind::int_or_string, "a 32-bit integer or a string"},
    {"version", Kind::version, "a semver version"},
    {"release", Kind::release, "a release"},
    {"schema_or_list", Kind::schema_or_list, "a schema"},
    {"schema_or_bool", Kind::schema_or_boolean, "a schema or a boolean"},
    {"schema_or_strings", Kind::schema_or_strings, "a schema or a list of strings"},
};

} // namespace

const Field* Type::field(std::string_view key) const {
    for (const Field& field : fields)
        if (field.name == key) return &field;
    return nullptr;
}

const Field* Type::field_in_any_case(std::string_view key) const {
    if (const Field* const found = field(key)) return found;
    for (const Field& field : fields)
        if (means_field(key, field.name)) return &field;
    return nullptr;
}

std::string_view Type::description() const {
    if (kind == Kind::list) return "a list";
    if (kind == Kind::map || kind == Kind::structure) return "an object";
    for (const BasicType& basic : basic_types)
        if (basic.kind == kind) return basic.description;
    return {};
}

std::string_view Type::struct_name() const {
    const size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

std::string Type::go_name() const {
    if (kind == Kind::list) return "[]" + element->go_name();
    if (kind == Kind::map) return "map[string]" + element->go_name();
    if (kind == Kind::base64) return "[]uint8";
    if (kind == Kind::any) return "interface {}";
    if (kind == Kind::structure) {
        if (!struct_name().empty()) return std::string(name);
        std::string text = "struct {";
        for (const Field& field : fields) {
            text += &field == fields.data() ? " " : "; ";
            std::string go_field(field.name);
            go_field[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(go_field[0])));
            text +=
                go_field + ' ' + field.type->go_name() + " \"json:\\\"" + std::string(field.name) + "\\\"\"";
        }
        return text + " }";
    }
    for (const BasicType& basic : basic_types)
        if (basic.kind == kind) return std::string(basic.name);
    return {};
}

class Types::Parser {
public:
    explicit Parser(const Types& types) : types_(types) {}

    // Reads a definition and all that it refers to.
    void read(Definition& wanted) {
        want(wanted);
        for (size_t i = 0; i < wanted_.size(); ++i) {
            text_ = wanted_[i]->text;
            at_ = 0;
            fill(wanted_[i]->type);
        }
        for (Definition* const one : wanted_) one->is_complete.store(true, std::memory_order_release);
    }

private:
    void want(Definition& definition) {
        if (definition.is_read) return;
        definition.is_read = true;
        wanted_.push_back(&definition);
    }

    // "(", ")", ":", "?", "[]", "<>" or a name; empty at the end.
    std::string_view next() {
        const size_t begin = text_.find_first_not_of(" \n", at_);
        if (begin == text_.npos) return {};
        const size_t end = text_.find_first_of(" \n():?[]<>", begin);
        if (end != begin) return text_.substr(begin, std::min(end, text_.size()) - begin);
        return text_.substr(begin, text_[begin] == '[' || text_[begin] == '<' ? 2 : 1);
    }

    std::string_view take() {
        const std::string_view token = next();
        at_ = static_cast<size_t>(token.data() - text_.data()) + token.size();
        return token;
    }

    bool skip(std::string_view token) {
        if (next() != token) return false;
        take();
        return true;
    }

    void fill(Type& type) {
        type.kind = Kind::structure;
        [[maybe_unused]] const bool opened = skip("(");
        assert(opened);
        while (!skip(")")) {
            Field field{.name = take()};
            field.omit_empty = skip("?");
            field.type = skip(":") ? parse_type() : basic("string");
            type.fields.push_back(field);
        }
    }

    const Type* parse_type() {
        if (next() == "(") {
            Type& type = types_.unnamed_.emplace_back();
            fill(type);
            return &type;
        }
        for (const auto& [mark, kind] : {std::pair("[]", Kind::list), std::pair("<>", Kind::map)}) {
            if (!skip(mark)) continue;
            Type& type = types_.unnamed_.emplace_back();
            type.kind = kind;
            type.element = parse_type();
            return &type;
        }
        const std::string_view name = take();
        const Type* const type = basic(name);
        return type ? type : &named(name);
    }

    const Type* basic(std::string_view name) {
        for (const BasicType& candidate : basic_types) {
            if (candidate.name != name) continue;
            Type& type = types_.unnamed_.emplace_back();
            type.kind = candidate.kind;
            if (candidate.kind >= Kind::schema_or_list) type.element = &named("JSONSchemaProps");
            return &type;
        }
        return nullptr;
    }

    Type& named(std::string_view name) {
        const auto found = types_.definitions_.find(name);
        assert(found != types_.definitions_.end());
        want(found->second);
        return found->second.type;
    }

    const Types& types_;
    std::vector<Definition*> wanted_;
    std::string_view text_; // of the definition that is read
    size_t at_ = 0;
};

Types::Types(std::string_view text) {
    // Names are at the beginnings of lines.
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin && text[begin] != ' ') {
            const size_t open = text.find('(', begin);
            const std::string_view name = text.substr(begin, open - begin);
            Definition& definition = definitions_[name];
            definition.text = text.substr(open);
            definition.type.name = name;
        }
        begin = end + 1;
    }
}

const Type& Types::operator[](std::string_view name) const {
    const auto found = definitions_.find(name);
    assert(found != definitions_.end());
    Definition& wanted = found->second;
    if (!wanted.is_complete.load(std::memory_order_acquire)) {
        const std::lock_guard lock(reading_);
        Parser(*this).read(wanted);
    }
    return wanted.type;
}

} // namespace opcat::go
