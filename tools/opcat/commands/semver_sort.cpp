#include "base/diagnostic.hpp"
#include "base/text.hpp"
#include "base/unicode.hpp"
#include "command.hpp"
#include "input.hpp"
#include "semver.hpp"
#include "semver/release.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace opcat {
namespace {

using namespace semver;

struct Request {
    bool reverse = false;
    std::vector<std::string> versions;
};

struct Entry {
    std::string_view text;
    VersionRelease version;
};

// The versions of a text, one a line; what is wrong with others is reported.
bool parse_lines(const SourceFile& file, std::vector<Entry>& entries, const Session& session) {
    bool valid = true;
    for (const std::string_view line : lines_of(file.bytes())) {
        const std::string_view text = trim_white_space(line);
        if (text.empty()) continue;
        auto version = VersionRelease::parse_legacy(text);
        if (version) {
            entries.push_back({text, *std::move(version)});
            continue;
        }
        valid = false;
        const ParseError& error = version.error();
        const auto offset = static_cast<uint32_t>(text.data() - file.bytes().data() + error.offset);
        const Diagnostic diagnostic{Severity::error,
                                    "invalid-version",
                                    "not a version: " + error.message,
                                    {&file, offset, static_cast<uint32_t>(error.length)},
                                    {},
                                    {}};
        session.print(to_text(diagnostic, {session.colour_on_stderr(), session.width_of_stderr()}));
    }
    return valid;
}

void sort(const Request& request, Session& session) {
    std::vector<std::unique_ptr<SourceFile>> sources;
    if (request.versions.empty())
        sources.push_back(read_input("-"));
    else
        for (const std::string& text : request.versions)
            sources.push_back(std::make_unique<SourceFile>("version", text));

    std::vector<Entry> entries;
    bool valid = true;
    for (const auto& source : sources) valid = parse_lines(*source, entries, session) && valid;
    if (!valid) {
        session.exit_status = exit_usage;
        return;
    }
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
        return request.reverse ? b.version < a.version : a.version < b.version;
    });
    for (const Entry& entry : entries) {
        session.out.write(entry.text);
        session.out.write("\n");
    }
}

} // namespace

void add_semver_sort(Command tree, Session& session) {
    const Command command = tree.add_command(
        "sort", "Sort versions as OLM orders bundles: build metadata that makes a release counts");
    command.footer("Examples:\n"
                   "  opcat semver sort 1.10.0 1.9.0 1.10.0-rc.1\n"
                   "  jq -r '.version' bundles.json | opcat semver sort --reverse");
    const auto request = std::make_shared<Request>();
    command.add_flag("--reverse", request->reverse, "The highest first");
    command.add_option("VERSION", request->versions,
                       "Versions; without any they are read from standard input, one a line");
    command.callback([request, &session] { sort(*request, session); });
}

} // namespace opcat
