#include "support/error.hpp"
#include "support/shared_library.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

using namespace opcat;

TEST_CASE("A library's functions can be called once it is loaded") {
    const SharedLibrary zlib(library::zlib);
    const decltype(&::adler32) adler32 = zlib["adler32"];
    CHECK(adler32(1, reinterpret_cast<const unsigned char*>("abc"), 3) == 0x024d0127);
}

TEST_CASE("A library that is not there is named, with the package that has it") {
    try {
        const SharedLibrary nothing({"libnothing.so.7", "libnothing7"}, "use something else");
        FAIL("it was loaded");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find("libnothing.so.7") != std::string::npos);
        CHECK(error.hint() == "install it (Debian: apt-get install libnothing7), or use something else");
    }
}

TEST_CASE("A function that a library does not have is named") {
    CHECK_THROWS_WITH_AS(SharedLibrary(library::zlib)["fly"], "cannot use libz.so.1: it has no function fly",
                         Error);
}
