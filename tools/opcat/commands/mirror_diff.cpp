#include "command.hpp"
#include "commands/mirror.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/mirror/run_record.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

constexpr uint64_t most_in_run_record = uint64_t{256} << 20;

struct RecordDiffOptions {
    std::string before;
    std::string after;
    Form output = Form::text;
};

RunRecord read_run_record(const std::string& path) {
    try {
        return parse_run_record(read_file(path, path, most_in_run_record)->bytes());
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot read {}: {}", path, error.what()));
    }
}

void run(const RecordDiffOptions& options, Session& session) {
    const auto changes = changes_between(read_run_record(options.before), read_run_record(options.after));
    if (options.output == Form::json)
        session.out.write(changes_as_json(changes));
    else if (!changes.empty())
        session.out.write(table_in_locale(changes_as_rows(changes), session));
    else if (!session.options.quiet)
        session.print("the runs have the same images\n");
}

} // namespace

void add_mirror_diff(Command mirror, Session& session) {
    const Command command = mirror.add_command(
        "diff", "Show which images of a run are new, changed or gone, by the records of two runs");
    auto& options = command.action<RecordDiffOptions>(run, session);
    command.add_option("OLD", options.before, "A file that mirror --record has written").required();
    command.add_option("NEW", options.after, "One of a later run").required();
    command.add_choice("-o,--output", options.output, {Form::text, Form::json}, "text or json")
        .show_default();
    command.footer("Examples:\n"
                   "  opcat mirror --config image-set.yaml --to registry.example/mirror --record july.json\n"
                   "  opcat mirror diff june.json july.json");
}

} // namespace opcat
