// What must hold for every tree that a reader makes.
#pragma once

#include "fuzzing.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/yaml_reader.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <string>
#include <vector>

namespace opcat::fuzz {

inline void require_sound(const Value& root, const SourceFile& file) {
    std::vector<Value> pending{root};
    while (!pending.empty()) {
        const Value value = pending.back();
        pending.pop_back();
        require(value.offset() <= file.bytes().size(), "a node is in its file");
        if (value.is_string()) require(is_valid_utf8(value.string()), "strings are UTF-8");
        if (value.is_array())
            for (const Value& item : value.items()) pending.push_back(item);
        if (value.is_object())
            for (const Member& member : value.members()) {
                pending.push_back(member.key);
                pending.push_back(member.value);
            }
    }
}

inline void require_place(const Diagnostic& problem, const SourceFile& file) {
    require(problem.where.file == &file, "a problem names the file");
    require(problem.where.offset <= file.bytes().size(), "a problem is in its file");
    require(!problem.message.empty() && !problem.rule.empty(), "a problem says what it is");
    to_text(problem, {.colour = true, .width = 80});
}

inline std::string as_json(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

// Written as JSON and YAML, and read back, it is the same.
inline void require_round_trip(const Value& value) {
    Arena arena;
    const Value normal = normalised(value, arena);
    const std::string json = as_json(normal);
    Diagnostic problem;

    const SourceFile json_file("json", json);
    uint32_t end = 0;
    const auto from_json = read_json(json_file, 0, arena, end, problem);
    require(from_json.has_value() && end == json.size(), "what is written as JSON is JSON");
    require(as_json(*from_json) == json, "JSON reads back the same");

    if (!normal.is_object()) return;
    std::string yaml;
    if (append_yaml(yaml, normal)) return;
    // As opm does it: U+0085 is folded, the key << not quoted, and a last line that a line separator ends is
    // ended with a line break, too. Deep nesting is more than the YAML reader takes.
    if (json.find("\xc2\x85") != json.npos || json.find("\"<<\":") != json.npos) return;
    if (!yaml.ends_with('\n')) return;
    const SourceFile yaml_file("yaml", yaml);
    const auto from_yaml = read_yaml(yaml_file, 0, static_cast<uint32_t>(yaml.size()), arena, problem);
    if (!from_yaml && problem.rule == "limit") return;
    require(from_yaml.has_value(), "what is written as YAML is YAML");
    std::string again;
    append_yaml(again, normalised(*from_yaml, arena));
    require(again == yaml, "YAML reads back the same");
}

} // namespace opcat::fuzz
