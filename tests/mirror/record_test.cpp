#include "opcat/base/error.hpp"
#include "opcat/mirror/record.hpp"

#include <doctest/doctest.h>

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
