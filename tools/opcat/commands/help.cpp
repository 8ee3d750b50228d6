#include "help.hpp"

#include "command.hpp"
#include "commands.hpp"
#include "markdown.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "topics.hpp"

#include <algorithm>
#include <memory>

namespace opcat {
namespace {

size_t text_width(const Session& session) {
    const unsigned width = session.width_of_stdout();
    return std::clamp<size_t>(width == 0 ? 80 : width, 40, 100);
}

std::string list_of_topics() {
    std::string text = "Topics:\n";
    for (const Topic& topic : topics()) text += fmt::format("  {:<26}{}\n", topic.name, title_of(topic));
    return text;
}

// The command that the words name.
std::optional<Command> find_path(Command tree, const std::vector<std::string>& words) {
    std::optional<Command> command = tree;
    for (const std::string& word : words) {
        command = command->find(word);
        if (!command) break;
    }
    return command;
}

[[noreturn]] void refuse(Command tree, const std::string& word) {
    std::vector<std::string_view> names;
    for (const Topic& topic : topics()) names.push_back(topic.name);
    std::vector<std::string> commands;
    for (const Command command : tree.commands()) commands.push_back(command.name());
    names.insert(names.end(), commands.begin(), commands.end());
    const std::string near = did_you_mean(word, names);
    throw UsageError(fmt::format("there is no command and no topic \"{}\"", word),
                     near.empty() ? "`opcat help` lists both" : near);
}

void run(Command tree, const std::vector<std::string>& words, Session& session) {
    if (words.size() == 1)
        for (const Topic& topic : topics())
            if (topic.name == words[0]) {
                session.out.write(markdown_as_text(parse_markdown(topic.markdown), text_width(session),
                                                   session.colour_on_stdout()));
                return;
            }
    const std::optional<Command> command = find_path(tree, words);
    if (!command) refuse(tree, words[0]);
    session.out.write(help_text(describe(*command), {session.colour_on_stdout(), text_width(session)}));
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
