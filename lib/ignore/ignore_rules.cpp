#include "ignore/ignore_rules.hpp"

#include "support/unicode.hpp"

#include <algorithm>
#include <utility>

namespace opcat {
namespace {

std::string_view take_until(std::string_view& rest, char separator) {
    const size_t length = std::min(rest.find(separator), rest.size());
    const std::string_view taken = rest.substr(0, length);
    rest.remove_prefix(std::min(rest.size(), length + 1));
    return taken;
}

} // namespace

IgnoreRules IgnoreRules::parse(std::string_view text) {
    IgnoreRules rules;
    while (!text.empty()) {
        const std::string_view line = trim_white_space(take_until(text, '\n'));
        if (!line.empty() && line.front() != '#') rules.add(line);
    }
    return rules;
}

// A pattern that can match nothing is left out.
void IgnoreRules::add(std::string_view line) {
    Pattern pattern;
    if (line.starts_with('!')) {
        pattern.negated = true;
        line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
        pattern.directories_only = true;
        line.remove_suffix(1);
    }
    if (line.empty()) return;
    const bool anchored = line.find('/') != std::string_view::npos;
    bool at_any_depth = !anchored;
    while (!line.empty()) {
        const std::string_view component = take_until(line, '/');
        if (component.empty()) {
            at_any_depth = false; // opm forgets a `**` before an empty component
        } else if (anchored && component == "**") {
            at_any_depth = true;
        } else {
            if (anchored && component.find("**") != std::string_view::npos) return;
            auto name = NamePattern::parse(component);
            if (!name) return;
            pattern.components.push_back({std::move(*name), std::exchange(at_any_depth, false)});
        }
    }
    if (!pattern.components.empty()) patterns_.push_back(std::move(pattern));
}

bool IgnoreRules::Pattern::matches(std::span<const std::string_view> path, uint64_t& steps) const {
    size_t at = 0;
    for (const Component& component : components) {
        if (component.at_any_depth)
            while (at < path.size() && !component.name.matches(path[at], steps)) ++at;
        else if (at < path.size() && !component.name.matches(path[at], steps))
            return false;
        if (at == path.size()) return false;
        ++at;
    }
    return at < path.size() || !directories_only;
}

IgnoreRules::Verdict IgnoreRules::verdict(std::span<const std::string_view> path, uint64_t& steps) const {
    const auto last = std::find_if(patterns_.rbegin(), patterns_.rend(),
                                   [&](const Pattern& p) { return p.matches(path, steps); });
    if (last == patterns_.rend()) return Verdict::none;
    return last->negated ? Verdict::kept : Verdict::ignored;
}

} // namespace opcat
