#include "help.hpp"

#include "commands.hpp"
#include "markdown.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "topics.hpp"

#include <CLI/CLI.hpp>

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

// The command that the words name, or nullptr.
CLI::App* find_path(CLI::App& tree, const std::vector<std::string>& words) {
    CLI::App* command = &tree;
    for (const std::string& word : words) {
        command = find_command(*command, word);
        if (!command) return nullptr;
    }
    return command;
}

[[noreturn]] void refuse(CLI::App& tree, const std::string& word) {
    std::vector<std::string_view> names;
    for (const Topic& topic : topics()) names.push_back(topic.name);
    std::vector<std::string> commands;
    for (const CLI::App* command : tree.get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(command->get_name());
    names.insert(names.end(), commands.begin(), commands.end());
    const std::string near = did_you_mean(word, names);
    throw UsageError(fmt::format("there is no command and no topic \"{}\"", word),
                     near.empty() ? "`opcat help` lists both" : near);
}

void run(CLI::App& tree, const std::vector<std::string>& words, Session& session) {
    if (words.size() == 1)
        for (const Topic& topic : topics())
            if (topic.name == words[0]) {
                session.out.write(markdown_as_text(parse_markdown(topic.markdown), text_width(session),
                                                   session.colour_on_stdout()));
                return;
            }
    CLI::App* const command = find_path(tree, words);
    if (!command) refuse(tree, words[0]);
    session.out.write(help_text(describe(*command), {session.colour_on_stdout(), text_width(session)}));
    if (command == &tree && !session.as_opm()) session.out.write("\n" + list_of_topics());
}

} // namespace

void add_help(CLI::App& tree, Session& session) {
    const auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command = tree.add_subcommand("help", "Explain a command or a topic");
    command->add_option("TOPIC", *words, "A topic, or the words of a command");
    if (!session.as_opm())
        command->footer("Examples:\n  opcat help channels\n  opcat help list packages\n\n" +
                        list_of_topics());
    command->callback([&tree, words, &session] { run(tree, *words, session); });
}

} // namespace opcat
