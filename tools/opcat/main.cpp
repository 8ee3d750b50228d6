// opcat is one binary with several names; the name that it is called by decides the command tree.
#include "cluster_flags.hpp"
#include "command.hpp"
#include "completion/completion.hpp"
#include "health_probe.hpp"
#include "help/help.hpp"
#include "opcat/base/error.hpp"
#include "opcat/document/yaml_writer.hpp"
#include "terminal/last_resort.hpp"
#include "terminal/session.hpp"
#include "trees.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace opcat;

std::string_view base_name(const char* program) {
    const char* slash = std::strrchr(program, '/');
    return slash ? slash + 1 : program;
}

Session::Name name_of(const char* program) {
    const std::string_view name = base_name(program);
    if (name == "opm") return Session::Name::opm;
    if (name == "kubectl-opcat") return Session::Name::kubectl_opcat;
    if (name == "kubectl_complete-opcat") return Session::Name::kubectl_complete_opcat;
    return Session::Name::opcat;
}

void add_global_options(Command root, GlobalOptions& options) {
    const std::vector<std::string> when = {"auto", "always", "never"};
    root.add_option("--color", options.colour, "Colour: auto (on a terminal), always, never").one_of(when);
    root.add_option("--progress", options.progress, "Progress display: auto (on a terminal), always, never")
        .one_of(when);
    root.add_flag("-q,--quiet", options.quiet, "Print only errors");
    root.add_option("-j,--jobs", options.jobs,
                    "Threads and parallel transfers (default: one per core that may be used)")
        .between(1, 1024);
}

// A variable of a script that is not set makes one, and would say something else than was meant.
void refuse_empty_arguments(std::span<const char* const> words) {
    constexpr const char* hint = "leave it out, or look at the variable that it comes from";
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string_view argument = words[i];
        if (argument.empty())
            throw RequestError(i > 0 && words[i - 1][0] == '-'
                                   ? fmt::format("the argument after {} is empty", words[i - 1])
                                   : fmt::format("argument {} is empty", i + 1),
                               hint);
        if (argument.starts_with("--") && argument.ends_with('='))
            throw RequestError(fmt::format("{} has no value", argument), hint);
    }
}

// Translates what people try first with a program that they do not know.
void translate_first_try(std::vector<const char*>& arguments) {
    if (arguments.size() > 2) return;
    const std::string_view only = arguments.size() == 2 ? arguments[1] : "--list";
    const bool version = only == "--version" || only == "-v" || only == "-V";
    if (version || only == "--list") {
        arguments.resize(2);
        arguments[1] = version ? "version" : "--help";
    }
}

// "--pprof-addr=": to Go a flag that is empty, as all of opm's are that have no value.
void drop_empty_flags(std::vector<const char*>& arguments) {
    std::erase_if(arguments, [](std::string_view argument) {
        return argument.starts_with("--") && argument.ends_with('=');
    });
}

// The words of a line that a shell completes, if one asks; it asks opcat and opm as programs that are made
// with cobra.
std::optional<std::span<const char* const>> line_to_complete(const std::vector<const char*>& arguments,
                                                             const Session& session) {
    const std::span<const char* const> words = std::span(arguments).subspan(1);
    if (session.completes_for_kubectl()) return words;
    if (!words.empty() && words[0] == std::string_view("__complete")) return words.subspan(1);
    return std::nullopt;
}

int run(const std::vector<const char*>& arguments, Session& session) {
    const std::span<const char* const> words = std::span(arguments).subspan(1);
    const auto to_complete = line_to_complete(arguments, session);
    if (!session.as_opm() && !to_complete) refuse_empty_arguments(words);
    CommandLine line(session.as_opm()              ? "opm"
                     : session.as_kubectl_plugin() ? "kubectl opcat"
                                                   : "opcat",
                     session.as_opm() ? CommandLine::Order::as_cobra : CommandLine::Order::commands_first,
                     session.as_opm() ? nullptr : commands_meant_by);
    const std::string_view first = words.empty() ? "" : words[0];
    if (session.as_opm() && words.empty()) return exit_ok; // as opm does
    const Command root = line.root().needs_command();
    if (!session.as_opm()) add_global_options(root, session.options);
    if (session.as_opm())
        build_opm_tree(root, session);
    else if (session.as_kubectl_plugin())
        build_kubectl_tree(root, session);
    else
        build_opcat_tree(root, session, first);
    if (!to_complete && !root.find(first) && opcat_has(first))
        throw RequestError(fmt::format("there is no command \"{}\"", first),
                           fmt::format("use `opcat {}`", first));
    if (to_complete)
        session.out.write(complete_line(describe(root), *to_complete, session));
    else if (const auto asked = line.run(static_cast<int>(arguments.size()), arguments.data()))
        session.out.write(help_text(describe(*asked), help_style(session)));
    session.out.flush();
    return session.exit_status;
}

int run_and_report(const std::vector<const char*>& arguments, Session& session) {
    try {
        return run(arguments, session);
    } catch (const ClosedPipe&) {
        return session.exit_status; // a "no" stays one when nobody reads the rest
    } catch (const RequestError& error) {
        session.print_error(error.what(), error.hint());
        return exit_usage;
    } catch (const cluster::KubectlError& error) {
        session.print_error(error.what(), hint_for(error.failure()));
        return exit_environment;
    } catch (const UnwritableYaml& error) {
        session.print_error(error.what(), error.hint() + " (-o json)");
        return exit_environment;
    } catch (const Error& error) {
        session.print_error(error.what(), error.hint());
        return exit_environment;
    } catch (const std::bad_alloc&) {
        session.print_error("there is not enough memory for this command",
                            "raise the memory limit (of the container, or ulimit -v), or read less input");
        return exit_environment;
    } catch (const std::exception& error) {
        session.print_error(std::string("unexpected failure: ") + error.what(),
                            "this is a mistake in opcat: please report it");
        return exit_environment;
    }
}

} // namespace

namespace {

// A file or a connection that took the place of a closed one would get what is printed. Those that are
// opened in its place fail as the closed one would.
void keep_standard_streams() {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

int main(int argc, char** argv) try {
    keep_standard_streams();
    prepare_for_lack_of_resources();
    // Writing to a pipe that nobody reads is an error that we look at, not the end.
    (void)std::signal(SIGPIPE, SIG_IGN);
    // A parent that ignores it passes that on, and the system then does not keep the exit statuses of
    // programs.
    (void)std::signal(SIGCHLD, SIG_DFL);
    clean_up_on_signals();
    std::vector<const char*> arguments(argv, argv + argc);
    if (arguments.empty()) arguments.push_back("opcat");
    Session session(name_of(arguments[0]));
    if (base_name(arguments[0]) == "grpc_health_probe")
        return probe_health(std::span(arguments).subspan(1), session);
    const bool is_whole = !line_to_complete(arguments, session);
    if (is_whole && session.as_opm()) drop_empty_flags(arguments);
    if (is_whole && !session.as_opm()) translate_first_try(arguments);
    const int status = run_and_report(arguments, session);
    return session.as_opm() && status != exit_ok ? 1 : status;
} catch (const std::bad_alloc&) {
    say_memory_is_short();
    return opcat::exit_environment;
}
