#include "opcat/catalog/lifecycle.hpp"

#include "opcat/base/text.hpp"
#include "opcat/go/fields.hpp"

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

LifecyclePlatform read_platform(const Value& value) {
    LifecyclePlatform platform;
    platform.name = text_in(value, "name");
    for (const Value& version : items_of(find_field(value, "versions")))
        platform.versions.push_back({version.string_or_empty(), version.offset()});
    return platform;
}

LifecycleVersion read_version(const Value& value) {
    LifecycleVersion version;
    version.offset = value.offset();
    version.name = text_in(value, "name");
    for (const Value& phase : items_of(find_field(value, "phases")))
        version.phases.push_back(read_phase(phase));
    for (const Value& platform : items_of(find_field(value, "platformCompatibility")))
        version.platforms.push_back(read_platform(platform));
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

const LifecycleVersion* Lifecycle::find(uint64_t major, uint64_t minor) const {
    const std::string name = fmt::format("{}.{}", major, minor);
    const auto found = std::find_if(versions.begin(), versions.end(), [&](const LifecycleVersion& one) {
        return one.name == std::string_view(name);
    });
    return found == versions.end() ? nullptr : &*found;
}

Lifecycle read_lifecycle(const OtherBlob& blob) {
    Lifecycle lifecycle;
    lifecycle.blob = &blob;
    const Value* const versions = find_field(blob.value, "versions");
    lifecycle.has_versions = versions && versions->is_array();
    for (const Value& version : items_of(versions)) lifecycle.versions.push_back(read_version(version));
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
        if (!phase.start || !phase.end) return {};
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

std::optional<Date> last_day(const LifecycleVersion& version) {
    return support_at(version, std::chrono::year::min() / 1 / 1).ends;
}

std::optional<bool> is_compatible(const LifecycleVersion& version,
                                  std::initializer_list<std::string_view> openshift) {
    for (const LifecyclePlatform& platform : version.platforms)
        if (platform.name == std::string_view("openshift") && !platform.versions.empty())
            return std::any_of(platform.versions.begin(), platform.versions.end(), [&](const Text& one) {
                return std::find(openshift.begin(), openshift.end(), one.text) != openshift.end();
            });
    return std::nullopt;
}

} // namespace opcat
