// The same answers as git, for patterns with the same meaning in opm and git.
#include "components.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/process.hpp"
#include "opcat/ignore/ignore_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace opcat;

namespace {

class Generator {
public:
    std::string pattern() {
        static const std::vector<std::string> names = {
            "a", "b", "ab", "*", "?", "a*", "*b", "?b", "[ab]", "[^a]b", "\\a", "*.*", "a*b*c?", "[a-c]*.y"};
        std::string text;
        switch (pick(5)) {
        case 0: // anywhere
            text = any_of(names);
            break;
        case 1:
            text = "**/" + any_of(names);
            break;
        case 2:
            text = any_of(names) + "/**/" + any_of(names);
            break;
        default: // bound to the root
            text = "/" + any_of(names);
            for (size_t more = pick(3); more > 0; --more) text += "/" + any_of(names);
        }
        return pick(3) == 0 ? text + "/" : text;
    }

    std::string path() {
        static const std::vector<std::string> names = {"a",   "b",      "ab",  "bb", "cb",
                                                       "abc", "axbxcx", "c.y", ".b"};
        std::string text = any_of(names);
        for (size_t more = pick(5); more > 0; --more) text += "/" + any_of(names);
        return text;
    }

private:
    size_t pick(size_t count) { return random_() % count; }
    const std::string& any_of(const std::vector<std::string>& from) { return from[pick(from.size())]; }

    std::mt19937 random_{20240229}; // the same patterns each time
};

} // namespace

TEST_CASE("git ignores the same files") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const std::vector<std::string> git = {"git", "-C", directory.path().string(), "-c", "core.excludesFile="};
    const auto run = [&](std::initializer_list<std::string> arguments, std::string_view input = {}) {
        ProcessRequest request{.arguments = git, .input = input};
        request.arguments.insert(request.arguments.end(), arguments);
        return run_process(request);
    };
    try {
        if (run({"init", "--quiet"}).exit_status != 0) throw Error("git init fails");
    } catch (const Error& error) {
        MESSAGE("skipped: " << std::string(error.what()));
        return;
    }

    Generator generate;
    for (int round = 0; round < 60; ++round) {
        std::string rules;
        for (int i = 0; i < 1 + round % 4; ++i) rules += generate.pattern() + "\n";
        std::set<std::string> paths;
        std::string input;
        for (int i = 0; i < 200; ++i) paths.insert(generate.path());
        for (const std::string& path : paths) input += path + '\0';

        write_file(directory.path() / ".gitignore", rules);
        const ProcessResult answer = run({"check-ignore", "--no-index", "--stdin", "-z"}, input);
        REQUIRE(answer.exit_status <= 1);
        std::set<std::string> expected;
        for (std::string_view rest = answer.out; !rest.empty(); rest.remove_prefix(rest.find('\0') + 1))
            expected.emplace(rest.substr(0, rest.find('\0')));

        const IgnoreRules parsed = IgnoreRules::parse(rules);
        uint64_t steps = 0;
        for (const std::string& path : paths) {
            CAPTURE(rules);
            CAPTURE(path);
            CHECK((parsed.verdict(components(path), steps) == IgnoreRules::Verdict::ignored) ==
                  expected.contains(path));
        }
    }
}
