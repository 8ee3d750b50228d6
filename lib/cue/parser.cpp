#include "opcat/cue/parser.hpp"

#include "opcat/cue/constant.hpp"
#include "opcat/cue/token.hpp"

#include <fmt/core.h>

#include <array>
#include <optional>

namespace opcat::cue {
namespace {

bool is_definition_name(std::string_view name) {
    return name.starts_with('#') || name.starts_with('_');
}

class Parser {
public:
    explicit Parser(std::string_view text)
        : text_(text), lexer_(text), token_(lexer_.next()), next_(lexer_.next()) {}

    File parse_file() {
        File file;
        if (is_word("package")) {
            advance();
            file.package = text_of(expect(TokenKind::identifier, "the name of the package"));
            end_declaration(TokenKind::end);
        }
        while (is_word("import") && next_.kind != TokenKind::colon) parse_imports(file.imports);
        file.body = parse_declarations(TokenKind::end);
        return file;
    }

private:
    // One level of nesting.
    class Level {
    public:
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser_.depth_ > max_depth)
                parser_.fail(parser_.token_, fmt::format("nested more than {} levels deep", max_depth));
        }
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Parser& parser_;
    };

    [[noreturn]] static void fail(Range range, std::string message, std::string help = {}) {
        throw SyntaxError{range.begin, range.end, std::move(message), std::move(help)};
    }
    [[noreturn]] static void fail(const Token& token, std::string message, std::string help = {}) {
        fail(Range{token.begin, token.end}, std::move(message), std::move(help));
    }
    [[noreturn]] static void outside(Range range, std::string_view what, std::string help = {}) {
        fail(range, fmt::format("{} outside of the subset of CUE that opcat has", what), std::move(help));
    }

    std::string_view text_of(const Token& token) const {
        return text_.substr(token.begin, token.end - token.begin);
    }
    bool is(TokenKind kind) const { return token_.kind == kind; }
    bool is_word(std::string_view word) const {
        return token_.kind == TokenKind::identifier && text_of(token_) == word;
    }
    Token advance() {
        const Token taken = token_;
        last_end_ = taken.end;
        token_ = next_;
        next_ = lexer_.next();
        return taken;
    }
    bool accept(TokenKind kind) {
        if (token_.kind != kind) return false;
        advance();
        return true;
    }
    Token expect(TokenKind kind, std::string_view what) {
        if (token_.kind != kind) fail(token_, fmt::format("expected {}, not {}", what, describe_token()));
        return advance();
    }
    std::string describe_token() const {
        if (token_.kind == TokenKind::end) return "the end of the file";
        if (token_.kind == TokenKind::comma && token_.implied) return "the end of the line";
        return fmt::format("'{}'", text_of(token_));
    }
    Range since(uint32_t begin) const { return {begin, last_end_}; }

    void end_declaration(TokenKind closing) {
        if (is(closing) || accept(TokenKind::comma)) return;
        refuse_operator();
        fail(token_, fmt::format("expected a comma or the end of the line, not {}", describe_token()));
    }

    // After an operand: CUE's operators that the subset does not support.
    void refuse_operator() const {
        if (is(TokenKind::other) && text_of(token_) == "@")
            outside({token_.begin, token_.end}, "attributes are");
        if (is(TokenKind::colon)) outside({token_.begin, token_.end}, "a label that is computed is");
        if (is(TokenKind::equal))
            outside({token_.begin, token_.end}, "aliases are", "make it a definition: #Name: …");
        if (is(TokenKind::plus) || is(TokenKind::minus) || is(TokenKind::star) || is(TokenKind::other))
            outside({token_.begin, token_.end}, fmt::format("the operator {} is", text_of(token_)));
    }

    void parse_imports(std::vector<Import>& imports) {
        advance();
        if (!accept(TokenKind::left_parenthesis)) {
            imports.push_back(parse_import());
            return end_declaration(TokenKind::end);
        }
        while (!is(TokenKind::right_parenthesis)) {
            imports.push_back(parse_import());
            end_declaration(TokenKind::right_parenthesis);
        }
        advance();
        end_declaration(TokenKind::end);
    }

    Import parse_import() {
        const uint32_t begin = token_.begin;
        std::string name;
        if (is(TokenKind::identifier)) name = text_of(advance());
        const Token path = expect(TokenKind::string, "the package to import, in quotes");
        Import import{parse_string(text_of(path), path.begin).text, std::move(name), since(begin)};
        if (import.path != "strings" && import.path != "list" && import.path != "regexp")
            outside({path.begin, path.end}, fmt::format("the package \"{}\" is", import.path),
                    "there are strings, list and regexp");
        if (import.name.empty()) import.name = import.path;
        return import;
    }

    StructLiteral parse_declarations(TokenKind closing) {
        StructLiteral body;
        while (!is(closing)) {
            if (is(TokenKind::end)) fail(token_, "a struct without an end", "add '}'");
            if (is(TokenKind::ellipsis)) {
                const Token ellipsis = advance();
                if (!is(TokenKind::comma) && !is(closing))
                    outside({ellipsis.begin, token_.end}, "a type after ... in a struct is",
                            "write [string]: TYPE");
                body.open = true;
            } else {
                body.declarations.push_back(parse_declaration());
            }
            end_declaration(closing);
        }
        return body;
    }

    // Comment lines that end right above `begin`, without an empty line between.
    Range documentation_above(uint32_t begin) const {
        Range comment{begin, begin};
        size_t line = begin;
        while (line > 0 && (text_[line - 1] == ' ' || text_[line - 1] == '\t')) --line;
        if (line > 0 && text_[line - 1] != '\n') return comment;
        while (line > 0) {
            const size_t end = line - 1;
            size_t above = end;
            while (above > 0 && text_[above - 1] != '\n') --above;
            const std::string_view text = text_.substr(above, end - above);
            const size_t first = text.find_first_not_of(" \t");
            if (first == text.npos || !text.substr(first).starts_with("//")) break;
            if (comment.begin == comment.end) comment.end = static_cast<uint32_t>(end);
            comment.begin = static_cast<uint32_t>(above + first);
            line = above;
        }
        return comment;
    }

    Declaration parse_declaration() {
        const Level level(*this);
        const uint32_t begin = token_.begin;
        refuse_clause();
        Declaration declaration;
        if (!parse_label(declaration)) {
            declaration.kind = Declaration::Kind::embedding;
            declaration.value = parse_expression();
            declaration.label_range = declaration.value.range;
        } else if (starts_label()) {
            // "a: b: value" is "a: {b: value}".
            const uint32_t inner_begin = token_.begin;
            StructLiteral inner;
            inner.declarations.push_back(parse_declaration());
            declaration.value.content = std::move(inner);
            declaration.value.range = since(inner_begin);
        } else {
            declaration.value = parse_expression();
        }
        declaration.range = since(begin);
        declaration.documentation = documentation_above(begin);
        return declaration;
    }

    // Comprehensions and "let".
    void refuse_clause() const {
        if (!is(TokenKind::identifier) || next_.kind == TokenKind::colon ||
            next_.kind == TokenKind::question || next_.kind == TokenKind::exclamation)
            return;
        for (const std::string_view word : {"if", "for", "let", "import", "package"})
            if (is_word(word)) outside({token_.begin, token_.end}, fmt::format("\"{}\" here is", word));
    }

    // Returns true if a label with its colon follows. For "[", only the matching "]" shows it.
    bool starts_label() const {
        switch (token_.kind) {
        case TokenKind::identifier:
        case TokenKind::string:
            if (next_.kind == TokenKind::colon) return true;
            if (next_.kind != TokenKind::question && next_.kind != TokenKind::exclamation) return false;
            return true;
        case TokenKind::left_bracket:
            return colon_follows_brackets();
        default:
            return false;
        }
    }

    bool colon_follows_brackets() const {
        Lexer lexer(text_);
        lexer.move_to(token_.begin);
        int open = 0;
        for (;;) {
            const Token token = lexer.next();
            if (token.kind == TokenKind::end || token.kind == TokenKind::left_brace) return false;
            if (token.kind == TokenKind::left_bracket) ++open;
            if (token.kind == TokenKind::right_bracket && --open == 0) break;
        }
        return lexer.next().kind == TokenKind::colon;
    }

    bool parse_label(Declaration& declaration) {
        if (!starts_label()) return false;
        const uint32_t begin = token_.begin;
        if (is(TokenKind::left_bracket)) {
            declaration.kind = Declaration::Kind::pattern;
            advance();
            declaration.label = std::make_unique<Expression>(parse_expression());
            if (is(TokenKind::equal)) refuse_operator();
            expect(TokenKind::right_bracket, "']'");
        } else {
            const bool quoted = is(TokenKind::string);
            const Token label = advance();
            if (quoted) {
                Constant text = parse_string(text_of(label), label.begin);
                if (text.kind != Constant::Kind::string) fail(label, "a field's name is a string, not bytes");
                declaration.name = std::move(text.text);
            } else {
                declaration.name = text_of(label);
                if (declaration.name == "_") fail(label, "a field needs another name than _");
                if (is_definition_name(declaration.name)) declaration.kind = Declaration::Kind::definition;
            }
            if (accept(TokenKind::question))
                declaration.presence = Presence::optional;
            else if (accept(TokenKind::exclamation))
                declaration.presence = Presence::required;
        }
        declaration.label_range = since(begin);
        expect(TokenKind::colon, "':'");
        return true;
    }

    Expression parse_expression() {
        const uint32_t begin = token_.begin;
        Disjunction disjunction;
        do {
            disjunction.defaults.push_back(accept(TokenKind::star));
            disjunction.parts.push_back(parse_conjunction());
        } while (accept(TokenKind::bar));
        if (disjunction.parts.size() == 1) {
            if (disjunction.defaults.front())
                fail({begin, begin + 1}, "the mark * belongs to an alternative of a disjunction",
                     "write *a | b");
            return std::move(disjunction.parts.front());
        }
        return {std::move(disjunction), since(begin)};
    }

    Expression parse_conjunction() {
        const uint32_t begin = token_.begin;
        Conjunction conjunction;
        do {
            conjunction.parts.push_back(parse_unary());
        } while (accept(TokenKind::ampersand));
        if (conjunction.parts.size() == 1) return std::move(conjunction.parts.front());
        return {std::move(conjunction), since(begin)};
    }

    // Relations have the order of their tokens.
    static std::optional<Relation> relation_of(TokenKind kind) {
        if (kind < TokenKind::less || kind > TokenKind::not_match) return std::nullopt;
        return static_cast<Relation>(static_cast<int>(kind) - static_cast<int>(TokenKind::less));
    }

    Expression parse_unary() {
        const uint32_t begin = token_.begin;
        if (const auto relation = relation_of(token_.kind)) {
            advance();
            Expression operand = parse_operand();
            const auto* const constant = std::get_if<Constant>(&operand.content);
            if (!constant) outside(operand.range, "a bound that is not a constant is");
            check_bound(*relation, *constant, operand.range);
            return {Bound{*relation, *constant}, since(begin)};
        }
        return parse_operand();
    }

    static void check_bound(Relation relation, const Constant& operand, Range range) {
        using Kind = Constant::Kind;
        const bool text = operand.kind == Kind::string;
        switch (relation) {
        case Relation::match:
        case Relation::not_match:
            if (!text)
                fail(range, fmt::format("{} needs a string, a regular expression", to_string(relation)));
            break;
        case Relation::not_equal:
            break;
        default:
            if (!text && operand.kind != Kind::number && operand.kind != Kind::bytes)
                fail(range, fmt::format("{} needs a number, a string or bytes", to_string(relation)));
            break;
        }
    }

    Expression parse_operand() {
        const uint32_t begin = token_.begin;
        switch (token_.kind) {
        case TokenKind::plus:
        case TokenKind::minus:
            return parse_signed();
        case TokenKind::number: {
            const Token token = advance();
            return finish({Constant::of(parse_number(text_of(token), token.begin)), since(begin)});
        }
        case TokenKind::string: {
            const Token token = advance();
            return finish({parse_string(text_of(token), token.begin), since(begin)});
        }
        case TokenKind::interpolation:
            outside({token_.begin, token_.end}, "interpolation of strings is");
        case TokenKind::bottom:
            advance();
            return finish({Bottom{}, since(begin)});
        case TokenKind::identifier:
            return parse_reference();
        case TokenKind::left_parenthesis: {
            const Level level(*this);
            advance();
            Expression inner = parse_expression();
            accept_implied_comma();
            expect(TokenKind::right_parenthesis, "')'");
            return finish(std::move(inner));
        }
        case TokenKind::left_brace: {
            advance();
            StructLiteral body = parse_declarations(TokenKind::right_brace);
            advance();
            return finish({std::move(body), since(begin)});
        }
        case TokenKind::left_bracket:
            return finish(parse_list());
        case TokenKind::exclamation:
            outside({token_.begin, token_.end}, "the operator ! is");
        case TokenKind::star:
            fail(token_, "the mark * belongs to an alternative of a disjunction", "write *a | b");
        case TokenKind::other:
            refuse_operator();
            [[fallthrough]];
        default:
            break;
        }
        fail(token_, fmt::format("expected a value, not {}", describe_token()));
    }

    // After an operand.
    Expression finish(Expression operand) const {
        if (is(TokenKind::dot) || is(TokenKind::left_parenthesis) || is(TokenKind::left_bracket))
            outside({token_.begin, token_.end}, is(TokenKind::dot)
                                                    ? "a selection from what is not a reference is"
                                                    : "this index or call is");
        return operand;
    }

    Expression parse_signed() {
        const uint32_t begin = token_.begin;
        const bool minus = advance().kind == TokenKind::minus;
        if (!is(TokenKind::number)) outside({begin, token_.end}, "a sign before what is not a number is");
        const Token token = advance();
        Number number = parse_number(text_of(token), token.begin);
        if (minus) {
            number.negative = number.is_integer && number.magnitude > 0;
            number.real = -number.real;
        }
        if (number.negative && number.magnitude > uint64_t{1} << 63U)
            fail(token, fmt::format("-{} is more than 64 bits hold", text_of(token)));
        return finish({Constant::of(number), since(begin)});
    }

    Expression parse_reference() {
        const uint32_t begin = token_.begin;
        const std::string_view word = text_of(advance());
        if (word == "_") return finish({Top{}, since(begin)});
        if (word == "null") return finish({Constant{}, since(begin)});
        if (word == "true" || word == "false") return finish({Constant::of(word == "true"), since(begin)});
        Expression reference{Name{std::string(word)}, since(begin)};
        for (int names = 1; accept(TokenKind::dot); ++names) {
            if (names > max_depth) fail(token_, fmt::format("more than {} names in a row", max_depth));
            const Token name = expect(TokenKind::identifier, "a name after the dot");
            Selector selector{std::make_unique<Expression>(std::move(reference)), std::string(text_of(name))};
            reference = {std::move(selector), since(begin)};
        }
        if (is(TokenKind::left_parenthesis)) reference = parse_call(std::move(reference));
        return finish(std::move(reference));
    }

    Expression parse_call(Expression function) {
        const Level level(*this);
        const uint32_t begin = function.range.begin;
        advance();
        Call call;
        call.function = std::make_unique<Expression>(std::move(function));
        while (!is(TokenKind::right_parenthesis)) {
            call.arguments.push_back(parse_expression());
            if (!is(TokenKind::right_parenthesis)) expect(TokenKind::comma, "',' or ')'");
        }
        advance();
        return {std::move(call), since(begin)};
    }

    Expression parse_list() {
        const Level level(*this);
        const uint32_t begin = token_.begin;
        advance();
        ListLiteral list;
        while (!is(TokenKind::right_bracket)) {
            for (const std::string_view word : {"if", "for"})
                if (is_word(word)) outside({token_.begin, token_.end}, fmt::format("\"{}\" here is", word));
            if (accept(TokenKind::ellipsis)) {
                list.open = true;
                accept_implied_comma();
                if (!is(TokenKind::right_bracket) && !is(TokenKind::comma))
                    list.rest = std::make_unique<Expression>(parse_expression());
                accept(TokenKind::comma);
                if (!is(TokenKind::right_bracket)) fail(token_, "\"...\" is the last item of a list");
                break;
            }
            list.items.push_back(parse_expression());
            if (!is(TokenKind::right_bracket)) expect(TokenKind::comma, "',' or ']'");
        }
        advance();
        return {std::move(list), since(begin)};
    }

    void accept_implied_comma() {
        if (is(TokenKind::comma) && token_.implied) advance();
    }

    std::string_view text_;
    Lexer lexer_;
    Token token_;
    Token next_;
    uint32_t last_end_ = 0;
    int depth_ = 0;
};

} // namespace

std::string_view to_string(Relation relation) {
    constexpr std::array<std::string_view, 7> spellings{"<", "<=", ">", ">=", "!=", "=~", "!~"};
    return spellings.at(static_cast<size_t>(relation));
}

Result<File, Diagnostic> parse(const SourceFile& file) {
    const auto problem = [&](const SyntaxError& error) {
        return Diagnostic{.rule = "schema-file",
                          .message = error.message,
                          .where = {&file, error.begin, error.end - error.begin},
                          .notes = {},
                          .help = error.help};
    };
    if (file.bytes().size() > max_file_size)
        return problem({0, 0, fmt::format("a schema of more than {} MiB", max_file_size >> 20U)});
    try {
        return Parser(file.bytes()).parse_file();
    } catch (const SyntaxError& error) {
        return problem(error);
    }
}

} // namespace opcat::cue
