#include "kubernetes_version.hpp"

#include "opcat/base/error.hpp"

#include <fmt/core.h>

namespace opcat {

semver::Version kubernetes_version(const std::string& text, const std::string& example) {
    const auto version = semver::Version::parse_tolerant(text);
    // "1" would be 1.0, before all APIs, and "25" another Kubernetes.
    if (!version || version->major != 1 || text.find('.') == text.npos)
        throw RequestError(fmt::format("\"{}\" is not a version of Kubernetes", text), "write " + example);
    return *version;
}

} // namespace opcat
