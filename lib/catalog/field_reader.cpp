#include "opcat/catalog/field_reader.hpp"

#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/syntax_cause.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/semver/blang_range.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

namespace opcat {

const Value* FieldReader::find(std::string_view field) const {
    return find_field(object_, field);
}

void FieldReader::refuse_all_but(std::span<const std::string_view> known, std::string_view rule,
                                 Severity severity) const {
    if (!object_.is_object()) return;
    for (const Member& member : object_.members()) {
        const std::string_view key = member.key.string();
        if (std::any_of(known.begin(), known.end(), [&](std::string_view k) { return means_field(key, k); }))
            continue;
        const std::string near = did_you_mean(key, known);
        error(rule, member.key.offset(), fmt::format("{} has no field \"{}\"", what_, key),
              near.empty() ? fmt::format("it has {}", fmt::join(known, ", ")) : near);
        diagnostics_.back().severity = severity;
        diagnostics_.back().where.length = static_cast<uint32_t>(key.size());
    }
}

Text FieldReader::string(std::string_view field) const {
    const Value* const value = find(field);
    if (!value || value->is_null()) return {{}, value ? value->offset() : offset()};
    if (value->is_string()) return {value->string(), value->offset()};
    wrong_type(*value, field, "a string");
    return {{}, value->offset()};
}

const Value* FieldReader::array(std::string_view field) const {
    const Value* const value = find(field);
    if (!value || value->is_null()) return nullptr;
    if (value->is_array()) return value;
    wrong_type(*value, field, "a list");
    return nullptr;
}

const Value* FieldReader::object(std::string_view field) const {
    const Value* const value = find(field);
    if (!value || value->is_null()) return nullptr;
    if (value->is_object()) return value;
    wrong_type(*value, field, "an object");
    return nullptr;
}

std::span<const Text> FieldReader::strings(std::string_view field, Arena& arena) const {
    const Value* const list = array(field);
    if (!list) return {};
    std::vector<Text> texts;
    for (const Value& item : list->items()) {
        if (item.is_string() || item.is_null())
            texts.push_back({item.string_or_empty(), item.offset()});
        else
            wrong_type(item, field, "a string");
    }
    return arena.copy(std::span<const Text>(texts));
}

void FieldReader::error(std::string_view rule, uint32_t offset, std::string message, std::string help) const {
    diagnostics_.push_back({.rule = rule,
                            .message = std::move(message),
                            .where = {file_, offset, 1},
                            .notes = {},
                            .help = std::move(help)});
}

namespace {

TextForm form_of(std::string_view field) {
    return field == "skipRange" ? TextForm::range : TextForm::any;
}

} // namespace

void FieldReader::wrong_type(const Value& value, std::string_view field, std::string_view wanted) const {
    std::string message =
        fmt::format("{} of {} must be {}, not {}", field, what_, wanted, describe(value.kind()));
    std::string help;
    const bool scalar = value.is_boolean() || value.is_number();
    if (scalar && wanted == "a string" && file_) {
        const Location place = word_at(*file_, value.offset());
        const std::string_view word = text_of(place);
        if (!begins_as_json(*file_))
            message = fmt::format("{} of {} must be a string: {} is {} in YAML 1.1", field, what_, word,
                                  describe(value.kind()));
        help = help_to_write(form_of(field), place);
    } else if (value.is_string() && find_colon_without_blank(value.string())) {
        help = "write a blank after the ':'";
    }
    error("field-type", value.offset(), std::move(message), std::move(help));
    if (!scalar || !file_) return;
    diagnostics_.back().where = word_at(*file_, value.offset());
    if (wanted == "a string")
        diagnostics_.back().fix = write_as_text(form_of(field), diagnostics_.back().where);
}

namespace {

// Digits without a leading zero.
bool is_version_part(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
           (text.size() == 1 || text.front() != '0');
}

// "1.10" and "1" as versions; empty for other words.
std::string completed_version(std::string_view word) {
    const size_t point = word.find('.');
    const std::string_view minor = point == word.npos ? "0" : word.substr(point + 1);
    if (!is_version_part(word.substr(0, point)) || !is_version_part(minor)) return {};
    return fmt::format("{}.{}.0", word.substr(0, point), minor);
}

} // namespace

Fix write_as_text(TextForm form, const Location& word) {
    if (form == TextForm::version) {
        const std::string version = completed_version(text_of(word));
        if (version.empty()) return {};
        return {"write " + version,
                {{word, begins_as_json(*word.file) ? '"' + version + '"' : version}},
                true,
                FixEffect::text};
    }
    if (form == TextForm::range && !semver::BlangRange::parse(text_of(word))) return {};
    return put_in_quotes(word);
}

std::string help_to_write(TextForm form, const Location& word) {
    const Fix fix = write_as_text(form, word);
    if (!fix) return "write a text in quotes";
    const std::string& text = fix.edits.front().text;
    return "write " + text + (text.starts_with('"') ? ", with the quotes" : "");
}

std::optional<Value> read_object(const SourceFile& file, Arena& arena, std::string_view what,
                                 std::string_view rule, Diagnostics& diagnostics, Rest rest) {
    const size_t before = diagnostics.added();
    std::optional<Value> object;
    const auto refuse = [&](uint32_t offset, std::string message, std::string help = {}) {
        diagnostics.push_back(error(rule, {&file, offset, 1}, std::move(message), std::move(help)));
        return std::nullopt;
    };
    for (const DocumentRange& range : split_into_documents(file, diagnostics)) {
        Diagnostic problem;
        const std::optional<Value> value = read_document(file, range, arena, problem);
        if (!value) {
            diagnostics.push_back(problem);
            return std::nullopt;
        }
        if (problem.rule == "unread" && rest == Rest::refused)
            return refuse(problem.where.offset, problem.message, "remove it");
        if (value->is_null()) continue;
        if (!value->is_object())
            return refuse(value->offset(),
                          fmt::format("{} must be an object, not {}", what, describe(value->kind())));
        if (object)
            return refuse(value->offset(), fmt::format("{} is one document, and this is a second one", what),
                          "join them, or write it to a file of its own");
        object = value;
        if (rest == Rest::stays) break;
    }
    if (!object && diagnostics.added() == before)
        diagnostics.push_back(
            error(rule, {&file, 0, 0}, fmt::format("the file is empty: it must hold {}", what)));
    return object;
}

} // namespace opcat
