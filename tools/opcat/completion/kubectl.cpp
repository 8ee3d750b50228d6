#include "completion/completion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace opcat {
namespace {

// Directives to kubectl's shells (cobra's ShellCompDirective).
enum Directive : int { complete_files = 0, no_files = 4, complete_directories = 16 };

struct Offer {
    std::string lines;
    Directive directive = no_files;

    void add(std::string_view word, std::string_view description, std::string_view begun) {
        if (!word.starts_with(begun)) return;
        lines += word;
        if (!description.empty()) lines += fmt::format("\t{}", description);
        lines += '\n';
    }
};

// The place in a command line to which its words lead.
struct Place {
    const CommandDescription* command;
    std::optional<OptionDescription> option = {}; // whose value comes next
    size_t arguments = 0;                         // that the command has got
};

std::optional<OptionDescription> find_option(const CommandDescription& command,
                                             const CommandDescription& root, std::string_view name) {
    std::vector<OptionDescription> options = options_at(command, root);
    for (OptionDescription& option : options)
        if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
            return std::move(option);
    return std::nullopt;
}

Place follow(const CommandDescription& root, std::span<const std::string_view> words) {
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

// The values of an option or argument that may follow `words`.
void add_values(Offer& offer, const OptionDescription& option, const CommandDescription& tree,
                std::span<const std::string_view> words, std::string_view begun,
                std::string_view before = {}) {
    const ValueKind kind = kind_of(option);
    switch (kind.source) {
    case ValueKind::Source::files:
        offer.directive = complete_files;
        break;
    case ValueKind::Source::directories:
        offer.directive = complete_directories;
        break;
    case ValueKind::Source::names:
        // Names of packages, channels and bundles are the cluster's: asking it would take too long.
        for (const auto& [name, description] : names_without_catalog(kind.names, tree, words))
            offer.add(name, description, begun);
        break;
    case ValueKind::Source::words:
        for (const std::string& choice : option.choices)
            offer.add(fmt::format("{}{}", before, choice), {}, begun);
    }
}

void add_options(Offer& offer, const std::vector<OptionDescription>& options, std::string_view begun) {
    for (const OptionDescription& option : options)
        for (const std::string& name : option.names) offer.add(name, option.description, begun);
}

} // namespace

std::string kubectl_completion(const CommandDescription& tree, std::span<const char* const> words) {
    Offer offer;
    const std::string_view begun = words.empty() ? "" : words.back();
    const std::vector<std::string_view> before(words.begin(), words.end() - (words.empty() ? 0 : 1));
    const Place place = follow(tree, before);
    const size_t equals = begun.find('=');
    if (place.option) {
        add_values(offer, *place.option, tree, before, begun);
    } else if (begun.starts_with("--") && equals != begun.npos) {
        if (const auto option = find_option(*place.command, tree, begun.substr(0, equals)))
            add_values(offer, *option, tree, before, begun, begun.substr(0, equals + 1));
    } else if (begun.starts_with('-')) {
        add_options(offer, options_at(*place.command, tree), begun);
    } else {
        for (const CommandDescription& sub : place.command->commands)
            offer.add(sub.name, sub.description, begun);
        const std::vector<OptionDescription>& arguments = place.command->arguments;
        if (!arguments.empty() && (place.arguments < arguments.size() || arguments.back().repeated))
            add_values(offer, arguments[std::min(place.arguments, arguments.size() - 1)], tree, before,
                       begun);
    }
    return fmt::format("{}:{}\n", offer.lines, static_cast<int>(offer.directive));
}

} // namespace opcat
