#include "opcat/base/error.hpp"
#include "opcat/signatures/signature.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;
using namespace opcat::signatures;

TEST_CASE("stored signatures are recognised by their first bytes") {
    CHECK(std::get<SimpleSignature>(parse_stored_signature("\xa3message")).message == "\xa3message");
    CHECK(std::get<SimpleSignature>(parse_stored_signature(std::string("\0simple-signing\nmessage", 23)))
              .message == "message");
    const auto sigstore =
        std::get<SigstoreSignature>(parse_stored_signature(std::string(1, '\0') + R"(sigstore-json
{"mimeType":"a/b","payload":"aGVsbG8=","annotations":{"c":"d"}})"));
    CHECK(sigstore.media_type == "a/b");
    CHECK(sigstore.payload == "hello");
    CHECK(sigstore.annotation("c") == "d");
    CHECK(sigstore.annotation("e").empty());
    for (const std::string& bad : {std::string(), std::string("<html>"), std::string("\0other\nx", 8),
                                   std::string("\0sigstore-json", 14), std::string("\0sigstore-json\n{", 16)})
        CHECK_THROWS_AS(parse_stored_signature(bad), Error);
}

TEST_CASE("a claim has exactly its fields") {
    const std::string good =
        R"({"critical":{"identity":{"docker-reference":"a"},"image":{"docker-manifest-digest":"sha256:b"},"type":"atomic container signature"},"optional":{"more":[1]}})";
    const std::string type = R"("type":"atomic container signature")";
    const Claim claim = parse_claim(good, ClaimForm::simple);
    CHECK(claim.name == "a");
    CHECK(claim.digest == "sha256:b");
    CHECK_THROWS_AS(parse_claim(good, ClaimForm::sigstore), Error);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    for (const std::string& bad :
         {with(R"("optional":)", R"("optionals":)"), with(R"({"more":[1]})", "null"),
          with(R"({"more":[1]})", "[]"), with(R"("more":[1])", R"("creator":1)"),
          with(R"("more":[1])", R"("timestamp":1.5)"), with(type, type + "," + type),
          with(R"("type":)", R"("Type":)"), with(R"("docker-reference":"a")", R"("docker-reference":1)"),
          good + "x", std::string("{")})
        CHECK_THROWS_AS(parse_claim(bad, ClaimForm::simple), Error);
    std::string of_sigstore = with(R"({"more":[1]})", "null");
    of_sigstore.replace(of_sigstore.find("atomic container"), 16, "cosign container image");
    CHECK(parse_claim(of_sigstore, ClaimForm::sigstore).name == "a");
}

TEST_CASE("the image with signatures has one in each layer") {
    const auto found = parse_attached_signatures(
        R"({"layers":[{"mediaType":"m","digest":"sha256:a","size":7,"annotations":{"k":"v","n":1}},{"digest":"sha256:b","size":0}]})");
    REQUIRE(found.size() == 2);
    CHECK(found[0].digest == "sha256:a");
    CHECK(found[0].size == 7);
    CHECK(found[0].signature.media_type == "m");
    CHECK(found[0].signature.annotations.size() == 1);
    for (const char* const bad : {"", "[]", "{}", R"({"layers":1})", R"({"layers":[1]})",
                                  R"({"layers":[{"digest":"a"}]})", R"({"layers":[{"size":-1}]})"})
        CHECK_THROWS_AS(parse_attached_signatures(bad), Error);
}
