#include "opcat/cel/parser.hpp"

#include "opcat/cel/token.hpp"
#include "opcat/document/number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

namespace opcat::cel {
namespace {

constexpr TokenSet literal_first = {
    TokenKind::minus, TokenKind::true_,   TokenKind::false_,           TokenKind::null,
    TokenKind::real,  TokenKind::integer, TokenKind::unsigned_integer, TokenKind::string,
    TokenKind::bytes};
constexpr TokenSet member_first =
    literal_first | TokenSet{TokenKind::left_bracket, TokenKind::left_brace, TokenKind::left_parenthesis,
                             TokenKind::dot, TokenKind::identifier};
constexpr TokenSet unary_first = member_first | TokenSet{TokenKind::exclamation};
constexpr TokenSet item_first = unary_first | TokenSet{TokenKind::question};
constexpr TokenSet relations = {TokenKind::equal,  TokenKind::not_equal,  TokenKind::in,
                                TokenKind::less,   TokenKind::less_equal, TokenKind::greater_equal,
                                TokenKind::greater};

// The depth of each kind of rule is counted, so that recursion is bounded.
struct TooDeep {};
// Parsing ends at the first syntax error, which is among the issues then.
struct SyntaxError {};

constexpr std::array<std::string_view, 17> reserved = {
    "as",  "break", "const",     "continue", "else",   "for", "function", "if",   "import",
    "let", "loop",  "namespace", "package",  "return", "var", "void",     "while"};

class Parser {
public:
    Parser(const Source& source, Issues& issues)
        : source_(source), issues_(issues), tokens_(tokens_of(source, issues)) {}

    Tree run() {
        try {
            tree_.root = expression();
            take(TokenKind::end, "an operator or the end of the expression");
        } catch (const SyntaxError&) {
            assert(!issues_.empty());
        } catch (const TooDeep&) {
            issues_ = Issues();
            issues_.add(0, fmt::format("expression recursion limit exceeded: {}", max_depth));
        }
        return std::move(tree_);
    }

private:
    struct Depth {
        explicit Depth(int& depth) : depth_(depth) {}
        ~Depth() { depth_ -= count_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        void deeper() {
            ++count_;
            if (++depth_ > max_depth) throw TooDeep();
        }

    private:
        int& depth_;
        int count_ = 0;
    };

    // The last token is the end of the text: after it there is only itself.
    const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    TokenKind kind(size_t ahead = 0) const { return token(ahead).kind; }
    bool is(TokenKind wanted) const { return kind() == wanted; }
    bool is(TokenSet wanted) const { return wanted.contains(kind()); }

    Token take() {
        const Token found = token();
        ++at_;
        return found;
    }
    Token take(TokenKind wanted, std::string_view expected) {
        require({wanted}, expected);
        return take();
    }
    // `expected` is what the message says.
    void require(TokenSet wanted, std::string_view expected) {
        if (is(wanted)) return;
        // The scanner has reported text that is not a token.
        if (!is(TokenKind::unknown))
            issues_.add(token().begin, fmt::format("Syntax error: expected {}", expected));
        throw SyntaxError();
    }

    // A call keeps its depth while its chain grows, because its left side becomes deeper in the tree.
    NodeId add(Node node) {
        tree_.nodes.push_back(std::move(node));
        return static_cast<NodeId>(tree_.nodes.size() - 1);
    }
    NodeId add_call(std::string_view function, size_t position, std::vector<NodeId> arguments) {
        Node node;
        node.kind = NodeKind::call;
        node.position = position;
        node.name = function;
        node.children = std::move(arguments);
        return add(std::move(node));
    }
    NodeId add_constant(size_t position, Value value) {
        Node node;
        node.position = position;
        node.constant = std::move(value);
        return add(std::move(node));
    }
    std::string text(const Token& token) const { return source_.part(token.begin, token.end); }

    NodeId expression() {
        Depth depth(expressions_);
        depth.deeper();
        const NodeId condition = disjunction();
        if (!is(TokenKind::question)) return condition;
        const Token question = take();
        const NodeId yes = disjunction();
        take(TokenKind::colon, "':' and the other value of '?'");
        const NodeId no = expression();
        return add_call("_?_:_", question.begin, {condition, yes, no});
    }

    NodeId disjunction() {
        return chain(TokenKind::logical_or, "_||_", [this] { return conjunction(); });
    }

    NodeId conjunction() {
        return chain(TokenKind::logical_and, "_&&_", [this] { return relation(true); });
    }

    template <typename Operand>
    NodeId chain(TokenKind op, std::string_view function, Operand operand) {
        std::vector<NodeId> terms = {operand()};
        std::vector<size_t> positions;
        while (is(op)) {
            positions.push_back(take().begin);
            terms.push_back(operand());
        }
        return terms.size() == 1 ? terms[0] : balanced(function, terms, positions, 0, positions.size() - 1);
    }

    // Long chains make flat trees.
    NodeId balanced(std::string_view function, const std::vector<NodeId>& terms,
                    const std::vector<size_t>& positions, size_t first, size_t last) {
        const size_t middle = (first + last + 1) / 2;
        const NodeId left =
            middle == first ? terms[middle] : balanced(function, terms, positions, first, middle - 1);
        const NodeId right =
            middle == last ? terms[middle + 1] : balanced(function, terms, positions, middle + 1, last);
        return add_call(function, positions[middle], {left, right});
    }

    NodeId relation(bool chained) {
        Depth depth(relations_);
        depth.deeper();
        NodeId left = calculation(0);
        while (chained && is(relations)) {
            depth.deeper();
            const Token op = take();
            const NodeId right = relation(false);
            left = add_call(op.kind == TokenKind::in ? "@in" : '_' + text(op) + '_', op.begin, {left, right});
        }
        return left;
    }

    NodeId calculation(int precedence) {
        Depth depth(calculations_);
        depth.deeper();
        NodeId left = unary();
        for (;;) {
            const bool product = is(TokenKind::star) || is(TokenKind::slash) || is(TokenKind::percent);
            const bool sum = is(TokenKind::plus) || is(TokenKind::minus);
            if (!(product && precedence <= 2) && !(sum && precedence <= 1)) return left;
            depth.deeper();
            const Token op = take();
            const NodeId right = calculation(product ? 3 : 2);
            left = add_call('_' + text(op) + '_', op.begin, {left, right});
        }
    }

    NodeId unary() {
        if (is(TokenKind::exclamation)) return repeated(TokenKind::exclamation, "!_");
        if (is(TokenKind::minus) && !is_number(1)) return repeated(TokenKind::minus, "-_");
        return member();
    }

    bool is_number(size_t ahead) const {
        return kind(ahead) == TokenKind::integer || kind(ahead) == TokenKind::real;
    }

    // Two in a row cancel each other.
    NodeId repeated(TokenKind op, std::string_view function) {
        const size_t position = token().begin;
        size_t count = 0;
        for (; is(op); ++count) take();
        const NodeId operand = member();
        return count % 2 == 0 ? operand : add_call(function, position, {operand});
    }

    NodeId member() {
        Depth depth(members_);
        depth.deeper();
        NodeId operand = primary();
        for (;;) {
            if (is(TokenKind::dot)) {
                depth.deeper();
                operand = selection(operand);
            } else if (is(TokenKind::left_bracket)) {
                depth.deeper();
                const Token bracket = take();
                skip_optional_mark();
                const NodeId index = expression();
                take(TokenKind::right_bracket, "']'");
                operand = add_call("_[_]", bracket.begin, {operand, index});
            } else {
                return operand;
            }
        }
    }

    void skip_optional_mark() {
        if (is(TokenKind::question)) issues_.add(take().begin, "unsupported syntax '?'");
    }

    NodeId selection(NodeId operand) {
        constexpr TokenSet names = {TokenKind::identifier, TokenKind::escaped_identifier};
        const Token dot = take();
        if (is(TokenKind::question)) {
            take();
            issues_.add(dot.begin, "unsupported syntax '.?'");
        }
        require(names, "the name of a field or function");
        const Token name = take();
        if (name.kind == TokenKind::identifier && is(TokenKind::left_parenthesis)) return call(name, operand);
        Node node;
        node.kind = NodeKind::select;
        node.position = dot.begin;
        if (name.kind == TokenKind::escaped_identifier) {
            node.name = source_.part(name.begin + 1, name.end - 1);
            issues_.add(name.begin, "unsupported syntax: '`'");
        } else {
            node.name = text(name);
        }
        node.children = {operand};
        return add(std::move(node));
    }

    // From the parenthesis on.
    NodeId call(const Token& name, std::optional<NodeId> receiver) {
        const Token open = take();
        std::vector<NodeId> arguments;
        if (!is(TokenKind::right_parenthesis)) {
            arguments.push_back(expression());
            while (is(TokenKind::comma)) {
                take();
                arguments.push_back(expression());
            }
        }
        take(TokenKind::right_parenthesis, "',' or ')'");
        return finish_call(text(name), open.begin, receiver, std::move(arguments));
    }

    NodeId finish_call(const std::string& function, size_t position, std::optional<NodeId> receiver,
                       std::vector<NodeId> arguments) {
        if (issues_.empty()) {
            if (!receiver && function == "has" && arguments.size() == 1) return has(position, arguments[0]);
            if (receiver)
                if (const auto macro = macro_of(function, arguments.size()))
                    return comprehension(*macro, position, *receiver, std::move(arguments));
        }
        Node node;
        node.kind = NodeKind::call;
        node.position = position;
        node.name = function;
        node.member = receiver.has_value();
        if (receiver) node.children.push_back(*receiver);
        node.children.insert(node.children.end(), arguments.begin(), arguments.end());
        return add(std::move(node));
    }

    NodeId has(size_t position, NodeId argument) {
        Node& selected = tree_.nodes[argument];
        if (selected.kind != NodeKind::select || selected.test_only) {
            issues_.add(selected.position, "invalid argument to has() macro");
        } else {
            selected.test_only = true;
            selected.position = position;
        }
        return argument;
    }

    static std::optional<Macro> macro_of(std::string_view function, size_t arguments) {
        if (function == "map" && arguments == 3) return Macro::map;
        if (arguments != 2) return std::nullopt;
        if (function == "all") return Macro::all;
        if (function == "exists") return Macro::exists;
        if (function == "exists_one" || function == "existsOne") return Macro::exists_one;
        if (function == "map") return Macro::map;
        if (function == "filter") return Macro::filter;
        return std::nullopt;
    }

    NodeId comprehension(Macro macro, size_t position, NodeId range, std::vector<NodeId> arguments) {
        const Node& variable = tree_.nodes[arguments[0]];
        if (variable.kind != NodeKind::identifier || variable.name.starts_with('.')) {
            issues_.add(variable.position, macro == Macro::map || macro == Macro::filter
                                               ? "argument is not an identifier"
                                               : "argument must be a simple name");
        }
        Node node;
        node.kind = NodeKind::comprehension;
        node.position = position;
        node.name = variable.name;
        node.macro = macro;
        node.children = std::move(arguments);
        node.children[0] = range;
        return add(std::move(node));
    }

    NodeId primary() {
        require(member_first, "a value");
        switch (kind()) {
        case TokenKind::left_parenthesis:
            return nested();
        case TokenKind::left_bracket:
            return list();
        case TokenKind::left_brace:
            return map();
        case TokenKind::dot:
        case TokenKind::identifier:
            return name();
        default:
            return literal();
        }
    }

    NodeId nested() {
        take();
        const NodeId inner = expression();
        take(TokenKind::right_parenthesis, "')'");
        return inner;
    }

    bool is_message() const {
        size_t ahead = is(TokenKind::dot) ? 2 : 1;
        while (kind(ahead) == TokenKind::dot && kind(ahead + 1) == TokenKind::identifier) ahead += 2;
        return kind(ahead) == TokenKind::left_brace;
    }

    NodeId name() {
        const bool absolute = is(TokenKind::dot);
        if (kind(absolute ? 1 : 0) == TokenKind::identifier && is_message()) return message();
        if (absolute) take();
        const Token token = take(TokenKind::identifier, "a name");
        const std::string spelling = text(token);
        if (std::find(reserved.begin(), reserved.end(), spelling) != reserved.end())
            issues_.add(token.begin, "reserved identifier: " + spelling);
        if (is(TokenKind::left_parenthesis)) return call(token, std::nullopt);
        Node node;
        node.kind = NodeKind::identifier;
        node.position = token.begin;
        node.name = (absolute ? "." : "") + spelling;
        return add(std::move(node));
    }

    NodeId list() {
        Node node;
        node.kind = NodeKind::list;
        node.position = take().begin;
        constexpr TokenSet end = {TokenKind::comma, TokenKind::right_bracket};
        if (!is(end)) {
            node.children.push_back(item());
            while (is(TokenKind::comma) && item_first.contains(kind(1))) {
                take();
                node.children.push_back(item());
            }
        }
        require(end, "',' or ']'");
        if (is(TokenKind::comma)) take();
        take(TokenKind::right_bracket, "']'");
        return add(std::move(node));
    }

    NodeId map() {
        Node node;
        node.kind = NodeKind::map;
        node.position = take().begin;
        constexpr TokenSet end = {TokenKind::comma, TokenKind::right_brace};
        bool more = !is(end);
        while (more) {
            node.children.push_back(item());
            take(TokenKind::colon, "':' and the value of the key");
            node.children.push_back(expression());
            more = is(TokenKind::comma) && item_first.contains(kind(1));
            if (more) take();
        }
        require(end, "',' or '}'");
        if (is(TokenKind::comma)) take();
        take(TokenKind::right_brace, "'}'");
        return add(std::move(node));
    }

    NodeId item() {
        skip_optional_mark();
        return expression();
    }

    // None of our types are messages; the checker reports that, and not what is wrong with the fields.
    NodeId message() {
        Node node;
        node.kind = NodeKind::message;
        while (!is(TokenKind::left_brace)) node.name += text(take());
        node.position = take().begin;
        constexpr TokenSet field_first = {TokenKind::question, TokenKind::identifier,
                                          TokenKind::escaped_identifier};
        while (is(field_first)) {
            skip_optional_mark();
            require({TokenKind::identifier, TokenKind::escaped_identifier}, "the name of a field");
            take();
            take(TokenKind::colon, "':' and the value of the field");
            expression();
            if (!is(TokenKind::comma)) break;
            take();
        }
        take(TokenKind::right_brace, "'}'");
        return add(std::move(node));
    }

    NodeId literal() {
        const size_t begin = this->token().begin;
        if (is(TokenKind::minus)) {
            take();
            require({TokenKind::integer, TokenKind::real}, "a number");
        }
        const Token token = take();
        const std::string spelling = source_.part(begin, token.end);
        switch (token.kind) {
        case TokenKind::true_:
            return add_constant(begin, Value::of(true));
        case TokenKind::false_:
            return add_constant(begin, Value::of(false));
        case TokenKind::null:
            return add_constant(begin, Value());
        case TokenKind::integer: {
            const std::string digits = (begin == token.begin ? "" : "-") + text(token);
            if (const auto value = parse_integer(digits)) return add_constant(begin, Value::of(*value));
            return invalid(begin, "invalid int literal");
        }
        case TokenKind::unsigned_integer:
            if (const auto value = parse_unsigned(spelling)) return add_constant(begin, Value::of(*value));
            return invalid(begin, "invalid uint literal");
        case TokenKind::real: {
            const std::string digits = (begin == token.begin ? "" : "-") + text(token);
            if (const auto value = parse_real(digits)) return add_constant(begin, Value::of(*value));
            return invalid(begin, "invalid double literal");
        }
        default:
            if (auto value = parse_string(spelling, token.kind == TokenKind::bytes))
                return add_constant(begin, std::move(*value));
            return invalid(begin, "unable to unescape string");
        }
    }

    NodeId invalid(size_t position, std::string message) {
        issues_.add(position, std::move(message));
        return add_constant(position, Value());
    }

    const Source& source_;
    Issues& issues_;
    std::vector<Token> tokens_;
    size_t at_ = 0;
    Tree tree_;
    int expressions_ = 0;
    int relations_ = 0;
    int calculations_ = 0;
    int members_ = 0;
};

} // namespace

Tree parse(const Source& source, Issues& issues) {
    return Parser(source, issues).run();
}

} // namespace opcat::cel
