#include "document/repeated_keys.hpp"

#include <algorithm>
#include <unordered_map>

namespace opcat {
namespace {

class Search {
public:
    std::vector<RepeatedKey> run(const Value& document) {
        enter(document);
        while (!open_.empty()) step();
        return std::move(found_);
    }

private:
    // A collection whose content is being looked at.
    struct Frame {
        Value value;
        size_t next = 0;      // the item or member to look at
        size_t first_key = 0; // of its keys in keys_
    };

    void enter(const Value& value) {
        if (value.is_array() || value.is_object()) open_.push_back({value, 0, keys_.size()});
    }

    void step() {
        Frame& frame = open_.back();
        const bool is_object = frame.value.is_object();
        const size_t size = is_object ? frame.value.members().size() : frame.value.items().size();
        while (frame.next < size) {
            const size_t i = frame.next++;
            if (is_object && !add_key(frame.value.members()[i].key)) continue;
            const Value& value = is_object ? frame.value.members()[i].value : frame.value.items()[i];
            // Places grow as the file is read. What is at an earlier one was written there, and comes through
            // an alias.
            if (!is_ahead(value)) continue;
            last_ = value.offset();
            if (!value.is_array() && !value.is_object()) continue;
            enter(value);
            return;
        }
        if (is_object) compare(frame.first_key);
        keys_.resize(frame.first_key);
        open_.pop_back();
    }

    bool is_ahead(const Value& value) const { return value.offset() >= last_; }

    bool add_key(const Value& key) {
        if (key.offset() < last_) return false;
        last_ = key.offset();
        keys_.push_back(key);
        return true;
    }

    void compare(size_t begin) {
        constexpr size_t few = 24;
        if (keys_.size() - begin > few) {
            compare_many(begin);
            return;
        }
        for (size_t i = begin + 1; i < keys_.size(); ++i)
            for (size_t first = begin; first < i; ++first)
                if (keys_[first].string() == keys_[i].string()) {
                    found_.push_back({keys_[first], keys_[i]});
                    break;
                }
    }

    void compare_many(size_t begin) {
        std::unordered_map<std::string_view, Value> seen;
        for (size_t i = begin; i < keys_.size(); ++i) {
            const auto [first, is_new] = seen.try_emplace(keys_[i].string(), keys_[i]);
            if (!is_new) found_.push_back({first->second, keys_[i]});
        }
    }

    uint32_t last_ = 0;
    std::vector<Frame> open_;
    std::vector<Value> keys_; // of all open objects
    std::vector<RepeatedKey> found_;
};

} // namespace

std::vector<RepeatedKey> find_repeated_keys(const Value& document) {
    return Search().run(document);
}

} // namespace opcat
