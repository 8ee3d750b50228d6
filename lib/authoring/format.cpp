#include "opcat/authoring/format.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_sort.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_comments.hpp"
#include "opcat/document/yaml_scalar.hpp"
#include "opcat/document/yaml_text.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace opcat {
namespace {

// ---- order and spelling

// A value in opm's order.
class Arrangement {
public:
    Arrangement(const SourceFile& file, Notation notation, Arena& arena)
        : file_(file), notation_(notation), arena_(arena) {}

    // Nothing if it is nested too deeply.
    std::optional<Value> arrange(const Value& root) {
        const Value arranged =
            notation_ == Notation::yaml ? in_yaml(root, 0) : in_json(root, type_of(root), 0);
        if (too_deep_) return std::nullopt;
        return arranged;
    }

private:
    bool is_too_deep(size_t depth) {
        too_deep_ = too_deep_ || depth > limits::yaml_depth;
        return too_deep_;
    }

    Value in_yaml(const Value& value, size_t depth) {
        if (is_too_deep(depth)) return value;
        if (value.is_array()) {
            std::vector<Value> items;
            for (const Value& item : value.items()) items.push_back(in_yaml(item, depth + 1));
            return list(items, value);
        }
        if (!value.is_object()) return as_spelt(value);
        std::vector<Member> members;
        for (const Member& member : value.members())
            members.push_back({member.key, in_yaml(member.value, depth + 1)});
        leave_out_overridden(members, value);
        if (members.size() > most_sorted_stably) return object(in_order_of_keys(members), value);
        sort_by_yaml_key(std::span(members), [](const Member& member) { return member.key.string(); });
        return object(members, value);
    }

    // Members with the same key keep their order, which go_sort() does not promise: readers take the last
    // one.
    static std::vector<Member> in_order_of_keys(const std::vector<Member>& members) {
        std::vector<std::vector<Member>> by_key;
        std::unordered_map<std::string_view, size_t> places;
        for (const Member& member : members) {
            const auto [place, is_new] = places.try_emplace(member.key.string(), by_key.size());
            if (is_new) by_key.emplace_back();
            by_key[place->second].push_back(member);
        }
        sort_by_yaml_key(std::span(by_key), [](const auto& same) { return same.front().key.string(); });
        std::vector<Member> ordered;
        for (const auto& same : by_key) ordered.insert(ordered.end(), same.begin(), same.end());
        return ordered;
    }

    // Where a merge key ("<<") brings a key that the object has, too, readers take one of the two: opm the
    // last.
    void leave_out_overridden(std::vector<Member>& members, const Value& object) const {
        uint32_t end = object.offset();
        bool is_merged = false; // with what an alias stands for, which is above
        for (const Member& member : members) {
            end = std::max(end, member.key.offset());
            is_merged = is_merged || member.key.offset() < object.offset();
        }
        const std::string_view text = file_.bytes().substr(object.offset(), end - object.offset());
        if (!is_merged && text.find("<<") == text.npos) return;
        std::set<std::string_view> later;
        std::vector<Member> kept;
        for (auto member = members.rbegin(); member != members.rend(); ++member)
            if (later.insert(member->key.string()).second) kept.push_back(*member);
        members.assign(kept.rbegin(), kept.rend());
    }

    // Fields of the format first, in its order. Objects of free form keep their order, as in opm.
    Value in_json(const Value& value, const go::Type* type, size_t depth) {
        if (is_too_deep(depth)) return value;
        using Kind = go::Type::Kind;
        if (value.is_array()) {
            const go::Type* const inner = type && type->kind == Kind::list ? type->element : nullptr;
            std::vector<Value> items;
            for (const Value& item : value.items()) items.push_back(in_json(item, inner, depth + 1));
            return list(items, value);
        }
        if (!value.is_object()) return as_spelt(value);
        const bool is_known = type && type->kind == Kind::structure;
        std::vector<std::pair<size_t, Member>> ranked;
        for (const Member& member : value.members()) {
            const go::Field* const field = is_known ? type->field_in_any_case(member.key.string()) : nullptr;
            const size_t rank = field ? static_cast<size_t>(field - type->fields.data()) : SIZE_MAX;
            ranked.push_back(
                {rank, {member.key, in_json(member.value, field ? field->type : nullptr, depth + 1)}});
        }
        if (is_known)
            std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
                if (a.first != b.first) return a.first < b.first;
                return a.first == SIZE_MAX && a.second.key.string() < b.second.key.string();
            });
        std::vector<Member> members;
        members.reserve(ranked.size());
        for (const auto& [rank, member] : ranked) members.push_back(member);
        return object(members, value);
    }

    static const go::Type* type_of(const Value& blob) {
        if (const go::Type* const type = type_of_schema(field_text(blob, "schema"))) return type;
        static constexpr go::Type other{.kind = go::Type::Kind::structure};
        return &other; // sorted
    }

    // Numbers and booleans keep their spelling, because other readers may read 0755 and yes differently.
    Value as_spelt(const Value& value) const {
        if (!value.is_number() && !value.is_boolean()) return value;
        const std::string_view text = text_of(word_at(file_, value.offset()));
        const Value read = resolve_plain(text, value.offset());
        const bool is_same =
            read.kind() == value.kind() &&
            (value.is_boolean() ? read.boolean() == value.boolean() : read.number() == value.number());
        if (!is_same) return value;
        return Value::of_json(text);
    }

    Value list(const std::vector<Value>& items, const Value& like) {
        return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(items))), like.offset());
    }
    Value object(const std::vector<Member>& members, const Value& like) {
        return Value::of(std::span<const Member>(arena_.copy(std::span<const Member>(members))),
                         like.offset());
    }

    const SourceFile& file_;
    Notation notation_;
    Arena& arena_;
    bool too_deep_ = false;
};

// ---- a file

struct Document {
    DocumentRange range;
    Value value; // arranged
    std::vector<Location> comments;
    std::string_view separator; // the comment on the line "---" before it
};

struct ReadFile {
    std::vector<Document> documents;
    std::vector<Location> comments;
    Arena arena;
    Diagnostics problems;
};

std::string_view comment_text(const Location& comment) {
    const std::string_view text = text_of(comment);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// Returns true for a schema of any type: `schema: y` is a boolean, and a mistake that stays.
bool has_schema(const Value& value) {
    const Value* const schema = find_field(value, "schema");
    return schema && !schema->is_null() && !(schema->is_string() && schema->string().empty());
}

class Reader {
public:
    explicit Reader(const SourceFile& file) : file_(file) {}

    ReadFile read() {
        const std::vector<DocumentRange> ranges = split_into_documents(file_, result_.problems);
        for (const DocumentRange& range : ranges) read_document_in(range);
        for (const Location& tag : find_yaml_tags(file_))
            result_.problems.push_back(error("format-loss", tag, "this tag would be lost",
                                             "write the value so that it needs no tag"));
        for (Diagnostic& problem : result_.problems) problem.severity = Severity::error;
        sort_by_place(result_.problems);
        if (result_.problems.empty() && !result_.documents.empty()) add_comments();
        return std::move(result_);
    }

private:
    void read_document_in(const DocumentRange& range) {
        Diagnostic problem;
        Arena& arena = result_.arena;
        const auto value = read_document(file_, range, arena, problem);
        if (!value || !problem.message.empty()) {
            result_.problems.push_back(std::move(problem));
            return;
        }
        if (range.notation == Notation::json) report_half_characters(range);
        const Location where{&file_, std::min(value->offset(), range.end), 0};
        if (value->is_null())
            result_.problems.push_back(error("schema-missing", where, "this document is empty",
                                             "remove the line \"---\" before it"));
        else if (!value->is_object())
            result_.problems.push_back(
                error("not-a-blob", where,
                      fmt::format("a blob must be an object, not {}", describe(value->kind()))));
        else if (!has_schema(*value))
            result_.problems.push_back(error(
                "schema-missing", where, "a blob needs a schema",
                "a file that is not a catalog or a template is not formatted: list it in .indexignore"));
        else if (const auto arranged = Arrangement(file_, range.notation, arena).arrange(*value))
            result_.documents.push_back({range, *arranged, {}, {}});
        else
            result_.problems.push_back(
                error("limit", where, fmt::format("nested more than {} levels deep", limits::yaml_depth)));
    }

    // An escape of a surrogate without its other half is read as U+FFFD: the text could not be written again.
    void report_half_characters(const DocumentRange& range) {
        const std::string_view text = file_.bytes().substr(0, range.end);
        const auto unit_at = [&](size_t at) -> unsigned {
            unsigned unit = 0;
            if (text.substr(std::min(at, text.size())).starts_with("\\u") && at + 6 <= text.size())
                std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
            return unit;
        };
        for (size_t at = text.find('\\', range.begin); at != text.npos; at = text.find('\\', at)) {
            const unsigned unit = unit_at(at);
            const bool is_high = unit >= 0xd800 && unit < 0xdc00;
            const unsigned next = is_high ? unit_at(at + 6) : 0;
            const bool is_pair = next >= 0xdc00 && next < 0xe000;
            if (unit >= 0xd800 && unit < 0xe000 && !is_pair)
                result_.problems.push_back(error("format-loss", {&file_, static_cast<uint32_t>(at), 6},
                                                 "this is half of a character, which would become U+FFFD",
                                                 "write the whole character"));
            at += is_pair ? 12 : 2;
        }
    }

    void add_comments() {
        result_.comments = find_yaml_comments(file_);
        for (const Location& comment : result_.comments) {
            // The first document that does not end before it.
            const auto document =
                std::partition_point(result_.documents.begin(), result_.documents.end(),
                                     [&](const Document& d) { return d.range.end <= comment.offset; });
            if (document == result_.documents.end())
                move_into_last_document(comment);
            else if (comment.offset < document->range.begin)
                document->separator = comment_text(comment);
            else
                document->comments.push_back(comment);
        }
    }

    // Nothing reads the line of a separator that no document follows, but what libyaml reads must be YAML.
    void move_into_last_document(const Location& comment) {
        if (has_simple_characters(comment_text(comment)))
            result_.documents.back().comments.push_back(comment);
        else
            result_.problems.push_back(error("syntax", comment,
                                             "this comment has a character that YAML does not allow",
                                             "remove the comment, or save the file as UTF-8"));
    }

    const SourceFile& file_;
    ReadFile result_;
};

void append_separator(std::string& out, std::string_view comment) {
    out += "---";
    if (!comment.empty()) out.append(" ").append(comment);
    out += '\n';
}

bool has_blank_line(const SourceFile& file, const DocumentRange& range) {
    const std::vector<std::string_view> lines =
        lines_of(file.bytes().substr(range.begin, range.end - range.begin));
    return std::any_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; });
}

void append_yaml_document(std::string& out, const SourceFile& file, const Document& document,
                          Diagnostics& problems) {
    AttachedComments attached;
    if (!document.comments.empty() || has_blank_line(file, document.range)) {
        auto found = attach_comments(file, document.range, document.comments, document.value);
        if (!found && !document.comments.empty()) {
            problems.push_back(
                error("format-loss", document.comments.front(), "this comment would be lost",
                      "put texts of the document in quotes, and its objects on lines of their own"));
            return;
        }
        if (found) attached = *std::move(found);
    }
    // The second one of two separators in a row belongs to the document, and each may have a comment.
    if (!document.separator.empty() && !attached.separator.empty()) append_separator(out, document.separator);
    append_separator(out, attached.separator.empty() ? document.separator : attached.separator);
    append_commented_yaml(out, document.value, attached.of_values);
}

std::vector<std::string_view> sorted_texts(const std::vector<Location>& comments) {
    std::vector<std::string_view> texts;
    texts.reserve(comments.size());
    for (const Location& comment : comments) texts.push_back(comment_text(comment));
    std::sort(texts.begin(), texts.end());
    return texts;
}

std::string as_json(const ReadFile& file) {
    std::string text;
    for (const Document& document : file.documents) {
        append_compact_json(text, document.value);
        text += '\n';
    }
    return text;
}

void check_that_it_reads_back(const ReadFile& before, const std::string& text, const std::string& path) {
    const SourceFile written(path, text);
    const ReadFile after = Reader(written).read();
    if (after.problems.empty() && as_json(after) == as_json(before) &&
        sorted_texts(after.comments) == sorted_texts(before.comments))
        return;
    throw Error(fmt::format("cannot format {}: it would read back as something else", path),
                "this is a mistake in opcat: please report it");
}

} // namespace

FormattedText format_file(const SourceFile& file) {
    FormattedText result;
    ReadFile read = Reader(file).read();
    result.problems = std::move(read.problems);
    read.problems.clear();
    if (!result.problems.empty()) return result;
    for (const Document& document : read.documents) {
        if (document.range.notation == Notation::json)
            append_json(result.text, document.value);
        else
            append_yaml_document(result.text, file, document, result.problems);
    }
    if (!result.problems.empty()) return result;
    result.changed = result.text != file.bytes();
    if (result.changed) check_that_it_reads_back(read, result.text, file.path());
    return result;
}

} // namespace opcat
