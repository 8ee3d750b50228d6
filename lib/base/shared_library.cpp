#include "opcat/base/shared_library.hpp"

#include "opcat/base/error.hpp"

#ifdef OPCAT_LAZY_LIBRARIES

#include <dlfcn.h>
#include <fmt/core.h>

namespace opcat {

SharedLibrary::SharedLibrary(const LibraryFile& file, std::string_view alternative)
    : name_(file.name), handle_(::dlopen(file.name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) return;
    const char* const reason = ::dlerror();
    throw Error(fmt::format("cannot load a library: {}", reason ? reason : file.name),
                fmt::format("install it (Debian: apt-get install {}){}{}", file.package,
                            alternative.empty() ? "" : ", or ", alternative));
}

void* SharedLibrary::operator[](const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (!address) throw Error(fmt::format("cannot use {}: it has no function {}", name_, name));
    return address;
}

} // namespace opcat

#endif
