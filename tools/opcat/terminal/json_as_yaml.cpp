#include "terminal/json_as_yaml.hpp"

#include "document/json_reader.hpp"
#include "document/yaml_writer.hpp"

namespace opcat {

std::string json_as_yaml(std::string_view json) {
    const SourceFile file("report", json);
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    std::string text;
    if (const auto value = read_json(file, 0, arena, end, problem)) append_yaml(text, *value);
    return text;
}

} // namespace opcat
