#include "opcat/image/options.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

namespace opcat::image {

std::string go_architecture(std::string_view machine) {
    if (machine == "x86_64") return "amd64";
    if (machine == "aarch64") return "arm64";
    if (machine == "armv7l" || machine == "armv6l") return "arm";
    if (machine == "i686" || machine == "i386") return "386";
    if (machine == "loongarch64") return "loong64";
    return std::string(machine); // ppc64le, s390x, riscv64
}

Platform Platform::here() {
    utsname name{};
    ::uname(&name);
    return {"linux", go_architecture(name.machine), ""};
}

Parsed<Platform> Platform::parse(std::string_view text) {
    const size_t first = text.find('/');
    const size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
    Platform platform;
    if (first != std::string_view::npos) {
        platform.os = text.substr(0, first);
        platform.architecture = text.substr(first + 1, second - first - 1);
        if (second != std::string_view::npos) platform.variant = text.substr(second + 1);
    }
    if (platform.os.empty() || platform.architecture.empty() ||
        (second != std::string_view::npos && platform.variant.empty()) ||
        platform.variant.find('/') != std::string::npos)
        return ParseError{fmt::format("\"{}\" is not a platform", text), 0, text.size(),
                          "write it as os/arch or os/arch/variant, such as linux/arm64"};
    // Others exist: only what is nearly one of these is a mistake.
    static constexpr std::string_view systems[] = {"linux", "windows", "darwin", "freebsd"};
    static constexpr std::string_view machines[] = {"amd64", "arm64",   "arm",     "386",
                                                    "s390x", "ppc64le", "riscv64", "loong64"};
    const std::string_view system = misspelt(platform.os, systems);
    const std::string_view machine = misspelt(platform.architecture, machines);
    if (!system.empty() || !machine.empty())
        return ParseError{fmt::format("\"{}\" is not a platform", text), 0, text.size(),
                          fmt::format("did you mean {}/{}?", system.empty() ? platform.os : system,
                                      machine.empty() ? platform.architecture : machine)};
    return platform;
}

std::string Platform::to_string() const {
    return os + '/' + architecture + (variant.empty() ? "" : '/' + variant);
}

} // namespace opcat::image
