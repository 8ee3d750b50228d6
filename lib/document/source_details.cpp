#include "opcat/document/source_details.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/libyaml.hpp"
#include "opcat/document/simple_yaml_reader.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace opcat {
namespace {

// Calls `take` for the tokens of a document up to the first error. Where opm's YAML accepts a text that
// libyaml refuses, all begins again with `start`.
template <class Start, class Take>
void scan_tokens(std::string_view text, uint32_t base, Start start, Take take) {
    YamlSubstitutions substitutions(text);
    while (true) {
        start();
        LibyamlParser parser(substitutions.text());
        ByteOffsets offsets(text, base);
        bool ended = false;
        yaml_token_t token;
        while (!ended && yaml_parser_scan(&parser.get(), &token)) {
            take(token, offsets);
            ended = token.type == YAML_STREAM_END_TOKEN;
            yaml_token_delete(&token);
        }
        const char* const problem = parser.get().problem;
        if (ended || !problem ||
            !substitutions.exchange(problem, offsets.of(parser.get().problem_mark) - base))
            return;
    }
}

class CommentSearch {
public:
    explicit CommentSearch(const SourceFile& file) : file_(file), bytes_(file.bytes()) {}

    std::vector<Location> run() {
        Diagnostics ignored;
        uint32_t end = 0;
        for (const DocumentRange& range : split_into_documents(file_, ignored)) {
            add_separators(end, range.begin);
            if (range.notation == Notation::yaml) search(range);
            end = range.end;
        }
        add_separators(end, static_cast<uint32_t>(bytes_.size()));
        return std::move(found_);
    }

    std::vector<Location> run(const DocumentRange& range) {
        search(range);
        return std::move(found_);
    }

private:
    // Only scalars may contain a '#' after a blank that does not begin a comment.
    void search(const DocumentRange& range) {
        const std::string_view text = bytes_.substr(range.begin, range.end - range.begin);
        if (text.find('#') == text.npos) return;
        Arena arena;
        std::vector<uint32_t> comments;
        if (read_simple_yaml(file_, range.begin, range.end, arena, &comments)) {
            for (const uint32_t at : comments) add(at);
            return;
        }
        const size_t found_before = found_.size();
        uint32_t end = range.begin;
        scan_tokens(
            text, range.begin,
            [&] {
                found_.resize(found_before);
                end = range.begin;
            },
            [&](const yaml_token_t& token, ByteOffsets& offsets) {
                if (token.type != YAML_SCALAR_TOKEN) return;
                uint32_t begin = offsets.of(token.start_mark);
                const auto style = token.data.scalar.style;
                // After the '|' or '>' of a block there may be a comment.
                if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)
                    begin = static_cast<uint32_t>(std::min(bytes_.find('\n', begin), bytes_.size()));
                add_all(end, begin);
                end = std::max(begin, offsets.of(token.end_mark));
            });
        add_all(end, range.end);
    }

    // opm skips the lines of separators, which end at LF only, and need no blank before the '#'.
    void add_separators(uint32_t begin, uint32_t end) {
        for (size_t at = find_hash(begin, end); at < end; at = find_hash(at, end)) {
            std::string_view comment = bytes_.substr(at, bytes_.find('\n', at) - at);
            comment = comment.substr(0, comment.find_last_not_of('\r') + 1);
            found_.push_back({&file_, static_cast<uint32_t>(at), static_cast<uint32_t>(comment.size())});
            at += comment.size();
        }
    }

    // The rest of the file is not looked at, or files of many documents would take long.
    size_t find_hash(size_t begin, size_t end) const {
        return begin < end ? std::min(bytes_.substr(begin, end - begin).find('#'), end - begin) + begin : end;
    }

    void add_all(uint32_t begin, uint32_t end) {
        for (size_t at = find_hash(begin, end); at < end; at = find_hash(at + 1, end)) {
            if (!is_behind_blank(at)) continue; // part of an anchor or a tag
            at = add(at) - 1;
        }
    }

    // Returns where its line ends.
    size_t add(size_t comment) {
        const size_t line_end = end_of_line(comment);
        found_.push_back({&file_, static_cast<uint32_t>(comment), static_cast<uint32_t>(line_end - comment)});
        return line_end;
    }

    bool is_behind_blank(size_t at) const {
        const std::string_view before = bytes_.substr(0, at);
        return before.empty() || std::string_view(" \t\r\n").find(before.back()) != std::string_view::npos ||
               before.ends_with("\xef\xbb\xbf") || // a byte order mark
               std::any_of(std::begin(yaml_line_breaks), std::end(yaml_line_breaks),
                           [&](std::string_view one) { return before.ends_with(one); });
    }

    size_t end_of_line(size_t at) const { return at + first_yaml_line(bytes_.substr(at)).size(); }

    const SourceFile& file_;
    std::string_view bytes_;
    std::vector<Location> found_;
};

} // namespace

std::vector<Location> find_yaml_comments(const SourceFile& file) {
    return CommentSearch(file).run();
}

namespace {

constexpr std::string_view remark_mark = "# opcat:";

bool is_remark(const SourceFile& file, uint32_t comment) {
    return file.bytes().substr(comment).starts_with(remark_mark);
}

Location to_end_of_line(const SourceFile& file, uint32_t comment) {
    const std::string_view rest = file.bytes().substr(comment);
    return {&file, comment, static_cast<uint32_t>(std::min(rest.find_first_of("\r\n"), rest.size()))};
}

} // namespace

std::vector<Location> find_remarks(const SourceFile& file) {
    if (file.bytes().find(remark_mark) == std::string_view::npos) return {};
    std::vector<Location> remarks = find_yaml_comments(file);
    std::erase_if(remarks, [&](const Location& comment) { return !is_remark(file, comment.offset); });
    return remarks;
}

void find_separator_remark(const SourceFile& file, const DocumentRange& document,
                           std::vector<Location>& out) {
    if (document.begin == 0) return;
    const SourceLine line = line_of(file.bytes(), document.begin - 1);
    const size_t comment = line.text.find('#');
    if (!line.is_separator() || comment == line.text.npos) return;
    const auto at = static_cast<uint32_t>(line.begin + comment);
    if (is_remark(file, at)) out.push_back(to_end_of_line(file, at));
}

void find_remarks(const SourceFile& file, const DocumentRange& document, std::vector<Location>& out) {
    const std::string_view text = file.bytes().substr(document.begin, document.end - document.begin);
    if (text.find(remark_mark) == text.npos) return;
    for (const Location& comment : CommentSearch(file).run(document))
        if (is_remark(file, comment.offset)) out.push_back(comment);
}

void find_remarks(const SourceFile& file, std::span<const uint32_t> comments, std::vector<Location>& out) {
    for (const uint32_t at : comments)
        if (is_remark(file, at)) out.push_back(to_end_of_line(file, at));
}

std::vector<Location> find_yaml_tags(const SourceFile& file) {
    std::vector<Location> found;
    Diagnostics ignored;
    if (file.bytes().find('!') == std::string_view::npos) return found;
    for (const DocumentRange& range : split_into_documents(file, ignored)) {
        const std::string_view text = file.bytes().substr(range.begin, range.end - range.begin);
        if (range.notation != Notation::yaml || text.find('!') == std::string_view::npos) continue;
        const size_t found_before = found.size();
        scan_tokens(
            text, range.begin, [&] { found.resize(found_before); },
            [&](const yaml_token_t& token, ByteOffsets& offsets) {
                if (token.type != YAML_TAG_TOKEN) return;
                const uint32_t begin = offsets.of(token.start_mark);
                found.push_back({&file, begin, offsets.of(token.end_mark) - begin});
            });
    }
    return found;
}

namespace {

class KeySearch {
public:
    std::vector<RepeatedKey> run(const Value& document) {
        enter(document);
        while (!open_.empty()) step();
        return std::move(found_);
    }

private:
    // A collection in progress.
    struct Frame {
        Value value;
        size_t next = 0;      // the item or member to look at
        size_t first_key = 0; // of its keys in keys_
    };

    void enter(const Value& value) {
        if (value.is_array() || value.is_object()) open_.push_back({value, 0, keys_.size()});
    }

    void step() {
        Frame& frame = open_.back();
        const bool is_object = frame.value.is_object();
        const size_t size = is_object ? frame.value.members().size() : frame.value.items().size();
        while (frame.next < size) {
            const size_t i = frame.next++;
            if (is_object && !add_key(frame.value.members()[i].key)) continue;
            const Value& value = is_object ? frame.value.members()[i].value : frame.value.items()[i];
            // Places grow as the file is read. A value at an earlier place comes from an alias.
            if (!is_ahead(value)) continue;
            last_ = value.offset();
            if (!value.is_array() && !value.is_object()) continue;
            enter(value);
            return;
        }
        if (is_object) compare(frame.first_key);
        keys_.resize(frame.first_key);
        open_.pop_back();
    }

    bool is_ahead(const Value& value) const { return value.offset() >= last_; }

    bool add_key(const Value& key) {
        if (key.offset() < last_) return false;
        last_ = key.offset();
        keys_.push_back(key);
        return true;
    }

    void compare(size_t begin) {
        constexpr size_t few = 24;
        if (keys_.size() - begin > few) {
            compare_many(begin);
            return;
        }
        for (size_t i = begin + 1; i < keys_.size(); ++i)
            for (size_t before = i; before-- > begin;)
                if (keys_[before].string() == keys_[i].string()) {
                    found_.push_back({keys_[before], keys_[i]});
                    break;
                }
    }

    void compare_many(size_t begin) {
        std::unordered_map<std::string_view, Value> seen;
        for (size_t i = begin; i < keys_.size(); ++i) {
            const auto [before, is_new] = seen.try_emplace(keys_[i].string(), keys_[i]);
            if (is_new) continue;
            found_.push_back({before->second, keys_[i]});
            before->second = keys_[i];
        }
    }

    uint32_t last_ = 0;
    std::vector<Frame> open_;
    std::vector<Value> keys_; // of all open objects
    std::vector<RepeatedKey> found_;
};

} // namespace

std::vector<RepeatedKey> find_repeated_keys(const Value& document) {
    return KeySearch().run(document);
}

std::optional<Diagnostic> find_ambiguous_key(const SourceFile& file, const Value& document,
                                             std::string_view rule) {
    const std::vector<RepeatedKey> repeated = find_repeated_keys(document);
    if (repeated.empty()) return std::nullopt;
    const Value& again = repeated.front().again;
    return Diagnostic{.rule = rule,
                      .message =
                          fmt::format("key {} is given twice in one object: which one counts is not known",
                                      escape_controls(again.string())),
                      .where = {&file, again.offset(), 1},
                      .notes = {},
                      .help = "write `---` between objects"};
}

} // namespace opcat
