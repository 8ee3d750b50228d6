#include "completion/completion.hpp"

#include "completion/catalog_names.hpp"
#include "environment.hpp"
#include "help/help.hpp"
#include "opcat/base/error.hpp"
#include "opcat/lint/rules.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// The kind of values that a shell proposes.
struct ValueKind {
    enum class Source { words, files, directories, names };
    Source source = Source::files;
    std::string_view names = {}; // for `names`: of what
};

struct Named {
    std::string_view value; // or option
    std::string_view names;
};
constexpr Named named[] = {{"PACKAGE", "package"},
                           {"packageName", "package"},
                           {"'PACKAGE RANGE'", "package"},
                           {"CHANNEL", "channel"},
                           {"BUNDLE", "bundle"},
                           {"RULE", "rule"},
                           {"PACKAGE/CHANNEL", "package-channel"},
                           {"TOPIC", "topic"}};

// The words of help texts for a value that is a file, a directory or an image; nothing is offered for other
// values.
constexpr std::array<std::string_view, 17> names_of_files{
    "FILE",   "PATH", "PLACE", "REF",    "indexRef", "OLD",       "NEW",     "FILE|DIR",   "SRC",
    "TARGET", "DEST", "EDGE",  "CONFIG", "COMMAND",  "directory", "CATALOG", "FORMAT=FILE"};

// By its choices, or else by the name of the option or its value: "--installed", "DIR", "PACKAGE".
ValueKind kind_of(const OptionDescription& option) {
    if (!option.choices.empty()) return {ValueKind::Source::words};
    for (const Named& known : named)
        if (option.value == known.value || (!option.names.empty() && option.names.back() == known.value))
            return {ValueKind::Source::names, known.names};
    if (option.value == "DIR") return {ValueKind::Source::directories};
    const bool is_file =
        std::find(names_of_files.begin(), names_of_files.end(), option.value) != names_of_files.end();
    return {is_file ? ValueKind::Source::files : ValueKind::Source::words};
}

// The options of a command, and those of the root, which are valid everywhere.
std::vector<OptionDescription> options_at(const CommandDescription& command, const CommandDescription& root) {
    std::vector<OptionDescription> options = command.options;
    if (&command == &root) return options;
    for (const OptionDescription& global : root.options) {
        const bool hidden = std::any_of(options.begin(), options.end(), [&](const OptionDescription& option) {
            return option.names.back() == global.names.back();
        });
        if (!hidden) options.push_back(global);
    }
    return options;
}

// The command of this name or alias directly below another; nullptr if there is none.
const CommandDescription* find_command(const CommandDescription& command, std::string_view name) {
    for (const CommandDescription& sub : command.commands)
        if (sub.name == name || std::find(sub.aliases.begin(), sub.aliases.end(), name) != sub.aliases.end())
            return &sub;
    return nullptr;
}

using Words = std::span<const std::string_view>;

bool has_name(const OptionDescription& option, std::string_view name) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
}

std::optional<OptionDescription> find_option(const CommandDescription& command,
                                             const CommandDescription& root, std::string_view name) {
    for (OptionDescription& option : options_at(command, root))
        if (has_name(option, name)) return std::move(option);
    return std::nullopt;
}

// The place in a command line to which its words lead.
struct Place {
    const CommandDescription* command;
    std::optional<OptionDescription> option = {}; // whose value comes next
    size_t arguments = 0;                         // that the command has got
};

Place follow(const CommandDescription& root, Words words) {
    Place place{&root};
    for (const std::string_view word : words) {
        if (place.option) {
            place.option.reset();
        } else if (word.starts_with('-')) {
            place.option = find_option(*place.command, root, word);
            if (place.option && place.option->value.empty()) place.option.reset();
        } else if (const CommandDescription* const sub = find_command(*place.command, word)) {
            place.command = sub;
        } else {
            ++place.arguments;
        }
    }
    return place;
}

// "catalog/", "~/catalog", "--catalog=prod=catalog/,priority=1": the path in a word, if there is one.
fs::path path_in(std::string_view word) {
    std::error_code failed;
    for (;;) {
        std::string_view piece = word.substr(0, word.find(','));
        fs::path path(piece);
        if (piece.starts_with("~/"))
            if (const auto home = below_home(piece.substr(2))) path = *home;
        if (!piece.empty() && (fs::is_directory(path, failed) || fs::is_regular_file(path, failed)))
            return path;
        const size_t equals = word.find('=');
        if (equals == word.npos) return {};
        word.remove_prefix(equals + 1);
    }
}

// Names of one kind; a package or a channel on the line restricts them.
std::set<std::string> matching_names(std::string_view kind, const std::vector<CatalogName>& names,
                                     Words words) {
    const auto on_line = [&](const std::string& name) {
        return std::find(words.begin(), words.end(), name) != words.end();
    };
    bool has_package = false;
    bool has_channel = false;
    for (const CatalogName& name : names) {
        has_package |= on_line(name.package);
        has_channel |= on_line(name.channel);
    }
    std::set<std::string> chosen;
    for (const CatalogName& name : names) {
        if (kind == "package") chosen.insert(name.package);
        if (kind == "package-channel") chosen.insert(name.package + "/" + name.channel);
        if (has_package && !on_line(name.package)) continue;
        if (kind == "channel") chosen.insert(name.channel);
        if (has_channel && !on_line(name.channel)) continue;
        if (kind == "bundle") chosen.insert(name.bundle);
    }
    return chosen;
}

class Completion {
public:
    Completion(const CommandDescription& tree, Words words, std::string_view begun, Session& session)
        : tree_(tree), words_(words), begun_(begun), session_(session) {}

    std::string answer() {
        const Place place = follow(tree_, words_);
        const size_t equals = begun_.find('=');
        if (place.option) {
            add_values(*place.option);
        } else if (begun_.starts_with("--") && equals != begun_.npos) {
            const auto option = find_option(*place.command, tree_, begun_.substr(0, equals));
            before_ = begun_.substr(0, equals + 1);
            begun_.remove_prefix(equals + 1);
            if (option) add_values(*option);
        } else if (begun_.starts_with('-')) {
            add_options(*place.command);
        } else {
            for (const CommandDescription& sub : place.command->commands) add(sub.name, sub.description);
            const std::vector<OptionDescription>& arguments = place.command->arguments;
            if (!arguments.empty() && (place.arguments < arguments.size() || arguments.back().repeated))
                add_values(arguments[std::min(place.arguments, arguments.size() - 1)]);
        }
        return fmt::format("{}:{}\n", lines_, static_cast<int>(directive_));
    }

private:
    enum Directive : int { complete_files = 0, no_files = 4, complete_directories = 16 };

    void add(std::string_view word, std::string_view description = {}) {
        if (!word.starts_with(begun_)) return;
        lines_.append(before_).append(word);
        if (!description.empty()) lines_.append("\t").append(description);
        lines_ += '\n';
    }

    // Without those that are on the line already and may be only once.
    void add_options(const CommandDescription& command) {
        for (const OptionDescription& option : options_at(command, tree_)) {
            const bool is_given = std::any_of(words_.begin(), words_.end(), [&](std::string_view word) {
                return has_name(option, word.substr(0, word.find('=')));
            });
            if (is_given && !option.repeated) continue;
            for (const std::string& name : option.names) add(name, option.description);
        }
    }

    // The values of an option or argument that may follow.
    void add_values(const OptionDescription& option) {
        const ValueKind kind = kind_of(option);
        switch (kind.source) {
        case ValueKind::Source::files:
            directive_ = complete_files;
            break;
        case ValueKind::Source::directories:
            directive_ = complete_directories;
            break;
        case ValueKind::Source::names:
            add_names(kind.names);
            break;
        case ValueKind::Source::words:
            for (const std::string& choice : option.choices) add(choice);
        }
    }

    void add_names(std::string_view kind) {
        if (kind == "rule")
            for (const Rule& rule : rules()) add(rule.id, rule.title);
        else if (kind == "topic")
            add_topics();
        else if (!session_.as_kubectl_plugin()) // there they are the cluster's: asking it would take too long
            for (const std::string_view word : words_) add_names_in(path_in(word), kind);
    }

    // What may follow in `help WORD...`: the commands below the words, and topics if there is no word yet.
    void add_topics() {
        const CommandDescription* command = &tree_;
        const auto help = std::find(words_.begin(), words_.end(), "help");
        for (auto word = help; command && word != words_.end(); ++word)
            if (word != help && !word->starts_with('-')) command = find_command(*command, *word);
        if (!command) return;
        for (const CommandDescription& sub : command->commands) add(sub.name, sub.description);
        if (command == &tree_)
            for (const Topic& topic : topics()) add(topic.name, title_of(topic));
    }

    void add_names_in(const fs::path& catalog, std::string_view kind) {
        if (catalog.empty()) return;
        try {
            for (const std::string& name : matching_names(kind, catalog_names(catalog, session_), words_))
                add(name);
        } catch (const Error&) {
            // Not a catalog. Nothing is printed while somebody types.
        }
    }

    const CommandDescription& tree_;
    Words words_; // before the one that is completed
    std::string_view begun_;
    Session& session_;
    std::string_view before_; // the option whose value is completed: "--output="
    std::string lines_;
    Directive directive_ = no_files;
};

} // namespace

std::string complete_line(const CommandDescription& tree, std::span<const char* const> words,
                          Session& session) {
    session.options.quiet = true;
    const std::string_view begun = words.empty() ? "" : words.back();
    const std::vector<std::string_view> before(words.begin(), words.end() - (words.empty() ? 0 : 1));
    return Completion(tree, before, begun, session).answer();
}

} // namespace opcat
