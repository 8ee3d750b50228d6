#include "command.hpp"
#include "commands.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file_uri.hpp"
#include "opcat/lsp/messages.hpp"
#include "opcat/lsp/server.hpp"
#include "terminal/session.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

namespace opcat {
namespace {

// The page that is installed with the program, or made when it is built.
std::string page_of_rules() {
    std::error_code failed;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
    for (const char* const place : {"../share/doc/opcat/rules.html", "../../rules.html"}) {
        const auto page = (program.parent_path() / place).lexically_normal();
        if (std::filesystem::is_regular_file(page, failed)) return uri_of_path(page.string());
    }
    return {};
}

void run(Session& session) {
    if (::isatty(0))
        session.print(
            "opcat lsp waits for an editor on standard input (docs/editors.md); end it with Ctrl-D\n");
    session.exit_status = exit_findings; // until the editor shuts it down
    lsp::Inbox inbox(0);
    const auto send = [&](const lsp::Json& message) {
        session.out.write(lsp::framed(message));
        session.out.flush();
    };
    lsp::LanguageServer server({OPCAT_VERSION, page_of_rules()}, session.pool(), send);
    constexpr std::chrono::seconds until_next_look{2};
    while (!server.has_exited()) {
        if (auto message = inbox.next(until_next_look)) {
            const lsp::Json* const id = lsp::find_member(*message, {"id"});
            server.handle(*message, id && inbox.take_cancelled(*id));
        } else if (inbox.has_ended()) {
            break;
        } else {
            server.look_at_files();
        }
        if (inbox.is_empty()) server.publish();
    }
    if (const std::string problem = inbox.problem(); !problem.empty())
        throw Error("cannot read messages of the editor: " + problem);
    // As the protocol has it.
    session.exit_status = server.was_shut_down() ? exit_ok : exit_findings;
}

} // namespace

void add_lsp(Command tree, Session& session) {
    const Command command =
        tree.add_command("lsp", "Language server: findings while you type, in any editor");
    // Some clients always say so.
    const auto stdio = std::make_shared<bool>(false);
    command.add_flag("--stdio", *stdio, "Accepted without effect: standard input and output are used").hide();
    command.footer(
        "Examples:\n"
        "  opcat lsp          # an editor starts it: see docs/editors.md\n\n"
        "It speaks the Language Server Protocol 3.17 on standard input and output.\nExit status: 0 "
        "after shutdown and exit, 1 if the editor ended without them.");
    command.callback([stdio, &session] { run(session); });
}

} // namespace opcat
