// JSON that is read strictly, as container engines read policies and what is signed: no key is unknown,
// missing or there twice.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace opcat::signatures {

class StrictJson {
public:
    // `name` is that of a file, for messages. Throws Error if the text is not JSON.
    StrictJson(std::string name, std::string_view text);

    const Value& root() const { return root_; }
    // All throw Error for another kind of value, and for a key that is there twice.
    std::span<const Member> members(const Value& object) const;
    // Also for a key that is in neither list, and if one of the required ones is missing.
    void require_keys(const Value& object, std::initializer_list<std::string_view> required,
                      std::initializer_list<std::string_view> allowed = {}) const;
    std::span<const Value> items(const Value& list) const;
    std::string text(const Value& string) const;
    // Of a member that is there.
    std::string text(const Value& object, std::string_view key) const;

    // Throws Error, which names the file and the line.
    [[noreturn]] void fail(const Value& at, std::string_view why) const;

private:
    [[noreturn]] void fail_at(uint32_t offset, std::string_view why) const;

    SourceFile file_;
    Arena arena_;
    Value root_;
};

} // namespace opcat::signatures
