#include "command.hpp"
#include "help/help.hpp"
#include "opcat/base/colours.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/rules.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct ExplainOptions {
    std::string rule;
    bool markdown = false;
    bool html = false;
};

std::string indented(std::string_view text) {
    std::string out;
    for (const std::string_view line : lines_of(text)) out += "    " + std::string(line) + "\n";
    return out;
}

std::string as_text(const Rule& rule, const HelpStyle& style) {
    const Colours c = colours(style.colour);
    const size_t width = style.width;
    const std::string title =
        wrap(fmt::format("{} ({}): {}", rule.id, to_string(rule.severity), rule.title), width);
    return fmt::format("{}{}{}{}\n\n{}\n\nBreaks the rule:\n\n{}\n{}\n", c.bold, rule.id, c.reset,
                       title.substr(rule.id.size()), wrap(rule.why, width), indented(rule.example),
                       wrap(rule.fix, width));
}

std::string as_markdown() {
    std::string text =
        "# Rules\n\nWhat `opcat validate` checks, and what other commands say about their input. This "
        "page is written by\n`opcat explain --markdown`; `opcat explain RULE` shows one of them.\n"
        "Errors are what opm refuses, too; warnings are legal and surely wrong; notes are "
        "worth knowing.\n\n| rule | severity | |\n|---|---|---|\n";
    for (const Rule& rule : rules())
        text += fmt::format("| [`{}`](#{}) | {} | {} |\n", rule.id, rule.id, to_string(rule.severity),
                            rule.title);
    for (const Rule& rule : rules())
        text += fmt::format("\n## {}\n\n*{}*: {}.\n\n{}\n\nBreaks the rule:\n\n{}\n{}\n", rule.id,
                            to_string(rule.severity), rule.title, wrap(rule.why, 110), indented(rule.example),
                            wrap(rule.fix, 110));
    return text;
}

// The target of terminal links from a rule's id: a page that needs nothing else.
std::string as_html() {
    std::string text =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Rules of opcat</title>\n"
        "<style>:root{color-scheme:light dark}body{max-width:48em;margin:2em auto;padding:0 1em;font:1em/1.5 "
        "sans-serif}"
        "pre{padding:.5em 1em;border-left:3px solid "
        "gray;overflow:auto}:target{text-decoration:underline}</style>\n"
        "<h1>Rules of opcat</h1>\n";
    for (const Rule& rule : rules())
        text += fmt::format(
            "<h2 id=\"{0}\">{0}</h2>\n<p><em>{1}</em>: {2}.</p>\n<p>{3}</p>\n<p>Breaks the rule:</p>\n"
            "<pre>{4}</pre>\n<p>{5}</p>\n",
            escape_html(rule.id), to_string(rule.severity), escape_html(rule.title), escape_html(rule.why),
            escape_html(rule.example), escape_html(rule.fix));
    return text;
}

void run(const ExplainOptions& options, Session& session) {
    if (options.html) {
        session.out.write(as_html());
        return;
    }
    if (options.markdown) {
        session.out.write(as_markdown());
    } else if (options.rule.empty()) {
        for (const Rule& rule : rules())
            session.out.write(fmt::format("{:<30}{:<9}{}\n", rule.id, to_string(rule.severity), rule.title));
    } else if (const Rule* const rule = find_rule(options.rule)) {
        session.out.write(in_locale(as_text(*rule, help_style(session)), session));
    } else {
        std::vector<std::string_view> ids;
        for (const Rule& known : rules()) ids.push_back(known.id);
        const std::string near = did_you_mean(options.rule, ids);
        throw RequestError(fmt::format("there is no rule \"{}\"", options.rule),
                           near.empty() ? "`opcat explain` lists all rules" : near);
    }
}

} // namespace

void add_explain(Command tree, Session& session) {
    const Command command = tree.add_command("explain", "Explain a rule: its meaning, reason and fix");
    auto& options = command.action<ExplainOptions>(run, session);
    const Option rule = command.add_option(
        "RULE", options.rule, "The id at the end of a finding; without one, all rules are listed");
    const Option markdown =
        command.add_flag("--markdown", options.markdown, "All rules as a page of documentation")
            .excludes(rule);
    command.add_flag("--html", options.html, "All rules as a page for browsers")
        .excludes(rule)
        .excludes(markdown);
    command.footer("Example:\n  opcat explain channel-heads");
}

} // namespace opcat
