// Shows how long versions are supported, by the catalog's lifecycles (docs/spec/lifecycles.md).
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/parts.hpp"

#include <fmt/format.h>

#include <string>

namespace opcat::pages {
namespace {

// files/pages.js marks what has ended.
std::string phases_of(const LifecycleVersion& version) {
    std::string out;
    for (const LifecyclePhase& phase : version.phases)
        out += fmt::format("<li>{}: {} to <time{}>{}</time></li>\n", escape_html(phase.name),
                           escape_html(phase.start_text),
                           phase.end ? fmt::format(" datetime=\"{}\"", date_text(*phase.end)) : "",
                           escape_html(phase.end_text));
    return out.empty() ? "not said" : "<ul>\n" + out + "</ul>";
}

std::string platforms_of(const LifecycleVersion& version) {
    constexpr size_t most = 30;
    std::string out;
    for (const LifecyclePlatform& platform : version.platforms)
        out += fmt::format("{}{} {}", out.empty() ? "" : "; ", escape_html(platform.name),
                           listed(platform.versions, most, [](const Text& one) { return escape_html(one); }));
    return out.empty() ? "not said" : out;
}

} // namespace

std::string support_table(const Lifecycle& lifecycle, const GraphNode* only) {
    std::string rows;
    const auto add = [&](const LifecycleVersion& version) {
        rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                            escape_html(version.name), phases_of(version), platforms_of(version));
    };
    if (!only) {
        for (const LifecycleVersion& version : lifecycle.versions) add(version);
    } else if (only->version) {
        const semver::Version& version = only->version->version;
        if (const LifecycleVersion* const one = lifecycle.find(version.major, version.minor)) add(*one);
    }
    if (rows.empty()) return {};
    return "<h2>Support</h2>\n<table>\n<thead><tr><th scope=\"col\">Version</th><th scope=\"col\">Phases</th>"
           "<th scope=\"col\">Platforms</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody>\n</table>\n";
}

} // namespace opcat::pages
