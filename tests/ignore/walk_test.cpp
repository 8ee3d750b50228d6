#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/ignore/walk.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

class Tree {
public:
    fs::path root() const { return directory_.path() / "root"; }
    fs::path outside() const { return directory_.path(); }
    void add(const fs::path& name, std::string_view text = "x: y\n") const {
        fs::create_directories((root() / name).parent_path());
        write_file(root() / name, text);
    }
    void link(const fs::path& name, const fs::path& target) const {
        fs::create_directories((root() / name).parent_path());
        fs::create_symlink(target, root() / name);
    }

private:
    TemporaryDirectory directory_{fs::temp_directory_path()};
};

std::vector<std::string> file_names(const CatalogListing& listing) {
    std::vector<std::string> names;
    for (const CatalogFile& file : listing.files) names.push_back(file.name);
    return names;
}

// The messages, with the root's path cut out.
std::vector<std::string> messages(const CatalogListing& listing, const fs::path& root) {
    std::vector<std::string> found;
    for (const WalkProblem& problem : listing.problems) {
        std::string message = problem.message;
        for (size_t at; (at = message.find(root.string())) != std::string::npos;)
            message.replace(at, root.string().size(), "ROOT");
        found.push_back(message);
    }
    return found;
}

using Strings = std::vector<std::string>;

} // namespace

TEST_CASE("all files are found, hidden ones too, sorted by byte in each directory") {
    const Tree tree;
    for (const char* name :
         {"b/x", "a.yaml", "a/z", "a/.y", "B", ".hidden/q", "a-b", "\u00e9", "b/.indexignore/n"})
        tree.add(name);
    tree.add(".indexignore", "nothing");
    tree.add("a/.indexignore", "");
    const CatalogListing listing = walk_catalog_directory(tree.root());
    CHECK(file_names(listing) ==
          Strings{".hidden/q", "B", "a/.y", "a/z", "a-b", "a.yaml", "b/.indexignore/n", "b/x", "\u00e9"});
    CHECK(listing.problems.empty());
    CHECK(listing.files[0].path == tree.root() / ".hidden/q");
}

TEST_CASE(
    "files are left out by the rules of their directory and those above, below ignored directories too") {
    const Tree tree;
    for (const char* name : {"a", "b", "dir/a", "dir/b", "dir/sub/a", "dir/sub/c"}) tree.add(name);
    tree.add(".indexignore", "dir\nb\n");
    tree.add("dir/.indexignore", "!a\n/sub/a\n");
    CHECK(file_names(walk_catalog_directory(tree.root())) == Strings{"a", "dir/a"});
}

TEST_CASE("a link to a file below the root is that file") {
    const Tree tree;
    tree.add("dir/file");
    tree.link("link", "dir/file");
    tree.link("dir/up", "../link");
    tree.link("sub/absolute", tree.root() / "dir/file");
    const CatalogListing listing = walk_catalog_directory(tree.root());
    CHECK(file_names(listing) == Strings{"dir/file", "dir/up", "link", "sub/absolute"});
    CHECK(listing.problems.empty());
}

TEST_CASE("links are followed everywhere if the caller allows it, except those that exchange the content of "
          "a volume") {
    const Tree tree;
    tree.add("..2026/catalog.yaml");
    tree.add("..2026/more/other.yaml");
    tree.link("..data", "..2026");
    tree.link("catalog.yaml", "..data/catalog.yaml");
    tree.link("more", "..data/more");
    write_file(tree.outside() / "outside.yaml", "x: y\n");
    tree.link("outside.yaml", tree.outside() / "outside.yaml");
    tree.link("nothing.yaml", "absent");
    const CatalogListing listing = walk_catalog_directory(tree.root(), {}, {}, Links::follow);
    CHECK(file_names(listing) == std::vector<std::string>{"catalog.yaml", "more/other.yaml", "outside.yaml"});
    CHECK(listing.problems.size() == 1);

    const Tree loop;
    loop.link("a", ".");
    loop.add("catalog.yaml");
    loop.link("b", ".");
    const CatalogListing looped = walk_catalog_directory(loop.root(), {}, {}, Links::follow);
    CHECK(file_names(looped) == std::vector<std::string>{"catalog.yaml"});
    REQUIRE(looped.problems.size() == 2);
    CHECK(looped.problems[0].message.ends_with("a link leads to a directory that is read already"));
}

TEST_CASE("other files are problems that name them, and catalog files are still found") {
    const Tree tree;
    tree.add("file");
    tree.add("dir/file");
    write_file(tree.outside() / "secret", "x");
    fs::create_directories(tree.outside() / "root2");
    write_file(tree.outside() / "root2/file", "x");
    tree.link("l1", "dir");
    tree.link("l2", "missing");
    tree.link("l3", "l3");
    tree.link("l4", "../secret");
    tree.link("l5", "../root2/file");
    tree.link("l6", "/dev/null");
    tree.link("l7", "fifo");
    REQUIRE(::mkfifo((tree.root() / "fifo").c_str(), 0600) == 0);
    tree.add("bad\xff");
    const CatalogListing listing = walk_catalog_directory(tree.root());
    CHECK(file_names(listing) == Strings{"dir/file", "file"});
    CHECK(messages(listing, tree.root()) ==
          Strings{"cannot read ROOT/bad\xff: its name is not valid UTF-8",
                  "cannot read ROOT/fifo: it is a FIFO, not a regular file",
                  "cannot read ROOT/l1: it is a symbolic link to a directory, not to a regular file",
                  "cannot read ROOT/l2: it is a symbolic link to something that does not exist",
                  "cannot read ROOT/l3: it is a symbolic link that leads back to itself",
                  "cannot read ROOT/l4: it is a symbolic link that leads out of ROOT",
                  "cannot read ROOT/l5: it is a symbolic link that leads out of ROOT",
                  "cannot read ROOT/l6: it is a symbolic link that leads out of ROOT",
                  "cannot read ROOT/l7: it is a symbolic link to a FIFO, not to a regular file"});
    CHECK(listing.problems[1].name == "fifo");

    tree.add(".indexignore", "l?\nfifo\nbad*\n");
    CHECK(walk_catalog_directory(tree.root()).problems.empty());
}

TEST_CASE("a socket is a problem") {
    const Tree tree;
    tree.add("file");
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(listener >= 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (tree.root() / "socket").string();
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const CatalogListing listing = walk_catalog_directory(tree.root());
    ::close(listener);
    CHECK(messages(listing, tree.root()) ==
          Strings{"cannot read ROOT/socket: it is a socket, not a regular file"});
}

TEST_CASE("an .indexignore that is not a readable file below the root is a problem") {
    const Tree tree;
    tree.add("a/file");
    tree.add("rules", "file\n");
    write_file(tree.outside() / "rules", "*\n");
    tree.link("a/.indexignore", "../rules");
    tree.add("b/file");
    tree.link("b/.indexignore", "../../rules");
    REQUIRE((fs::create_directory(tree.root() / "c"),
             ::mkfifo((tree.root() / "c/.indexignore").c_str(), 0600)) == 0);
    tree.add("d/.indexignore", std::string((1 << 20) + 1, '\n'));
    const CatalogListing listing = walk_catalog_directory(tree.root());
    CHECK(file_names(listing) == Strings{"b/file", "rules"});
    CHECK(messages(listing, tree.root()) ==
          Strings{"cannot read ROOT/b/.indexignore: it is a symbolic link that leads out of ROOT",
                  "cannot read ROOT/c/.indexignore: it is a FIFO, not a regular file",
                  "cannot read ROOT/d/.indexignore: it has 1048577 bytes, more than the limit of 1048576"});
}

TEST_CASE("an unreadable directory is a problem") {
    const Tree tree;
    tree.add("closed/file");
    tree.add("file");
    fs::permissions(tree.root() / "closed", fs::perms::none);
    const CatalogListing listing = walk_catalog_directory(tree.root());
    fs::permissions(tree.root() / "closed", fs::perms::owner_all);
    if (::geteuid() == 0) {
        MESSAGE("skipped: root may read everything");
        return;
    }
    CHECK(file_names(listing) == Strings{"file"});
    CHECK(messages(listing, tree.root()) == Strings{"cannot read directory ROOT/closed: permission denied"});
}

TEST_CASE("the root may be a link or a single file, but must exist") {
    const Tree tree;
    tree.add("a/file");
    tree.link("to_a", "a");
    tree.add("a/.indexignore", "*");
    CHECK(file_names(walk_catalog_directory(tree.root() / "to_a")).empty());
    tree.add("a/.indexignore", "");
    CHECK(file_names(walk_catalog_directory(tree.root() / "to_a")) == Strings{"file"});
    CHECK(file_names(walk_catalog_directory(tree.root() / "a/")) == Strings{"file"});
    CHECK(file_names(walk_catalog_directory(tree.root() / "a/file")) == Strings{"file"});
    CHECK_THROWS_AS(walk_catalog_directory(tree.root() / "missing"), Error);
    CHECK_THROWS_AS(walk_catalog_directory("/dev/null"), Error);
    CHECK_THROWS_AS(walk_catalog_directory(""), Error);
}

TEST_CASE("a walk ends with a problem at its limits") {
    const Tree tree;
    tree.add("a");
    tree.add("b/c/d/file");
    tree.add("b/c/file");
    const auto messages_with = [&](const WalkLimits& limits) {
        return messages(walk_catalog_directory(tree.root(), limits), tree.root());
    };
    CHECK(messages_with({.depth = 3}).empty());
    CHECK(messages_with({.depth = 2}) ==
          Strings{"cannot read directory ROOT/b/c/d: it is more than 2 directories deep"});
    CHECK(messages_with({.entries = 6}).empty());
    CHECK(messages_with({.entries = 5}) == Strings{"cannot read all of ROOT: it has more than 5 entries"});
    tree.add(".indexignore", "*");
    CHECK(messages_with({.matching_steps = 1000}).empty());
    CHECK(messages_with({.matching_steps = 1}) ==
          Strings{"cannot apply the .indexignore files of ROOT: their patterns take too long to match"});
}

TEST_CASE("a tree of hundreds of directories, one in the other, ends the walk with a problem") {
    const Tree tree;
    tree.add("a");
    fs::path deep;
    for (int i = 0; i < 300; ++i) deep /= "d";
    tree.add(deep / "file");
    const CatalogListing listing = walk_catalog_directory(tree.root());
    CHECK(file_names(listing) == Strings{"a"});
    REQUIRE(listing.problems.size() == 1);
    CHECK(listing.problems[0].message.ends_with("it is more than 256 directories deep"));
}

TEST_CASE("opm's recorded choices" * doctest::test_suite("recorded")) {
    const fs::path recorded = fs::path(OPCAT_SHARED) / "conformance/edge";
    std::ifstream expectations(recorded / "expected.jsonl");
    REQUIRE(expectations);
    const std::regex schema_line("schema\"?: *\"?([^\"\\s]+)");
    int compared = 0;
    for (std::string line; std::getline(expectations, line);) {
        const auto expected = nlohmann::json::parse(line);
        const auto name = expected.at("case").get<std::string>();
        if (!name.starts_with("ignore-")) continue;
        const CatalogListing listing = walk_catalog_directory(recorded / "cases" / name);
        CHECK(listing.problems.empty());
        Strings schemas;
        for (const CatalogFile& file : listing.files) {
            const auto source = read_file(file.path, file.name);
            std::cmatch match;
            const std::string_view bytes = source->bytes();
            if (std::regex_search(bytes.data(), bytes.data() + bytes.size(), match, schema_line))
                schemas.push_back(match[1]);
        }
        std::sort(schemas.begin(), schemas.end());
        auto wanted = expected.at("schemas").get<Strings>();
        std::sort(wanted.begin(), wanted.end());
        CAPTURE(name);
        CHECK(schemas == wanted);
        ++compared;
    }
    MESSAGE(compared << " recorded cases");
    CHECK(compared > 0);
}
