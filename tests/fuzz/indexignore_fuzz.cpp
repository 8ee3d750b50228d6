// The text of an .indexignore file, and after a NUL the paths to match.
#include "fuzzing.hpp"
#include "opcat/ignore/ignore_rules.hpp"

#include <algorithm>

using namespace opcat;

FUZZ_TARGET(indexignore) {
    const size_t end = std::min(input.find('\0'), input.size());
    const IgnoreRules rules = IgnoreRules::parse(input.substr(0, end));
    std::string_view paths = input.substr(std::min(end + 1, input.size()));
    uint64_t steps = 0;
    while (!paths.empty()) {
        const std::string_view path = paths.substr(0, paths.find('\n'));
        paths.remove_prefix(std::min(path.size() + 1, paths.size()));
        std::vector<std::string_view> components;
        for (size_t at = 0; at <= path.size();) {
            const size_t slash = std::min(path.find('/', at), path.size());
            components.push_back(path.substr(at, slash - at));
            at = slash + 1;
        }
        uint64_t again = 0;
        uint64_t first = 0;
        fuzz::require(rules.verdict(components, first) == rules.verdict(components, again),
                      "a verdict is a verdict");
        steps += first;
    }
    fuzz::require(steps <= (uint64_t{1} << 32), "matching is bounded");
}
