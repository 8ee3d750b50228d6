// Annotations of the bundle that opm accepts, and that nothing can use as they are.
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace opcat::bundle_checks {
namespace {

class AnnotationCheck {
public:
    AnnotationCheck(const Format& format, Diagnostics& out) : format_(format), out_(out) {}

    void run() {
        for (const auto& [key, annotation] : format_.annotations) check_key(annotation);
        check_folder(annotation_key::manifests, "manifests", Severity::error);
        check_folder(annotation_key::metadata, "metadata", Severity::warning);
        if (const auto* const package = format_.annotation(annotation_key::package);
            package && package->value.empty())
            out_.push_back(error("bundle-metadata", package->value_at,
                                 "the bundle does not belong to a package", "write the name of its package"));
        check_channels();
        if (const auto* const versions = format_.annotation(annotation_key::openshift))
            check_openshift(*versions);
    }

private:
    // Missing ones that opm needs have an error (format.cpp).
    void check_key(const BundleAnnotation& annotation) {
        const std::string_view meant = meant_annotation(annotation.key);
        if (meant.empty() && !is_unknown_of_bundles(annotation.key)) return;
        if (!meant.empty() && !format_.annotation(meant) && is_required(meant)) return;
        Diagnostic finding = warning("bundle-annotation", annotation.key_at,
                                     fmt::format("nothing reads the annotation {}", annotation.key),
                                     meant.empty() ? "remove it" : fmt::format("did you mean {}?", meant));
        const std::string_view replacement = format_.annotation(meant) ? std::string_view() : meant;
        out_.push_back(
            with_name(std::move(finding), annotation.key_at, annotation.key, replacement, FixEffect::key));
    }

    // operator-sdk reads the manifests from the folder that the annotation names, opm and OLM from
    // manifests/.
    void check_folder(std::string_view key, std::string_view folder, Severity severity) {
        const BundleAnnotation* const annotation = format_.annotation(key);
        if (!annotation) return;
        std::string_view named = annotation->value;
        if (named.starts_with("./")) named.remove_prefix(2);
        while (named.ends_with('/')) named.remove_suffix(1);
        if (named == folder) return;
        out_.push_back(finding(severity, "bundle-annotation", annotation->value_at,
                               fmt::format("the annotation says {}, but opm and OLM read {}/",
                                           annotation->value.empty() ? "nothing" : annotation->value, folder),
                               fmt::format("write {}/", folder)));
    }

    void check_channels() {
        const BundleAnnotation* const channels = format_.annotation(annotation_key::channels);
        if (!channels || channels->value.empty()) return;
        std::vector<std::string_view> names;
        for (size_t begin = 0; begin <= channels->value.size();) {
            const size_t end = std::min(channels->value.size(), channels->value.find(',', begin));
            const std::string_view name = channels->value.substr(begin, end - begin);
            begin = end + 1;
            if (name.empty())
                out_.push_back(warning("bundle-annotation", channels->value_at,
                                       "a channel between two commas has no name", "remove a comma"));
            else if (trim_white_space(name) != name)
                out_.push_back(warning("bundle-annotation", channels->value_at,
                                       fmt::format("the channel \"{}\" has a blank in its name", name),
                                       "separate channels by commas without blanks"));
            names.push_back(trim_white_space(name));
        }
        const BundleAnnotation* const usual = format_.annotation(annotation_key::default_channel);
        if (!usual || usual->value.empty() ||
            std::find(names.begin(), names.end(), trim_white_space(usual->value)) != names.end())
            return;
        const std::string_view meant = misspelt(usual->value, names);
        out_.push_back(warning("bundle-annotation", usual->value_at,
                               fmt::format("the default channel \"{}\" is not a channel of the bundle ({})",
                                           usual->value, channels->value),
                               meant.empty() ? "add it, unless other bundles of the package are in it"
                                             : fmt::format("did you mean {}?", meant)));
    }

    // ---- com.redhat.openshift.versions: "v4.12", "=v4.12", "v4.12-v4.16", "v4.5,v4.6"

    struct Minor {
        uint64_t major, minor;
        friend auto operator<=>(const Minor&, const Minor&) = default;
    };

    static std::optional<Minor> minor_version(std::string_view text) {
        if (text.starts_with('v')) text.remove_prefix(1);
        const size_t dot = text.find('.');
        if (dot == text.npos) return std::nullopt;
        const auto major = semver::parse_number(text.substr(0, dot));
        const auto minor = semver::parse_number(text.substr(dot + 1));
        if (!major || !minor || semver::has_leading_zero(text.substr(dot + 1))) return std::nullopt;
        return Minor{*major, *minor};
    }

    void check_openshift(const BundleAnnotation& annotation) {
        const std::string_view text = annotation.value;
        const auto refuse = [&](std::string why) {
            out_.push_back(
                warning("openshift-versions", annotation.value_at,
                        fmt::format("\"{}\" does not say for which versions of OpenShift: {}", text, why),
                        "write v4.14 for it and all later ones, =v4.14, or v4.14-v4.18"));
        };
        if (text.empty()) return refuse("it is empty");
        if (text.find(' ') != text.npos) return refuse("it has a blank");
        // The first version of a list counts, as the least one.
        if (const size_t comma = text.find(','); comma != text.npos) {
            for (std::string_view rest = text;;) {
                const size_t end = rest.find(',');
                if (!minor_version(rest.substr(0, end)))
                    return refuse(fmt::format("\"{}\" is not a minor version", rest.substr(0, end)));
                if (end == rest.npos) return;
                rest.remove_prefix(end + 1);
            }
        }
        const std::string_view range = text.starts_with('=') ? text.substr(1) : text;
        const size_t dash = range.find('-');
        const auto first = minor_version(range.substr(0, dash));
        if (!first) return refuse(fmt::format("\"{}\" is not a minor version", range.substr(0, dash)));
        if (dash == range.npos) return check_digits(annotation, *first);
        const auto last = minor_version(range.substr(dash + 1));
        if (!last) return refuse(fmt::format("\"{}\" is not a minor version", range.substr(dash + 1)));
        if (text.starts_with('=')) return refuse("\"=\" goes with one version");
        if (*last < *first) return refuse("the first version is later than the last one");
    }

    // 4.20 without quotes is a number: a text of it has lost its last digit.
    void check_digits(const BundleAnnotation& annotation, const Minor& version) {
        constexpr uint64_t least_with_two_digits = 10;
        const std::string_view rest = annotation.value_at.file->bytes().substr(annotation.value_at.offset);
        const std::string_view written = rest.substr(0, rest.find_first_not_of("0123456789."));
        if (version.minor < least_with_two_digits && written != annotation.value &&
            written.starts_with(annotation.value))
            out_.push_back(error("openshift-versions", annotation.value_at,
                                 fmt::format("{} without quotes is the number {}", written, annotation.value),
                                 fmt::format("write v{}", written)));
    }

    const Format& format_;
    Diagnostics& out_;
};

} // namespace

void check_annotations(const Format& format, Diagnostics& out) {
    AnnotationCheck(format, out).run();
}

} // namespace opcat::bundle_checks
