#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/lifecycle.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <chrono>
#include <map>
#include <set>
#include <unordered_map>

namespace opcat {
namespace {

class LifecycleCheck {
public:
    LifecycleCheck(const Lifecycle& lifecycle, const PackageIndex* package, Diagnostics& out)
        : lifecycle_(lifecycle), blob_(*lifecycle.blob), package_(package), out_(out) {}

    void run() {
        if (!lifecycle_.has_versions || lifecycle_.versions.empty())
            return report("lifecycle-field", blob_.value.offset(), "a lifecycle does not have versions",
                          "add a list of them: \"versions: [{name: \\\"1.2\\\", phases: […]}]\"");
        std::set<std::string_view> names;
        for (const LifecycleVersion& version : lifecycle_.versions) {
            if (!is_minor_version(version.name))
                report("lifecycle-field", version.name.offset,
                       fmt::format("\"{}\" is not the name of a version", version.name.text),
                       "write the major and the minor version, as a string: \"1.2\"");
            else if (!names.insert(version.name).second)
                report("lifecycle-duplicate", version.name.offset,
                       fmt::format("version {} is there twice", version.name.text), "join the two");
            check_phases(version);
            check_platforms(version);
        }
        if (package_) check_bundles(names);
    }

private:
    void report(std::string_view rule, uint32_t offset, std::string message, std::string help,
                Severity severity = Severity::warning) {
        out_.push_back({severity, rule, std::move(message), blob_.at(offset), {}, std::move(help)});
    }

    void check_phases(const LifecycleVersion& version) {
        if (version.phases.empty())
            report("lifecycle-field", version.offset,
                   fmt::format("version \"{}\" does not have phases", version.name.text),
                   "add a list of phases with name, startDate and endDate");
        const LifecyclePhase* previous = nullptr;
        for (const LifecyclePhase& phase : version.phases) {
            if (phase.name.empty())
                report("lifecycle-field", phase.offset, "a phase does not have a name", "add its name");
            for (const auto& [field, text, date] : {std::tuple("startDate", phase.start_text, phase.start),
                                                    std::tuple("endDate", phase.end_text, phase.end)})
                if (!date)
                    report("lifecycle-field", text.offset,
                           fmt::format("the {} of phase \"{}\" of version \"{}\" is not a day", field,
                                       phase.name.text, version.name.text),
                           "write it as a string: \"2026-01-31\"");
            if (phase.start && phase.end && *phase.end < *phase.start)
                report("lifecycle-dates", phase.end_text.offset,
                       fmt::format("phase \"{}\" of version \"{}\" ends before it begins", phase.name.text,
                                   version.name.text),
                       "correct one of the two days");
            else if (previous && previous->end && phase.start)
                check_order(version, *previous, phase);
            previous = &phase;
        }
    }

    void check_order(const LifecycleVersion& version, const LifecyclePhase& previous,
                     const LifecyclePhase& phase) {
        const std::chrono::sys_days expected = std::chrono::sys_days(*previous.end) + std::chrono::days(1);
        if (std::chrono::sys_days(*phase.start) == expected) return;
        report("lifecycle-dates", phase.start_text.offset,
               fmt::format("phase \"{}\" of version \"{}\" does not begin on the day after phase \"{}\", "
                           "which ends on {}",
                           phase.name.text, version.name.text, previous.name.text, date_text(*previous.end)),
               fmt::format("write startDate: \"{}\", or correct the endDate before it", date_text(expected)));
    }

    void check_platforms(const LifecycleVersion& version) {
        for (const uint32_t place : version.unreadable)
            report("lifecycle-field", place,
                   fmt::format("a part of platformCompatibility of version \"{}\" has the wrong type",
                               version.name.text),
                   "write it as platformCompatibility: [{name: openshift, versions: [\"4.20\"]}]");
        for (const LifecyclePlatform& platform : version.platforms) {
            if (platform.name.empty())
                report("lifecycle-field", version.offset,
                       fmt::format("a platform of version \"{}\" does not have a name", version.name.text),
                       "add its name: \"openshift\"");
            else if (platform.name != std::string_view("openshift"))
                report("lifecycle-field", platform.name.offset,
                       fmt::format("nobody reads the platform \"{}\"", platform.name.text),
                       "write openshift, the only platform that is defined");
            for (const Text& one : platform.versions)
                if (!is_minor_version(one))
                    report(
                        "lifecycle-field", one.offset,
                        fmt::format("\"{}\" is not a version of platform {}", one.text, platform.name.text),
                        "write the major and the minor version, as a string: \"4.20\"");
        }
    }

    // Old versions leave a catalog, so this is no more than a note.
    void check_bundles(const std::set<std::string_view>& names) {
        std::set<std::string> known;
        for (const Bundle* bundle : package_->bundles)
            if (const auto property = package_property(*bundle))
                if (const auto version = semver::Version::parse(property->version))
                    known.insert(fmt::format("{}.{}", version->major, version->minor));
        if (known.empty()) return;
        for (const LifecycleVersion& version : lifecycle_.versions)
            if (names.contains(version.name) && !known.contains(std::string(version.name.text)))
                report("lifecycle-version", version.name.offset,
                       fmt::format("package \"{}\" has no bundle of version {}", package_->name,
                                   version.name.text),
                       "remove it if the version is not offered any more, or correct its name",
                       Severity::note);
    }

    const Lifecycle& lifecycle_;
    const OtherBlob& blob_;
    const PackageIndex* package_;
    Diagnostics& out_;
};

} // namespace

void check_lifecycles(std::span<const PackageIndex> packages, std::span<const OtherBlob> others,
                      Diagnostics& out) {
    std::unordered_map<std::string_view, const PackageIndex*> by_name;
    std::set<std::string_view> seen;
    for (const OtherBlob& blob : others) {
        if (blob.schema != schema::lifecycles) continue;
        if (by_name.empty())
            for (const PackageIndex& package : packages) by_name.emplace(package.name, &package);
        if (blob.package.empty())
            out.push_back(warning("lifecycle-field", blob.start(), "a lifecycle does not name its package",
                                  "add \"package: NAME\""));
        else if (!seen.insert(blob.package).second)
            out.push_back(warning("lifecycle-duplicate", blob.at(blob.package),
                                  fmt::format("package \"{}\" has two lifecycles", blob.package.text),
                                  "join them: readers take one"));
        const auto package = by_name.find(blob.package);
        LifecycleCheck(read_lifecycle(blob), package == by_name.end() ? nullptr : package->second, out).run();
    }
}

} // namespace opcat
