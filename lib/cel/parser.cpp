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

using K = TokenKind;

constexpr TokenSet literal_first = {
    K::minus, K::true_, K::false_, K::null, K::real, K::integer, K::unsigned_integer, K::string, K::bytes};
constexpr TokenSet member_first =
    literal_first | TokenSet{K::left_bracket, K::left_brace, K::left_parenthesis, K::dot, K::identifier};
constexpr TokenSet unary_first = member_first | TokenSet{K::exclamation};
constexpr TokenSet item_first = unary_first | TokenSet{K::question};
constexpr TokenSet relations = {K::equal,      K::not_equal,     K::in,     K::less,
                                K::less_equal, K::greater_equal, K::greater};

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
            take(K::end, "an operator or the end of the expression");
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

    const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    K kind(size_t ahead = 0) const { return token(ahead).kind; }
    bool is(K wanted) const { return kind() == wanted; }
    bool is(TokenSet wanted) const { return wanted.contains(kind()); }

    Token take() {
        const Token found = token();
        if (at_ + 1 < tokens_.size()) ++at_;
        return found;
    }
    Token take(K wanted, std::string_view expected) {
        require({wanted}, expected);
        return take();
    }
    // `expected` is what the message says.
    void require(TokenSet wanted, std::string_view expected) {
        if (is(wanted)) return;
        // The scanner has reported what is not a token.
        if (!is(K::unknown)) issues_.add(token().begin, fmt::format("Syntax error: expected {}", expected));
        throw SyntaxError();
    }

    // A call keeps the depth while its chain grows: what is on the left is deeper in the tree.
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
        if (!is(K::question)) return condition;
        const Token question = take();
        const NodeId yes = disjunction();
        take(K::colon, "':' and the other value of '?'");
        const NodeId no = expression();
        return add_call("_?_:_", question.begin, {condition, yes, no});
    }

    NodeId disjunction() {
        return chain(K::logical_or, "_||_", [this] { return conjunction(); });
    }

    NodeId conjunction() {
        return chain(K::logical_and, "_&&_", [this] { return relation(true); });
    }

    template <typename Operand>
    NodeId chain(K op, std::string_view function, Operand operand) {
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
            left = add_call(op.kind == K::in ? "@in" : '_' + text(op) + '_', op.begin, {left, right});
        }
        return left;
    }

    NodeId calculation(int precedence) {
        Depth depth(calculations_);
        depth.deeper();
        NodeId left = unary();
        for (;;) {
            const bool product = is(K::star) || is(K::slash) || is(K::percent);
            const bool sum = is(K::plus) || is(K::minus);
            if (!(product && precedence <= 2) && !(sum && precedence <= 1)) return left;
            depth.deeper();
            const Token op = take();
            const NodeId right = calculation(product ? 3 : 2);
            left = add_call('_' + text(op) + '_', op.begin, {left, right});
        }
    }

    NodeId unary() {
        if (is(K::exclamation)) return repeated(K::exclamation, "!_");
        if (is(K::minus) && !is_number(1)) return repeated(K::minus, "-_");
        return member();
    }

    bool is_number(size_t ahead) const { return kind(ahead) == K::integer || kind(ahead) == K::real; }

    // Two in a row cancel each other.
    NodeId repeated(K op, std::string_view function) {
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
            if (is(K::dot)) {
                depth.deeper();
                operand = selection(operand);
            } else if (is(K::left_bracket)) {
                depth.deeper();
                const Token bracket = take();
                skip_optional_mark();
                const NodeId index = expression();
                take(K::right_bracket, "']'");
                operand = add_call("_[_]", bracket.begin, {operand, index});
            } else {
                return operand;
            }
        }
    }

    void skip_optional_mark() {
        if (is(K::question)) issues_.add(take().begin, "unsupported syntax '?'");
    }

    NodeId selection(NodeId operand) {
        constexpr TokenSet names = {K::identifier, K::escaped_identifier};
        const Token dot = take();
        if (is(K::question)) {
            take();
            issues_.add(dot.begin, "unsupported syntax '.?'");
        }
        require(names, "the name of a field or function");
        const Token name = take();
        if (name.kind == K::identifier && is(K::left_parenthesis)) return call(name, operand);
        Node node;
        node.kind = NodeKind::select;
        node.position = dot.begin;
        if (name.kind == K::escaped_identifier) {
            node.name = source_.part(name.begin + 1, name.end - 1);
            issues_.add(name.begin, fmt::format("unsupported syntax: '{}'", text(name)));
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
        if (!is(K::right_parenthesis)) {
            arguments.push_back(expression());
            while (is(K::comma)) {
                take();
                arguments.push_back(expression());
            }
        }
        take(K::right_parenthesis, "',' or ')'");
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
        case K::left_parenthesis:
            return nested();
        case K::left_bracket:
            return list();
        case K::left_brace:
            return map();
        case K::dot:
        case K::identifier:
            return name();
        default:
            return literal();
        }
    }

    NodeId nested() {
        take();
        const NodeId inner = expression();
        take(K::right_parenthesis, "')'");
        return inner;
    }

    bool is_message() const {
        size_t ahead = is(K::dot) ? 2 : 1;
        while (kind(ahead) == K::dot && kind(ahead + 1) == K::identifier) ahead += 2;
        return kind(ahead) == K::left_brace;
    }

    NodeId name() {
        const bool absolute = is(K::dot);
        if (kind(absolute ? 1 : 0) == K::identifier && is_message()) return message();
        if (absolute) take();
        const Token token = take(K::identifier, "a name");
        const std::string spelling = text(token);
        if (std::find(reserved.begin(), reserved.end(), spelling) != reserved.end())
            issues_.add(token.begin, "reserved identifier: " + spelling);
        if (is(K::left_parenthesis)) return call(token, std::nullopt);
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
        constexpr TokenSet end = {K::comma, K::right_bracket};
        if (!is(end)) {
            node.children.push_back(item());
            while (is(K::comma) && item_first.contains(kind(1))) {
                take();
                node.children.push_back(item());
            }
        }
        require(end, "',' or ']'");
        if (is(K::comma)) take();
        take(K::right_bracket, "']'");
        return add(std::move(node));
    }

    NodeId map() {
        Node node;
        node.kind = NodeKind::map;
        node.position = take().begin;
        constexpr TokenSet end = {K::comma, K::right_brace};
        bool more = !is(end);
        while (more) {
            node.children.push_back(item());
            take(K::colon, "':' and the value of the key");
            node.children.push_back(expression());
            more = is(K::comma) && item_first.contains(kind(1));
            if (more) take();
        }
        require(end, "',' or '}'");
        if (is(K::comma)) take();
        take(K::right_brace, "'}'");
        return add(std::move(node));
    }

    NodeId item() {
        skip_optional_mark();
        return expression();
    }

    // Messages are none of our types; the checker says so.
    NodeId message() {
        Node node;
        node.kind = NodeKind::message;
        while (!is(K::left_brace)) node.name += text(take());
        node.position = take().begin;
        constexpr TokenSet field_first = {K::question, K::identifier, K::escaped_identifier};
        while (is(field_first)) {
            skip_optional_mark();
            require({K::identifier, K::escaped_identifier}, "the name of a field");
            take();
            take(K::colon, "':' and the value of the field");
            node.children.push_back(expression());
            if (!is(K::comma)) break;
            take();
        }
        take(K::right_brace, "'}'");
        return add(std::move(node));
    }

    NodeId literal() {
        const size_t begin = this->token().begin;
        if (is(K::minus)) {
            take();
            require({K::integer, K::real}, "a number");
        }
        const Token token = take();
        const std::string spelling = source_.part(begin, token.end);
        switch (token.kind) {
        case K::true_:
            return add_constant(begin, Value::of(true));
        case K::false_:
            return add_constant(begin, Value::of(false));
        case K::null:
            return add_constant(begin, Value());
        case K::integer: {
            const std::string digits = (begin == token.begin ? "" : "-") + text(token);
            if (const auto value = parse_integer(digits)) return add_constant(begin, Value::of(*value));
            return invalid(begin, "invalid int literal");
        }
        case K::unsigned_integer:
            if (const auto value = parse_unsigned(spelling)) return add_constant(begin, Value::of(*value));
            return invalid(begin, "invalid uint literal");
        case K::real: {
            const std::string digits = (begin == token.begin ? "" : "-") + text(token);
            if (const auto value = parse_real(digits)) return add_constant(begin, Value::of(*value));
            return invalid(begin, "invalid double literal");
        }
        default:
            if (auto value = parse_string(spelling, token.kind == K::bytes))
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
