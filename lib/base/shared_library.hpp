// Libraries that few runs need. With OPCAT_LAZY_LIBRARIES they are loaded when they are first used, not when
// the program starts; without it they are linked normally, and nothing here does anything.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// A library, and the packages that contain it (cmake/Packages.cmake lists Debian's as well, because no tool
// finds them among the program's dependencies).
struct LibraryFile {
    const char* name;
    std::string_view debian;  // and Ubuntu
    std::string_view red_hat; // and Fedora, AlmaLinux, Rocky Linux, Amazon Linux
    std::string_view suse;
};

// libcurl alone needs thirty other libraries, and loading them takes longer than most commands.
namespace library {
constexpr LibraryFile archive{"libarchive.so.13", "libarchive13", "libarchive", "libarchive13"};
constexpr LibraryFile crypto{"libcrypto.so.3", "libssl3", "openssl-libs", "libopenssl3"};
constexpr LibraryFile curl{"libcurl.so.4", "libcurl4", "libcurl", "libcurl4"};
constexpr LibraryFile event_core{"libevent_core-2.1.so.7", "libevent-core-2.1-7", "libevent",
                                 "libevent-2_1-7"};
constexpr LibraryFile event_openssl{"libevent_openssl-2.1.so.7", "libevent-openssl-2.1-7", "libevent",
                                    "libevent-2_1-7"};
constexpr LibraryFile graphviz_graph{"libcgraph.so.6", "libgvc6", "graphviz", "graphviz"};
constexpr LibraryFile graphviz_layout{"libgvc.so.6", "libgvc6", "graphviz", "graphviz"};
constexpr LibraryFile nghttp2{"libnghttp2.so.14", "libnghttp2-14", "libnghttp2", "libnghttp2-14"};
constexpr LibraryFile sqlite{"libsqlite3.so.0", "libsqlite3-0", "sqlite-libs", "libsqlite3-0"};
constexpr LibraryFile ssl{"libssl.so.3", "libssl3", "openssl-libs", "libopenssl3"};
constexpr LibraryFile zlib{"libz.so.1", "zlib1g", "zlib", "libz1"};
} // namespace library

// The command that installs a library, such as "dnf install libarchive", on the system that the text of its
// /etc/os-release (freedesktop.org's os-release specification) describes; for an unknown system the package
// names of others.
std::string how_to_install(const LibraryFile& file, std::string_view os_release);

#ifdef OPCAT_LAZY_LIBRARIES

// A library that stays loaded until the process ends.
class SharedLibrary {
public:
    // Throws Error if the library is missing. `alternative` says what users can do instead of installing it:
    // "use -o html".
    explicit SharedLibrary(const LibraryFile& file, std::string_view alternative = {});

    // The address of a function. Throws Error if the library does not have it.
    void* operator[](const char* name) const;

private:
    const char* name_;
    void* handle_;
};

// The function `name` of `library`, an expression of type SharedLibrary.
#define OPCAT_FUNCTION(library, name) reinterpret_cast<decltype(&::name)>((library)[#name])

#else

class SharedLibrary {
public:
    explicit SharedLibrary(const LibraryFile&, std::string_view = {}) {}
};

#define OPCAT_FUNCTION(library, name) (&::name)

#endif

// A member of a table of functions: the function `name` of the table's member `library`.
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member has none
#define OPCAT_MEMBER(name) decltype(&::name) name = OPCAT_FUNCTION(library, name)

} // namespace opcat
