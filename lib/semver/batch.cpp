#include "opcat/semver/batch.hpp"

#include "opcat/base/batch.hpp"
#include "opcat/base/error.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/constraints.hpp"
#include "opcat/semver/release.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace opcat::semver {
namespace {

using Json = nlohmann::ordered_json;

void put_error(Json& answer, const ParseError& error, const char* in) {
    answer["error"] = error.message;
    answer["error_in"] = in;
    answer["offset"] = error.offset;
}

Json identifiers(std::string_view joined) {
    Json list = Json::array();
    while (!joined.empty()) list.push_back(std::string(next_identifier(joined)));
    return list;
}

void put_numbers(Json& answer, const Version& version) {
    answer["ok"] = true;
    answer["major"] = version.major;
    answer["minor"] = version.minor;
    answer["patch"] = version.patch;
}

void put_blang_version(Json& answer, const Version& version, std::string text) {
    put_numbers(answer, version);
    answer["pre"] = identifiers(version.prerelease);
    answer["build"] = identifiers(version.build);
    answer["string"] = std::move(text);
}

// The caller chooses the kind of version, by the function that parses it.
template <Parsed<Version> (*parse)(std::string_view)>
void parse_blang(const Json& request, Json& answer) {
    const auto version = parse(string_in(request, "version"));
    if (!version) return put_error(answer, version.error(), "version");
    put_blang_version(answer, *version, version->to_string());
}

template <Parsed<Version> (*parse)(std::string_view)>
void parse_masterminds(const Json& request, Json& answer) {
    const auto version = parse(string_in(request, "version"));
    if (!version) return put_error(answer, version.error(), "version");
    put_numbers(answer, *version);
    answer["pre"] = version->prerelease;
    answer["build"] = version->build;
    answer["string"] = version->to_string();
}

void put_release(Json& answer, const VersionRelease& version) {
    answer["rel"] = version.release ? version.release->to_string() : std::string();
}

void parse_legacy(const Json& request, Json& answer) {
    const auto version = VersionRelease::parse_legacy(string_in(request, "version"));
    if (!version) return put_error(answer, version.error(), "version");
    put_blang_version(answer, version->version, version->to_legacy_string());
    put_release(answer, *version);
}

void parse_explicit(const Json& request, Json& answer) {
    const auto version = VersionRelease::parse(string_in(request, "version"), string_in(request, "release"));
    if (!version) return put_error(answer, version.error(), "version");
    put_blang_version(answer, version->version, version->version.to_string());
    put_release(answer, *version);
}

template <auto parse>
void compare(const Json& request, Json& answer) {
    const auto a = parse(string_in(request, "a"));
    if (!a) return put_error(answer, a.error(), "a");
    const auto b = parse(string_in(request, "b"));
    if (!b) return put_error(answer, b.error(), "b");
    const std::weak_ordering order = *a <=> *b;
    answer["cmp"] = std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0;
}

void blang_range(const Json& request, Json& answer) {
    const auto range = BlangRange::parse(string_in(request, "range"));
    if (!range) return put_error(answer, range.error(), "range");
    const auto version = Version::parse(string_in(request, "version"));
    if (!version) return put_error(answer, version.error(), "version");
    const auto verdict = range->ask(*version);
    if (verdict == BlangRange::Answer::crash)
        return put_error(answer, {"an alternative has no comparators", range->offset_of_crash(), 0}, "range");
    answer["ok"] = verdict == BlangRange::Answer::yes;
}

// Without a version the question is whether the range is valid.
template <Parsed<Version> (*parse)(std::string_view)>
void masterminds_range(const Json& request, Json& answer) {
    const auto constraints = Constraints::parse(string_in(request, "constraint"));
    if (!constraints) return put_error(answer, constraints.error(), "constraint");
    if (!request.contains("version")) {
        answer["ok"] = true;
        return;
    }
    const auto version = parse(string_in(request, "version"));
    if (!version) return put_error(answer, version.error(), "version");
    answer["ok"] = constraints->check(*version);
}

void admission(const Json& request, Json& answer) {
    answer["ok"] = is_admitted_by_cluster_extension(string_in(request, "constraint"));
}

struct Question {
    std::string_view lib;
    void (*answer)(const Json& request, Json& answer);
};
constexpr std::array questions = {
    Question{"blang", blang_range},
    Question{"blang-parse", parse_blang<Version::parse>},
    Question{"blang-parse-tolerant", parse_blang<Version::parse_tolerant>},
    Question{"blang-compare", compare<Version::parse>},
    Question{"masterminds", masterminds_range<Version::parse>},
    Question{"masterminds-raw", masterminds_range<Version::parse_coercing>},
    Question{"masterminds-parse", parse_masterminds<Version::parse_coercing>},
    Question{"masterminds-parse-strict", parse_masterminds<Version::parse_masterminds_strict>},
    Question{"masterminds-compare", compare<Version::parse_coercing>},
    Question{"olm-legacy-version", parse_legacy},
    Question{"olm-explicit-version", parse_explicit},
    Question{"olm-compare", compare<VersionRelease::parse_legacy>},
    Question{"olm-release-compare", compare<Release::parse>},
    Question{"olm-crd-version", admission},
};

} // namespace

Json answer_to(const Json& question) {
    static constexpr std::string_view optional[] = {"version"};
    refuse_misspelt(question, optional);
    static constexpr std::string_view of_answers[] = {"ok",     "cmp",   "error",  "error_in",
                                                      "offset", "major", "minor",  "patch",
                                                      "pre",    "build", "string", "rel"};
    Json answer = Json::object();
    for (const auto& [name, value] :
         question.items()) // what is no primitive could be nested too deep to write
        if (value.is_primitive() && std::ranges::find(of_answers, name) == std::end(of_answers))
            answer[name] = value;
    const std::string& lib = string_in(question, "lib");
    const auto kind =
        std::find_if(questions.begin(), questions.end(), [&](const Question& q) { return q.lib == lib; });
    if (kind == questions.end()) throw RequestError(fmt::format("there is no lib \"{}\"", lib));
    kind->answer(question, answer);
    return answer;
}

} // namespace opcat::semver
