#include "opcat/ignore/ignore_rules.hpp"

#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <algorithm>
#include <cassert>
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

namespace {

// One end of a range in a class; empty if it is not valid. A class continues after it, so text that ends here
// is malformed.
std::string_view take_range_end(std::string_view& rest) {
    if (rest.empty() || rest.front() == '-' || rest.front() == ']') return {};
    if (rest.front() == '\\') rest.remove_prefix(1);
    const std::string_view character = rest.substr(0, utf8_sequence_length(rest));
    rest.remove_prefix(character.size());
    return rest.empty() ? std::string_view{} : character;
}

} // namespace

bool NamePattern::CharacterClass::contains(std::string_view character) const {
    const bool listed = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
        return range.first <= character && character <= range.second;
    });
    return listed != negated;
}

// `rest` begins after the bracket, and afterwards after the closing one.
bool NamePattern::parse_class(std::string_view& rest) {
    CharacterClass result;
    if (!rest.empty() && rest.front() == '^') {
        result.negated = true;
        rest.remove_prefix(1);
    }
    do {
        const std::string_view first = take_range_end(rest);
        if (first.empty()) return false;
        std::string_view last = first;
        if (rest.front() == '-') {
            rest.remove_prefix(1);
            last = take_range_end(rest);
            if (last.empty()) return false;
        }
        result.ranges.emplace_back(first, last);
    } while (rest.front() != ']');
    rest.remove_prefix(1);
    tokens_.push_back({.kind = Kind::one_of, .class_index = static_cast<uint32_t>(classes_.size())});
    classes_.push_back(std::move(result));
    return true;
}

std::optional<NamePattern> NamePattern::parse(std::string_view text) {
    NamePattern result;
    while (!text.empty()) {
        const char c = text.front();
        text.remove_prefix(1);
        if (c == '*') {
            if (result.tokens_.empty() || result.tokens_.back().kind != Kind::any_run)
                result.tokens_.push_back({.kind = Kind::any_run});
        } else if (c == '?') {
            result.tokens_.push_back({.kind = Kind::any_character});
        } else if (c == '[') {
            if (!result.parse_class(text)) return std::nullopt;
        } else if (c == '\\') {
            if (text.empty()) return std::nullopt;
            result.tokens_.push_back({.kind = Kind::byte, .byte = text.front()});
            text.remove_prefix(1);
        } else {
            result.tokens_.push_back({.kind = Kind::byte, .byte = c});
        }
    }
    return result;
}

bool NamePattern::matches(std::string_view name, uint64_t& steps) const {
    // Only backtracks to the last `*`: whatever an earlier one could match as well, the last one can.
    constexpr size_t none = SIZE_MAX;
    size_t token = 0;
    size_t at = 0;
    size_t after_star = none; // the token after the last `*`
    size_t star_end = 0;      // where the run that it takes ends for now
    while (true) {
        ++steps;
        size_t taken = 0; // bytes of the name that the token matches
        if (token == tokens_.size()) {
            if (at == name.size()) return true;
        } else if (tokens_[token].kind == Kind::any_run) {
            if (++token == tokens_.size()) return true;
            after_star = token;
            star_end = at;
            continue;
        } else if (at < name.size()) {
            const Token& wanted = tokens_[token];
            if (wanted.kind == Kind::byte) {
                taken = wanted.byte == name[at] ? 1 : 0;
            } else {
                const size_t length = utf8_sequence_length(name.substr(at));
                const std::string_view character = length == 0 ? "\ufffd" : name.substr(at, length);
                if (wanted.kind == Kind::any_character || classes_[wanted.class_index].contains(character))
                    taken = std::max<size_t>(1, length);
            }
        }
        if (taken > 0) {
            ++token;
            at += taken;
        } else {
            if (after_star == none || star_end == name.size()) return false;
            token = after_star;
            at = ++star_end;
        }
    }
}

void IgnoreScope::set_rules(IgnoreRules rules) {
    assert(!has_rules_);
    layers_.insert(layers_.begin() + static_cast<std::ptrdiff_t>(own_position_),
                   {std::make_shared<const IgnoreRules>(std::move(rules)), depth_});
    has_rules_ = true;
}

IgnoreScope IgnoreScope::enter(std::string_view name) const {
    IgnoreScope inner = *this;
    ++inner.depth_;
    if (has_rules_ && name > ignore_file_name) ++inner.own_position_;
    inner.has_rules_ = false;
    return inner;
}

bool IgnoreScope::is_ignored(std::span<const std::string_view> path, uint64_t& steps) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
        const auto verdict = layer->rules->verdict(path.subspan(layer->depth), steps);
        if (verdict != IgnoreRules::Verdict::none) return verdict == IgnoreRules::Verdict::ignored;
    }
    return false;
}

} // namespace opcat
