#include "opcat/base/directories.hpp"
#include "opcat/image/registries_conf.hpp"
#include "tar_builder.hpp"

using namespace opcat;
using namespace opcat::image;
namespace fs = std::filesystem;

namespace {

struct Conf {
    TemporaryDirectory directory{fs::temp_directory_path()};
    RegistriesConf conf;

    explicit Conf(const std::string& text) {
        put(directory.path() / "registries.conf", text);
        conf = RegistriesConf::load({directory.path() / "registries.conf"});
    }
    std::vector<std::string> places(const std::string& spec) const {
        std::vector<std::string> found;
        for (const Endpoint& e : conf.endpoints(*PullSpec::parse(spec)))
            found.push_back((e.is_mirror ? "mirror " : "") + e.spec.to_string() +
                            (e.insecure ? " insecure" : ""));
        return found;
    }
};

using Places = std::vector<std::string>;
const std::string some_digest = "@sha256:" + std::string(64, 'a');

} // namespace

TEST_CASE("images are read from the mirrors of the longest prefix, then from the location") {
    const Conf conf(R"(
unqualified-search-registries = ["quay.io"]
[[registry]]
prefix = "quay.io"
location = "internal.example/quay/"
insecure = true
[[registry.mirror]]
location = "mirror.example:5000/q"
[[registry]]
prefix = "quay.io/org/repo"
location = "quay.io/org/repo"
[[registry.mirror]]
location = "digests.example/r"
pull-from-mirror = "digest-only"
[[registry.mirror]]
location = "tags.example/r"
pull-from-mirror = "tag-only"
insecure = true
[[registry]]
prefix = "*.wild.example"
[[registry.mirror]]
location = "mirror.example/wild"
[[registry]]
location = "once.example"
mirror-by-digest-only = true
[[registry.mirror]]
location = "mirror.example/once"
)");
    CHECK(conf.places("quay.io/a/b:v1") ==
          Places{"mirror mirror.example:5000/q/a/b:v1", "internal.example/quay/a/b:v1 insecure"});
    CHECK(conf.places("quay.io/org/repo:v1") ==
          Places{"mirror tags.example/r:v1 insecure", "quay.io/org/repo:v1"});
    CHECK(conf.places("quay.io/org/repo" + some_digest) ==
          Places{"mirror digests.example/r" + some_digest, "quay.io/org/repo" + some_digest});
    CHECK(conf.places("quay.io/org/repository") ==
          Places{"mirror mirror.example:5000/q/org/repository:latest",
                 "internal.example/quay/org/repository:latest insecure"});
    CHECK(conf.places("quay.io:8443/a") == Places{"quay.io:8443/a:latest"});
    CHECK(conf.places("a.b.wild.example/x:v1") ==
          Places{"mirror mirror.example/wild/x:v1", "a.b.wild.example/x:v1"});
    CHECK(conf.places("wild.example/x:v1") == Places{"wild.example/x:v1"});
    CHECK(conf.places("once.example/x:v1") == Places{"once.example/x:v1"});
    CHECK(conf.places("other.example/x:v1") == Places{"other.example/x:v1"});
}

TEST_CASE("a blocked registry is not asked") {
    const Conf conf("[[registry]]\nlocation = \"bad.example\"\nblocked = true\n"
                    "[[registry]]\nlocation = \"bad.example/good\"\n");
    CHECK(error_of([&] { conf.places("bad.example/x"); }) == "registries.conf blocks bad.example");
    CHECK(conf.places("bad.example/good/x") == Places{"bad.example/good/x:latest"});
}

TEST_CASE("files of a directory are read in order, and the last setting counts") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    put(directory.path() / "b.conf", "[[registry]]\nlocation = \"a.example\"\nblocked = false\n");
    put(directory.path() / "a.conf", "[[registry]]\nlocation = \"a.example\"\nblocked = true\n");
    put(directory.path() / "c.conf.bak", "nonsense");
    const auto conf = RegistriesConf::load({directory.path()});
    CHECK(conf.registries.size() == 1);
    CHECK_FALSE(conf.registries[0].blocked);
    CHECK_THROWS_WITH_AS(RegistriesConf::load({directory.path() / "absent"}),
                         doctest::Contains("cannot open"), Error);
}

TEST_CASE("mistakes in the configuration are reported with file and line") {
    const std::pair<std::string, std::string> cases[] = {
        {"\n[[registry]\n", ":2: "},
        {"[[registry]]\nlocation = 7\n", ":2: location is not a string"},
        {"[[registry]]\nlocation = \"a\"\nblocked = \"yes\"\n", ":3: blocked is neither true nor false"},
        {"[[registry]]\nblocked = true\n", "a registry has neither prefix nor location"},
        {"[registry]\nlocation = \"a\"\n", "registry is not a list of tables; write [[registry]]"},
        {"[[registry]]\nlocation = \"https://a\"\n", "has a scheme; write the host alone"},
        {"[registries.search]\nregistries = []\n", "it is written in the old version 1 of the format"},
        {"[[registry]]\nlocation = \"a\"\n[[registry.mirror]]\ninsecure = true\n",
         "a mirror has no location"},
        {"[[registry]]\nlocation = \"a\"\n[[registry.mirror]]\nlocation = \"b\"\npull-from-mirror = "
         "\"never\"\n",
         "pull-from-mirror is \"never\", not all, digest-only or tag-only"},
    };
    for (const auto& [text, reason] : cases) {
        CAPTURE(text);
        const std::string error = error_of([&, &text = text] { Conf conf(text); });
        CHECK(error.find("registries.conf") != std::string::npos);
        CHECK(error.find(reason) != std::string::npos);
    }
    CHECK(error_of([] {
              Conf("[[registry]]\nprefix = \"a.b\"\nlocation = \"X Y\"\n").places("a.b/c");
          }).find("the location \"X Y\" in registries.conf does not give a valid image") == 0);
}
