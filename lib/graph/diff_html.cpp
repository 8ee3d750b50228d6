// The difference of two catalogs as a page. Pages of CI jobs are often shown without scripts and styles:
// colours and places of drawings are attributes of SVG.
#include "graph_page.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/graph/diff_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

constexpr int row_height = 26;
constexpr int dot_x = 96; // to the left of it are the edges

std::string html(std::string_view text) {
    return escape_html(escape_controls(text));
}

std::string codes(const std::vector<std::string_view>& names) {
    constexpr size_t most = 100;
    return listed(names, most,
                  [](std::string_view name) { return fmt::format("<code>{}</code>", html(name)); });
}

std::string_view colour_of(std::optional<ChangeKind> change) {
    return !change ? "#848d97" : change == ChangeKind::added ? "#1a7f37" : "#d1242f";
}

// One side of a channel. Both sides have the same rows, so that versions are next to themselves.
std::string drawing(const ComparedChannel& channel, bool after) {
    const auto is_here = [&](const ComparedVersion& version) {
        return after ? version.is_after : version.is_before;
    };
    std::map<std::string_view, int> places;
    size_t longest = 0;
    for (size_t i = 0; i < channel.versions.size(); ++i) {
        places[channel.versions[i].name] = static_cast<int>(i) * row_height + row_height / 2;
        longest = std::max(longest, display_width(channel.versions[i].name));
    }
    const int width = dot_x + 24 + static_cast<int>(std::min<size_t>(longest, 60)) * 8;
    const int height = static_cast<int>(channel.versions.size()) * row_height;
    std::string out = fmt::format(
        "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">", width,
        height, html(fmt::format("{} of channel {}", after ? "new graph" : "old graph", channel.channel)));
    for (const ComparedEdge& edge : channel.edges) {
        if (edge.change == (after ? ChangeKind::removed : ChangeKind::added)) continue;
        const int from = places.at(edge.from);
        const int to = places.at(edge.to);
        const int rows = std::abs(from - to) / row_height;
        const int bend = edge.kind == EdgeKind::replaces && rows <= 1
                             ? dot_x
                             : std::max(4, dot_x - 14 - 9 * std::min(rows, 9));
        const std::string_view dashes = edge.kind == EdgeKind::replaces ? ""
                                        : edge.kind == EdgeKind::skips  ? " stroke-dasharray=\"5 3\""
                                                                        : " stroke-dasharray=\"1.5 3\"";
        const int side = from > to ? 6 : -6;
        out += fmt::format(
            "<path class=\"edge{}\" d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\" stroke=\"{}\" "
            "stroke-width=\"{}\"{}><title>{} {} {}</title></path>",
            !edge.change                        ? ""
            : *edge.change == ChangeKind::added ? " added"
                                                : " removed",
            dot_x, from - side, bend, from - side, bend, to + side, dot_x, to + side, colour_of(edge.change),
            edge.change ? "2.5" : "1.2", dashes, html(edge.to), to_string(edge.kind), html(edge.from));
        out += fmt::format("<path d=\"M{} {}l-4 {}h8z\" fill=\"{}\"/>", dot_x, to + side, side,
                           colour_of(edge.change));
    }
    for (const ComparedVersion& version : channel.versions) {
        if (!is_here(version)) continue;
        const int y = places.at(version.name);
        const bool is_changed = version.is_before != version.is_after;
        const auto change =
            is_changed ? std::optional(after ? ChangeKind::added : ChangeKind::removed) : std::nullopt;
        out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\"/>"
                           "<text x=\"{}\" y=\"{}\" font-family=\"ui-monospace,monospace\" font-size=\"13\" "
                           "fill=\"{}\">{}{}</text>",
                           dot_x, y, colour_of(change), dot_x + 12, y + 4,
                           is_changed ? colour_of(change) : "currentColor",
                           !is_changed ? ""
                           : after     ? "+ "
                                       : "- ",
                           html(shorten(version.name, 60)));
    }
    return out + "</svg>";
}

std::string graphs(const ComparedChannel& channel) {
    std::string out = fmt::format(
        "<h3>{} <code>{}</code>{}</h3>\n", html(channel.package), html(channel.channel),
        channel.kind == ChangeKind::changed ? std::string() : fmt::format(" ({})", to_string(channel.kind)));
    if (channel.is_too_large)
        return out + "<p>The graph is too large to draw: <code>opcat graph -o html</code> shows it.</p>\n";
    if (channel.left_out > 0)
        out += fmt::format("<p>{} without a change left out.</p>\n", counted(channel.left_out, "version"));
    return out + fmt::format("<table class=\"graphs\"><tr><td><b>Old</b><div class=\"wide\">{}</div></td>"
                             "<td><b>New</b><div class=\"wide\">{}</div></td></tr></table>\n",
                             drawing(channel, false), drawing(channel, true));
}

std::string regressions(const NamedDiff& one, bool allowed) {
    std::string rows;
    for (const Regression& regression : one.diff.regressions)
        if (regression.is_allowed == allowed)
            rows += fmt::format(
                "<tr><td><b class=\"kind\">{}</b></td><td>{}</td><td>{}{}</td><td>{}</td></tr>\n",
                to_string(regression.kind), html(regression.package), html(regression.message),
                regression.where ? fmt::format("<br><small>{}</small>", html(place_of(regression.where)))
                                 : std::string(),
                codes(regression.installed));
    if (rows.empty()) return allowed ? std::string() : "<p>No regressions.</p>\n";
    return fmt::format(
        "<h2>{}</h2>\n<div class=\"wide\"><table class=\"list\" id=\"{}\"><tr><th>Kind</th><th>"
        "Package</th><th>What</th><th>Affected versions</th></tr>\n{}</table></div>\n",
        allowed ? "Allowed regressions" : "Regressions", allowed ? "allowed" : "regressions", rows);
}

std::string upgrades(const NamedDiff& one) {
    if (one.diff.upgrades.empty()) return {};
    std::string rows;
    for (const UpgradeChange& upgrade : one.diff.upgrades)
        rows +=
            fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
                        html(upgrade.package), html(upgrade.channel), codes(upgrade.from), html(upgrade.to));
    return "<h2>Upgrades of users</h2>\n<div class=\"wide\"><table class=\"list\" "
           "id=\"upgrades\"><tr><th>Package"
           "</th><th>Channel</th><th>Users of</th><th>upgrade to</th></tr>\n" +
           rows + "</table></div>\n";
}

std::string changes(const NamedDiff& one) {
    std::string out = "<h2>What changed</h2>\n";
    for (const PackageChanges& package : one.diff.packages) {
        out += fmt::format("<details><summary><b>{}</b> {}, {}</summary>\n<ul>\n", html(package.package),
                           to_string(package.kind), counted(package.changes.size(), "change"));
        for (const Change& change : package.changes) {
            out += fmt::format("<li>{}: {}<ul>\n", html(change.subject), to_string(change.kind));
            for (const std::string& detail : change.details)
                out += fmt::format("<li><code>{}</code></li>\n", html(detail));
            out += "</ul></li>\n";
        }
        out += "</ul></details>\n";
    }
    return out;
}

} // namespace

std::string_view diff_style() {
    return embedded::diff_css;
}

std::string diff_as_html(const std::vector<NamedDiff>& diffs, const PagePlace& place) {
    std::string body;
    for (const NamedDiff& one : diffs) {
        if (!one.name.empty())
            body += fmt::format("<h2 class=\"catalog\"><code>{}</code></h2>\n", html(one.name));
        if (!one.diff.bundles_compared) body += "<p>The bundles were not compared.</p>\n";
        if (one.diff.packages.empty()) {
            body += one.diff.bundles_compared ? "<p>No changes.</p>\n" : "<p>No changes of channels.</p>\n";
            continue;
        }
        body += regressions(one, false) + regressions(one, true) + upgrades(one);
        if (!one.channels.empty())
            body +=
                "<h2>Graphs of changed channels</h2>\n<p>Each version and its edges: <b class=\"added\">+ "
                "green"
                "</b> is new, <b class=\"removed\">- red</b> is gone; a line is replaces, dashes are skips, "
                "dots are a skipRange.</p>\n";
        for (const ComparedChannel& channel : one.channels) body += graphs(channel);
        body += changes(one);
    }
    if (diffs.empty()) body = "<p>No changes.</p>\n";
    const std::string style =
        place.assets.empty()
            ? fmt::format("<style>\n{}</style>", diff_style())
            : fmt::format(
                  "<link rel=\"icon\" href=\"{0}opcat.svg\">\n<link rel=\"stylesheet\" href=\"{0}diff.css\">",
                  place.assets);
    const std::string title = place.back.empty()
                                  ? "Catalog changes"
                                  : fmt::format("<a href=\"{}\">Catalog changes</a>", place.back);
    return fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                       "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
                       "name=\"color-scheme\" content=\"light dark\">\n<title>Catalog changes</title>\n{}\n"
                       "</head>\n<body>\n<h1>{}</h1>\n{}</body>\n</html>\n",
                       style, title, body);
}

} // namespace opcat
