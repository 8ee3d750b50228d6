#include "opcat/template/semver_channels.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace {

using namespace opcat;

std::vector<VersionedBundle> bundles(std::initializer_list<std::string_view> versions) {
    std::vector<VersionedBundle> result;
    for (const std::string_view version : versions)
        result.push_back({version, *semver::Version::parse(version)});
    return result;
}

// "stable-v1: 1.0.0, 1.1.0 (replaces 1.0.0, skips a b)"
std::string shown(const PlannedChannel& channel) {
    std::string text = channel.name + ":";
    for (const PlannedEntry& entry : channel.entries) {
        text += fmt::format(" {}", entry.name);
        if (!entry.replaces.empty()) text += fmt::format(" >{}", entry.replaces);
        for (const std::string_view skip : entry.skips) text += fmt::format(" !{}", skip);
        text += ';';
    }
    return text;
}

std::vector<std::string> shown(const PlannedChannels& planned) {
    std::vector<std::string> lines;
    for (const PlannedChannel& channel : planned.channels) lines.push_back(shown(channel));
    return lines;
}

constexpr SemverPlan major{true, false, ChannelWidth::major};
constexpr SemverPlan minor{false, true, ChannelWidth::minor};
constexpr SemverPlan both_major{true, true, ChannelWidth::major};
constexpr SemverPlan both_minor{true, true, ChannelWidth::minor};

} // namespace

TEST_CASE("the highest of each minor version replaces that of the one before and skips the rest") {
    const auto planned = plan_channels(
        {{{}, {}, bundles({"1.1.1", "1.0.0", "1.1.0", "1.0.1", "1.2.0", "2.0.0", "0.1.0"})}}, major);
    CHECK(shown(planned) ==
          std::vector<std::string>{"stable-v0: 0.1.0;",
                                   "stable-v1: 1.0.0; 1.0.1 !1.0.0; 1.1.0; 1.1.1 >1.0.1 !1.0.0 !1.1.0;"
                                   " 1.2.0 >1.1.1 !1.0.0 !1.0.1 !1.1.0;",
                                   "stable-v2: 2.0.0;"});
}

TEST_CASE("edges lead out of channels for minor versions") {
    const auto planned = plan_channels({{{}, bundles({"1.0.0", "1.0.1", "1.1.0"}), {}}}, minor);
    CHECK(shown(planned) ==
          std::vector<std::string>{"fast-v1.0: 1.0.0; 1.0.1 !1.0.0;", "fast-v1.1: 1.1.0 >1.0.1 !1.0.0;"});
}

TEST_CASE("prereleases come before their release") {
    const auto planned = plan_channels({{bundles({"1.0.0", "1.0.0-rc.10", "1.0.0-rc.9"}), {}, {}}}, major);
    CHECK(shown(planned) ==
          std::vector<std::string>{"candidate-v1: 1.0.0-rc.9; 1.0.0-rc.10; 1.0.0 !1.0.0-rc.10 !1.0.0-rc.9;"});
}

TEST_CASE("each archetype has its own edges") {
    const auto planned =
        plan_channels({{bundles({"1.0.0", "1.0.1"}), {}, bundles({"1.0.1", "1.0.2"})}}, major);
    CHECK(shown(planned) ==
          std::vector<std::string>{"candidate-v1: 1.0.0; 1.0.1 !1.0.0;", "stable-v1: 1.0.1; 1.0.2 !1.0.1;"});
}

TEST_CASE("the default channel begins with the highest version of the most stable archetype") {
    struct Case {
        Archetypes archetypes;
        SemverPlan plan;
        std::string_view name;
    };
    const Case cases[] = {
        {{{bundles({"3.0.0"}), bundles({"2.0.0"}), bundles({"1.0.0"})}}, major, "stable-v1"},
        {{{bundles({"3.0.0"}), bundles({"2.0.0", "1.9.0"}), {}}}, major, "fast-v2"},
        {{{{}, {}, bundles({"1.0.0", "1.1.0"})}}, major, "stable-v1"},
        {{{{}, {}, bundles({"1.0.0", "1.1.0"})}}, minor, "stable-v1.1"},
        // The channel for 1.1 begins later, whatever was preferred.
        {{{{}, {}, bundles({"1.0.0", "1.1.0"})}}, both_major, "stable-v1.1"},
        {{{{}, {}, bundles({"1.0.0", "1.0.1"})}}, both_major, "stable-v1"},
        {{{{}, {}, bundles({"1.0.0", "1.0.1"})}}, both_minor, "stable-v1.0"},
        {{{bundles({"0.0.0-alpha"}), {}, {}}}, major, ""},
        {{{bundles({"0.0.0"}), {}, {}}}, major, "candidate-v0"},
        {{{bundles({"0.0.0"}), {}, {}}}, {false, true, ChannelWidth::major}, "candidate-v0.0"},
        {{{{}, {}, {}}}, major, ""},
    };
    for (const Case& c : cases) {
        const PlannedChannels planned = plan_channels(c.archetypes, c.plan);
        CHECK(planned.default_name == c.name);
        const PlannedChannel* const channel = planned.default_channel();
        CHECK((channel ? channel->name : "") == c.name);
    }
}

TEST_CASE("channels whose skips would be as many as the square of a large template are refused") {
    std::vector<std::string> names(3'000);
    std::vector<VersionedBundle> many;
    for (size_t i = 0; i < names.size(); ++i) {
        names[i] = fmt::format("1.{}.0", i);
        many.push_back({names[i], *semver::Version::parse(names[i])});
    }
    const auto with = [&](size_t count) {
        return plan_channels({{{}, {}, {many.begin(), many.begin() + static_cast<std::ptrdiff_t>(count)}}},
                             major);
    };
    CHECK(with(1'000).channels.size() == 1);
    CHECK_THROWS_WITH(
        with(3'000),
        "writing what the channels of the template skip would take more than 100000000 steps [limit]");
}
