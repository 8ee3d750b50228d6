#include "ignore/ignore_rules.hpp"

#include <algorithm>
#include <utility>

namespace opcat {
namespace {

constexpr std::string_view ascii_blanks = "\t\n\v\f\r ";

// White space as Unicode defines it and Go's strings.TrimSpace drops it.
constexpr std::string_view wide_blanks[] = {
    "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

size_t blank_at_start(std::string_view text) {
    if (!text.empty() && ascii_blanks.find(text.front()) != std::string_view::npos) return 1;
    for (const std::string_view blank : wide_blanks)
        if (text.starts_with(blank)) return blank.size();
    return 0;
}

size_t blank_at_end(std::string_view text) {
    if (!text.empty() && ascii_blanks.find(text.back()) != std::string_view::npos) return 1;
    for (const std::string_view blank : wide_blanks)
        if (text.ends_with(blank)) return blank.size();
    return 0;
}

std::string_view trimmed(std::string_view text) {
    while (const size_t length = blank_at_start(text)) text.remove_prefix(length);
    while (const size_t length = blank_at_end(text)) text.remove_suffix(length);
    return text;
}

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
        const std::string_view line = trimmed(take_until(text, '\n'));
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
