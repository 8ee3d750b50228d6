#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

using namespace opcat;

TEST_CASE("A library's functions can be called once it is loaded") {
    const SharedLibrary sqlite(library::sqlite);
    const auto compare = OPCAT_FUNCTION(sqlite, sqlite3_stricmp);
    CHECK(compare("abc", "ABC") == 0);
}

#ifdef OPCAT_LAZY_LIBRARIES

TEST_CASE("A missing library is named, with the package that has it") {
    try {
        const SharedLibrary nothing({"libnothing.so.7", "libnothing7"}, "use something else");
        FAIL("it was loaded");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find("libnothing.so.7") != std::string::npos);
        CHECK(error.hint() == "install it (Debian: apt-get install libnothing7), or use something else");
    }
}

TEST_CASE("A function that a library does not have is named") {
    CHECK_THROWS_WITH_AS(SharedLibrary(library::sqlite)["fly"],
                         "cannot use libsqlite3.so.0: it has no function fly", Error);
}

#endif
