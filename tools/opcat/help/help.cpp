#include "help/help.hpp"

#include "environment.hpp"
#include "opcat/base/colours.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"
#include "topic_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat {
namespace {

constexpr size_t indent = 2;
constexpr size_t gap = 2;
constexpr size_t widest_left = 30; // a longer signature has a line of its own
constexpr size_t narrowest = 40;
constexpr size_t widest = 120;         // longer lines are hard to read
constexpr size_t narrowest_right = 30; // with less room, descriptions are below signatures
constexpr size_t deep_indent = 6;

struct Row {
    std::string left, right;
    std::string group;
};

std::vector<std::string> groups_of(const std::vector<Row>& rows) {
    std::vector<std::string> groups;
    for (const Row& row : rows)
        if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
    return groups;
}

class HelpWriter {
public:
    explicit HelpWriter(const HelpStyle& style) : style_(style) {}

    void paragraph(std::string_view text) { text_ += wrap(text, style_.width) + "\n"; }
    void usage(const CommandDescription& command) {
        constexpr std::string_view usage = "Usage:";
        text_ += fmt::format("\n{} {}\n", title(usage),
                             wrap(synopsis(command), style_.width - usage.size() - 1, deep_indent));
        if (!command.aliases.empty())
            text_ += fmt::format("{} {}\n", title("Also called:"), fmt::join(command.aliases, ", "));
    }

    // A table for each group, in the order in which they appear; all have the same columns.
    void tables(const std::vector<Row>& rows) {
        size_t left = 0;
        for (const Row& row : rows)
            if (row.left.size() <= widest_left) left = std::max(left, row.left.size());
        if (indent + left + gap + narrowest_right > style_.width) left = deep_indent - indent - gap;
        for (const std::string& group : groups_of(rows)) {
            text_ += "\n" + title(group + ":") + "\n";
            for (const Row& row : rows)
                if (row.group == group) this->row(row, left);
        }
    }

    // Examples and more: lines without indentation that end in a colon are titles.
    void footer(std::string_view text) {
        if (text.empty()) return;
        text_ += '\n';
        for (const std::string_view line : lines_of(text)) {
            if (line.ends_with(':') && !line.starts_with(' '))
                text_ += title(line);
            else if (line.starts_with(' ') || line.empty())
                text_ += line;
            else
                text_ += wrap(line, style_.width);
            text_ += '\n';
        }
    }

    std::string text() { return std::move(text_); }

private:
    std::string title(std::string_view text) const {
        const Colours c = colours(style_.colour);
        return c.paint(c.bold, text);
    }

    void row(const Row& row, size_t left) {
        const size_t column = indent + left + gap;
        text_ += fmt::format("{:{}}{}", "", indent, row.left);
        size_t at = indent + row.left.size();
        if (!row.right.empty() && at + gap > column) {
            text_ += '\n';
            at = 0;
        }
        if (!row.right.empty())
            text_ += std::string(column - at, ' ') + wrap(row.right, style_.width - column, column);
        text_ += '\n';
    }

    HelpStyle style_;
    std::string text_;
};

} // namespace

std::string help_text(const CommandDescription& command, const HelpStyle& style) {
    HelpWriter writer(style);
    writer.paragraph(command.description);
    writer.usage(command);
    std::vector<Row> arguments;
    for (const OptionDescription& argument : command.arguments)
        arguments.push_back({signature(argument), full_description(argument), "Arguments"});
    writer.tables(arguments);
    std::vector<Row> commands;
    for (const CommandDescription& sub : command.commands) {
        const std::string group = sub.group == "Subcommands" ? "Commands" : sub.group;
        commands.push_back({sub.name, sub.description, group});
    }
    writer.tables(commands);
    std::vector<Row> options;
    for (const OptionDescription& option : command.options)
        options.push_back({signature(option), full_description(option), option.group});
    writer.tables(options);
    writer.footer(command.footer);
    return writer.text();
}

HelpStyle help_style(const Session& session) {
    unsigned width = session.width_of_stdout();
    if (width == 0 && !session.as_opm()) width = exported_columns();
    if (width == 0) width = 80;
    return {session.colour_on_stdout(), std::clamp<size_t>(width, narrowest, widest)};
}

std::span<const Topic> topics() {
    static const Topic all[] = {
        {"channels", embedded::channels_md},
        {"replaces-skips-skiprange", embedded::replaces_skips_skiprange_md},
        {"indexignore", embedded::indexignore_md},
        {"olm-classic-and-v1", embedded::olm_classic_and_v1_md},
        {"exit-status", embedded::exit_status_md},
    };
    return all;
}

std::string_view title_of(const Topic& topic) {
    return topic.markdown.substr(2, topic.markdown.find('\n') - 2);
}

} // namespace opcat
