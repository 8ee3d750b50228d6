#include "semver.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "terminal/session.hpp"

#include <memory>

namespace opcat {

void add_semver(Command tree, Session& session) {
    const Command command = tree.add_command("semver", "Compare versions and try ranges, as OLM does it");
    command.footer("Example: opcat semver --batch questions.jsonl\n"
                   "where a line of the file is such as\n"
                   "  {\"lib\": \"blang\", \"range\": \">=1.0.0 <2.0.0\", \"version\": \"1.5.0\"}");
    const auto path = std::make_shared<std::string>();
    command
        .add_option("--batch", *path,
                    "Answer the questions in FILE, one JSON object a line; - is standard input")
        .value_name("FILE");
    add_semver_match(command, session);
    add_semver_sort(command, session);
    command.callback([command, path, &session] {
        const bool ran_other = command.command_given();
        if (ran_other && !path->empty())
            throw UsageError("--batch takes its questions from the file, not from the command line");
        if (ran_other) return;
        if (path->empty())
            throw UsageError("semver needs to know what to do: match, sort or --batch FILE",
                             "see opcat semver --help");
        answer_semver_batch(*path, session);
    });
}

} // namespace opcat
