#include "opcat/base/error.hpp"
#include "opcat/signatures/gpg.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;
using namespace opcat::signatures;

TEST_CASE("keys in armor become the packets in it") {
    const std::string block =
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\r\nVersion: 1\r\n\r\naGVs\r\nbG8=\r\n=AAAA\r\n"
        "-----END PGP PUBLIC KEY BLOCK-----\r\n";
    CHECK(without_armor(block) == "hello");
    CHECK(without_armor("a comment\n" + block + "another\n\n" + block) == "hellohello");
    CHECK(without_armor("\x99\x01 packets") == "\x99\x01 packets");
    CHECK_THROWS_AS(without_armor("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\naGVs\n"), Error);
    CHECK_THROWS_AS(
        without_armor("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n?\n-----END PGP PUBLIC KEY BLOCK-----\n"),
        Error);
}
