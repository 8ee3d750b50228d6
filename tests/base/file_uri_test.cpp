#include "opcat/base/file_uri.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace opcat;

TEST_CASE("paths are URIs of files, and back") {
    for (const auto& [path, uri] :
         {std::pair("/a/b.yaml", "file:///a/b.yaml"),
          std::pair("/with blank/ü#?.yaml", "file:///with%20blank/%C3%BC%23%3F.yaml"),
          std::pair("/100%", "file:///100%25")}) {
        CAPTURE(path);
        CHECK(uri_of_path(path) == uri);
        CHECK(path_of_uri(uri) == std::string(path));
    }
    CHECK(uri_of_path("a b/c") == "a%20b/c");
    CHECK(path_of_uri("file:///a/../b") == "/b");
    for (const char* other : {"http://example.com/a", "untitled:1", ""}) CHECK_FALSE(path_of_uri(other));
}
