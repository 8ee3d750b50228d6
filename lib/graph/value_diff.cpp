#include "opcat/graph/value_diff.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace opcat {
namespace {

constexpr size_t most_sentences = 30;
constexpr size_t longest_value = 100; // columns
constexpr size_t context = 30;        // bytes before the first difference of two long values

// Keys that tell items of a list from each other: the first one that all items have counts.
constexpr std::array identities = {"name", "type", "kind", "image", "id", "schema"};

std::string json_of(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

// Both in words. Where these would be the same, because one is a text and the other is not, or because long
// ones differ after their beginning: as JSON, from the first difference on.
std::pair<std::string, std::string> told_apart(const Value& before, const Value& after) {
    std::pair words(in_words(before), in_words(after));
    if (words.first != words.second) return words;
    const std::string old = json_of(before);
    const std::string now = json_of(after);
    const auto differs = static_cast<size_t>(
        std::mismatch(old.begin(), old.end(), now.begin(), now.end()).first - old.begin());
    size_t begin = differs > longest_value / 2 ? differs - context : 0;
    const auto is_inside_character = [&] { return (static_cast<unsigned char>(old[begin]) & 0xC0U) == 0x80; };
    while (begin > 0 && is_inside_character()) --begin;
    const auto from_there = [&](std::string_view text) {
        return fmt::format("{}{}", begin > 0 ? "…" : "",
                           shorten(text.substr(begin, 4 * longest_value), longest_value));
    };
    return {from_there(old), from_there(now)};
}

class ValueDiff {
public:
    ValueDiff(std::vector<std::string>& details, const std::function<bool(std::string_view)>& left_out)
        : details_(details), left_out_(left_out) {}

    void run(const Value* before, const Value* after, const std::string& path) {
        compare(before, after, path, true);
        if (more_ > 0)
            details_.push_back(fmt::format("{} more differences in {}", more_, path.empty() ? "it" : path));
    }

private:
    void add(std::string sentence) {
        if (said_++ < most_sentences)
            details_.push_back(std::move(sentence));
        else
            ++more_;
    }

    void compare(const Value* before, const Value* after, const std::string& path, bool is_top) {
        if (!before && !after) return;
        if (!before) return add(fmt::format("{} is now {}", path, in_words(*after)));
        if (!after) return add(fmt::format("{} was {} and is gone", path, in_words(*before)));
        if (says_the_same(*before, *after)) return;
        if (before->is_object() && after->is_object()) return compare_objects(*before, *after, path, is_top);
        if (before->is_array() && after->is_array()) return compare_lists(*before, *after, path);
        const auto [was, is] = told_apart(*before, *after);
        add(was == is ? fmt::format("{} is {} in another spelling", path, is)
                      : fmt::format("{} was {} and is {}", path, was, is));
    }

    void compare_objects(const Value& before, const Value& after, const std::string& path, bool is_top) {
        const auto is_left_out = [&](std::string_view key) { return is_top && left_out_ && left_out_(key); };
        const auto below = [&](std::string_view key) {
            return path.empty() ? std::string(key)
                   : is_top     ? fmt::format("{} {}", path, key)
                                : fmt::format("{}.{}", path, key);
        };
        std::map<std::string_view, const Value*> old;
        for (const Member& member : before.members()) old[member.key.string()] = &member.value;
        std::map<std::string_view, const Value*> now;
        for (const Member& member : after.members()) now[member.key.string()] = &member.value;
        for (const auto& [key, value] : now) {
            const auto found = old.find(key);
            if (!is_left_out(key))
                compare(found == old.end() ? nullptr : found->second, value, below(key), false);
        }
        for (const auto& [key, value] : old)
            if (!now.contains(key) && !is_left_out(key)) compare(value, nullptr, below(key), false);
    }

    static std::string_view identity_of(const Value& item, std::string_view key) {
        const Value* const found = item.is_object() ? item.find(key) : nullptr;
        return found ? found->string_or_empty() : std::string_view();
    }

    // Returns the key that all items of both lists have, each with another value; empty if there is none.
    static std::string_view identity_in(const Value& before, const Value& after) {
        for (const std::string_view key : identities) {
            const auto is_unique = [&](const Value& list) {
                std::map<std::string_view, size_t> seen;
                return std::ranges::all_of(list.items(), [&](const Value& item) {
                    const std::string_view id = identity_of(item, key);
                    return !id.empty() && seen.emplace(id, 0).second;
                });
            };
            if (is_unique(before) && is_unique(after)) return key;
        }
        return {};
    }

    void compare_lists(const Value& before, const Value& after, const std::string& path) {
        if (const std::string_view key = identity_in(before, after); !key.empty()) {
            std::map<std::string_view, const Value*> old;
            for (const Value& item : before.items()) old[identity_of(item, key)] = &item;
            bool same_members = before.items().size() == after.items().size();
            const size_t said = said_;
            for (const Value& item : after.items()) {
                const auto found = old.find(identity_of(item, key));
                same_members = same_members && found != old.end();
                compare(found == old.end() ? nullptr : found->second, &item,
                        fmt::format("{}[{}]", path, identity_of(item, key)), false);
                if (found != old.end()) old.erase(found);
            }
            for (const auto& [id, item] : old) compare(item, nullptr, fmt::format("{}[{}]", path, id), false);
            if (said == said_) add(fmt::format("{} has another order", path));
            return;
        }
        // Items that both have, in any order, are the same; the others are paired.
        std::vector<const Value*> old;
        std::vector<const Value*> now;
        std::map<std::string, std::vector<const Value*>> known;
        for (const Value& item : before.items()) known[json_of(item)].push_back(&item);
        for (const Value& item : after.items()) {
            auto& same = known[json_of(item)];
            if (same.empty())
                now.push_back(&item);
            else
                same.pop_back();
        }
        for (const Value& item : before.items())
            if (auto& left = known[json_of(item)]; !left.empty()) {
                old.push_back(&item);
                left.pop_back();
            }
        if (old.empty() && now.empty()) return add(fmt::format("{} has another order", path));
        for (size_t i = 0; i < std::max(old.size(), now.size()); ++i) {
            const bool both = i < old.size() && i < now.size();
            const auto place = [&](const Value& list, const Value* item) {
                return fmt::format("{}[{}]", path, item - list.items().data());
            };
            if (both)
                compare(old[i], now[i], place(after, now[i]), false);
            else if (i < now.size())
                compare(nullptr, now[i], place(after, now[i]), false);
            else
                compare(old[i], nullptr, place(before, old[i]), false);
        }
    }

    std::vector<std::string>& details_;
    const std::function<bool(std::string_view)>& left_out_;
    size_t said_ = 0;
    size_t more_ = 0;
};

} // namespace

std::string in_words(const Value& value) {
    std::string text;
    if (value.is_string())
        text = on_one_line(value.string());
    else
        append_compact_json(text, value);
    if (text.empty()) return "empty";
    return shorten(text.size() > 4096 ? text.substr(0, 4096) : text, longest_value);
}

void add_value_changes(const Value& before, const Value& after, const std::string& path,
                       std::vector<std::string>& details,
                       const std::function<bool(std::string_view key)>& left_out) {
    ValueDiff(details, left_out).run(&before, &after, path);
}

void add_value_changes(const Value* before, const Value* after, const std::string& path,
                       std::vector<std::string>& details) {
    ValueDiff(details, {}).run(before, after, path);
}

} // namespace opcat
