#include "opcat/document/stream.hpp"

#include "opcat/document/json_reader.hpp"
#include "opcat/document/simple_yaml_reader.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/syntax_cause.hpp"
#include "opcat/document/value.hpp"
#include "opcat/document/yaml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace opcat {
namespace {

constexpr std::string_view separator = "---";

// White space as Go's unicode.IsSpace has it for ASCII.
std::string_view trim_left(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\n\v\f\r");
    return first == text.npos ? std::string_view() : text.substr(first);
}

class DocumentSplitter {
public:
    DocumentSplitter(const SourceFile& file, Diagnostics& problems)
        : file_(file), bytes_(file.bytes()), problems_(problems) {}

    std::vector<DocumentRange> split() {
        if (begins_as_json(file_))
            split_json();
        else
            split_yaml(0);
        return std::move(ranges_);
    }

    std::vector<DocumentRange> split_after_separator() {
        const size_t next = std::min(bytes_.find('\n'), bytes_.size() - 1) + 1;
        is_separator(bytes_.substr(0, next), 0);
        split_yaml(next);
        return std::move(ranges_);
    }

private:
    bool add(size_t begin, size_t end, Notation notation) {
        if (ranges_.size() >= limits::documents_per_file) {
            problem("limit", fmt::format("more than {} documents in one file", limits::documents_per_file),
                    begin, "split the file");
            return false;
        }
        ranges_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), notation});
        return true;
    }

    void problem(std::string_view rule, std::string message, size_t at, std::string help) {
        problems_.push_back({.rule = rule,
                             .message = std::move(message),
                             .where = {&file_, static_cast<uint32_t>(at), 3},
                             .notes = {},
                             .help = std::move(help)});
    }

    // A document is the text between separator lines; of several consecutive separators, all but the first
    // belong to an empty document.
    void split_yaml(size_t at) {
        size_t begin = at;
        bool has_content = false;
        while (at < bytes_.size()) {
            const void* const newline = std::memchr(bytes_.data() + at, '\n', bytes_.size() - at);
            const size_t next =
                newline ? static_cast<size_t>(static_cast<const char*>(newline) - bytes_.data()) + 1
                        : bytes_.size();
            if (bytes_.compare(at, separator.size(), separator) == 0 &&
                is_separator(bytes_.substr(at, next - at), at) && has_content) {
                if (!add(begin, at, Notation::yaml)) return;
                begin = next;
                has_content = false;
            } else {
                has_content = true;
            }
            at = next;
        }
        if (has_content) add(begin, bytes_.size(), Notation::yaml);
    }

    bool is_separator(std::string_view line, size_t at) {
        const std::string_view rest = trim_left(line.substr(separator.size()));
        if (!rest.empty() && rest.front() != '#')
            problem("syntax", "only a comment may follow the document separator '---' on its line", at,
                    "put what follows on the next line");
        return true;
    }

    // JSON values, recognised only by their brackets.
    void split_json() {
        size_t at = 0;
        while (true) {
            const size_t yaml = skip_space_and_one_line_break(at);
            at = skip_json_space(file_, static_cast<uint32_t>(at));
            if (at >= bytes_.size()) return;
            if (is_separator_line(at)) {
                if (ranges_.size() == 1) {
                    split_yaml(yaml);
                } else {
                    problem("syntax",
                            "a document separator '---' is only allowed after the first JSON value of a file",
                            at, "leave it out: JSON values follow each other without separators");
                    split_yaml(at);
                }
                return;
            }
            const size_t end = end_of_json_value(at);
            // As long as it has seen at most one value, opm reads text that is not JSON as YAML.
            if (ranges_.size() < 2 && !is_json(at) && is_yaml(yaml)) {
                split_yaml(yaml);
                return;
            }
            if (!add(at, end, Notation::json)) return;
            at = end;
        }
    }

    // Returns the place where YAML begins after JSON. An additional empty line is a document of its own if a
    // separator follows.
    size_t skip_space_and_one_line_break(size_t at) const {
        const size_t next = bytes_.find_first_not_of(" \t\r", at);
        if (next == bytes_.npos) return bytes_.size();
        return bytes_[next] == '\n' ? next + 1 : next;
    }

    bool is_json(size_t at) const {
        Arena arena;
        Diagnostic ignored;
        uint32_t end = 0;
        return read_json(file_, static_cast<uint32_t>(at), arena, end, ignored).has_value();
    }

    bool is_yaml(size_t at) const {
        const size_t next = bytes_.find("\n---", at);
        Arena arena;
        Diagnostic ignored;
        return read_yaml(file_, static_cast<uint32_t>(at),
                         static_cast<uint32_t>(std::min(next, bytes_.size())), arena, ignored)
            .has_value();
    }

    bool is_separator_line(size_t at) const {
        return bytes_.compare(at, separator.size(), separator) == 0 && (at == 0 || bytes_[at - 1] == '\n');
    }

    // The end of the brackets that open at `at`; for other text, the end of the line.
    size_t end_of_json_value(size_t at) const {
        if (bytes_[at] != '{' && bytes_[at] != '[') return std::min(bytes_.find('\n', at), bytes_.size());
        size_t depth = 0;
        while (at < bytes_.size()) {
            switch (bytes_[at++]) {
            case '"':
                at = end_of_string(at);
                break;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                if (--depth == 0) return at;
                break;
            default:
                break;
            }
        }
        return bytes_.size();
    }

    size_t end_of_string(size_t at) const {
        while (true) {
            const void* const quote =
                at < bytes_.size() ? std::memchr(bytes_.data() + at, '"', bytes_.size() - at) : nullptr;
            if (!quote) return bytes_.size();
            const size_t found = static_cast<size_t>(static_cast<const char*>(quote) - bytes_.data());
            size_t backslashes = 0;
            while (found > at + backslashes && bytes_[found - backslashes - 1] == '\\') ++backslashes;
            at = found + 1;
            if (backslashes % 2 == 0) return at;
        }
    }

    const SourceFile& file_;
    std::string_view bytes_;
    Diagnostics& problems_;
    std::vector<DocumentRange> ranges_;
};

// Documents are cut before UTF-16 is decoded, as opm does it: all but the first are lost.
Diagnostic utf16_problem(const SourceFile& file, const Diagnostic& problem) {
    const bool loses = problem.rule == "unread";
    return {.severity = loses ? Severity::error : Severity::warning,
            .rule = loses ? "unread" : "syntax",
            .message = loses ? "this file is encoded as UTF-16, in which only the first document is read"
                             : "this file is encoded as UTF-16",
            .where = {&file, 0, 1},
            .notes = {},
            .help = "save it as UTF-8"};
}

} // namespace

bool begins_as_json(const SourceFile& file) {
    return trim_left(file.bytes()).starts_with('{');
}

std::vector<DocumentRange> split_into_documents(const SourceFile& file, Diagnostics& problems) {
    return DocumentSplitter(file, problems).split();
}

std::vector<DocumentRange> split_after_separator(const SourceFile& piece, Diagnostics& problems) {
    return DocumentSplitter(piece, problems).split_after_separator();
}

std::optional<Diagnostic> json_read_as_yaml(const SourceFile& file,
                                            const std::vector<DocumentRange>& documents) {
    if (!begins_as_json(file)) return std::nullopt;
    // YAML takes over at the first or second value (see DocumentSplitter::split_json).
    const auto yaml = std::find_if(documents.begin(), documents.end(), [](const DocumentRange& range) {
        return range.notation == Notation::yaml;
    });
    if (yaml == documents.end()) return std::nullopt;
    const std::string_view bytes = file.bytes();
    const uint32_t begin = skip_json_space(file, yaml->begin);
    if (begin >= bytes.size() || (bytes[begin] != '{' && bytes[begin] != '[')) return std::nullopt;
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    if (read_json(file, begin, arena, end, problem) || problem.rule != "syntax") return std::nullopt;
    problem.severity = Severity::warning;
    problem.rule = "json-as-yaml";
    const uint32_t at = problem.where.offset;
    const size_t before = at == 0 ? bytes.npos : bytes.find_last_not_of(" \t\r\n", at - 1);
    const bool is_comma = before != bytes.npos && bytes[before] == ',';
    if (is_comma && (bytes[at] == '}' || bytes[at] == ']')) {
        problem.message = "JSON does not allow this comma: the file is read as YAML";
        problem.where.offset = static_cast<uint32_t>(before);
        problem.help = "remove it: other programs refuse the file";
        problem.fix = {"remove the comma", {{{&file, static_cast<uint32_t>(before), 1}, ""}}};
        return problem;
    }
    if (!file.path().ends_with(".json") && !file.path().ends_with(".jsonl")) return std::nullopt;
    problem.message = "this is not JSON, and is read as YAML: " + problem.message;
    problem.help = "correct it, or give the file a name that ends in .yaml";
    return problem;
}

std::optional<Value> read_document(const SourceFile& file, const DocumentRange& range, Arena& arena,
                                   Diagnostic& problem, std::vector<Location>* remarks) {
    std::optional<Value> value;
    if (range.notation == Notation::yaml) {
        if (remarks) find_separator_remark(file, range, *remarks);
        std::vector<uint32_t> comments;
        value = read_simple_yaml(file, range.begin, range.end, arena, remarks ? &comments : nullptr);
        if (value) {
            if (remarks) find_remarks(file, comments, *remarks);
            return value;
        }
        if (remarks) find_remarks(file, range, *remarks);
        value = read_yaml(file, range.begin, range.end, arena, problem);
        if (value && range.begin == 0 && is_utf16(file.bytes())) problem = utf16_problem(file, problem);
    } else {
        uint32_t end = 0;
        value = read_json(file, range.begin, arena, end, problem);
    }
    if (!value && problem.rule == "syntax") explain_syntax_problem(range.begin, range.end, problem);
    return value;
}

} // namespace opcat
