// opcat is one binary with several names; the name that it is called by decides the command tree.
#include "commands.hpp"
#include "help.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "support/error.hpp"
#include "support/go_quote.hpp"
#include "support/text.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>

namespace {

using namespace opcat;

Session::Name name_of(const char* program) {
    const char* slash = std::strrchr(program, '/');
    const std::string_view name = slash ? slash + 1 : program;
    if (name == "opm") return Session::Name::opm;
    if (name == "kubectl-opcat") return Session::Name::kubectl_opcat;
    return Session::Name::opcat;
}

void add_global_options(CLI::App& app, GlobalOptions& options) {
    const auto when = CLI::IsMember({"auto", "always", "never"});
    app.add_option("--color", options.colour, "Colour: auto (on a terminal), always, never")->check(when);
    app.add_option("--progress", options.progress, "Progress display: auto (on a terminal), always, never")
        ->check(when);
    app.add_flag("-q,--quiet", options.quiet, "Say nothing but errors");
    app.add_option("-j,--jobs", options.jobs, "Threads and parallel transfers (default: one per core)");
}

// CLI11 says only that a command is missing when it does not know the one that is given.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* tree = &app;
    while (!tree->get_subcommands().empty()) tree = tree->get_subcommands().front();
    const std::vector<std::string> unknown = app.remaining(true);
    const std::string help = "see " + app.get_name() + " --help";
    if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr || unknown.empty() ||
        unknown[0].starts_with('-'))
        throw UsageError(error.what(), help);
    std::vector<std::string_view> names;
    for (const CLI::App* command : tree->get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    const std::string near = did_you_mean(unknown[0], names);
    throw UsageError("there is no command " + go_quote(unknown[0]), near.empty() ? help : near);
}

int run(int argc, char** argv, Session& session) {
    CLI::App app;
    app.name(session.as_opm() ? "opm" : "opcat");
    app.require_subcommand(1);
    app.fallthrough();
    app.formatter(help_formatter(session));
    if (session.as_opm()) {
        build_opm_tree(app, session);
    } else {
        add_global_options(app, session.options);
        if (session.as_kubectl_plugin()) {
            app.name("kubectl opcat");
            app.description("Installs and looks after operators on a cluster.");
            build_cluster_tree(app, session);
            add_help(app, session);
            add_version(app, session);
            add_manual(app, session);
        } else {
            build_opcat_tree(app, session);
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        app.exit(help);
        return exit_ok;
    } catch (const CLI::ParseError& error) {
        refuse(app, error);
    }
    session.out.flush();
    return session.exit_status;
}

int run_and_report(int argc, char** argv, Session& session) {
    try {
        return run(argc, argv, session);
    } catch (const ClosedPipe&) {
        return exit_ok;
    } catch (const UsageError& error) {
        session.print_error(error.what(), error.hint());
        return exit_usage;
    } catch (const Error& error) {
        session.print_error(error.what(), error.hint());
        return exit_environment;
    } catch (const std::bad_alloc&) {
        session.print_error("there is not enough memory");
        return exit_environment;
    } catch (const std::exception& error) {
        session.print_error(std::string("unexpected failure: ") + error.what(),
                            "this is a mistake in opcat: please report it");
        return exit_environment;
    }
}

} // namespace

int main(int argc, char** argv) {
    // Writing to a pipe that nobody reads is an error that we look at, not the end.
    std::signal(SIGPIPE, SIG_IGN);
    clean_up_on_signals();
    Session session(name_of(argc > 0 ? argv[0] : "opcat"));
    const int status = run_and_report(argc, argv, session);
    return session.as_opm() && status != exit_ok ? 1 : status;
}
