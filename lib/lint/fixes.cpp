#include "opcat/lint/fixes.hpp"

#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_scalar.hpp"
#include "opcat/document/yaml_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

bool is_yaml(const SourceFile* file) {
    return file && !begins_as_json(*file);
}

Location place(const SourceFile& file, size_t begin, size_t end) {
    return {&file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
}

// The lines of a document below the line "---".
std::string_view body(std::string_view bytes, const ByteRange& document) {
    const SourceLine first = line_of(bytes, document.begin);
    const size_t begin = first.is_separator() ? std::min(first.next(), document.end) : document.begin;
    return bytes.substr(begin, document.end - begin);
}

} // namespace

Fix remove_copy(const Blob& first, const Blob& copy) {
    if (!is_yaml(first.file) || !is_yaml(copy.file)) return {};
    const std::string_view bytes = copy.file->bytes();
    const ByteRange document = document_of(bytes, copy.value.offset());
    const std::string_view other = first.file->bytes();
    // Both are entries of one template.
    if (first.file == copy.file && document.begin == document_of(other, first.value.offset()).begin)
        return {};
    if (body(bytes, document) != body(other, document_of(other, first.value.offset()))) return {};
    return {"remove the copy",
            {{place(*copy.file, document.begin, document.end), ""}},
            first.file == copy.file, // the other file may be a catalog of its own
            FixEffect::less};
}

Fix remove_item(const SourceFile& file, uint32_t offset, std::string title) {
    const std::string_view bytes = file.bytes();
    const auto line = line_begun_at(bytes, offset);
    if (!is_yaml(&file) || !line || !line->is_item()) return {};
    return {std::move(title),
            {{place(file, line->begin, end_of_field(bytes, *line)), ""}},
            true,
            FixEffect::less};
}

Fix add_entry(const Channel& channel, std::string_view name, std::string_view head) {
    const auto is_plain = [](std::string_view text) {
        return analyse_scalar(text).plain_allowed && !reads_as_something_else(text);
    };
    if (!is_yaml(channel.file) || channel.entries.empty() || !is_plain(name) || !is_plain(head)) return {};
    const std::string_view bytes = channel.file->bytes();
    const auto last = line_begun_at(bytes, channel.entries.back().offset);
    if (!last || !last->is_item()) return {};
    const std::string indent(last->text.substr(0, last->indent()));
    const size_t end = end_of_field(bytes, *last);
    const std::string text = fmt::format("{0}- name: {1}\n{0}  replaces: {2}\n", indent, name, head);
    return {fmt::format("add an entry to channel {}", channel.name.text),
            {{place(*channel.file, end, end), end == 0 || bytes[end - 1] != '\n' ? "\n" + text : text}},
            false,
            FixEffect::more};
}

} // namespace opcat
