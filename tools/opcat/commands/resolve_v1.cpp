#include "resolve.hpp"
#include "session.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void add_resolve_v1(CLI::App& resolve, Session& session) {
    CLI::App* command = resolve.add_subcommand("v1", "Predict what OLM v1 would install or upgrade to");
    const auto batch = std::make_shared<std::string>();
    command
        ->add_option("--batch", *batch,
                     "Answer the requests in FILE, one JSON object a line; - is standard input")
        ->type_name("FILE");
    command->callback([batch, &session] { answer_resolve_v1_batch(*batch, session); });
}

} // namespace opcat
