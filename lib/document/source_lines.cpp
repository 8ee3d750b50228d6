#include "opcat/document/source_lines.hpp"

#include "opcat/document/yaml_text.hpp"

#include <algorithm>

namespace opcat {
namespace {

constexpr std::string_view line_blanks = " \t\r";

} // namespace

size_t SourceLine::indent() const {
    return std::min(text.find_first_not_of(line_blanks), text.size());
}
bool SourceLine::says_nothing() const {
    return content().empty() || content().front() == '#';
}
bool SourceLine::is_item() const {
    return content() == "-" || content().starts_with("- ");
}

SourceLine line_of(std::string_view bytes, size_t at) {
    const size_t before = at == 0 ? bytes.npos : bytes.rfind('\n', at - 1);
    const size_t begin = before == bytes.npos ? 0 : before + 1;
    return {begin, bytes.substr(begin, std::min(bytes.find('\n', at), bytes.size()) - begin)};
}

std::optional<SourceLine> line_begun_at(std::string_view bytes, size_t at) {
    size_t begin = at;
    while (begin > 0 && (bytes[begin - 1] == ' ' || bytes[begin - 1] == '-')) --begin;
    if (begin > 0 && bytes[begin - 1] != '\n') return std::nullopt;
    return SourceLine{begin, bytes.substr(begin, std::min(bytes.find('\n', at), bytes.size()) - begin)};
}

ByteRange document_of(std::string_view bytes, size_t at) {
    SourceLine line = line_of(bytes, at);
    while (!line.is_separator() && line.begin > 0) line = line_of(bytes, line.begin - 1);
    const size_t end = bytes.find("\n---", std::max(at, std::min(line.next(), bytes.size()) - 1));
    return {line.begin, end == bytes.npos ? bytes.size() : end + 1};
}

bool begins_document(std::string_view bytes, const SourceLine& line) {
    for (size_t at = line.begin; at > 0;) {
        const SourceLine before = line_of(bytes, at - 1);
        if (before.is_separator()) return true;
        if (!before.says_nothing()) return false;
        at = before.begin;
    }
    return true;
}

size_t end_of_field(std::string_view bytes, const SourceLine& first) {
    const std::string_view text = first.text.substr(0, first.text.find(" #"));
    const bool has_list =
        !first.is_item() && text.substr(0, text.find_last_not_of(line_blanks) + 1).ends_with(':');
    size_t end = first.next();
    for (size_t at = end; at < bytes.size();) {
        const SourceLine line = line_of(bytes, at);
        if (line.is_separator()) break;
        const bool belongs =
            line.indent() > first.indent() || (has_list && line.indent() == first.indent() && line.is_item());
        if (!line.says_nothing() && !belongs) break;
        at = line.next();
        if (!line.says_nothing()) end = at;
    }
    return std::min(end, bytes.size());
}

Location word_at(const SourceFile& file, uint32_t offset) {
    const std::string_view rest = file.bytes().substr(std::min<size_t>(offset, file.bytes().size()));
    const std::string_view word = first_yaml_line(rest.substr(0, rest.find_first_of(" \t\r\n,]}#")));
    return {&file, offset, static_cast<uint32_t>(word.size())};
}

} // namespace opcat
