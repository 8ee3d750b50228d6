// The files of settings that a project writes: .opcat.yaml and baselines.
#include "fuzzing.hpp"
#include "opcat/lint/baseline.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/rules.hpp"

using namespace opcat;

namespace {

void require_places(const Diagnostics& problems, const SourceFile& file) {
    for (const Diagnostic& problem : problems) {
        fuzz::require(problem.where.file == &file && problem.where.offset <= file.bytes().size(),
                      "a problem has its place in the file");
        fuzz::require(find_rule(problem.rule) != nullptr, "the rule of a problem is in the table");
        to_text(problem, {.colour = false, .width = 80});
    }
}

} // namespace

FUZZ_TARGET(settings) {
    const SourceFile file("file", input);
    Diagnostics problems;
    const Configuration configuration = read_configuration(file, "/project", problems);
    require_places(problems, file);
    const SourceFile catalog("/project/catalog/gadgets.yaml", "schema: olm.package\n");
    for (const Rule& rule : rules()) configuration.level_of(rule.id, "gadgets", &catalog);

    Diagnostics wrong;
    Baseline::read(file, wrong);
    require_places(wrong, file);
    fuzz::require(!problems.empty() || !wrong.empty(), "no file is both a configuration and a baseline");
}
