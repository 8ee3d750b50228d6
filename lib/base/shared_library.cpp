#include "opcat/base/shared_library.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#ifdef OPCAT_LAZY_LIBRARIES
#include <dlfcn.h>

#include <fstream>
#include <iterator>
#endif

namespace opcat {
namespace {

// Returns true if the system is `name`, or similar to it according to itself.
bool is_like(std::string_view os_release, std::string_view name) {
    for (const std::string_view line : lines_of(os_release))
        for (const std::string_view key : {"ID=", "ID_LIKE="}) {
            if (!line.starts_with(key)) continue;
            std::string words = " " + std::string(line.substr(key.size())) + " ";
            for (char& c : words)
                if (c == '"' || c == '\'') c = ' ';
            if (words.find(fmt::format(" {} ", name)) != words.npos) return true;
        }
    return false;
}

} // namespace

std::string how_to_install(const LibraryFile& file, std::string_view os_release) {
    if (is_like(os_release, "debian") || is_like(os_release, "ubuntu"))
        return fmt::format("apt-get install {}", file.debian);
    if (is_like(os_release, "suse") || is_like(os_release, "opensuse"))
        return fmt::format("zypper install {}", file.suse);
    for (const std::string_view name : {"rhel", "fedora", "centos", "amzn"})
        if (is_like(os_release, name)) return fmt::format("dnf install {}", file.red_hat);
    return fmt::format("the package {} on Debian and Ubuntu, {} on Fedora and RHEL, {} on SUSE", file.debian,
                       file.red_hat, file.suse);
}

#ifdef OPCAT_LAZY_LIBRARIES
namespace {

std::string os_release() {
    std::ifstream file("/etc/os-release");
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

SharedLibrary::SharedLibrary(const LibraryFile& file, std::string_view alternative)
    : name_(file.name), handle_(::dlopen(file.name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) return;
    const char* const reason = ::dlerror();
    const std::string message = fmt::format("cannot load a library: {}", reason ? reason : file.name);
    const bool memory_is_short = message.find("cannot allocate memory") != message.npos ||
                                 message.find("failed to map segment") != message.npos;
    const std::string help = memory_is_short ? "memory may be short: see ulimit -v"
                                             : "install it: " + how_to_install(file, os_release());
    throw Error(message, alternative.empty() ? help : fmt::format("{}, or {}", help, alternative));
}

void* SharedLibrary::operator[](const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (!address) throw Error(fmt::format("cannot use {}: it has no function {}", name_, name));
    return address;
}

#endif

} // namespace opcat
