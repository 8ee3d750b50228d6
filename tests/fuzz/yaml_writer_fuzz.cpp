// Values of JSON, written as YAML: yaml-cpp and our own reader read what was written.
#include "../document/yaml_cpp.hpp"
#include "fuzzing.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/yaml_reader.hpp"
#include "opcat/document/yaml_text.hpp"
#include "opcat/document/yaml_writer.hpp"

using namespace opcat;

FUZZ_TARGET(yaml_writer) {
    const SourceFile file("f", input);
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    const auto read = read_json(file, 0, arena, end, problem);
    if (!read || !read->is_object()) return; // documents of catalogs are objects
    const Value value = normalised(*read, arena);
    std::string json;
    append_compact_json(json, value);
    if (has_next_lines(json)) return; // opm folds these line breaks
    std::string yaml;
    if (append_yaml(yaml, value)) return;     // opm cannot write some strings
    if (yaml.find("<<") != yaml.npos) return; // opm does not quote such a key, which then reads as a merge
    const SourceFile written("g", yaml);
    const auto own = read_yaml(written, 0, static_cast<uint32_t>(yaml.size()), arena, problem);
    std::string again;
    fuzz::require(own && !append_yaml(again, *own) && again == yaml, "our reader reads what was written");
    if (test::is_beyond_yaml_cpp(yaml)) return;
    const std::string found = test::difference(YAML::Load(yaml), value, "");
    if (!found.empty()) std::fprintf(stderr, "%s\n", found.c_str());
    fuzz::require(found.empty(), "yaml-cpp reads what was written");
}
