#include "help/manual.hpp"

#include "help/markdown.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace opcat {
namespace {

constexpr std::string_view released = "2026-11-29"; // a page does not change because time goes by

std::string header(const std::string& name, int section) {
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format(".\\\" Made by opcat manual; the prose is in man/prose and docs/topics.\n"
                       ".TH {} {} {} \"opcat {}\" \"opcat manual\"\n",
                       upper, section, released, OPCAT_VERSION);
}

std::string name_section(const std::string& name, const std::string& description) {
    return ".SH NAME\n" + roff_filled(roff_text(name) + " \\- " + roff_text(description)) + "\n";
}

std::string option_entries(const std::vector<OptionDescription>& options) {
    std::string text;
    for (const OptionDescription& option : options)
        text += ".TP\n.B " + roff_text(signature(option)) + "\n" +
                markdown_as_roff(parse_markdown(full_description(option)));
    return text;
}

// The command's own options first, then a subsection for each group, in the order in which they appear.
std::string options_section(const CommandDescription& command) {
    std::vector<std::string> groups{"Options"};
    for (const OptionDescription& option : command.options)
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
            groups.push_back(option.group);
    std::string text;
    for (const std::string& group : groups) {
        std::vector<OptionDescription> options;
        std::copy_if(command.options.begin(), command.options.end(), std::back_inserter(options),
                     [&](const OptionDescription& option) { return option.group == group; });
        if (group == "Options")
            text += ".SH OPTIONS\n";
        else
            text += fmt::format(".SS {}\n", roff_text(group));
        text += option_entries(options);
    }
    return text;
}

// Commands that have no page of their own, with what they take.
void append_entries(const CommandDescription& command, std::string& text) {
    for (const CommandDescription& sub : command.commands) {
        if (sub.commands.empty())
            text += fmt::format(".TP\n.B {}\n{}", roff_text(synopsis(sub)),
                                markdown_as_roff(parse_markdown(sub.description)));
        append_entries(sub, text);
    }
}

std::string commands_section(const CommandDescription& command, bool whole_tree) {
    std::string text;
    if (whole_tree) {
        append_entries(command, text);
        return ".SH COMMANDS\n" + text;
    }
    for (const CommandDescription& sub : command.commands)
        text += fmt::format(".TP\n.BR {} (1)\n{}", roff_text(page_name(sub)),
                            markdown_as_roff(parse_markdown(sub.description)));
    return text.empty() ? text : ".SH COMMANDS\n" + text;
}

// The parents and the other commands in them.
std::string see_also(const CommandDescription& command, const CommandDescription& root) {
    std::vector<std::string> pages;
    if (command.path != root.path) {
        std::string parent = command.path.substr(0, command.path.rfind(' '));
        std::replace(parent.begin(), parent.end(), ' ', '-');
        pages.push_back(fmt::format(".BR {} (1)", roff_text(parent)));
    }
    for (const Topic& topic : topics())
        if (topic.name == "exit-status" || command.path == root.path)
            pages.push_back(fmt::format(".BR {} (7)", roff_text(page_name(topic))));
    return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, " ,\n"));
}

// The text of a help after the options, by the sections of a manual page. Each line is a paragraph, an
// example or a part of one.
struct Footer {
    std::string description; // Markdown
    std::string examples;
    std::string exit_status; // Markdown

    explicit Footer(const std::string& text) {
        constexpr std::string_view status = "Exit status: ";
        bool in_examples = false;
        for (const std::string_view line : lines_of(text)) {
            const bool is_example = in_examples && line.starts_with("  ");
            in_examples = is_example || line.starts_with("Example");
            if (is_example)
                examples += std::string(line.substr(2)) + "\n";
            else if (line.starts_with(status))
                exit_status = line.substr(status.size());
            else if (!in_examples)
                description += std::string(line) + "\n";
        }
    }
};

} // namespace

std::string page_name(const CommandDescription& command) {
    std::string name = command.path;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string manual_page(const CommandDescription& command, const CommandDescription& root, Pages pages,
                        std::string_view prose) {
    const std::string name = page_name(command);
    std::string text = header(name, 1);
    text += name_section(name, on_one_line(command.description));
    text += fmt::format(".SH SYNOPSIS\n.B {}\n", roff_text(synopsis(command)));
    std::vector<Block> blocks = parse_markdown(prose);
    const auto sections = std::find_if(blocks.begin(), blocks.end(),
                                       [](const Block& b) { return b.kind == Block::Kind::heading; });
    const Footer footer(command.footer);
    text += ".SH DESCRIPTION\n";
    if (sections == blocks.begin())
        text += markdown_as_roff(parse_markdown(command.description + "\n\n" + footer.description));
    else
        text += markdown_as_roff({blocks.begin(), sections});
    if (!command.arguments.empty()) text += ".SH ARGUMENTS\n" + option_entries(command.arguments);
    text += commands_section(command, pages == Pages::one) + options_section(command);
    text += markdown_as_roff({sections, blocks.end()});
    const auto has = [&](std::string_view section) {
        return std::any_of(sections, blocks.end(), [&](const Block& b) {
            return b.kind == Block::Kind::heading && b.text == section;
        });
    };
    if (!footer.examples.empty() && !has("Examples"))
        text += ".SH EXAMPLES\n.RS 4\n.nf\n" + roff_code(footer.examples) + ".fi\n.RE\n";
    if (!footer.exit_status.empty() && !has("Exit status"))
        text += ".SH EXIT STATUS\n" + markdown_as_roff(parse_markdown(footer.exit_status));
    return text + see_also(command, root);
}

std::string page_name(const Topic& topic) {
    return "opcat-" + std::string(topic.name);
}

std::string manual_page(const Topic& topic) {
    std::string title(title_of(topic));
    return header(page_name(topic), 7) + name_section(page_name(topic), title) + ".SH DESCRIPTION\n" +
           markdown_as_roff(parse_markdown(topic.markdown)) + ".SH SEE ALSO\n.BR opcat (1)\n";
}

namespace {

// Manuals are read as text, too: lines of at most 80 bytes.
constexpr size_t roff_width = 72;

} // namespace

std::string roff_text(std::string_view text) {
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '~')
            out += "\\(ti";
        else
            out += c;
    }
    return out;
}

std::string roff_filled(std::string_view text) {
    std::string out;
    const std::string wrapped = wrap(text, roff_width);
    for (const std::string_view line : lines_of(wrapped)) {
        if (line.starts_with('.') || line.starts_with('\'')) out += "\\&";
        out += std::string(line) + "\n";
    }
    if (!out.empty()) out.pop_back();
    return out;
}

std::string roff_code(std::string_view code) {
    std::string out;
    for (const std::string_view line : lines_of(code)) {
        std::string text;
        for (const char c : roff_text(line))
            text += c == '`' ? std::string("\\(ga") : c == '\'' ? std::string("\\(aq") : std::string(1, c);
        // A backslash at the end joins a line with the next.
        while (text.size() > roff_width) {
            const size_t blank = text.rfind(' ', roff_width);
            if (blank == text.npos || text.find_first_not_of(' ') > blank) break;
            out += text.substr(0, blank + 1) + "\\\n";
            text.erase(0, blank + 1);
        }
        out += text + "\n";
    }
    return out;
}

} // namespace opcat
