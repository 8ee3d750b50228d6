#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>

using namespace opcat;

TEST_CASE("the command that installs a library is that of the system") {
    struct Case {
        const char* os_release;
        const char* command;
    };
    const Case cases[] = {
        {"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n", "apt-get install libssl3"},
        {"ID=ubuntu\nID_LIKE=debian\n", "apt-get install libssl3"},
        {"NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt-get install libssl3"},
        {"ID=\"rhel\"\nID_LIKE=\"fedora\"\n", "dnf install openssl-libs"},
        {"ID=fedora\n", "dnf install openssl-libs"},
        {"ID='almalinux'\nID_LIKE=\"rhel centos fedora\"\n", "dnf install openssl-libs"},
        {"ID=\"amzn\"\nID_LIKE=\"fedora\"\n", "dnf install openssl-libs"},
        {"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "zypper install libopenssl3"},
        {"ID=\"sles\"\nID_LIKE=\"suse\"", "zypper install libopenssl3"},
        {"NAME=not-debian\nID=arch\n",
         "the package libssl3 on Debian and Ubuntu, openssl-libs on Fedora and RHEL, libopenssl3 on SUSE"},
        {"",
         "the package libssl3 on Debian and Ubuntu, openssl-libs on Fedora and RHEL, libopenssl3 on SUSE"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.os_release);
        CHECK(how_to_install(library::ssl, one.os_release) == one.command);
    }
}

TEST_CASE("a library's functions can be called once it is loaded") {
    const SharedLibrary sqlite(library::sqlite);
    const auto compare = OPCAT_FUNCTION(sqlite, sqlite3_stricmp);
    CHECK(compare("abc", "ABC") == 0);
}

#ifdef OPCAT_LAZY_LIBRARIES

TEST_CASE("a missing library is named, with the package that has it") {
    try {
        const SharedLibrary nothing({"libnothing.so.7", "libnothing7", "nothing-libs", "libnothing7"},
                                    "use something else");
        FAIL("it was loaded");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find("libnothing.so.7") != std::string::npos);
        CHECK(error.hint().starts_with("install it: "));
        CHECK(error.hint().find("nothing") != std::string::npos);
        CHECK(error.hint().ends_with(", or use something else"));
    }
}

TEST_CASE("a function that a library does not have is named") {
    const SharedLibrary sqlite(library::sqlite);
    CHECK_THROWS_WITH_AS(sqlite["fly"], "cannot use libsqlite3.so.0: it has no function fly", Error);
}

#endif
