#include "opcat/base/error.hpp"
#include "opcat/mirror/record.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace opcat;

TEST_CASE("a record that was written is read again") {
    MirrorRecord record;
    record.catalogs["catalog:latest"][{"org/x", "v1"}] = "sha256:1";
    record.unsettled["catalog:latest"][{"org/y", "v2"}] = "sha256:2";
    record.sources["catalog:latest"][{"org/x", "v1"}] = {"a.example/org/x:v1", "b.example/org/x:v1"};
    const MirrorRecord again = MirrorRecord::parse(record.to_json());
    CHECK(again.catalogs == record.catalogs);
    CHECK(again.unsettled == record.unsettled);
    CHECK(again.sources == record.sources);
    // A later run says what its catalogs need.
    MirrorRecord later;
    later.sources["catalog:latest"][{"org/z", "v1"}] = {"r.example/org/z:v1"};
    later.sources["other:latest"][{"org/x", "v1"}] = {"r.example/org/x:v1"};
    record.add(later);
    CHECK(record.sources == later.sources);
}

TEST_CASE("what another run has written at the same time stays, but for this run's own catalogs") {
    MirrorRecord record;
    record.catalogs["own:latest"][{"org/x", "v1"}] = "sha256:1";
    record.catalogs["gone:latest"][{"org/x", "v1"}] = "sha256:1";
    MirrorRecord other;
    other.catalogs["own:latest"][{"org/x", "v1"}] = "sha256:0";
    other.catalogs["other:latest"][{"org/y", "v1"}] = "sha256:2";
    other.sources["other:latest"][{"org/z", "v1"}] = {"r.example/org/z:v1"};
    record.adopt(other, {"own:latest"});
    CHECK(record.catalogs == MirrorRecord::Images{{"other:latest", {{{"org/y", "v1"}, "sha256:2"}}},
                                                  {"own:latest", {{{"org/x", "v1"}, "sha256:1"}}}});
    // What it needs is not superfluous, whoever has put it there.
    record.catalogs["own:latest"][{"org/z", "v1"}] = "sha256:3";
    record.catalogs["own:latest"][{"org/w", "v1"}] = "sha256:4";
    MirrorRecord wanted;
    wanted.catalogs["own:latest"][{"org/x", "v1"}] = "sha256:1";
    CHECK(record.superfluous(wanted) == std::map<MirrorName, std::string>{{{"org/w", "v1"}, "sha256:4"}});
}

TEST_CASE("an image with the tag of a digest is attached to another one, unless it has a source") {
    const std::string digits(64, '1');
    MirrorRecord record;
    record.sources["c:latest"][{"org/x", "sha256-" + digits}] = {"r.example/org/x@sha256:" + digits};
    CHECK_FALSE(record.is_attachment({"org/x", "sha256-" + digits}));
    CHECK_FALSE(record.is_attachment({"org/x", "v1"}));
    CHECK(record.is_attachment({"org/y", "sha256-" + digits}));
    CHECK(record.is_attachment({"org/x", "sha256-" + digits + ".sig"}));
}

TEST_CASE("signatures stay in a record until their release is removed") {
    const std::string first = "sha256:" + std::string(64, '1');
    const std::string second = "sha256:" + std::string(64, '2');
    const auto key = [](const std::string& digest, int number) {
        return fmt::format("sha256-{}-{}", digest.substr(7), number);
    };
    MirrorRecord record;
    record.signatures = {{key(first, 1), "a"}, {key(first, 2), "b"}};
    MirrorRecord later;
    later.signatures = {{key(second, 1), "c"}};
    record = MirrorRecord::parse(record.to_json());
    record.add(later);
    CHECK(record.signatures.size() == 3);
    record.remove({"ocp/release", "v1"}, first);
    CHECK(record.signatures == later.signatures);
}

TEST_CASE("a record that somebody has damaged is refused, so that nothing is removed because of it") {
    const char* const texts[] = {
        "",
        "no",
        "[]",
        "{}",
        R"({"schema":"opcat.mirror.v2","catalogs":{}})",
        R"({"schema":"opcat.mirror.v1"})",
        R"({"schema":"opcat.mirror.v1","catalogs":[]})",
        R"({"schema":"opcat.mirror.v1","catalogs":{"a":7}})",
        R"({"schema":"opcat.mirror.v1","catalogs":{"a":{"org/x:v1":7}}})",
        R"({"schema":"opcat.mirror.v1","catalogs":{},"unsettled":7})",
        R"({"schema":"opcat.mirror.v1","catalogs":{},"sources":7})",
        R"({"schema":"opcat.mirror.v1","catalogs":{},"signatures":[]})",
        R"({"schema":"opcat.mirror.v1","catalogs":{},"signatures":{"sha256-1-1":7}})",
        R"({"schema":"opcat.mirror.v1","catalogs":{},"sources":{"a":{"org/x:v1":["r.example/x",7]}}})",
    };
    for (const char* text : texts) {
        CAPTURE(text);
        try {
            (void)MirrorRecord::parse(text);
            FAIL_CHECK("no error");
        } catch (const Error& error) {
            CHECK(error.what() == std::string("the record of what opcat has mirrored is damaged"));
            CHECK(error.hint() ==
                  "remove the image opcat-mirror from the mirror; nothing that is there now is pruned then");
        }
    }
}
