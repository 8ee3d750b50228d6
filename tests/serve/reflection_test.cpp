#include "opcat/serve/protobuf.hpp"
#include "opcat/serve/reflection.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace opcat::serve;

namespace {

constexpr uint32_t file_by_name = 3;
constexpr uint32_t file_by_symbol = 4;
constexpr uint32_t file_by_extension = 5;
constexpr uint32_t extensions_of_type = 6;

using Fields = std::map<uint32_t, std::string>; // the last bytes of each, or the number in digits

Fields fields_of(std::string_view message) {
    Fields fields;
    protobuf::Reader reader(message);
    while (const auto field = reader.next())
        fields[field->number] = field->has_bytes ? std::string(field->bytes) : std::to_string(field->varint);
    REQUIRE_FALSE(reader.failed());
    return fields;
}

Fields asked(uint32_t number, std::string_view what) {
    std::string request;
    protobuf::append_bytes(request, number, what);
    const auto response = reflection_response(request);
    REQUIRE(response);
    Fields fields = fields_of(*response);
    CHECK(fields[2] == request);
    return fields;
}

const Fields not_found(const char* words) {
    return {{1, "5"}, {2, words}};
}

} // namespace

TEST_CASE("types are known, and have no extensions") {
    // ExtensionNumberResponse: the name of the type, and no numbers.
    CHECK(fields_of(asked(extensions_of_type, "api.Bundle")[5]) == Fields{{1, "api.Bundle"}});
    CHECK(fields_of(asked(extensions_of_type, "api.Nothing")[7]) == not_found("there is no such type"));
    // A service is not a type.
    CHECK(fields_of(asked(extensions_of_type, "api.Registry")[7]) == not_found("there is no such type"));
    std::string extension;
    protobuf::append_string(extension, 1, "api.Bundle");
    protobuf::append_number(extension, 2, 100);
    CHECK(fields_of(asked(file_by_extension, extension)[7]) == not_found("there is no such extension"));
}

TEST_CASE("what reflection does not know is an error of its own, and does not end the conversation") {
    CHECK(asked(file_by_name, "registry.proto").contains(4));
    CHECK(fields_of(asked(file_by_name, "other.proto")[7]) == not_found("there is no such file"));
    CHECK(fields_of(asked(file_by_symbol, "api.Nothing")[7]) == not_found("there is no such symbol"));
}

TEST_CASE("a request that asks nothing is invalid, and one that is damaged is not answered") {
    const auto response = reflection_response("");
    REQUIRE(response);
    CHECK(fields_of(fields_of(*response)[7]) == Fields{{1, "3"}, {2, "the request asks nothing"}});
    CHECK_FALSE(reflection_response("\x1a\xff"));
    CHECK_FALSE(reflection_response("\x22\x01\xff")); // a symbol that is not UTF-8
}
