#include "cel/parser.hpp"

#include "cel/error_strategy.hpp"
#include "cel/literals.hpp"
#include "document/number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace opcat::cel {
namespace {

using K = TokenKind;

constexpr TokenSet rule_end = TokenSet::rule_end();
constexpr TokenSet literal_first = {
    K::minus, K::true_, K::false_, K::null, K::real, K::integer, K::unsigned_integer, K::string, K::bytes};
constexpr TokenSet member_first =
    literal_first | TokenSet{K::left_bracket, K::left_brace, K::left_parenthesis, K::dot, K::identifier};
constexpr TokenSet unary_first = member_first | TokenSet{K::exclamation};
constexpr TokenSet item_first = unary_first | TokenSet{K::question};
constexpr TokenSet relations = {K::equal,      K::not_equal,     K::in,     K::less,
                                K::less_equal, K::greater_equal, K::greater};
constexpr TokenSet calculations = {K::star, K::slash, K::percent, K::plus, K::minus};
constexpr TokenSet member_next = rule_end | TokenSet{K::dot, K::left_bracket};

// Nobody gets further down than this: the depth of each kind of rule is counted.
struct TooDeep {};

// Places in the grammar, for TokenStream.
enum State : int {
    at_end,
    at_colon,
    at_unary,
    at_primary,
    at_arguments,
    at_arguments_end,
    at_index,
    at_index_end,
    at_nested_end,
    at_list,
    at_list_comma,
    at_list_end,
    at_map,
    at_map_comma,
    at_map_end,
    at_map_colon,
    at_field,
    at_field_colon,
    at_item,
    at_name,
    at_select,
    at_other,
};

constexpr std::array<std::string_view, 17> reserved = {
    "as",  "break", "const",     "continue", "else",   "for", "function", "if",   "import",
    "let", "loop",  "namespace", "package",  "return", "var", "void",     "while"};

class Parser {
public:
    Parser(const Source& source, Issues& issues)
        : source_(source), issues_(issues), tokens_(source, issues) {}

    Tree run() {
        try {
            tree_.root = rule(TokenSet(), [this] {
                const NodeId root = expression({K::end});
                tokens_.match(K::end, rule_end, at_end);
                return root;
            });
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

    template <typename Body>
    NodeId rule(TokenSet follow, Body body) {
        tokens_.enter(follow);
        NodeId result = 0;
        try {
            result = body();
        } catch (const TokenStream::Mistake& mistake) {
            tokens_.recover(mistake);
        }
        tokens_.leave();
        return result;
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

    bool is(K kind) const { return tokens_.kind() == kind; }

    NodeId expression(TokenSet follow) {
        return rule(follow, [this] {
            Depth depth(expressions_);
            depth.deeper();
            const NodeId condition = disjunction(TokenSet{K::question} | rule_end);
            if (!is(K::question)) return condition;
            const Token question = tokens_.match(K::question, unary_first, at_other);
            const NodeId yes = disjunction({K::colon});
            tokens_.match(K::colon, unary_first, at_colon);
            const NodeId no = expression(rule_end);
            return add_call("_?_:_", question.begin, {condition, yes, no});
        });
    }

    NodeId disjunction(TokenSet follow) {
        return rule(follow, [this] {
            return chain(K::logical_or, "_||_",
                         [this] { return conjunction(TokenSet{K::logical_or} | rule_end); });
        });
    }

    NodeId conjunction(TokenSet follow) {
        return rule(follow, [this] {
            return chain(K::logical_and, "_&&_",
                         [this] { return relation(TokenSet{K::logical_and} | rule_end, true); });
        });
    }

    template <typename Operand>
    NodeId chain(K kind, std::string_view function, Operand operand) {
        std::vector<NodeId> terms = {operand()};
        std::vector<size_t> positions;
        while (is(kind)) {
            positions.push_back(tokens_.match(kind, unary_first, at_other).begin);
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

    NodeId relation(TokenSet follow, bool chained) {
        return rule(follow, [this, chained] {
            Depth depth(relations_);
            depth.deeper();
            NodeId left = calculation(relations | rule_end, 0);
            while (chained && relations.contains(tokens_.kind())) {
                depth.deeper();
                const Token op = tokens_.match(tokens_.kind(), unary_first, at_other);
                const NodeId right = relation(relations | rule_end, false);
                left = add_call(op.kind == K::in ? "@in" : '_' + text(op) + '_', op.begin, {left, right});
            }
            return left;
        });
    }

    NodeId calculation(TokenSet follow, int precedence) {
        return rule(follow, [this, precedence] {
            Depth depth(calculations_);
            depth.deeper();
            NodeId left = unary(calculations | rule_end);
            for (;;) {
                const bool product = is(K::star) || is(K::slash) || is(K::percent);
                const bool sum = is(K::plus) || is(K::minus);
                if (!(product && precedence <= 2) && !(sum && precedence <= 1)) return left;
                depth.deeper();
                const Token op = tokens_.match(tokens_.kind(), unary_first, at_other);
                const NodeId right = calculation(calculations | rule_end, product ? 3 : 2);
                left = add_call('_' + text(op) + '_', op.begin, {left, right});
            }
        });
    }

    NodeId unary(TokenSet follow) {
        return rule(follow, [this] {
            tokens_.expect(unary_first, at_unary);
            if (is(K::exclamation)) return repeated(K::exclamation, "!_");
            if (!is(K::minus) || is_number(1)) return member(rule_end);
            if (!member_first.contains(tokens_.kind(1))) tokens_.no_way_on(1, at_unary);
            return repeated(K::minus, "-_");
        });
    }

    bool is_number(size_t ahead) const {
        return tokens_.kind(ahead) == K::integer || tokens_.kind(ahead) == K::real;
    }

    // Two in a row cancel each other.
    NodeId repeated(K kind, std::string_view function) {
        const size_t position = tokens_.token().begin;
        size_t count = 0;
        do {
            tokens_.match(kind, member_first | TokenSet{kind}, at_other);
            ++count;
            tokens_.expect_more(member_first | TokenSet{kind});
            if (kind == K::minus && is(K::minus) && !member_first.contains(tokens_.kind(1)))
                tokens_.no_way_on(1, at_unary);
        } while (is(kind));
        const NodeId operand = member(rule_end);
        return count % 2 == 0 ? operand : add_call(function, position, {operand});
    }

    NodeId member(TokenSet follow) {
        return rule(follow, [this] {
            Depth depth(members_);
            depth.deeper();
            NodeId operand = primary(member_next);
            for (;;) {
                if (is(K::dot)) {
                    depth.deeper();
                    operand = selection(operand);
                } else if (is(K::left_bracket)) {
                    depth.deeper();
                    const Token bracket = tokens_.match(K::left_bracket, item_first, at_other);
                    tokens_.expect(item_first, at_index);
                    skip_optional_mark();
                    const NodeId index = expression({K::right_bracket});
                    tokens_.match(K::right_bracket, member_next, at_index_end);
                    operand = add_call("_[_]", bracket.begin, {operand, index});
                } else {
                    return operand;
                }
            }
        });
    }

    void skip_optional_mark() {
        if (!is(K::question)) return;
        const Token mark = tokens_.match(K::question, unary_first, at_other);
        issues_.add(mark.begin, "unsupported syntax '?'");
    }

    NodeId selection(NodeId operand) {
        const K second = tokens_.kind(1);
        if (second != K::question && second != K::identifier && second != K::escaped_identifier)
            tokens_.no_way_on(1, at_select);
        const Token dot = tokens_.match(K::dot, {K::identifier}, at_other);
        if (is(K::question)) {
            tokens_.match(K::question, {K::identifier, K::escaped_identifier}, at_other);
            issues_.add(dot.begin, "unsupported syntax '.?'");
        }
        if (is(K::identifier) && tokens_.kind(1) == K::left_parenthesis) {
            const Token name = tokens_.match(K::identifier, {K::left_parenthesis}, at_name);
            return call(name, operand);
        }
        Node node;
        node.kind = NodeKind::select;
        node.position = dot.begin;
        if (is(K::escaped_identifier)) {
            const Token name = tokens_.match(K::escaped_identifier, member_next, at_name);
            node.name = source_.part(name.begin + 1, name.end - 1);
            issues_.add(name.begin, fmt::format("unsupported syntax: '{}'", text(name)));
        } else {
            node.name = text(tokens_.match(K::identifier, member_next, at_name));
        }
        node.children = {operand};
        return add(std::move(node));
    }

    // From the parenthesis on.
    NodeId call(const Token& name, std::optional<NodeId> receiver) {
        const TokenSet behind = receiver ? member_next : rule_end;
        const Token open =
            tokens_.match(K::left_parenthesis, unary_first | TokenSet{K::right_parenthesis}, at_other);
        tokens_.expect(unary_first | TokenSet{K::right_parenthesis}, at_arguments);
        std::vector<NodeId> arguments;
        if (unary_first.contains(tokens_.kind())) {
            rule({K::right_parenthesis}, [&] {
                arguments.push_back(expression(TokenSet{K::comma} | rule_end));
                while (is(K::comma)) {
                    tokens_.match(K::comma, unary_first, at_other);
                    arguments.push_back(expression(TokenSet{K::comma} | rule_end));
                }
                return NodeId{0};
            });
        }
        tokens_.match(K::right_parenthesis, behind, at_arguments_end);
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

    NodeId primary(TokenSet follow) {
        return rule(follow, [this] {
            tokens_.expect(member_first, at_primary);
            switch (tokens_.kind()) {
            case K::left_parenthesis:
                return nested();
            case K::left_bracket:
                return list();
            case K::left_brace:
                return map();
            case K::dot:
                if (tokens_.kind(1) != K::identifier) tokens_.no_way_on(1, at_primary);
                return name();
            case K::identifier:
                return name();
            default:
                // While recovering nothing was expected above, and anything may stand here.
                if (!member_first.contains(tokens_.kind())) tokens_.no_way_on(0, at_primary);
                if (is(K::minus) && !is_number(1)) tokens_.no_way_on(1, at_primary);
                return literal();
            }
        });
    }

    NodeId nested() {
        tokens_.match(K::left_parenthesis, unary_first, at_other);
        const NodeId inner = expression({K::right_parenthesis});
        tokens_.match(K::right_parenthesis, rule_end, at_nested_end);
        return inner;
    }

    bool is_message() const {
        size_t ahead = is(K::dot) ? 2 : 1;
        while (tokens_.kind(ahead) == K::dot && tokens_.kind(ahead + 1) == K::identifier) ahead += 2;
        return tokens_.kind(ahead) == K::left_brace;
    }

    NodeId name() {
        if (is_message()) return message();
        std::string prefix;
        if (is(K::dot)) {
            tokens_.match(K::dot, {K::identifier}, at_other);
            prefix = ".";
        }
        const Token token =
            tokens_.match(K::identifier, member_next | TokenSet{K::left_parenthesis}, at_other);
        const std::string spelling = text(token);
        if (std::find(reserved.begin(), reserved.end(), spelling) != reserved.end())
            issues_.add(token.begin, "reserved identifier: " + spelling);
        if (is(K::left_parenthesis)) return call(token, std::nullopt);
        Node node;
        node.kind = NodeKind::identifier;
        node.position = token.begin;
        node.name = prefix + spelling;
        return add(std::move(node));
    }

    NodeId list() {
        Node node;
        node.kind = NodeKind::list;
        constexpr TokenSet end = {K::comma, K::right_bracket};
        node.position = tokens_.match(K::left_bracket, item_first | end, at_other).begin;
        tokens_.expect(item_first | end, at_list);
        if (item_first.contains(tokens_.kind())) {
            rule(end, [&] {
                node.children.push_back(item(TokenSet{K::comma} | rule_end));
                while (is(K::comma) && item_first.contains(tokens_.kind(1))) {
                    tokens_.match(K::comma, item_first, at_other);
                    node.children.push_back(item(TokenSet{K::comma} | rule_end));
                }
                return NodeId{0};
            });
        }
        tokens_.expect(end, at_list_comma);
        if (is(K::comma)) tokens_.match(K::comma, {K::right_bracket}, at_other);
        tokens_.match(K::right_bracket, rule_end, at_list_end);
        return add(std::move(node));
    }

    NodeId map() {
        Node node;
        node.kind = NodeKind::map;
        constexpr TokenSet end = {K::comma, K::right_brace};
        node.position = tokens_.match(K::left_brace, item_first | end, at_other).begin;
        tokens_.expect(item_first | end, at_map);
        if (item_first.contains(tokens_.kind())) {
            rule(end, [&] {
                for (;;) {
                    node.children.push_back(item({K::colon}));
                    tokens_.match(K::colon, unary_first, at_map_colon);
                    node.children.push_back(expression(TokenSet{K::comma} | rule_end));
                    if (!is(K::comma) || !item_first.contains(tokens_.kind(1))) return NodeId{0};
                    tokens_.match(K::comma, item_first, at_other);
                }
            });
        }
        tokens_.expect(end, at_map_comma);
        if (is(K::comma)) tokens_.match(K::comma, {K::right_brace}, at_other);
        tokens_.match(K::right_brace, rule_end, at_map_end);
        return add(std::move(node));
    }

    NodeId item(TokenSet follow) {
        return rule(follow, [this] {
            tokens_.expect(item_first, at_item);
            skip_optional_mark();
            return expression(rule_end);
        });
    }

    // Messages are none of our types; the checker says so.
    NodeId message() {
        Node node;
        node.kind = NodeKind::message;
        while (!is(K::left_brace)) node.name += text(tokens_.match(tokens_.kind(), member_first, at_other));
        constexpr TokenSet field_first = {K::question, K::identifier, K::escaped_identifier};
        constexpr TokenSet end = {K::comma, K::right_brace};
        node.position = tokens_.match(K::left_brace, field_first | end, at_other).begin;
        tokens_.expect(field_first | end, at_field);
        while (field_first.contains(tokens_.kind())) {
            skip_optional_mark();
            tokens_.match(is(K::escaped_identifier) ? K::escaped_identifier : K::identifier, {K::colon},
                          at_name);
            tokens_.match(K::colon, unary_first, at_field_colon);
            node.children.push_back(expression(end));
            if (!is(K::comma)) break;
            tokens_.match(K::comma, field_first | end, at_other);
        }
        tokens_.match(K::right_brace, rule_end, at_map_end);
        return add(std::move(node));
    }

    NodeId literal() {
        const size_t begin = tokens_.token().begin;
        if (is(K::minus)) tokens_.match(K::minus, {K::integer, K::real}, at_other);
        const Token token = tokens_.match(tokens_.kind(), member_next, at_other);
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
    TokenStream tokens_;
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
