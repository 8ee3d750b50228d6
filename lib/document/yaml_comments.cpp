#include "opcat/document/yaml_comments.hpp"

#include "opcat/document/yaml_layout.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace opcat {
namespace {

using yaml::Layout;
using yaml::line_before;
using yaml::Node;
using yaml::none;
using yaml::Token;

// The comments of a node, as they are found.
struct Found {
    std::vector<std::string_view> before;
    std::vector<std::string_view> beside;
    std::vector<std::string_view> after;
};

class Attacher {
public:
    Attacher(const SourceFile& file, const Layout& layout)
        : bytes_(file.bytes()), layout_(layout), nodes_(layout.nodes()), tokens_(layout.tokens()),
          found_(nodes_.size()) {
        for (size_t i = 0; i < nodes_.size(); ++i) {
            if (i > 0) begins_.emplace(nodes_[i].begin, i);
            if (!nodes_[i].is_collection || nodes_[i].is_flow) ends_.emplace(nodes_[i].end, i);
            if (nodes_[i].is_flow) brackets_.emplace(nodes_[i].value, i);
        }
    }

    // All comments, in their order, and the blank lines between them.
    void attach(std::span<const Location> comments) {
        const std::vector<BlankLine> blanks = find_blank_lines(comments);
        auto blank = blanks.begin();
        for (const Location& comment : comments) {
            for (; blank != blanks.end() && blank->at < comment.offset; ++blank) attach(*blank);
            attach(comment);
        }
        for (; blank != blanks.end(); ++blank) attach(*blank);
    }

    const std::vector<Found>& found() const { return found_; }
    std::string_view separator() const { return separator_; }

private:
    void attach(const Location& comment) {
        std::string_view text = bytes_.substr(comment.offset, comment.length);
        text = text.substr(0, text.find_last_not_of(" \t") + 1);
        if (layout_.is_on_own_line(comment.offset))
            attach_line(comment.offset, text);
        else
            attach_beside(comment.offset, text);
    }

    // ---- blank lines

    struct BlankLine {
        uint32_t at;
        size_t node; // that follows, maybe after comments
    };

    void attach(const BlankLine& blank) {
        // Comments before the first key belong to the document.
        std::vector<std::string_view>& before = found_[blank.node == 1 ? 0 : blank.node].before;
        if (before.empty() || !before.back().empty()) before.emplace_back();
    }

    std::vector<BlankLine> find_blank_lines(std::span<const Location> comments) const {
        std::vector<BlankLine> found;
        size_t read = 0; // the text before it has been looked at
        for (const auto& [begin, node] : begins_) {
            if (layout_.is_on_own_line(begin) && brackets_around(nodes_[node].parent, begin) == none)
                find_blank_lines_before(begin, node, read, comments, found);
            read = begin;
        }
        return found;
    }

    // Those directly above a node and the comments before it.
    void find_blank_lines_before(uint32_t begin, size_t node, size_t read, std::span<const Location> comments,
                                 std::vector<BlankLine>& found) const {
        const size_t first = found.size();
        size_t end = begin - layout_.column_of(begin); // of the line above
        size_t comment = begin;                        // the first one
        while (end > read) {
            size_t line_end = end - 1;
            if (line_end > 0 && bytes_.substr(line_end - 1, 2) == "\r\n") --line_end;
            const std::string_view line = line_before(bytes_, line_end);
            const auto at = static_cast<uint32_t>(line_end - line.size());
            const size_t text = line.find_first_not_of(" \t\r");
            if (text == line.npos && at >= read)
                found.push_back({at, node});
            else if (at >= read && is_comment(static_cast<uint32_t>(at + text), comments))
                comment = at;
            else
                break;
            end = at;
        }
        if (keeps_breaks_before(begin))
            while (found.size() > first && found.back().at < comment) found.pop_back();
        std::reverse(found.begin() + static_cast<ptrdiff_t>(first), found.end());
    }

    static bool is_comment(uint32_t at, std::span<const Location> comments) {
        const auto comment = std::partition_point(comments.begin(), comments.end(),
                                                  [at](const Location& one) { return one.offset < at; });
        return comment != comments.end() && comment->offset == at;
    }

    // Returns true if a block of text is before the node and its comments, and has the blank lines after it
    // ("|+").
    bool keeps_breaks_before(uint32_t node) const {
        auto token = std::partition_point(tokens_.begin(), tokens_.end(),
                                          [node](const Token& t) { return t.begin < node; });
        while (token != tokens_.begin() && (--token)->begin == token->end) continue;
        if (token == tokens_.end() || token->type != YAML_SCALAR_TOKEN) return false;
        const std::string_view text = bytes_.substr(token->begin, token->end - token->begin);
        return text.starts_with('|') || text.starts_with('>')
                   ? text.substr(0, text.find_first_of(" #\r\n")).find('+') != text.npos
                   : false;
    }

    // ---- on the line of a node

    void attach_beside(uint32_t at, std::string_view text) {
        // Tokens before the comment, or the block of text in whose first line it is.
        auto token = std::partition_point(tokens_.begin(), tokens_.end(),
                                          [at](const Token& t) { return t.begin < at; });
        const uint32_t line = at - static_cast<uint32_t>(layout_.column_of(at));
        while (token != tokens_.begin() && std::prev(token)->end > line) {
            --token;
            if (token->type == YAML_DOCUMENT_START_TOKEN && separator_.empty()) {
                separator_ = text;
                return;
            }
            if (const size_t node = node_at(*token, at); node != none) {
                found_[node].beside.push_back(text);
                return;
            }
        }
        attach_line(at, text);
    }

    // The node of a token before a comment; `none`: look at the token before it.
    size_t node_at(const Token& token, uint32_t comment) const {
        const auto find = [](const std::map<uint32_t, size_t>& map, uint32_t key) {
            const auto found = map.find(key);
            return found == map.end() ? none : found->second;
        };
        switch (token.type) {
        case YAML_SCALAR_TOKEN:
            if (token.end > comment) return node_with_value(token.begin); // "key: |  # comment"
            return find(ends_, token.end);
        case YAML_ALIAS_TOKEN:
        case YAML_FLOW_SEQUENCE_END_TOKEN:
        case YAML_FLOW_MAPPING_END_TOKEN:
            return find(ends_, token.end);
        case YAML_FLOW_SEQUENCE_START_TOKEN:
        case YAML_FLOW_MAPPING_START_TOKEN:
            return find(brackets_, token.begin);
        case YAML_BLOCK_ENTRY_TOKEN:
            return find(begins_, token.begin);
        case YAML_VALUE_TOKEN: {
            // The key before the colon is the last that has begun.
            auto key = begins_.lower_bound(token.begin);
            while (key != begins_.begin())
                if (--key; nodes_[key->second].is_key) return key->second;
            return none;
        }
        default:
            return none;
        }
    }

    size_t node_with_value(uint32_t value) const {
        const auto found = std::partition_point(nodes_.begin(), nodes_.end(),
                                                [value](const Node& node) { return node.value < value; });
        return found == nodes_.end() ? none : static_cast<size_t>(found - nodes_.begin());
    }

    // ---- on a line of its own

    void attach_line(uint32_t at, std::string_view text) {
        const auto next = begins_.lower_bound(at);
        const size_t following = next == begins_.end() ? none : next->second;
        // The last node that has begun.
        const size_t last = next == begins_.begin() ? none : innermost(std::prev(next)->second, at);
        if (last == none) { // before the first key
            found_[0].before.push_back(text);
            return;
        }
        // The value of a key, on the next line.
        if (!nodes_[last].is_collection && nodes_[last].value > at) {
            found_[last].before.push_back(text);
            return;
        }
        const size_t brackets = brackets_around(last, at);
        if (brackets != none) {
            const bool is_inside = following != none && nodes_[following].begin < nodes_[brackets].end;
            (is_inside ? found_[following].before : found_[brackets].after).push_back(text);
            return;
        }
        const size_t column = layout_.column_of(at);
        if (following != none && column <= nodes_[following].column) {
            found_[following].before.push_back(text);
            return;
        }
        const size_t collection = collection_with_column(last, column);
        // Within a collection that continues, it belongs to the next node.
        if (following != none && is_below(following, collection))
            found_[following].before.push_back(text);
        else
            found_[collection].after.push_back(text);
    }

    // The last node that begins before `at`; `node` is one of them.
    size_t innermost(size_t node, uint32_t at) const {
        while (node + 1 < nodes_.size() && nodes_[node + 1].begin < at) ++node;
        return node;
    }

    size_t brackets_around(size_t node, uint32_t at) const {
        for (; node != none; node = nodes_[node].parent)
            if (nodes_[node].is_flow && nodes_[node].value < at && at < nodes_[node].end) return node;
        return none;
    }

    // The innermost collection around `node` whose items are in this column.
    size_t collection_with_column(size_t node, size_t column) const {
        while (nodes_[node].parent != none && nodes_[node].parent != 0) {
            const size_t parent = nodes_[node].parent;
            // The dashes of a list may be in the column of its key: the comment then belongs to the keys.
            const bool is_level = nodes_[parent].is_sequence && nodes_[parent].is_key &&
                                  nodes_[node].column == nodes_[parent].column;
            if (column >= nodes_[node].column && !(is_level && column == nodes_[node].column)) return parent;
            node = parent;
        }
        return 0;
    }

    bool is_below(size_t node, size_t ancestor) const {
        for (; node != none; node = nodes_[node].parent)
            if (node == ancestor) return true;
        return false;
    }

    std::string_view bytes_;
    const Layout& layout_;
    const std::vector<Node>& nodes_;
    const std::vector<Token>& tokens_;
    std::map<uint32_t, size_t> begins_, ends_, brackets_;
    std::vector<Found> found_;
    std::string_view separator_;
};

bool is_filled(const Value& value) {
    return (value.is_array() && !value.items().empty()) || (value.is_object() && !value.members().empty());
}

void move_all(std::vector<std::string_view>& from, std::vector<std::string_view>& to) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
}

// Moves comments from nodes to the values that were read from these, and to places where they are found
// again.
class Placement {
public:
    Placement(const SourceFile& file, const std::vector<Node>& nodes, const std::vector<Found>& found)
        : bytes_(file.bytes()), found_(found) {
        for (size_t i = 1; i < nodes.size(); ++i)
            (nodes[i].is_key ? keys_ : items_).emplace(nodes[i].is_key ? nodes[i].begin : nodes[i].value, i);
        used_.resize(nodes.size());
    }

    YamlCommentMap place(const Value& root) {
        take(root, 0);
        drop_first_blank_line(comments_[&root]);
        if (std::string_view& beside = comments_[&root].beside; !beside.empty())
            comments_[&root].before.push_back(std::exchange(beside, {}));
        visit(root);
        // Nodes that are not in the value, such as a merge.
        for (size_t i = 1; i < found_.size(); ++i) {
            if (used_[i]) continue;
            for (const auto* list : {&found_[i].before, &found_[i].beside, &found_[i].after})
                for (const std::string_view comment : *list)
                    if (!comment.empty()) comments_[&root].after.push_back(comment);
        }
        lower(root);
        raise(root, false);
        std::erase_if(comments_, [](const auto& entry) {
            const YamlComments& c = entry.second;
            return c.before.empty() && c.beside.empty() && c.after.empty();
        });
        return std::move(comments_);
    }

private:
    void take(const Value& value, size_t node) {
        used_[node] = true;
        const Found& found = found_[node];
        if (found.before.empty() && found.beside.empty() && found.after.empty()) return;
        YamlComments& comments = comments_[&value];
        comments.before = found.before;
        comments.after = found.after;
        for (const std::string_view text : found.beside) set_beside(comments, text);
    }

    // A line has room for one.
    static void set_beside(YamlComments& comments, std::string_view text) {
        if (!comments.beside.empty()) comments.before.push_back(comments.beside);
        comments.beside = text;
    }

    // An alias refers to another place, which has the comments.
    void take_once(const std::unordered_map<uint32_t, size_t>& nodes, uint32_t at, const Value& value) {
        const auto found = nodes.find(at);
        if (found != nodes.end() && !used_[found->second]) take(value, found->second);
    }

    uint32_t place_of(const Value& value) const {
        return value.is_json() ? static_cast<uint32_t>(value.string().data() - bytes_.data())
                               : value.offset();
    }

    void visit(const Value& value) {
        if (value.is_array())
            for (const Value& item : value.items()) {
                take_once(items_, place_of(item), item);
                visit(item);
            }
        if (value.is_object())
            for (const Member& member : value.members()) {
                take_once(keys_, member.key.offset(), member.value);
                visit(member.value);
            }
        if (!is_filled(value)) return;
        const Value& first = value.is_array() ? value.items().front() : value.members().front().value;
        if (const auto found = comments_.find(&first); found != comments_.end())
            drop_first_blank_line(found->second);
    }

    // At the begin of a document or a collection there is none.
    static void drop_first_blank_line(YamlComments& comments) {
        if (!comments.before.empty() && comments.before.front().empty())
            comments.before.erase(comments.before.begin());
    }

    // Comments at the end of a list are written with the indentation of its last item's content.
    void lower(const Value& value) {
        if (value.is_array() && is_filled(value)) {
            if (const auto found = comments_.find(&value);
                found != comments_.end() && !found->second.after.empty()) {
                std::vector<std::string_view> after = std::exchange(found->second.after, {});
                const Value& last = value.items().back();
                // A block of text would take them for its own lines.
                const bool is_block = last.string_or_empty().find('\n') != std::string_view::npos;
                if (is_filled(last))
                    move_all(after, comments_[&last].after);
                else if (is_block)
                    move_all(after, comments_[&last].before);
                else
                    found->second.after = std::move(after);
            }
            for (const Value& item : value.items()) lower(item);
        }
        if (value.is_object())
            for (const Member& member : value.members()) lower(member.value);
    }

    void raise(const Value& value, bool is_item) {
        if (value.is_array())
            for (const Value& item : value.items()) raise(item, true);
        if (value.is_object())
            for (const Member& member : value.members()) raise(member.value, false);
        const auto found = comments_.find(&value);
        if (!is_filled(value) && found != comments_.end()) {
            // "[]" has no room inside.
            for (const std::string_view text : std::exchange(found->second.after, {}))
                set_beside(found->second, text);
        }
        if (!is_item || !is_filled(value)) return;
        // After a dash there is no room: the first line of the item's content is there.
        if (found != comments_.end() && !found->second.beside.empty()) {
            YamlComments& comments = found->second;
            comments.before.push_back(std::exchange(comments.beside, {}));
        }
        const Value& first = value.is_array() ? value.items().front() : value.members().front().value;
        if (const auto of_first = comments_.find(&first); of_first != comments_.end()) {
            std::vector<std::string_view> before = std::exchange(of_first->second.before, {});
            if (!before.empty()) move_all(before, comments_[&value].before);
        }
    }

    std::string_view bytes_;
    const std::vector<Found>& found_;
    std::unordered_map<uint32_t, size_t> keys_, items_; // nodes by the places of keys, and of items
    std::vector<char> used_;
    YamlCommentMap comments_;
};

} // namespace

std::optional<AttachedComments> attach_comments(const SourceFile& file, const DocumentRange& range,
                                                std::span<const Location> comments, const Value& value) {
    Layout layout(file, range);
    if (!layout.scan()) return std::nullopt;
    Attacher attacher(file, layout);
    attacher.attach(comments);
    return AttachedComments{Placement(file, layout.nodes(), attacher.found()).place(value),
                            attacher.separator()};
}

} // namespace opcat
