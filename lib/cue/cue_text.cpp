#include "opcat/cue/schema.hpp"

#include <fmt/core.h>

#include <set>

namespace opcat::cue {
namespace {

std::string_view bytes_of(const Schema& schema, Range range) {
    return schema.source().bytes().substr(range.begin, range.end - range.begin);
}

std::string text_of(const Schema& schema, const Declaration& declaration) {
    std::string text(bytes_of(schema, declaration.documentation));
    if (!text.empty()) text += '\n';
    text += bytes_of(schema, declaration.range);
    std::erase(text, '\r');
    return text;
}

// Every name that an expression may look up at the top of its file. A name that an inner struct also has is
// counted as both.
class Names {
public:
    void add(const StructLiteral& body) {
        for (const Declaration& declaration : body.declarations) {
            if (declaration.label) add(*declaration.label);
            add(declaration.value);
        }
    }
    void add(const Expression& expression) {
        if (const auto* name = std::get_if<Name>(&expression.content)) found.insert(name->text);
        if (const auto* selector = std::get_if<Selector>(&expression.content)) add(*selector->base);
        if (const auto* body = std::get_if<StructLiteral>(&expression.content)) add(*body);
        if (const auto* all = std::get_if<Conjunction>(&expression.content)) add(all->parts);
        if (const auto* any = std::get_if<Disjunction>(&expression.content)) add(any->parts);
        if (const auto* list = std::get_if<ListLiteral>(&expression.content)) {
            add(list->items);
            if (list->rest) add(*list->rest);
        }
        if (const auto* call = std::get_if<Call>(&expression.content)) {
            add(*call->function);
            add(call->arguments);
        }
    }

    std::set<std::string, std::less<>> found;

private:
    void add(const std::vector<Expression>& expressions) {
        for (const Expression& expression : expressions) add(expression);
    }
};

bool is_named(const Declaration& declaration) {
    return declaration.kind == Declaration::Kind::definition || declaration.kind == Declaration::Kind::field;
}

std::string text_of(const Import& import) {
    return fmt::format("import {}\"{}\"", import.name == import.path ? "" : import.name + " ", import.path);
}

struct CueFile {
    std::string package;
    std::set<std::string> imports;
    std::string body; // each declaration after an empty line
};

// Declarations of a file, and all names that they look up.
struct Reached {
    std::set<std::string_view> declarations;
    Names names;
};

// Those with these names, and all that they refer to.
Reached reached_from(const std::vector<Declaration>& declarations, std::vector<std::string_view> pending) {
    std::set<std::string_view> wanted;
    Names names;
    while (!pending.empty()) {
        const std::string_view name = pending.back();
        pending.pop_back();
        if (!wanted.insert(name).second) continue;
        Names inner;
        for (const Declaration& declaration : declarations)
            if (is_named(declaration) && declaration.name == name) inner.add(declaration.value);
        for (const Declaration& declaration : declarations)
            if (is_named(declaration) && inner.found.contains(declaration.name))
                pending.push_back(declaration.name);
        names.found.merge(inner.found);
    }
    return {std::move(wanted), std::move(names)};
}

CueFile file_of(const Schema& schema, std::span<const Definition* const> definitions) {
    const std::vector<Declaration>& declarations = schema.tree().body.declarations;
    std::vector<std::string_view> roots;
    for (const Definition* definition : definitions) roots.push_back(definition->name);
    if (definitions.empty())
        for (const Declaration& declaration : declarations)
            if (is_named(declaration)) roots.push_back(declaration.name);
    const auto [wanted, names] = reached_from(declarations, std::move(roots));
    CueFile file{.package = schema.tree().package, .imports = {}, .body = {}};
    for (const Import& import : schema.tree().imports)
        if (names.found.contains(import.name)) file.imports.insert(text_of(import));
    for (const Declaration& declaration : declarations)
        if (is_named(declaration) && wanted.contains(declaration.name))
            file.body += "\n" + text_of(schema, declaration) + "\n";
    return file;
}

std::string to_text(const CueFile& file) {
    std::string text;
    if (!file.package.empty()) text = "package " + file.package + "\n";
    if (!file.imports.empty() && !text.empty()) text += "\n";
    for (const std::string& import : file.imports) text += import + "\n";
    text += file.body;
    return text.starts_with('\n') ? text.substr(1) : text;
}

} // namespace

std::string text_of(const Schema& schema, const Definition& definition) {
    std::string text;
    for (const Declaration& declaration : schema.tree().body.declarations) {
        if (declaration.kind != Declaration::Kind::definition || declaration.name != definition.name)
            continue;
        if (!text.empty()) text += "\n\n";
        text += text_of(schema, declaration);
    }
    return text;
}

std::vector<const Declaration*> unused_declarations(const Schema& schema,
                                                    std::span<const Definition* const> used) {
    const std::vector<Declaration>& declarations = schema.tree().body.declarations;
    std::vector<std::string_view> roots;
    for (const Definition* definition : used) roots.push_back(definition->name);
    const std::set<std::string_view> reached = reached_from(declarations, std::move(roots)).declarations;
    std::vector<const Declaration*> unused;
    for (const Declaration& declaration : declarations)
        if (!is_named(declaration) || !reached.contains(declaration.name)) unused.push_back(&declaration);
    return unused;
}

std::string to_cue(std::span<const SchemaPart> parts) {
    CueFile all;
    for (const SchemaPart& part : parts) {
        CueFile one = file_of(*part.schema, part.definitions);
        if (all.package.empty()) all.package = std::move(one.package);
        all.imports.merge(one.imports);
        all.body += one.body;
    }
    return to_text(all);
}

} // namespace opcat::cue
