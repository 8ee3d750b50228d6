// Text that the fast reader of simple YAML accepts is read by libyaml with the same values, places and
// comments.
#include "opcat/document/simple_yaml_reader.hpp"
#include "opcat/document/source_details.hpp"
#include "trees.hpp"

#include <bit>

using namespace opcat;

namespace {

bool is_same(const Value& a, const Value& b) {
    if (a.kind() != b.kind() || a.offset() != b.offset()) return false;
    switch (a.kind()) {
    case Value::Kind::null:
        return true;
    case Value::Kind::boolean:
        return a.boolean() == b.boolean();
    case Value::Kind::integer:
        return a.integer() == b.integer();
    case Value::Kind::large_integer:
        return a.large_integer() == b.large_integer();
    case Value::Kind::real:
        return std::bit_cast<uint64_t>(a.real()) == std::bit_cast<uint64_t>(b.real());
    case Value::Kind::string:
        return a.string() == b.string();
    case Value::Kind::array:
        if (a.items().size() != b.items().size()) return false;
        for (size_t i = 0; i < a.items().size(); ++i)
            if (!is_same(a.items()[i], b.items()[i])) return false;
        return true;
    case Value::Kind::object:
        if (a.members().size() != b.members().size()) return false;
        for (size_t i = 0; i < a.members().size(); ++i)
            if (!is_same(a.members()[i].key, b.members()[i].key) ||
                !is_same(a.members()[i].value, b.members()[i].value))
                return false;
        return true;
    }
    return false;
}

// libyaml refuses \' in double quotes. The full reader helps it in a hundred texts of a document, not in
// more.
bool has_many_escaped_quotes(std::string_view text) {
    size_t count = 0;
    for (size_t at = text.find("\\'"); at != text.npos; at = text.find("\\'", at + 2)) ++count;
    return count > 100;
}

} // namespace

FUZZ_TARGET(simple_yaml) {
    const SourceFile file("f", input);
    Arena arena;
    std::vector<uint32_t> comments;
    const auto simple = read_simple_yaml(file, 0, static_cast<uint32_t>(input.size()), arena, &comments);
    if (!simple) return;
    fuzz::require_sound(*simple, file);
    Diagnostic problem;
    const auto full = read_yaml(file, 0, static_cast<uint32_t>(input.size()), arena, problem);
    if (!full) std::fprintf(stderr, "%s\n", problem.message.c_str());
    if (!full && problem.message == "an escape that YAML does not know" && has_many_escaped_quotes(input))
        return;
    fuzz::require(full.has_value(), "simple YAML is YAML");
    fuzz::require(is_same(*simple, *full), "both readers see the same");

    // An anchor at the end makes libyaml the reader of the whole document.
    const SourceFile longer("f", std::string(file.bytes()) + "\nfull: &parser x\n");
    std::vector<uint32_t> found;
    for (const Location& comment : find_yaml_comments(longer))
        if (comment.offset < input.size()) found.push_back(comment.offset);
    fuzz::require(comments == found, "both find the same comments");
}
