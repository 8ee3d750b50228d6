#include "opcat/base/text.hpp"
#include "opcat/cue/expansion.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <limits>
#include <utility>

namespace opcat::cue {
namespace {

constexpr std::string_view rule = "schema-file";

// The largest regular expression, compiled and with what RE2 keeps while it matches, in bytes; and how many
// different ones.
constexpr int64_t max_expression = int64_t{1} << 20;
constexpr size_t max_expressions = 250;

const std::unordered_map<std::string_view, BasicType>& basic_types() {
    const auto integers = [](std::optional<Number> least, std::optional<Number> most) {
        return BasicType{kind::integer, least, most};
    };
    const auto signed_of = [&](unsigned bits) {
        return integers(Number::of(uint64_t{1} << (bits - 1), true),
                        Number::of((uint64_t{1} << (bits - 1)) - 1));
    };
    const auto unsigned_of = [&](unsigned bits) {
        return integers(Number::of(0), Number::of(std::numeric_limits<uint64_t>::max() >> (64 - bits)));
    };
    static const std::unordered_map<std::string_view, BasicType> types{
        {"bool", {kind::boolean}},
        {"int", {kind::integer}},
        {"float", {kind::real}},
        {"number", {kind::number}},
        {"string", {kind::string}},
        {"bytes", {kind::bytes}},
        {"int8", signed_of(8)},
        {"int16", signed_of(16)},
        {"int32", signed_of(32)},
        {"rune", integers(Number::of(0), Number::of(0x10ffff))},
        {"int64", signed_of(64)},
        {"int128", {kind::integer}}, // our integers are not larger
        {"uint", integers(Number::of(0), std::nullopt)},
        {"uint8", unsigned_of(8)},
        {"uint16", unsigned_of(16)},
        {"uint32", unsigned_of(32)},
        {"uint64", unsigned_of(64)},
        {"uint128", integers(Number::of(0), std::nullopt)},
        {"float32", {kind::number, Number::of_real(-FLT_MAX), Number::of_real(FLT_MAX)}},
        {"float64", {kind::number, Number::of_real(-DBL_MAX), Number::of_real(DBL_MAX)}},
    };
    return types;
}

class Resolver {
public:
    Resolver(const File& tree, const SourceFile& file, Diagnostics& problems)
        : tree_(tree), file_(file), problems_(problems) {}

    Meanings resolve() {
        visit(tree_.body);
        return std::move(meanings_);
    }

private:
    void problem(Range range, std::string message, std::string help = {}) {
        problems_.push_back({.rule = rule,
                             .message = std::move(message),
                             .where = {&file_, range.begin, range.end - range.begin},
                             .notes = {},
                             .help = std::move(help)});
    }

    void visit(const StructLiteral& body) {
        Members& members = meanings_.members[&body];
        for (const Declaration& declaration : body.declarations)
            if (declaration.kind == Declaration::Kind::field ||
                declaration.kind == Declaration::Kind::definition)
                members[declaration.name].push_back(&declaration);
        enclosing_.push_back(&body);
        for (const Declaration& declaration : body.declarations) {
            if (declaration.label) visit(*declaration.label);
            visit(declaration.value);
        }
        enclosing_.pop_back();
    }

    void visit(const std::vector<Expression>& expressions) {
        for (const Expression& expression : expressions) visit(expression);
    }

    void visit(const Expression& expression) {
        if (const auto* body = std::get_if<StructLiteral>(&expression.content)) {
            visit(*body);
        } else if (const auto* list = std::get_if<ListLiteral>(&expression.content)) {
            visit(list->items);
            if (list->rest) visit(*list->rest);
        } else if (const auto* all = std::get_if<Conjunction>(&expression.content)) {
            visit(all->parts);
        } else if (const auto* any = std::get_if<Disjunction>(&expression.content)) {
            visit(any->parts);
        } else if (const auto* name = std::get_if<Name>(&expression.content)) {
            resolve_name(expression, name->text);
        } else if (const auto* selector = std::get_if<Selector>(&expression.content)) {
            resolve_selector(expression, *selector);
        } else if (const auto* call = std::get_if<Call>(&expression.content)) {
            resolve_call(expression, *call);
        } else if (const auto* bound = std::get_if<Bound>(&expression.content)) {
            if (bound->relation == Relation::match || bound->relation == Relation::not_match)
                if (auto regular = regular_expression(bound->operand.text, expression.range))
                    meanings_.expressions.emplace(&expression, std::move(regular));
        }
    }

    // nullptr if it is not valid, which is reported.
    std::shared_ptr<const re2::RE2> regular_expression(const std::string& text, Range range) {
        const auto known = expressions_.find(text);
        if (known != expressions_.end()) return known->second;
        if (expressions_.size() >= max_expressions) {
            if (!std::exchange(told_of_too_many_, true))
                problem(range, fmt::format("more than {} regular expressions in a file", max_expressions));
            return nullptr;
        }
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(max_expression);
        auto expression = std::make_shared<const re2::RE2>(text, options);
        if (!expression->ok()) {
            problem(range, fmt::format("not a regular expression: {}", escape_controls(expression->error())),
                    "the syntax is RE2's, as in Go");
            return nullptr;
        }
        expressions_.emplace(text, expression);
        return expression;
    }

    const Declaration* find(const StructLiteral& body, std::string_view name) const {
        const Members& members = meanings_.members.at(&body);
        const auto found = members.find(name);
        return found == members.end() ? nullptr : found->second.front();
    }

    void resolve_name(const Expression& expression, const std::string& name) {
        for (auto body = enclosing_.rbegin(); body != enclosing_.rend(); ++body) {
            const Declaration* const found = find(**body, name);
            if (!found) continue;
            if (found->kind == Declaration::Kind::field &&
                !std::holds_alternative<Constant>(found->value.content))
                return problem(
                    expression.range,
                    fmt::format("a reference to \"{}\", a field whose value comes with the data, is "
                                "outside of the subset of CUE that opcat has",
                                name),
                    fmt::format("make it a definition, #{0}, or a hidden field, _{0}", name));
            meanings_.of.emplace(&expression, Reference{*body});
            meanings_.referred.insert(*body);
            return;
        }
        if (const auto type = basic_types().find(name); type != basic_types().end()) {
            meanings_.of.emplace(&expression, type->second);
            return;
        }
        if (import_named(name))
            return problem(expression.range, fmt::format("the package {} is not a value", name),
                           "select something of it with a dot");
        if (name == "close" || name == "len" || name == "and" || name == "or" || name == "div" ||
            name == "mod")
            return problem(expression.range, fmt::format("the function {} is not a value", name));
        problem(expression.range, fmt::format("there is no {}", name), did_you_mean(name, known_names()));
    }

    std::vector<std::string_view> known_names() const {
        std::vector<std::string_view> names;
        for (const StructLiteral* body : enclosing_)
            for (const Declaration& declaration : body->declarations)
                if (declaration.kind == Declaration::Kind::definition) names.push_back(declaration.name);
        for (const auto& [name, type] : basic_types()) names.push_back(name);
        std::sort(names.begin(), names.end());
        return names;
    }

    const Import* import_named(std::string_view name) const {
        const auto found = std::find_if(tree_.imports.begin(), tree_.imports.end(),
                                        [&](const Import& import) { return import.name == name; });
        return found == tree_.imports.end() ? nullptr : &*found;
    }

    // The import whose member an expression is, if it is one.
    const Import* package_of(const Expression& expression) const {
        const auto* const selector = std::get_if<Selector>(&expression.content);
        if (!selector) return nullptr;
        const auto* const base = std::get_if<Name>(&selector->base->content);
        if (!base) return nullptr;
        for (const StructLiteral* body : enclosing_)
            if (find(*body, base->text)) return nullptr;
        return import_named(base->text);
    }

    void resolve_selector(const Expression& expression, const Selector& selector) {
        const Import* const import = package_of(expression);
        if (!import) {
            if (tell_of_missing_import(expression)) return;
            return visit(*selector.base);
        }
        const std::string function = import->path + "." + selector.name;
        if (function == "list.UniqueItems")
            meanings_.of.emplace(&expression, Validator{{.what = Limit::What::unique_items,
                                                         .operand = {},
                                                         .expression = nullptr,
                                                         .where = expression.range}});
        else
            unknown_function(expression.range, function);
    }

    bool tell_of_missing_import(const Expression& expression) {
        const auto* const selector = std::get_if<Selector>(&expression.content);
        const auto* const base = selector ? std::get_if<Name>(&selector->base->content) : nullptr;
        if (!base || refers(base->text) ||
            (base->text != "strings" && base->text != "list" && base->text != "regexp"))
            return false;
        problem(selector->base->range, fmt::format("the package {} is not imported", base->text),
                fmt::format("add import \"{}\" at the top of the file", base->text));
        return true;
    }

    bool refers(std::string_view name) const {
        return std::any_of(enclosing_.begin(), enclosing_.end(),
                           [&](const StructLiteral* body) { return find(*body, name) != nullptr; });
    }

    void unknown_function(Range range, std::string_view function) {
        problem(
            range, fmt::format("{} is outside of the subset of CUE that opcat has", function),
            "there are strings.MinRunes, strings.MaxRunes, list.MinItems, list.MaxItems, list.UniqueItems, "
            "regexp.Match and close");
    }

    void resolve_call(const Expression& expression, const Call& call) {
        visit(call.arguments);
        if (const auto* const name = std::get_if<Name>(&call.function->content)) {
            if (name->text != "close" || refers("close"))
                return unknown_function(call.function->range, name->text);
            if (call.arguments.size() != 1)
                return problem(expression.range, "close needs one argument, a struct");
            meanings_.of.emplace(&expression, Close{});
            return;
        }
        const Import* const import = package_of(*call.function);
        if (!import && tell_of_missing_import(*call.function)) return;
        if (!import) return problem(call.function->range, "this is not a function of CUE's packages");
        const std::string function = import->path + "." + std::get<Selector>(call.function->content).name;
        resolve_validator(expression, call, function);
    }

    void resolve_validator(const Expression& expression, const Call& call, const std::string& function) {
        using What = Limit::What;
        static constexpr std::array<std::pair<std::string_view, What>, 6> functions{{
            {"strings.MinRunes", What::min_runes},
            {"strings.MaxRunes", What::max_runes},
            {"list.MinItems", What::min_items},
            {"list.MaxItems", What::max_items},
            {"list.UniqueItems", What::unique_items},
            {"regexp.Match", What::match},
        }};
        const auto* const found = std::find_if(functions.begin(), functions.end(),
                                               [&](const auto& f) { return f.first == function; });
        if (found == functions.end()) return unknown_function(call.function->range, function);
        Limit limit{.what = found->second, .operand = {}, .expression = nullptr, .where = expression.range};
        const size_t wanted = limit.what == What::unique_items ? 0 : 1;
        if (call.arguments.size() != wanted)
            return problem(
                expression.range,
                fmt::format("{} needs {} here", function, wanted == 0 ? "no argument" : "one argument"),
                "a validator constrains the value of the field; it is not a function of a value");
        if (wanted == 1) {
            const Expression& argument = call.arguments.front();
            const auto* const constant = std::get_if<Constant>(&argument.content);
            if (limit.what == What::match) {
                if (!constant || constant->kind != Constant::Kind::string)
                    return problem(argument.range, fmt::format("{} needs a string", function));
                limit.expression = regular_expression(constant->text, argument.range);
                limit.operand = *constant;
                if (!limit.expression) return;
            } else {
                if (!constant || constant->kind != Constant::Kind::number || !constant->number.is_integer ||
                    constant->number.negative)
                    return problem(argument.range, fmt::format("{} needs an integer from 0", function));
                limit.count = constant->number.magnitude;
            }
        }
        meanings_.of.emplace(&expression, Validator{std::move(limit)});
    }

    const File& tree_;
    const SourceFile& file_;
    Diagnostics& problems_;
    Meanings meanings_;
    std::vector<const StructLiteral*> enclosing_;
    std::unordered_map<std::string, std::shared_ptr<const re2::RE2>> expressions_;
    bool told_of_too_many_ = false;
};

} // namespace

Meanings resolve(const File& tree, const SourceFile& file, Diagnostics& problems) {
    return Resolver(tree, file, problems).resolve();
}

} // namespace opcat::cue
