#include "opcat/cue/checker.hpp"
#include "opcat/cue/expansion.hpp"
#include "opcat/cue/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>

namespace opcat::cue {
namespace {

constexpr size_t max_nodes = 20'000;
constexpr size_t max_definitions = 1'000;
constexpr uint64_t max_steps = 1'000'000;

// The key of a node: all inputs of its value. Equal ones are one node.
struct Vertex {
    std::vector<Conjunct> conjuncts;
    Groups groups;
};

auto key_of(const Vertex& vertex) {
    std::vector<std::tuple<uint32_t, bool, bool>> groups;
    groups.reserve(vertex.groups.size());
    for (const Group& group : vertex.groups) groups.emplace_back(group.parent, group.closed, group.embedded);
    return std::pair(vertex.conjuncts, std::move(groups));
}
using Key = decltype(key_of(Vertex{}));

class Compiler {
public:
    Compiler(const File& tree, const Meanings& meanings)
        : tree_(tree), meanings_(meanings), expansion_(meanings, scopes_, budget_) {}

    // Throws CompileError.
    Compiled compile() {
        Compiled compiled;
        node_of({{}, Groups(1)}, {});
        const Instance body{&tree_.body, nullptr};
        const Scope* const scope = scopes_.intern({nullptr, &tree_.body, {body}});
        for (const Declaration& declaration : tree_.body.declarations) {
            if (declaration.kind != Declaration::Kind::definition &&
                declaration.kind != Declaration::Kind::field)
                throw CompileError{declaration.label_range,
                                   "only definitions and fields may be at the top of a file"};
            if (compiled.definitions.contains(declaration.name)) continue;
            if (compiled.definitions.size() >= max_definitions)
                throw CompileError{declaration.label_range,
                                   fmt::format("more than {} definitions in a file", max_definitions)};
            const bool closed = declaration.name.starts_with('#') || declaration.name.starts_with("_#");
            Vertex vertex{{}, Groups(1)};
            vertex.groups.front().closed = closed;
            for (const Declaration* same : meanings_.members.at(&tree_.body).at(declaration.name))
                if (same->kind == declaration.kind) vertex.conjuncts.push_back({&same->value, scope, 0});
            const NodeId id = node_of(std::move(vertex), declaration.label_range);
            compiled.definitions.emplace(declaration.name, id);
            finish_pending();
        }
        compute_completion(program_);
        for (const auto& [name, id] : compiled.definitions) {
            const Node& node = program_.nodes[id];
            if (node.when_absent == State::bottom)
                throw CompileError{node.where, fmt::format("nothing can be {}: {}", name, why_not(id))};
        }
        compiled.program = std::move(program_);
        return compiled;
    }

private:
    // The contradiction that makes a node one, maybe further in.
    std::string why_not(NodeId id) const {
        for (int depth = 0; depth < 100; ++depth) {
            const Node& node = program_.nodes[id];
            if (!node.contradiction.empty()) return node.contradiction;
            if (node.alternatives.empty()) break;
            const Alternative& first = node.alternatives.front();
            std::vector<NodeId> inner = first.items;
            inner.insert(inner.end(), first.hidden.begin(), first.hidden.end());
            for (const Field& field : first.fields)
                if (field.presence == Presence::regular) inner.push_back(field.node);
            const auto wrong = std::find_if(inner.begin(), inner.end(), [&](NodeId one) {
                return program_.nodes[one].when_absent == State::bottom;
            });
            if (wrong == inner.end()) break;
            id = *wrong;
        }
        return "it must contain itself without end";
    }

    NodeId node_of(Vertex vertex, Range where) {
        budget_.take(where, (vertex.groups.size() + vertex.conjuncts.size()) / 8);
        std::vector<uint32_t> used;
        for (const Conjunct& conjunct : vertex.conjuncts) used.push_back(conjunct.group);
        vertex.groups = simplified(vertex.groups, used);
        for (size_t i = 0; i < used.size(); ++i) vertex.conjuncts[i].group = used[i];
        // Repetitions have no effect.
        std::vector<Conjunct> distinct;
        std::set<Conjunct> seen;
        for (const Conjunct& conjunct : vertex.conjuncts)
            if (seen.insert(conjunct).second) distinct.push_back(conjunct);
        vertex.conjuncts = std::move(distinct);
        const auto [known, is_new] = ids_.emplace(key_of(vertex), static_cast<NodeId>(program_.nodes.size()));
        if (!is_new) return known->second;
        if (program_.nodes.size() >= max_nodes)
            throw CompileError{where, "the schema is too large: its definitions multiply",
                               "see docs/limits.md"};
        program_.nodes.push_back({.alternatives = {}, .where = where, .contradiction = {}});
        pending_.emplace_back(known->second, std::move(vertex));
        return known->second;
    }

    void finish_pending() {
        while (!pending_.empty()) {
            const auto [id, vertex] = std::move(pending_.front());
            pending_.pop_front();
            std::string contradiction;
            std::vector<Expanded> expanded =
                expansion_.expand(vertex.conjuncts, vertex.groups, contradiction);
            std::vector<Alternative> alternatives;
            for (Expanded& one : expanded) {
                std::string why = finish_lists(one);
                if (why.empty()) why = finish_structs(one);
                if (why.empty())
                    alternatives.push_back(std::move(one.alternative));
                else if (contradiction.empty())
                    contradiction = std::move(why);
            }
            program_.nodes[id].forbidden = contradiction == Expansion::bottom;
            program_.nodes[id].alternatives = std::move(alternatives);
            program_.nodes[id].contradiction = std::move(contradiction);
        }
    }

    // The constraints of a value's parts on one of its fields or items.
    struct Inner {
        Vertex vertex;
        void add(const Expression& expression, const Scope* scope, uint32_t group) {
            vertex.conjuncts.push_back({&expression, scope, group});
        }
    };

    std::string finish_lists(Expanded& one) {
        Alternative& alternative = one.alternative;
        if (one.lists.empty()) return {};
        alternative.has_items = true;
        size_t count = 0;
        bool open = true;
        for (const auto& list : one.lists) {
            count = std::max(count, list.literal->items.size());
            open = open && list.literal->open;
            if (list.literal->rest) alternative.origin.push_back(list.literal);
        }
        for (const auto& list : one.lists)
            if (!list.literal->open && list.literal->items.size() != count)
                return fmt::format("no list has both {} and {} items", list.literal->items.size(), count);
        for (size_t i = 0; i < count; ++i) alternative.items.push_back(item_of(one, i));
        if (open) alternative.rest = item_of(one, count);
        std::sort(alternative.origin.begin(), alternative.origin.end());
        return {};
    }

    NodeId item_of(const Expanded& one, size_t index) {
        Inner inner{{{}, one.groups}};
        for (const auto& list : one.lists) {
            const ListLiteral& literal = *list.literal;
            if (index < literal.items.size())
                inner.add(literal.items[index], list.scope, list.group);
            else if (literal.rest)
                inner.add(*literal.rest, list.scope, list.group);
        }
        const Range where = inner.vertex.conjuncts.empty() ? one.alternative.where
                                                           : inner.vertex.conjuncts.front().expression->range;
        return node_of(std::move(inner.vertex), where);
    }

    // The parts of a struct, put together.
    struct Merged {
        struct Label {
            NodeId node;
            Range where;
            std::vector<std::pair<uint32_t, const Declaration*>> values; // with the part that each is in
        };
        std::vector<const Scope*> scopes;                // inside of each part
        std::vector<std::vector<uint32_t>> closing_sets; // of parts
        std::vector<Label> labels;

        bool matches(const Label& label, const Program& program, std::string_view name) const {
            return check(program, label.node, Value::of(name)).state == State::complete;
        }
    };

    std::string finish_structs(Expanded& one) {
        if (one.structs.empty() || (one.alternative.kinds & kind::structure) == 0) return {};
        Alternative& alternative = one.alternative;
        alternative.has_fields = true;
        Merged merged = merge(one);
        add_patterns(one, merged);
        std::map<std::string_view, std::vector<std::pair<uint32_t, const Declaration*>>> fields;
        std::map<std::string_view, std::vector<std::pair<uint32_t, const Declaration*>>> hidden;
        for (uint32_t part = 0; part < one.structs.size(); ++part)
            for (const Declaration& declaration : one.structs[part].literal->declarations) {
                if (declaration.kind == Declaration::Kind::field)
                    fields[declaration.name].emplace_back(part, &declaration);
                if (declaration.kind == Declaration::Kind::definition &&
                    declaration.presence == Presence::regular)
                    hidden[declaration.name].emplace_back(part, &declaration);
            }
        for (const auto& [name, declarations] : fields) {
            add_field(one, merged, name, declarations);
            const Field& field = alternative.fields.back();
            if (!field.allowed && field.presence != Presence::optional)
                return fmt::format("field {} is not allowed by a definition that it is combined with", name);
        }
        for (const auto& [name, declarations] : hidden) {
            Inner inner{{{}, one.groups}};
            if (name.starts_with('#') || name.starts_with("_#")) inner.vertex.groups.front().closed = true;
            for (const auto& [part, declaration] : declarations)
                inner.add(declaration->value, merged.scopes[part], one.structs[part].group);
            alternative.hidden.push_back(
                node_of(std::move(inner.vertex), declarations.front().second->label_range));
        }
        add_origin(one);
        return {};
    }

    Merged merge(const Expanded& one) {
        // The rest checks each part for each group.
        budget_.take(one.alternative.where, one.groups.size() * one.structs.size() / 8);
        Merged merged;
        std::vector<Instance> combined;
        std::vector<uint32_t> groups;
        for (const auto& part : one.structs) {
            combined.push_back({part.literal, part.scope});
            groups.push_back(part.group);
        }
        for (const Instance& instance : combined)
            merged.scopes.push_back(expansion_.scope_in(instance, combined));
        for (std::vector<uint32_t>& set : closing_sets(one.groups, groups))
            if (std::none_of(set.begin(), set.end(),
                             [&](uint32_t part) { return one.structs[part].literal->open; }))
                merged.closing_sets.push_back(std::move(set));
        return merged;
    }

    void add_patterns(Expanded& one, Merged& merged) {
        for (uint32_t part = 0; part < one.structs.size(); ++part)
            for (const Declaration& declaration : one.structs[part].literal->declarations) {
                if (declaration.kind != Declaration::Kind::pattern) continue;
                const NodeId label = label_node(declaration, merged.scopes[part]);
                auto found = std::find_if(merged.labels.begin(), merged.labels.end(),
                                          [&](const Merged::Label& known) { return known.node == label; });
                if (found == merged.labels.end()) {
                    if (merged.labels.size() == max_patterns)
                        throw CompileError{declaration.label_range,
                                           fmt::format("more than {} patterns in one struct", max_patterns)};
                    found = merged.labels.insert(found, {label, declaration.label_range, {}});
                }
                found->values.emplace_back(part, &declaration);
            }
        Alternative& alternative = one.alternative;
        for (const auto& label : merged.labels) alternative.patterns.push_back({label.node, label.where});
        if (!merged.labels.empty()) alternative.by_patterns.push_back(anything);
        for (uint32_t set = 1; set < (1U << merged.labels.size()); ++set) {
            Inner inner{{{}, one.groups}};
            for (size_t i = 0; i < merged.labels.size(); ++i)
                if ((set >> i & 1U) != 0) add_values(inner, one, merged, merged.labels[i]);
            alternative.by_patterns.push_back(node_of(
                std::move(inner.vertex), merged.labels[static_cast<size_t>(__builtin_ctz(set))].where));
        }
        for (const auto& closing : merged.closing_sets) {
            uint32_t set = 0;
            for (size_t i = 0; i < merged.labels.size(); ++i)
                for (const auto& [part, declaration] : merged.labels[i].values)
                    if (std::find(closing.begin(), closing.end(), part) != closing.end()) set |= 1U << i;
            alternative.closed_by.push_back(set);
        }
    }

    static void add_values(Inner& inner, const Expanded& one, const Merged& merged,
                           const Merged::Label& label) {
        for (const auto& [part, declaration] : label.values)
            inner.add(declaration->value, merged.scopes[part], one.structs[part].group);
    }

    // Names are checked while the schema is compiled, so that a label is compiled at once.
    NodeId label_node(const Declaration& declaration, const Scope* scope) {
        if (in_label_)
            throw CompileError{declaration.label_range, "the label of a pattern is a string, not a struct"};
        in_label_ = true;
        std::deque<std::pair<NodeId, Vertex>> waiting;
        std::swap(waiting, pending_);
        Inner inner{{{}, Groups(1)}};
        inner.add(*declaration.label, scope, 0);
        const NodeId label = node_of(std::move(inner.vertex), declaration.label_range);
        finish_pending();
        std::swap(waiting, pending_);
        in_label_ = false;
        for (const Alternative& alternative : program_.nodes[label].alternatives)
            if ((alternative.kinds & kind::string) == 0)
                throw CompileError{declaration.label_range, "the label of a pattern is not a string"};
        return label;
    }

    void add_field(Expanded& one, const Merged& merged, std::string_view name,
                   const std::vector<std::pair<uint32_t, const Declaration*>>& declarations) {
        Field field{.name = std::string(name),
                    .presence = Presence::optional,
                    .where = declarations.front().second->range};
        Inner inner{{{}, one.groups}};
        std::vector<bool> has(one.structs.size(), false);
        for (const auto& [part, declaration] : declarations) {
            inner.add(declaration->value, merged.scopes[part], one.structs[part].group);
            has[part] = true;
            if (declaration->presence == Presence::required) field.presence = Presence::required;
        }
        for (const auto& [part, declaration] : declarations)
            if (declaration->presence == Presence::regular && field.presence == Presence::optional)
                field.presence = Presence::regular;
        for (const auto& label : merged.labels) {
            if (!merged.matches(label, program_, name)) continue;
            add_values(inner, one, merged, label);
            for (const auto& [part, declaration] : label.values) has[part] = true;
        }
        for (const auto& set : merged.closing_sets)
            if (std::none_of(set.begin(), set.end(), [&](uint32_t part) { return has[part]; }))
                field.allowed = false;
        field.node = node_of(std::move(inner.vertex), field.where);
        one.alternative.fields.push_back(std::move(field));
    }

    static void add_origin(Expanded& one) {
        for (const auto& part : one.structs) {
            const bool has_optional = std::any_of(part.literal->declarations.begin(),
                                                  part.literal->declarations.end(), [](const Declaration& d) {
                                                      return d.kind == Declaration::Kind::pattern ||
                                                             (d.kind == Declaration::Kind::field &&
                                                              d.presence == Presence::optional);
                                                  });
            if (has_optional) one.alternative.origin.push_back(part.literal);
        }
        auto& origin = one.alternative.origin;
        std::sort(origin.begin(), origin.end());
        origin.erase(std::unique(origin.begin(), origin.end()), origin.end());
    }

    const File& tree_;
    const Meanings& meanings_;
    Scopes scopes_;
    CompileBudget budget_{max_steps};
    Expansion expansion_;
    Program program_;
    std::map<Key, NodeId> ids_;
    std::deque<std::pair<NodeId, Vertex>> pending_;
    bool in_label_ = false;
};

} // namespace

std::optional<Compiled> compile(const File& tree, const SourceFile& file, Diagnostics& problems) {
    const size_t before = problems.added();
    const Meanings meanings = resolve(tree, file, problems);
    if (problems.added() > before) return std::nullopt;
    try {
        return Compiler(tree, meanings).compile();
    } catch (const CompileError& error) {
        problems.push_back({.rule = "schema-file",
                            .message = error.message,
                            .where = {&file, error.where.begin, error.where.end - error.where.begin},
                            .notes = {},
                            .help = error.help});
        return std::nullopt;
    }
}

} // namespace opcat::cue
