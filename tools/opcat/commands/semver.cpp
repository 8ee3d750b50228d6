#include "command.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "opcat/base/batch.hpp"
#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/semver/batch.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/constraints.hpp"
#include "opcat/semver/release.hpp"
#include "sharding.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

namespace opcat {

namespace {

using namespace semver;

struct MatchRequest {
    std::string dialect = "blang";
    Form output = Form::text;
    std::string range;
    std::vector<std::string> versions;
};

struct Verdict {
    std::string version;
    bool matches;
    std::vector<std::string> ruled_out_by; // one of each alternative
};

using Range = std::variant<BlangRange, Constraints>;

void report(const Session& session, const SourceFile& file, std::string_view rule, std::string message,
            size_t offset, size_t length, std::string help) {
    const Location where{&file, static_cast<uint32_t>(offset), static_cast<uint32_t>(length)};
    const Diagnostic diagnostic{Severity::error, rule, std::move(message), where, {}, std::move(help)};
    session.print_drawing(to_text(diagnostic, {session.colour_on_stderr(), session.width_of_stderr()}));
}

// If there is no range, its error has been printed.
std::optional<Range> parse_range(const MatchRequest& request, const Session& session) {
    const SourceFile file("range", request.range);
    const auto fail = [&](const ParseError& error, bool is_one_of_others, std::string_view other) {
        report(session, file, "invalid-range",
               fmt::format("not a {} range: {}", request.dialect, error.message), error.offset, error.length,
               is_one_of_others ? fmt::format("it is a range with --dialect {}", other) : std::string());
        return std::nullopt;
    };
    auto blang = BlangRange::parse(request.range);
    auto masterminds = Constraints::parse(request.range);
    if (request.dialect == "blang") {
        if (!blang) return fail(blang.error(), static_cast<bool>(masterminds), "masterminds");
        return *std::move(blang);
    }
    if (!masterminds) return fail(masterminds.error(), static_cast<bool>(blang), "blang");
    return *std::move(masterminds);
}

// blang parses bundles' versions, whichever library parses the range. All wrong ones are reported.
std::optional<std::vector<Version>> parse_versions(const MatchRequest& request, const Session& session) {
    std::vector<Version> versions;
    for (const std::string& text : request.versions) {
        auto version = Version::parse(text);
        if (!version) {
            const auto meant = Version::parse_tolerant(text);
            const ParseError& error = version.error();
            report(session, SourceFile("version", text), "invalid-version",
                   fmt::format("not a version: {}", error.message), error.offset, error.length,
                   meant ? fmt::format("did you mean {}?", meant->to_string()) : std::string());
        } else {
            versions.push_back(*std::move(version));
        }
    }
    if (versions.size() < request.versions.size()) return std::nullopt;
    return versions;
}

bool matches(const Range& range, const Version& version) {
    if (const auto* blang = std::get_if<BlangRange>(&range)) return blang->contains(version);
    return std::get<Constraints>(range).check(version);
}

std::vector<std::string> why_not(const Range& range, const Version& version) {
    return std::visit([&](const auto& r) { return r.why_not(version); }, range);
}

bool crashes(const Range& range, const Version& version) {
    const auto* blang = std::get_if<BlangRange>(&range);
    return blang && blang->ask(version) == BlangRange::Answer::crash;
}

void write_text(const std::vector<Verdict>& verdicts, Session& session) {
    size_t width = 0;
    for (const Verdict& v : verdicts) width = std::max(width, v.version.size());
    for (const Verdict& v : verdicts)
        session.out.write(v.matches ? fmt::format("{:<{}}  yes\n", v.version, width)
                                    : fmt::format("{:<{}}  no: ruled out by {}\n", v.version, width,
                                                  fmt::join(v.ruled_out_by, " || ")));
}

void write_json(const MatchRequest& request, const std::vector<Verdict>& verdicts, Session& session) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Verdict& v : verdicts) {
        list.push_back({{"version", v.version}, {"matches", v.matches}});
        if (!v.matches) list.back()["ruledOutBy"] = v.ruled_out_by;
    }
    const Json document = {{"schema", "opcat.semver-match.v1"},
                           {"dialect", request.dialect},
                           {"range", request.range},
                           {"versions", list}};
    session.out.write(as_document(document));
}

// The range is often named last, as one says it.
void refuse_range_after_versions(const MatchRequest& request) {
    if (!Version::parse(request.range)) return;
    for (const std::string& text : request.versions)
        if (!Version::parse_tolerant(text) && (BlangRange::parse(text) || Constraints::parse(text)))
            throw RequestError(fmt::format("the range {} comes after the versions", go_quote(text)),
                               fmt::format("name it first: opcat semver match '{}' {}", text, request.range));
}

void match(const MatchRequest& request, Session& session) {
    refuse_range_after_versions(request);
    session.exit_status = exit_usage;
    const auto range = parse_range(request, session);
    const auto versions = parse_versions(request, session);
    if (!range || !versions) return;

    std::vector<Verdict> verdicts;
    for (size_t i = 0; i < versions->size(); ++i) {
        const Version& version = (*versions)[i];
        if (crashes(*range, version)) {
            report(session, SourceFile("range", request.range), "invalid-range",
                   fmt::format(
                       "an alternative without comparators: OLM crashes when it looks for {} in this range",
                       version.to_string()),
                   std::get<BlangRange>(*range).offset_of_crash(), 0, "leave out one \"||\"");
            return;
        }
        const bool yes = matches(*range, version);
        verdicts.push_back(
            {request.versions[i], yes, yes ? std::vector<std::string>() : why_not(*range, version)});
    }
    if (request.output == Form::json)
        write_json(request, verdicts, session);
    else
        write_text(verdicts, session);
    const bool all =
        std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.matches; });
    session.exit_status = all ? exit_ok : exit_findings;
}

} // namespace

static void add_semver_match(Command tree, Session& session) {
    const Command command =
        tree.add_command("match", "Test which versions are in a range; exit status 1 if some are not");
    command.footer("Examples:\n"
                   "  opcat semver match '>=1.0.0 <2.0.0' 1.5.0 2.0.0-rc.1\n"
                   "  opcat semver match --dialect masterminds '^1.2 || ~2.1' 1.9.0 2.1.7");
    const auto request = std::make_shared<MatchRequest>();
    command
        .add_option("--dialect", request->dialect,
                    "blang: skipRange in catalogs; masterminds: the version of a ClusterExtension")
        .one_of({"blang", "masterminds"})
        .show_default();
    command.add_choice("-o,--output", request->output, {Form::text, Form::json}, "text or json")
        .show_default();
    command.add_option("RANGE", request->range, "The range").required();
    command.add_option("VERSION", request->versions, "Versions to look for in it").required();
    command.callback([request, &session] { match(*request, session); });
}

namespace {

struct SortRequest {
    bool reverse = false;
    std::vector<std::string> versions;
};

struct Entry {
    std::string_view text;
    VersionRelease version;
};

// The versions of a text, one per line; mistakes in others are reported.
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
        session.print_drawing(to_text(diagnostic, {session.colour_on_stderr(), session.width_of_stderr()}));
    }
    return valid;
}

void sort(const SortRequest& request, Session& session) {
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

static void add_semver_sort(Command tree, Session& session) {
    const Command command = tree.add_command(
        "sort", "Sort versions as OLM orders bundles: build metadata that makes a release counts");
    command.footer("Examples:\n"
                   "  opcat semver sort 1.10.0 1.9.0 1.10.0-rc.1\n"
                   "  jq -r '.version' bundles.json | opcat semver sort --reverse");
    const auto request = std::make_shared<SortRequest>();
    command.add_flag("--reverse", request->reverse, "Highest version first");
    command.add_option("VERSION", request->versions,
                       "Versions; without any they are read from standard input, one a line");
    command.callback([request, &session] { sort(*request, session); });
}

static void answer_semver_batch(const std::string& path, Session& session) {
    const auto file = read_input(path);
    BatchAnswers answers(session);
    for_each_batch_line(*file, [&](const BatchLine& line) {
        nlohmann::ordered_json answer;
        try {
            answer = semver::answer_to(question_in(line));
        } catch (const RequestError& error) {
            answer = {{"error", why_refused(line, error)}};
        }
        answers.print(as_batch_line(answer));
    });
    answers.finish();
}

void add_semver(Command tree, Session& session) {
    const Command command = tree.add_command("semver", "Compare versions and test ranges as OLM does");
    command.footer("Example:\n  opcat semver --batch questions.jsonl\n\n"
                   "Lines of the file:\n"
                   "  {\"lib\": \"blang\", \"range\": \">=1.0.0 <2.0.0\", \"version\": \"1.5.0\"}\n"
                   "  {\"lib\": \"masterminds\", \"constraint\": \"^1.2\", \"version\": \"1.5.0\"}");
    const auto path = std::make_shared<std::string>();
    command.add_option("--batch FILE", *path,
                       "Answer the questions in FILE, one JSON object a line; - is standard input");
    add_semver_match(command, session);
    add_semver_sort(command, session);
    command.callback([command, path, &session] {
        if (command.command_given()) return;
        if (path->empty())
            throw RequestError("semver needs to know what to do: match, sort or --batch FILE",
                               "see opcat semver --help");
        answer_semver_batch(*path, session);
    });
}

} // namespace opcat
