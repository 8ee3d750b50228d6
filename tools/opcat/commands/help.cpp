#include "help/help.hpp"

#include "command.hpp"
#include "help/markdown.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"
#include "trees.hpp"

#include <fmt/format.h>

#include <memory>

namespace opcat {
namespace {

std::string list_of_topics() {
    std::string text = "Topics:\n";
    for (const Topic& topic : topics()) text += fmt::format("  {:<26}{}\n", topic.name, title_of(topic));
    return text;
}

[[noreturn]] void refuse(Command parent, const std::vector<std::string>& words, size_t unknown) {
    const bool may_be_topic = unknown == 0;
    std::string near = near_command(parent, words[unknown], commands_meant_by);
    if (may_be_topic && near.empty()) {
        std::vector<std::string_view> names;
        for (const Topic& topic : topics()) names.push_back(topic.name);
        near = did_you_mean(words[unknown], names);
    }
    const std::string before =
        fmt::format("{}", fmt::join(words.begin(), words.begin() + static_cast<ptrdiff_t>(unknown), " "));
    throw RequestError(may_be_topic ? fmt::format("there is no command and no topic \"{}\"", words[0])
                                    : fmt::format("{} has no command \"{}\"", before, words[unknown]),
                       !near.empty()  ? near
                       : may_be_topic ? "`opcat help` lists both"
                       : parent.commands().empty()
                           ? "it has no commands"
                           : fmt::format("`opcat help {}` lists its commands", before));
}

// The command that the words name. Throws RequestError.
Command find_path(Command tree, const std::vector<std::string>& words) {
    Command command = tree;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::optional<Command> next = command.find(words[i]);
        if (!next) refuse(command, words, i);
        command = *next;
    }
    return command;
}

void run(Command tree, const std::vector<std::string>& words, Session& session) {
    const HelpStyle style = help_style(session);
    if (words.size() == 1)
        for (const Topic& topic : topics())
            if (topic.name == words[0]) {
                session.out.write(markdown_as_text(topic.markdown, style.width, style.colour));
                return;
            }
    session.out.write(help_text(describe(find_path(tree, words)), style));
    if (words.empty() && !session.as_opm()) session.out.write("\n" + list_of_topics());
}

} // namespace

void add_help(Command tree, Session& session) {
    const auto words = std::make_shared<std::vector<std::string>>();
    const Command command = tree.add_command("help", "Explain a command or a topic");
    command.add_option("TOPIC", *words, "A topic, or the words of a command");
    if (!session.as_opm())
        command.footer("Examples:\n  opcat help channels\n  opcat help list packages\n\n" + list_of_topics());
    command.callback([tree, words, &session] { run(tree, *words, session); });
}

} // namespace opcat
