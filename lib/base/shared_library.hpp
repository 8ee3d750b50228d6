// Libraries that are loaded when they are first needed, not when the program starts.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// The file that the headers we are built with belong to, and the Debian package that has it
// (cmake/Packages.cmake lists the packages once more, since nobody finds these libraries among those that the
// program needs).
struct LibraryFile {
    const char* name;
    std::string_view package;
};

// What few runs need and all would pay for: libcurl alone brings thirty libraries with it, which take the
// loader longer than most commands take for their work.
namespace library {
constexpr LibraryFile archive{"libarchive.so.13", "libarchive13"};
constexpr LibraryFile crypto{"libcrypto.so.3", "libssl3"};
constexpr LibraryFile curl{"libcurl.so.4", "libcurl4"};
constexpr LibraryFile graphviz_graph{"libcgraph.so.6", "libgvc6"};
constexpr LibraryFile graphviz_layout{"libgvc.so.6", "libgvc6"};
constexpr LibraryFile sqlite{"libsqlite3.so.0", "libsqlite3-0"};
constexpr LibraryFile ssl{"libssl.so.3", "libssl3"};
} // namespace library

// A library, loaded. It stays so for as long as the process lives.
class SharedLibrary {
public:
    // Throws Error if the library is not there. `alternative` tells what to do then but to install it: "use
    // -o html".
    explicit SharedLibrary(const LibraryFile& file, std::string_view alternative = {});

    // The address of a function: becomes a pointer of the type of what it is assigned to.
    class Symbol {
    public:
        explicit Symbol(void* address) : address_(address) {}
        template <typename Function>
        operator Function*() const { // NOLINT(google-explicit-constructor): that is what it is for
            return reinterpret_cast<Function*>(address_);
        }

    private:
        void* address_;
    };
    // Throws Error if the library has no such function.
    Symbol operator[](const char* name) const;

private:
    const char* name_;
    void* handle_;
};

} // namespace opcat
