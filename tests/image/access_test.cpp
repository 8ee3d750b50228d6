#include "../emulated.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/image/access.hpp"
#include "tar_builder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace opcat::image;
using namespace opcat;

TEST_CASE("challenges are read from a header that may hold several") {
    const auto bearer = find_challenge(
        R"(Basic realm="x", Bearer realm="https://auth.example/token?a=b,c",service="reg\"istry" , scope=pull)",
        "bearer");
    REQUIRE(bearer);
    CHECK(bearer->parameter("realm") == "https://auth.example/token?a=b,c");
    CHECK(bearer->parameter("service") == "reg\"istry");
    CHECK(bearer->parameter("scope") == "pull");
    CHECK(bearer->parameter("absent").empty());
    CHECK(find_challenge("BASIC Realm=x", "basic")->parameter("realm") == "x");
    CHECK(find_challenge("Negotiate, Basic", "basic"));
    for (const char* odd : {"", ",,,", "=", "Bearer realm=\"never ends", "\"", "a=b", "Bearer \x01\x02"})
        CHECK_FALSE(find_challenge(odd, "digest"));
}

namespace fs = std::filesystem;

namespace {

std::string user_of(const std::vector<fs::path>& files, const std::string& registry,
                    const std::string& repository) {
    const auto found = find_credentials(files, registry, repository);
    return found ? found->user + ":" + found->password : "none";
}

} // namespace

TEST_CASE("the most specific entry of the first file that has one counts") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path first = directory.path() / "first.json";
    const fs::path second = directory.path() / "second.json";
    // dTpw is u:p, o:q, r:s.
    put(first, R"({"auths":{"quay.io":{"auth":"dTpw"},"quay.io/org":{"auth":"bzpx"},
                   "quay.io/org/repo":{"auth":"cjpz"},"https://index.docker.io/v1/":{"auth":"dTpw"},
                   "http://old.example/v2/":{"username":"x","password":"y:z"},"empty.example":{}}})");
    put(second, R"({"auths":{"empty.example":{"auth":"bzpx"},"quay.io":{"auth":"cjpz"}}})");
    const std::vector<fs::path> files{directory.path() / "absent.json", first, second};
    CHECK(user_of(files, "quay.io", "org/repo") == "r:s");
    CHECK(user_of(files, "quay.io", "org/other") == "o:q");
    CHECK(user_of(files, "quay.io", "organ/repo") == "u:p");
    CHECK(user_of(files, "docker.io", "library/nginx") == "u:p");
    CHECK(user_of(files, "old.example", "a") == "x:y:z");
    CHECK(user_of(files, "empty.example", "a") == "o:q");
    CHECK(user_of(files, "quay.io:8443", "a") == "none");
    CHECK(user_of(files, "evil-quay.io", "org/repo") == "none");
    CHECK(Credentials{"u", "p", "", ""}.basic() == "Basic dTpw");
}

TEST_CASE("a damaged file is an error that shows no secret") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path file = directory.path() / "auth.json";
    const auto error = [&](const std::string& json) {
        put(file, json);
        return error_of([&] { find_credentials({file}, "quay.io", "a"); });
    };
    CHECK(error("{\"auths\": SECRET").ends_with("it is not a JSON object"));
    CHECK(error(R"({"auths":{"quay.io":{"auth":"U0VDUkVU"}}})").ends_with("is not USER:PASSWORD in base64"));
    CHECK(error(R"({"auths":{"quay.io":{"auth":"%%%%"}}})").ends_with("is not USER:PASSWORD in base64"));
    CHECK(error(R"({"auths":{"quay.io":{"auth":"="}}})").ends_with("is not USER:PASSWORD in base64"));
    CHECK(error(R"({"auths":[],"credHelpers":7,"credsStore":[]})") == "no error");
    CHECK(error(R"({"credHelpers":{"quay.io":"../../bin/sh"}})").find("is not a plain name") !=
          std::string::npos);
}

TEST_CASE("a helper that is not there is an error that says so" * doctest::skip(emulated)) {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path file = directory.path() / "auth.json";
    put(file, R"({"credsStore":"of-which-there-is-none"})");
    CHECK(error_of([&] { find_credentials({file}, "quay.io", "a"); }).find("there is no such program") !=
          std::string::npos);
}

TEST_CASE("helpers are asked for the registry and may give an identity token") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path helper = directory.path() / "docker-credential-opcat-test";
    put(helper, "#!/bin/sh\nread server\ncase $server in\n"
                "quay.io) echo '{\"Username\":\"u\",\"Secret\":\"p\"}';;\n"
                "https://index.docker.io/v1/) echo '{\"Username\":\"<token>\",\"Secret\":\"t\"}';;\n"
                "broken.example) echo SECRET; exit 1;;\n"
                "*) echo 'credentials not found in native keychain'; exit 1;;\nesac\n");
    fs::permissions(helper, fs::perms::owner_all);
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", (directory.path().string() + ":" + path).c_str(), 1);
    const fs::path store = directory.path() / "store.json";
    put(store, R"({"credsStore":"opcat-test"})");
    const fs::path by_host = directory.path() / "helpers.json";
    put(by_host, R"({"credHelpers":{"quay.io":"opcat-test"}})");
    CHECK(user_of({by_host}, "quay.io", "a") == "u:p");
    CHECK(user_of({by_host}, "docker.io", "a") == "none");
    CHECK(user_of({store}, "quay.io", "a") == "u:p");
    CHECK(user_of({store}, "unknown.example", "a") == "none");
    CHECK(find_credentials({store}, "docker.io", "library/a")->identity_token == "t");
    const std::string error = error_of([&] { find_credentials({store}, "broken.example", "a"); });
    CHECK(error == "docker-credential-opcat-test failed for broken.example with exit status 1");
    ::setenv("PATH", path.c_str(), 1);
}
