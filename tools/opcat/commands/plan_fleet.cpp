// `opcat plan --fleet`: a cluster in each line, and what blocks how many of them.
#include "commands/plan.hpp"
#include "opcat/base/error.hpp"
#include "opcat/planning/fleet.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

namespace opcat {

void plan_fleet(const PlanFlags& flags, Session& session) {
    const planning::PlanOptions options = plan_options(flags);
    PlanCatalogs catalogs(flags, session);
    if (flags.format && flags.format != Form::text && flags.format != Form::json)
        throw RequestError("--fleet answers with -o json, lines, or with -o text, the table alone");
    const bool is_table_asked = flags.format == Form::text;
    if (is_table_asked && flags.fleet.shard.given())
        throw RequestError("the output of a shard is lines", "leave out -o text");
    const auto load = [&](const std::vector<olmv1::MinorVersion>& versions) {
        if (!catalogs.load(versions)) throw Error("a catalog has errors, so nothing can be planned with it");
    };
    planning::Fleet fleet({options, flags.cluster_version, flags.to, flags.olm, flags.eus}, catalogs.all(),
                          load, session.pool());
    // What the answers depend on in addition to the lines.
    std::string request = fmt::format("plan {} {} {} {} {}", flags.cluster_version, flags.to, flags.eus,
                                      to_string(flags.olm), date_text(options.at));
    for (const std::string& catalog : flags.catalogs) request += " " + catalog;
    run_batch(
        flags.fleet, request,
        [&](std::span<const BatchLine> lines) {
            std::vector<std::string> answers = fleet.answer(lines);
            if (is_table_asked) answers.clear(); // they count in it
            return answers;
        },
        flags.images, session);
    if (is_table_asked)
        session.out.write(fleet.table());
    else if (!session.options.quiet)
        session.print_lines(fleet.table());
    if (!fleet.all_reach_it()) session.exit_status = exit_findings;
}

} // namespace opcat
