// The forms in which commands print their results.
#pragma once

#include <cstdint>
#include <string_view>

namespace opcat {

// What -o names; each command has some of them.
enum class Form : uint8_t {
    text,
    table,
    wide,
    name,
    json,
    jsonl,
    yaml,
    csv,
    markdown,
    html,
    mermaid,
    dot,
    svg,
    prometheus,
    commands,
    imageset,
    jsonschema,
    cue,
};

constexpr std::string_view to_string(Form output) {
    constexpr std::string_view names[] = {"text", "table",      "wide",     "name",     "json",       "jsonl",
                                          "yaml", "csv",        "markdown", "html",     "mermaid",    "dot",
                                          "svg",  "prometheus", "commands", "imageset", "jsonschema", "cue"};
    return names[static_cast<size_t>(output)];
}

} // namespace opcat
