#include "opcat/catalog/lifecycle.hpp"

#include "opcat/base/text.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace opcat {
namespace {

Text text_in(const Value& object, std::string_view field) {
    const Value* const value = find_field(object, field);
    if (!value || !value->is_string()) return {{}, value ? value->offset() : object.offset()};
    return {value->string(), value->offset()};
}

bool is_list_or_missing(const Value* value) {
    return !value || value->is_null() || value->is_array();
}

LifecyclePhase read_phase(const Value& value) {
    LifecyclePhase phase;
    phase.offset = value.offset();
    phase.name = text_in(value, "name");
    phase.start_text = text_in(value, "startDate");
    phase.end_text = text_in(value, "endDate");
    phase.start = read_date(phase.start_text);
    phase.end = read_date(phase.end_text);
    return phase;
}

void read_platform(const Value& value, LifecycleVersion& version) {
    LifecyclePlatform platform;
    platform.name = text_in(value, "name");
    const Value* const versions = find_field(value, "versions");
    if (!value.is_object() || !is_list_or_missing(versions)) version.unreadable.push_back(value.offset());
    for (const Value& one : items_of(versions)) {
        if (one.is_string())
            platform.versions.push_back({one.string(), one.offset()});
        else
            version.unreadable.push_back(one.offset());
    }
    version.platforms.push_back(std::move(platform));
}

LifecycleVersion read_version(const Value& value) {
    LifecycleVersion version;
    version.offset = value.offset();
    version.name = text_in(value, "name");
    for (const Value& phase : items_of(find_field(value, "phases")))
        version.phases.push_back(read_phase(phase));
    version.last_day = support_at(version, std::chrono::year::min() / 1 / 1).ends;
    const Value* const platforms = find_field(value, "platformCompatibility");
    if (!is_list_or_missing(platforms)) version.unreadable.push_back(platforms->offset());
    for (const Value& platform : items_of(platforms)) read_platform(platform, version);
    return version;
}

} // namespace

std::optional<Date> read_date(std::string_view text) {
    constexpr std::string_view form = "2026-01-31";
    if (text.size() != form.size()) return std::nullopt;
    for (size_t i = 0; i < form.size(); ++i)
        if (form[i] == '-' ? text[i] != '-' : !is_digit(text[i])) return std::nullopt;
    const auto number = [&](size_t begin, size_t size) {
        int value = 0;
        std::from_chars(text.data() + begin, text.data() + begin + size, value);
        return value;
    };
    const Date date{std::chrono::year(number(0, 4)), std::chrono::month(static_cast<unsigned>(number(5, 2))),
                    std::chrono::day(static_cast<unsigned>(number(8, 2)))};
    if (!date.ok()) return std::nullopt;
    return date;
}

std::string date_text(Date date) {
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

bool is_minor_version(std::string_view text) {
    const size_t dot = text.find('.');
    const auto is_number = [](std::string_view digits) {
        return !digits.empty() && semver::is_all_digits(digits) && !semver::has_leading_zero(digits);
    };
    return dot != text.npos && is_number(text.substr(0, dot)) && is_number(text.substr(dot + 1));
}

std::vector<std::string_view> LifecycleVersion::versions_of(std::string_view platform) const {
    std::vector<std::string_view> all;
    for (const LifecyclePlatform& one : platforms)
        if (one.name == platform) all.insert(all.end(), one.versions.begin(), one.versions.end());
    return all;
}

const LifecycleVersion* Lifecycle::find(uint64_t major, uint64_t minor) const {
    const auto found = by_name.find(fmt::format("{}.{}", major, minor));
    return found == by_name.end() ? nullptr : &versions[found->second];
}

Lifecycle read_lifecycle(const OtherBlob& blob) {
    Lifecycle lifecycle;
    lifecycle.blob = &blob;
    const Value* const versions = find_field(blob.value, "versions");
    lifecycle.has_versions = versions && versions->is_array();
    for (const Value& version : items_of(versions)) {
        lifecycle.versions.push_back(read_version(version));
        lifecycle.by_name.try_emplace(std::string(lifecycle.versions.back().name.text),
                                      lifecycle.versions.size() - 1);
    }
    return lifecycle;
}

std::optional<Lifecycle> lifecycle_of(const Catalog& catalog, std::string_view package) {
    for (const OtherBlob& blob : catalog.others)
        if (blob.schema == schema::lifecycles && blob.package == package) return read_lifecycle(blob);
    return std::nullopt;
}

Support support_at(const LifecycleVersion& version, Date date) {
    Support support;
    for (const LifecyclePhase& phase : version.phases) {
        if (!phase.start || !phase.end || *phase.end < *phase.start) return {};
        if (!support.begins || *phase.start < *support.begins) support.begins = phase.start;
        if (!support.ends || *phase.end > *support.ends) support.ends = phase.end;
        if (*phase.start <= date && date <= *phase.end &&
            (!support.phase || *support.phase->start <= *phase.start))
            support.phase = &phase;
    }
    if (!support.begins) return support;
    // Between two phases with a gap nobody says that support has ended.
    support.state = support.phase            ? Support::State::supported
                    : date < *support.begins ? Support::State::not_begun
                    : date > *support.ends   ? Support::State::ended
                                             : Support::State::unknown;
    return support;
}

Compatibility compatibility(const LifecycleVersion& version,
                            std::initializer_list<std::string_view> openshift) {
    constexpr std::string_view platform = "openshift";
    const std::vector<std::string_view> named = version.versions_of(platform);
    if (std::find_first_of(named.begin(), named.end(), openshift.begin(), openshift.end()) != named.end())
        return Compatibility::declared;
    const bool is_clear =
        version.unreadable.empty() && std::all_of(named.begin(), named.end(), is_minor_version) &&
        std::all_of(version.platforms.begin(), version.platforms.end(), [&](const LifecyclePlatform& one) {
            return one.name == platform || (!one.name.empty() && ascii_lower(one.name.text) != platform);
        });
    return !is_clear       ? Compatibility::unknown
           : named.empty() ? Compatibility::undeclared
                           : Compatibility::left_out;
}

} // namespace opcat
