#include "opcat/lsp/cursor.hpp"

#include "opcat/document/source_lines.hpp"

#include <algorithm>
#include <optional>

namespace opcat::lsp {

std::string CursorContext::field() const {
    std::string text;
    for (const std::string& step : path) {
        if (step != "[]" && !text.empty()) text += '.';
        text += step;
    }
    return text;
}

std::string_view CursorContext::sibling(std::string_view name, size_t level) const {
    if (level >= siblings.size()) return {};
    const auto found = siblings[level].find(name);
    return found == siblings[level].end() ? std::string_view() : std::string_view(found->second);
}

std::string_view CursorContext::root(std::string_view name) const {
    return siblings.empty() ? std::string_view() : sibling(name, siblings.size() - 1);
}

namespace {

constexpr size_t most_lines = 20'000;
using Scalars = std::map<std::string, std::string, std::less<>>;

// A scalar as people write them, without quotes, comment and blanks around it.
std::string plain(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
        const size_t end = text.find(text.front(), 1);
        return std::string(text.substr(1, end == text.npos ? text.npos : end - 1));
    }
    if (const size_t comment = text.find(" #"); comment != text.npos) text = text.substr(0, comment);
    return std::string(text.substr(0, text.find_last_not_of(" \t\r") + 1));
}

// A line of block style: "    - - key: rest".
struct BlockLine {
    size_t begin = 0;            // of the line
    std::vector<size_t> dashes;  // columns
    size_t column = 0;           // of what is after them
    std::string_view content;    // from there
    std::optional<size_t> colon; // in the content: after the key

    bool says_nothing() const { return dashes.empty() && (content.empty() || content.front() == '#'); }
    size_t outermost() const { return dashes.empty() ? column : dashes.front(); }
    std::string key() const { return plain(content.substr(0, *colon)); }
    std::string_view rest() const { return content.substr(*colon + 1); }
    bool has_value() const {
        const std::string value = plain(rest());
        return !value.empty() && value.front() != '#' && value.front() != '|' && value.front() != '>';
    }
};

std::optional<size_t> colon_of(std::string_view content) {
    if (content.empty() || content.front() == '{' || content.front() == '[' || content.front() == '#')
        return std::nullopt;
    size_t from = 0;
    if (content.front() == '"' || content.front() == '\'') {
        from = content.find(content.front(), 1);
        if (from == content.npos) return std::nullopt;
    }
    for (size_t at = content.find(':', from); at != content.npos; at = content.find(':', at + 1))
        if (at + 1 == content.size() || content[at + 1] == ' ' || content[at + 1] == '\t' ||
            content[at + 1] == '\r')
            return at;
    return std::nullopt;
}

BlockLine block_line(const SourceLine& line) {
    BlockLine result;
    result.begin = line.begin;
    std::string_view text = line.text;
    if (text.ends_with('\r')) text.remove_suffix(1);
    size_t at = std::min(text.find_first_not_of(" \t"), text.size());
    while (at < text.size() && text[at] == '-' && (at + 1 == text.size() || text[at + 1] == ' ')) {
        result.dashes.push_back(at);
        const size_t next = text.find_first_not_of(" \t", at + 1);
        at = next == text.npos ? at + 2 : next;
    }
    result.column = at;
    result.content = text.substr(std::min(at, text.size()));
    result.colon = colon_of(result.content);
    return result;
}

// Flow style and JSON: what is open where the text ends.
class FlowScan {
public:
    struct Open {
        bool is_object;
        std::string key; // of the value that comes next, or is open
        bool in_value;   // after the colon
        Scalars scalars;
    };

    explicit FlowScan(std::string_view text) {
        for (at_ = 0; at_ < text.size(); ++at_) {
            const char c = text[at_];
            if (c == '"' || c == '\'') {
                const size_t begin = at_ + 1;
                size_t end = begin;
                while (end < text.size() && text[end] != c) end += c == '"' && text[end] == '\\' ? 2 : 1;
                if (end >= text.size()) {
                    quote = c;
                    word = begin;
                    return;
                }
                take(text.substr(begin, end - begin));
                at_ = end;
                pending_ = true;
            } else if (c == '{' || c == '[') {
                open.push_back({c == '{', {}, c == '[', {}});
                start();
            } else if (c == '}' || c == ']') {
                flush(text);
                if (!open.empty()) open.pop_back();
                pending_ = true; // a value has ended
                last_.clear();
            } else if (c == ',') {
                flush(text);
                if (!open.empty()) {
                    open.back().in_value = !open.back().is_object;
                    open.back().key.clear();
                }
                start();
            } else if (c == ':' && !open.empty() && open.back().is_object && !open.back().in_value) {
                flush_key(text);
                open.back().in_value = true;
                start();
            } else if (c == '#' && at_ > 0 && text[at_ - 1] == ' ') {
                at_ = std::min(text.find('\n', at_), text.size());
            } else if (word == text.npos && c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                word = at_;
            }
        }
        if (word == std::string_view::npos) word = text.size();
    }

    std::vector<Open> open;
    size_t word = std::string_view::npos; // where what is being typed begins
    char quote = 0;

private:
    void start() {
        word = std::string_view::npos;
        pending_ = false;
        last_.clear();
    }
    void take(std::string_view text) { last_ = text; }
    std::string typed(std::string_view text) const {
        if (pending_) return last_;
        return word == text.npos ? std::string() : plain(text.substr(word, at_ - word));
    }
    void flush_key(std::string_view text) { open.back().key = typed(text); }
    void flush(std::string_view text) {
        if (open.empty() || !open.back().is_object || !open.back().in_value) return;
        if (std::string value = typed(text); !value.empty())
            open.back().scalars[open.back().key] = std::move(value);
    }

    size_t at_ = 0;
    bool pending_ = false;
    std::string last_;
};

class ContextReader {
public:
    ContextReader(std::string_view text, size_t at) : text_(text), at_(std::min(at, text.size())) {
        result_.begin = result_.end = at_;
    }

    CursorContext read() {
        const size_t first = text_.find_first_not_of(" \t\r\n");
        if (first != text_.npos && (text_[first] == '{' || text_[first] == '[')) {
            result_.is_json = text_[first] == '{';
            if (at_ > first) read_flow(first);
        } else {
            read_block();
        }
        return std::move(result_);
    }

private:
    // Reads what is in brackets that open before the cursor. Returns true if the cursor is inside of them.
    bool read_flow(size_t from) {
        const FlowScan scan(text_.substr(from, at_ - from));
        if (scan.open.empty()) return false;
        for (const auto& open : scan.open) {
            if (!open.is_object)
                result_.path.emplace_back("[]");
            else if (open.in_value)
                result_.path.push_back(open.key);
        }
        const auto& innermost = scan.open.back();
        result_.is_key = innermost.is_object && !innermost.in_value;
        for (auto open = scan.open.rbegin(); open != scan.open.rend(); ++open)
            if (open->is_object) result_.siblings.push_back(open->scalars);
        result_.quote = scan.quote;
        result_.begin = from + scan.word;
        const std::string_view ends = scan.quote == '"' ? "\"\r\n"
                                      : scan.quote != 0 ? "'\r\n"
                                                        : " \t\r\n,:{}[]#";
        result_.end = std::min(text_.find_first_of(ends, at_), text_.size());
        return true;
    }

    void read_block() {
        const SourceLine source = line_of(text_, at_);
        const BlockLine line = block_line(source);
        const size_t column = at_ - source.begin;
        size_t key_column = line.column;
        // A blank line: the cursor says how deep.
        if (line.content.empty()) key_column = std::max(column, line.column);
        if (line.content.empty() && line.dashes.empty()) key_column = column;
        result_.indent = std::string(key_column, ' ');
        const size_t content_begin = source.begin + line.column;
        if (const auto flow = flow_before(source); flow && read_flow(flow->first)) {
            prepend_block(line_of(text_, flow->first), block_line(line_of(text_, flow->first)),
                          block_line(line_of(text_, flow->first)).column, flow->second);
            return;
        }
        const bool in_value = line.colon && at_ > content_begin + *line.colon;
        if (in_value) {
            const std::string key = line.key();
            size_t value = text_.find_first_not_of(" \t", content_begin + *line.colon + 1);
            if (value == text_.npos || value > at_) value = at_;
            if (value < at_ && (text_[value] == '{' || text_[value] == '[') && read_flow(value)) {
                prepend_block(source, line, key_column, key);
                return;
            }
            result_.path = {key};
            take_scalar(value);
            prepend_block(source, line, key_column, {});
            return;
        }
        if (!line.content.empty() && (line.content.front() == '{' || line.content.front() == '[') &&
            at_ > content_begin && read_flow(content_begin)) {
            prepend_block(source, line, key_column, {});
            return;
        }
        // A key that is being typed, or an item of a list of scalars.
        take_scalar(std::min(content_begin, at_));
        result_.is_key = true;
        prepend_block(source, line, key_column, {});
    }

    // A flow collection that opens on an earlier line and is not closed there: where, and the key before it.
    std::optional<std::pair<size_t, std::string>> flow_before(const SourceLine& source) const {
        constexpr size_t most = 100;
        SourceLine line = source;
        for (size_t i = 0; i < most && line.begin > 0; ++i) {
            line = line_of(text_, line.begin - 1);
            if (line.is_separator()) return std::nullopt;
            const BlockLine block = block_line(line);
            if (block.says_nothing()) continue;
            const std::string_view value = block.colon ? block.rest() : block.content;
            const size_t bracket = value.find_first_not_of(" \t");
            if (bracket != value.npos && (value[bracket] == '{' || value[bracket] == '['))
                return std::pair(static_cast<size_t>(value.data() - text_.data()) + bracket,
                                 block.colon ? block.key() : std::string());
            if (block.colon) return std::nullopt;
        }
        return std::nullopt;
    }

    void take_scalar(size_t begin) {
        const bool quoted = begin < at_ && (text_[begin] == '"' || text_[begin] == '\'');
        result_.quote = quoted ? text_[begin] : '\0';
        result_.begin = quoted ? begin + 1 : begin;
        const std::string ends = quoted ? std::string(1, result_.quote) + "\r\n" : std::string("\r\n");
        result_.end = std::min(text_.find_first_of(ends, at_), text_.size());
        if (quoted) return;
        const std::string_view rest = text_.substr(at_, result_.end - at_);
        const size_t comment = rest.find(" #");
        const size_t colon = colon_of(rest).value_or(rest.npos);
        const std::string_view own = rest.substr(0, std::min(comment, colon));
        result_.end = at_ + own.find_last_not_of(" \t") + 1;
    }

    // The keys around a line of block style, from the inside out; `key`, if any, is that of the line itself.
    void prepend_block(const SourceLine& source, const BlockLine& line, size_t key_column,
                       const std::string& key) {
        std::vector<std::string> outer; // from the inside out
        if (!key.empty()) outer.push_back(key);
        size_t column = key_column;
        std::vector<size_t> dashes = line.dashes;
        SourceLine at = source;
        size_t read = 0;
        add_siblings(source, column);
        while (true) {
            // Items that begin on this line.
            while (!dashes.empty()) {
                outer.emplace_back("[]");
                column = dashes.back();
                dashes.pop_back();
                // "- - x": lists in lists have no keys in between.
            }
            // The next line above that is further to the left, or the key of this list.
            bool found = false;
            const bool in_list = !outer.empty() && outer.back() == "[]";
            while (at.begin > 0 && read++ < most_lines) {
                at = line_of(text_, at.begin - 1);
                if (at.is_separator()) break;
                const BlockLine above = block_line(at);
                if (above.says_nothing()) continue;
                const bool is_key_of_list = in_list && above.dashes.empty() && above.column == column &&
                                            above.colon && !above.has_value();
                if (above.outermost() >= column && !is_key_of_list) continue;
                if (above.column < column || is_key_of_list) {
                    // It has the key that all this is the value of.
                    if (!above.colon) continue;
                    outer.push_back(above.key());
                    column = above.column;
                    dashes = above.dashes;
                    add_siblings(at, column);
                } else {
                    // The item began there: "- name: x" above "  replaces: y".
                    column = above.column;
                    dashes = above.dashes;
                    while (!dashes.empty() && dashes.back() >= column) dashes.pop_back();
                }
                found = true;
                break;
            }
            if (!found) break;
        }
        std::reverse(outer.begin(), outer.end());
        result_.path.insert(result_.path.begin(), outer.begin(), outer.end());
    }

    // The scalars of the mapping that has a key at a column of a line.
    void add_siblings(const SourceLine& source, size_t column) {
        Scalars scalars;
        const auto take = [&](const BlockLine& line) {
            if (line.column != column || !line.colon) return;
            scalars[line.key()] = line.has_value() ? plain(line.rest()) : std::string();
        };
        const BlockLine own = block_line(source);
        const bool typed_here = source.begin <= at_ && at_ <= source.begin + source.text.size();
        if (!typed_here || (own.colon && at_ > source.begin + own.column + *own.colon)) take(own);
        SourceLine line = source;
        bool begins = !own.dashes.empty() && own.column == column;
        for (size_t i = 0; i < most_lines && line.begin > 0 && !begins; ++i) {
            line = line_of(text_, line.begin - 1);
            if (line.is_separator()) break;
            const BlockLine block = block_line(line);
            if (block.says_nothing()) continue;
            if (block.column < column) break;
            take(block);
            begins = !block.dashes.empty() && block.column == column;
        }
        line = source;
        for (size_t i = 0; i < most_lines && line.next() < text_.size(); ++i) {
            line = line_of(text_, line.next());
            if (line.is_separator()) break;
            const BlockLine block = block_line(line);
            if (block.says_nothing()) continue;
            if (block.outermost() < column) break;
            take(block);
        }
        result_.siblings.push_back(std::move(scalars));
    }

    std::string_view text_;
    size_t at_;
    CursorContext result_;
};

} // namespace

CursorContext cursor_context(std::string_view text, size_t at) {
    return ContextReader(text, at).read();
}

} // namespace opcat::lsp
