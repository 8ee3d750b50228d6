// Reads command lines, and says what is wrong with them.
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace opcat {
namespace {

// The filter for all commands of an app; without one CLI11 returns those on the line.
bool all(const CLI::App* /*app*/) {
    return true;
}

// The nearest option that the command, or one above it, has.
std::string near_option(const CLI::App& command, const std::string& unknown) {
    std::vector<std::string> names;
    for (const CLI::App* app = &command; app; app = app->get_parent())
        for (const CLI::Option* option : app->get_options())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::vector<std::string_view> known(names.begin(), names.end());
    return did_you_mean(std::string_view(unknown).substr(0, unknown.find('=')), known);
}

// Of a command that takes arguments or the name of another command: it may be such a name, mistyped.
std::string first_argument(const CLI::App& command) {
    if (command.get_subcommands(all).empty()) return {};
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional() && option->count() > 0) return option->results().front();
    return {};
}

using NearCommand = std::function<std::string(CLI::App* parent, const std::string& unknown)>;

// If a command is unknown, CLI11 says that one is missing, or that there is an argument too many.
[[noreturn]] void refuse(CLI::App& root, const CLI::ParseError& error, const NearCommand& near_command) {
    CLI::App* last = &root;
    std::string path = root.get_name();
    while (!last->get_subcommands().empty()) {
        last = last->get_subcommands().front();
        path += " " + last->get_name();
    }
    const std::vector<std::string> unknown = root.remaining(true);
    const bool is_option = !unknown.empty() && unknown[0].starts_with('-');
    std::string near;
    std::string message = error.what();
    if (is_option && last->get_option_no_throw(unknown[0].substr(0, unknown[0].find('=')))) {
        message = fmt::format("{} is an option of {}", unknown[0], path);
        near = "write it after " + path;
    } else if (is_option) {
        near = near_option(*last, unknown[0]);
        if (dynamic_cast<const CLI::ExtrasError*>(&error)) message = path + " has no option " + unknown[0];
    } else if (const std::string first = first_argument(*last); !unknown.empty() && !first.empty()) {
        near = near_command(last, first);
        message = fmt::format("unexpected argument {} of {}", go_quote(unknown[0]), path);
    } else if (!unknown.empty() && !last->get_subcommands(all).empty()) {
        near = near_command(last, unknown[0]);
        message = "there is no command " + go_quote(unknown[0]);
    } else if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        message = fmt::format("unexpected argument {} of {}", go_quote(unknown[0]), path);
        std::error_code ignored;
        if (last->get_option_no_throw("--catalog") && std::filesystem::exists(unknown[0], ignored))
            near = "name a catalog with --catalog " + unknown[0];
        else if (last->get_option_no_throw("--package"))
            near = "name a package with --package " + unknown[0];
        else if (last->get_option_no_throw("--subscribe"))
            near = "name a package with --subscribe " + unknown[0];
    } else if (dynamic_cast<const CLI::RequiredError*>(&error) && !last->get_subcommands(all).empty()) {
        message = path + " needs a command";
    } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        const std::string option = message.substr(0, message.find(':'));
        message = option + (message.ends_with("missing") ? " needs a value" : " is given more than once");
    } else if (dynamic_cast<const CLI::ConversionError*>(&error)) {
        message = replace_all(message, "Could not convert: ", "this value cannot be used: ");
    }
    throw RequestError(message, near.empty() ? "see " + path + " --help" : near);
}

} // namespace

std::string near_command(Command parent, std::string_view word, MeantCommands meant) {
    std::vector<std::string> names;
    for (const Command command : parent.commands()) names.push_back(command.name());
    std::vector<std::string_view> fitting;
    if (meant)
        for (const std::string_view name : meant(word))
            if (std::find(names.begin(), names.end(), name) != names.end()) fitting.push_back(name);
    if (!fitting.empty()) return did_you_mean(fitting);
    return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

namespace {

// The option that a word like "-o", "--output" or "--output=json" gives, of the command or one above it;
// nullptr if there is none.
const CLI::Option* option_of(const CLI::App& command, const std::string& word) {
    const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
    for (const CLI::App* app = &command; app; app = app->get_parent())
        if (const CLI::Option* const option = app->get_option_no_throw(name)) return option;
    return nullptr;
}

// Returns true if the next word is the value of the option in this one. What is not known takes one in Cobra.
bool takes_next_word(const CLI::App& command, const std::string& word) {
    if (word.starts_with("--") ? word.find('=') != word.npos : word.size() != 2) return false;
    const CLI::Option* const option = option_of(command, word);
    return !option || option->get_items_expected_max() > 0;
}

// The place of the first word that is neither an option nor the value of one; the size if there is none.
size_t first_word(const CLI::App& command, const std::vector<std::string>& words, size_t begin) {
    for (size_t i = begin; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with('-') || words[i] == "-") return i;
        if (takes_next_word(command, words[i])) ++i;
    }
    return words.size();
}

bool takes_arguments(const CLI::App& command) {
    const auto options = command.get_options();
    return std::any_of(options.begin(), options.end(),
                       [](const CLI::Option* option) { return option->get_positional(); });
}

// --format and -o mean the same where a command has one of them for the format of its output.
void translate_format(const CLI::App& command, std::vector<std::string>& words) {
    const auto format_option = [&](const char* name) {
        const CLI::Option* const option = command.get_option_no_throw(name);
        return option && option->get_type_name().find('{') != std::string::npos ? option : nullptr;
    };
    const bool has_format = command.get_option_no_throw("--format") != nullptr;
    const bool has_output = command.get_option_no_throw("--output") != nullptr;
    if (has_format == has_output || !(has_format ? format_option("--format") : format_option("--output")))
        return;
    for (std::string& word : words) {
        if (word == "--") return;
        const std::string name = word.substr(0, word.find('='));
        if (has_output && name == "--format") word.replace(0, name.size(), "--output");
        if (has_format && (name == "--output" || word == "-o")) word.replace(0, name.size(), "--format");
    }
}

// What to type if a word is not a command but what one of them reads.
std::string command_before(Command parent, const std::string& path, const std::string& word) {
    std::error_code ignored;
    const bool is_reference =
        word.find_first_of("/:") != std::string::npos || std::filesystem::exists(word, ignored);
    const std::vector<Command> commands = parent.commands();
    if (!is_reference || commands.empty()) return fmt::format("see {} --help", path);
    constexpr size_t most = 4;
    return fmt::format("name one of its commands before it: {}; for example: {} {} {}",
                       listed(commands, most, &Command::name, "or"), path, commands.front().name(), word);
}

} // namespace

std::vector<std::string> CommandLine::in_order(std::vector<std::string> words) const {
    CLI::App* at = app_.get();
    std::string path = at->get_name();
    size_t commands = 0; // at the front
    while (!at->get_subcommands(all).empty()) {
        const size_t place = first_word(*at, words, commands);
        if (place == words.size()) break;
        const Command parent(at);
        const std::optional<Command> next = parent.find(words[place]);
        if (!next) {
            if (order_ == Order::as_cobra || takes_arguments(*at)) break;
            const bool options_are_known =
                std::all_of(words.begin() + static_cast<ptrdiff_t>(commands),
                            words.begin() + static_cast<ptrdiff_t>(place), [&](const std::string& word) {
                                return !word.starts_with('-') || option_of(*at, word) != nullptr;
                            });
            if (!options_are_known) break; // that comes first
            std::string help = near_command(parent, words[place], meant_);
            if (help.empty()) help = command_before(parent, path, words[place]);
            throw RequestError("there is no command " + go_quote(words[place]), help);
        }
        at = next->app_;
        path += " " + at->get_name();
        if (order_ == Order::as_cobra)
            std::rotate(words.begin() + static_cast<ptrdiff_t>(commands),
                        words.begin() + static_cast<ptrdiff_t>(place),
                        words.begin() + static_cast<ptrdiff_t>(place) + 1);
        commands = order_ == Order::as_cobra ? commands + 1 : place + 1;
    }
    if (order_ != Order::as_cobra) translate_format(*at, words);
    return words;
}

namespace {

// `mirror --dry-run delete`: CLI11 takes the option for mirror, whose action does not run, and delete would
// do without it. The options of the root count for all.
void refuse_options_without_effect(const CLI::App& root) {
    std::string path = root.get_name();
    for (const CLI::App* at = &root; !at->get_subcommands().empty(); at = at->get_subcommands().front()) {
        if (at != &root) path += " " + at->get_name();
        const CLI::App& next = *at->get_subcommands().front();
        for (const CLI::Option* const option : at->get_options()) {
            if (at == &root || option->count() == 0) continue;
            const std::string name =
                option->get_positional() ? go_quote(option->results().front()) : option->get_name();
            const bool has_it = !option->get_positional() && next.get_option_no_throw(name);
            throw RequestError(fmt::format("{} is an {} of {}, not of {} {}", name,
                                           option->get_positional() ? "argument" : "option", path, path,
                                           next.get_name()),
                               has_it ? fmt::format("write it after {}", next.get_name())
                                      : fmt::format("see {} {} --help", path, next.get_name()));
        }
    }
}

} // namespace

CommandLine::CommandLine(const std::string& program, Order order, MeantCommands meant)
    : app_(std::make_unique<CLI::App>("", program)), order_(order), meant_(meant) {
    // Options of the root are understood after its commands, too.
    app_->fallthrough();
    // Before the actions run.
    if (order_ == Order::commands_first)
        app_->parse_complete_callback([this] { refuse_options_without_effect(*app_); });
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() const {
    return Command(app_.get());
}

std::optional<Command> CommandLine::run(int argc, const char* const* argv) {
    std::vector<std::string> words = in_order({argv + 1, argv + argc});
    std::reverse(words.begin(), words.end()); // as CLI11 wants it
    try {
        app_->parse(std::move(words));
    } catch (const CLI::Success&) {
        CLI::App* asked = app_.get();
        while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().back();
        return Command(asked);
    } catch (const CLI::ParseError& error) {
        refuse(*app_, error, [this](CLI::App* parent, const std::string& unknown) {
            return near_command(Command(parent), unknown, meant_);
        });
    }
    return std::nullopt;
}

} // namespace opcat
