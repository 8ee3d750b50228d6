// Expressions of olm.constraint: compiled, and evaluated over some properties within a budget.
#include "fuzzing.hpp"
#include "opcat/cel/program.hpp"
#include "opcat/document/json_reader.hpp"

using namespace opcat;

namespace {

struct Properties {
    SourceFile file{"properties",
                    R"([{"type": "olm.package", "value": {"packageName": "foo", "version": "1.2.3"}},
        {"type": "certified", "value": true}, {"type": "n", "value": [1, 2.5, -3, null, "x", {"a": {}}]}])"};
    Arena arena;
    cel::Value list = [this] {
        uint32_t end = 0;
        Diagnostic problem;
        return cel::from_json(read_json(file, 0, arena, end, problem).value());
    }();
};

} // namespace

FUZZ_TARGET(cel) {
    static const Properties properties;
    static const std::vector<cel::Variable> variables = {
        {"properties", cel::Type::list(cel::Type::map(cel::TypeKind::string, cel::TypeKind::any))}};
    const auto program = cel::Program::compile(input, variables);
    if (!program) {
        fuzz::require(!program.error().empty(), "there is a reason");
        return;
    }
    const std::vector<cel::Binding> bindings = {{"properties", properties.list}};
    cel::Budget budget(200'000);
    const auto value = program->evaluate(bindings, budget);
    fuzz::require(value || !value.error().empty(), "there is a value or a reason");
}
