#include "opcat/query/text_functions.hpp"

#include "opcat/base/shared_library.hpp"
#include "opcat/base/text.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::query {
namespace {

struct ValueFunctions {
    SharedLibrary library{library::sqlite};
    OPCAT_MEMBER(sqlite3_create_function_v2);
    OPCAT_MEMBER(sqlite3_result_error);
    OPCAT_MEMBER(sqlite3_result_error_nomem);
    OPCAT_MEMBER(sqlite3_result_int64);
    OPCAT_MEMBER(sqlite3_result_text64);
    OPCAT_MEMBER(sqlite3_user_data);
    OPCAT_MEMBER(sqlite3_value_bytes);
    OPCAT_MEMBER(sqlite3_value_text);
    OPCAT_MEMBER(sqlite3_value_type);
};

const ValueFunctions& api() {
    static const ValueFunctions functions;
    return functions;
}

constexpr const char* too_much = "LIKE, instr and replace compare too much text [limit]";

// NULL is nothing.
std::optional<std::string_view> text_of(sqlite3_value* value) {
    if (api().sqlite3_value_type(value) == SQLITE_NULL) return std::nullopt;
    const auto* const text = reinterpret_cast<const char*>(api().sqlite3_value_text(value));
    if (!text) throw std::bad_alloc();
    return std::string_view(text, static_cast<size_t>(api().sqlite3_value_bytes(value)));
}

bool take_steps(sqlite3_context* context, uint64_t count) {
    auto& left = *static_cast<uint64_t*>(api().sqlite3_user_data(context));
    if (count > left) {
        left = 0;
        api().sqlite3_result_error(context, too_much, -1);
        return false;
    }
    left -= count;
    return true;
}

size_t character_at(std::string_view text, size_t at) {
    return std::max<size_t>(utf8_sequence_length(text.substr(at)), 1);
}

// As SQLite's LIKE: % is any text, _ one character, letters of ASCII are equal in both cases. Adds its steps;
// nothing if they are more than `most`.
std::optional<bool> is_like(std::string_view pattern, std::string_view text, std::string_view escape,
                            uint64_t most, uint64_t& steps) {
    size_t p = 0;
    size_t t = 0;
    size_t after_percent = std::string_view::npos;
    size_t retry = 0;
    while (t < text.size()) {
        if (++steps > most) return std::nullopt;
        const bool escaped = !escape.empty() && pattern.substr(p).starts_with(escape);
        const size_t literal = escaped ? p + escape.size() : p;
        if (!escaped && p < pattern.size() && pattern[p] == '%') {
            after_percent = ++p;
            retry = t;
        } else if (!escaped && p < pattern.size() && pattern[p] == '_') {
            ++p;
            t += character_at(text, t);
        } else if (literal < pattern.size() && ascii_lower(pattern[literal]) == ascii_lower(text[t])) {
            p = literal + 1;
            ++t;
        } else if (after_percent != std::string_view::npos) {
            p = after_percent;
            retry += character_at(text, retry);
            t = retry;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '%') ++p;
    return p == pattern.size();
}

// like(PATTERN, TEXT), like(PATTERN, TEXT, ESCAPE): the operator TEXT LIKE PATTERN.
void like(sqlite3_context* context, int count, sqlite3_value** values) {
    const auto pattern = text_of(values[0]);
    const auto text = text_of(values[1]);
    const auto escape = count == 3 ? text_of(values[2]) : std::string_view();
    if (!pattern || !text || !escape) return;
    if (count == 3 && (escape->empty() || character_at(*escape, 0) != escape->size()))
        return api().sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    auto& left = *static_cast<uint64_t*>(api().sqlite3_user_data(context));
    uint64_t steps = 0;
    const auto matches = is_like(*pattern, *text, *escape, left, steps);
    if (take_steps(context, steps)) api().sqlite3_result_int64(context, matches.value_or(false) ? 1 : 0);
}

// In linear time, which std::search does not promise. npos: not there.
size_t find_part(std::string_view text, std::string_view part, size_t from) {
    const void* const found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
    return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : text.npos;
}

// instr(TEXT, PART): the position of its first character, from 1; 0: not there.
void instr(sqlite3_context* context, int, sqlite3_value** values) {
    const auto text = text_of(values[0]);
    const auto part = text_of(values[1]);
    if (!text || !part || !take_steps(context, text->size() + part->size())) return;
    const size_t at = find_part(*text, *part, 0);
    if (at == text->npos) return api().sqlite3_result_int64(context, 0);
    const auto before = text->substr(0, at);
    const auto characters = std::count_if(before.begin(), before.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
    });
    api().sqlite3_result_int64(context, characters + 1);
}

// replace(TEXT, PART, OTHER)
void replace(sqlite3_context* context, int, sqlite3_value** values) {
    const auto text = text_of(values[0]);
    const auto part = text_of(values[1]);
    const auto other = text_of(values[2]);
    if (!text || !part || !other || !take_steps(context, text->size() + part->size())) return;
    std::string result;
    size_t at = 0;
    while (!part->empty()) {
        const size_t found = find_part(*text, *part, at);
        if (found == text->npos) break;
        result.append(*text, at, found - at).append(*other);
        at = found + part->size();
        if (result.size() > most_bytes_of_a_value)
            return api().sqlite3_result_error(context, "string or blob too big", -1);
    }
    result.append(*text, at);
    api().sqlite3_result_text64(context, result.data(), result.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void refuse_trim(sqlite3_context* context, int, sqlite3_value**) {
    api().sqlite3_result_error(context, "trim takes one text here, and removes blanks", -1);
}

// No exception leaves a function that SQLite calls.
template <void (*function)(sqlite3_context*, int, sqlite3_value**)>
void guarded(sqlite3_context* context, int count, sqlite3_value** values) {
    try {
        function(context, count, values);
    } catch (const std::bad_alloc&) {
        api().sqlite3_result_error_nomem(context);
    }
}

} // namespace

void bound_text_functions(sqlite3* handle, uint64_t& steps_left) {
    const auto define = [&](const char* name, int count,
                            void (*function)(sqlite3_context*, int, sqlite3_value**)) {
        if (api().sqlite3_create_function_v2(handle, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                             &steps_left, function, nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::bad_alloc();
    };
    define("like", 2, guarded<like>);
    define("like", 3, guarded<like>);
    define("instr", 2, guarded<instr>);
    define("replace", 3, guarded<replace>);
    for (const char* const name : {"trim", "ltrim", "rtrim"}) define(name, 2, refuse_trim);
}

bool is_unbounded_function(const char* name) {
    const std::string_view function = name ? name : "";
    return function == "glob" || function == "json_patch";
}

} // namespace opcat::query
