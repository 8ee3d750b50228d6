#include "opcat/lint/max_openshift.hpp"

#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/source_lines.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

using olmv1::MinorVersion;

} // namespace

std::optional<Diagnostic> check_max_openshift_number(const SourceFile& file, const Value& value,
                                                     const MinorVersion& max) {
    constexpr uint64_t least_with_two_digits = 10;
    if (!value.is_number()) return std::nullopt;
    const Location word = word_at(file, value.offset());
    const std::string_view digits = text_of(word);
    // A number loses the last digit of 4.10.
    if (digits.ends_with('0') && digits.find('.') + 2 < digits.size()) {
        const std::string read =
            max.to_string() == digits ? std::string(digits.substr(0, digits.size() - 1)) : max.to_string();
        Diagnostic finding = error(
            "max-openshift-version", word, fmt::format("{} without quotes is the number {}", digits, read),
            fmt::format("write \"{}\" in quotes: OpenShift would not be upgraded beyond {}", digits, read));
        finding.fix = put_in_quotes(word);
        return finding;
    }
    if (max.major != 4 || max.minor >= least_with_two_digits) return std::nullopt;
    return error("max-openshift-version", word,
                 fmt::format("{} is the number {}, which YAML also makes of {}0",
                             property_type::max_openshift_version, max.to_string(), max.to_string()),
                 fmt::format("write \"{}0\" in quotes if that was meant, else \"{}\"", max.to_string(),
                             max.to_string()));
}

std::optional<Diagnostic> check_platform_range(std::string_view bundle,
                                               const std::optional<MinorVersion>& least_kubernetes,
                                               const std::optional<MinorVersion>& most_openshift,
                                               Location where) {
    const auto most = most_openshift ? kubernetes_of(*most_openshift) : std::nullopt;
    if (!least_kubernetes || !most || *most >= *least_kubernetes) return std::nullopt;
    return warning(
        "platform-range", where,
        fmt::format("{} needs Kubernetes {} and supports OpenShift up to {}, which has Kubernetes {}", bundle,
                    least_kubernetes->to_string(), most_openshift->to_string(), most->to_string()),
        "correct minKubeVersion or olm.maxOpenShiftVersion: no version of OpenShift can run it");
}

} // namespace opcat
