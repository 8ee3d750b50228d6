#include "opcat/base/digest.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("the digests of FIPS 180-4's examples come out") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("a stream in pieces has the digest of the whole") {
    Sha256 hash;
    std::string all;
    for (int i = 0; i < 1000; ++i) {
        const std::string piece(static_cast<size_t>(i % 130), static_cast<char>('a' + i % 26));
        hash.update(piece);
        all += piece;
    }
    Sha256 moved = std::move(hash);
    CHECK(moved.finish_hex() == sha256_hex(all));
}
