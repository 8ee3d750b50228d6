// Short ways to read a text and to show the result.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/yaml_reader.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

namespace opcat {

// A text read; `value` is null where it could not be.
struct ReadText {
    SourceFile file;
    Arena arena;
    Value value;
    bool good = false;
    Diagnostic problem;

    explicit ReadText(std::string_view text) : file("f", text) {}

    // As JSON on one line, or "LINE:COLUMN: message" and, for rules other than "syntax", " [rule]".
    std::string result() const {
        std::string text;
        if (good) {
            append_compact_json(text, value);
            return text;
        }
        const Position at = file.position(problem.where.offset);
        text = fmt::format("{}:{}: {}", at.line, at.column, problem.message);
        return problem.rule == "syntax" ? text : fmt::format("{} [{}]", text, problem.rule);
    }
};

// A text, and what ReadText::result() shows of it.
struct ReadingCase {
    std::string_view text;
    std::string_view result;
};

inline std::unique_ptr<ReadText> read_as_yaml(std::string_view text) {
    auto read = std::make_unique<ReadText>(text);
    const auto value =
        read_yaml(read->file, 0, static_cast<uint32_t>(text.size()), read->arena, read->problem);
    read->good = value.has_value();
    if (value) read->value = *value;
    return read;
}

inline std::unique_ptr<ReadText> read_as_json(std::string_view text) {
    auto read = std::make_unique<ReadText>(text);
    uint32_t end = 0;
    const auto value = read_json(read->file, 0, read->arena, end, read->problem);
    read->good = value.has_value();
    if (value) read->value = *value;
    return read;
}

} // namespace opcat
