#include "opcat/go/decode.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/value.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/go/words.hpp"
#include "opcat/semver/release.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>

namespace opcat::go {
namespace {

using Kind = Type::Kind;

// Removes the digits at the start of `text`.
std::string_view take_digits(std::string_view& text) {
    const std::string_view digits(text.begin(), std::find_if_not(text.begin(), text.end(), is_digit));
    text.remove_prefix(digits.size());
    return digits;
}

bool skip(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

// A number of `width` digits between `low` and `high`; -1 if there is none.
int take_number(std::string_view& text, size_t width, int low, int high) {
    if (text.size() < width || !std::all_of(text.begin(), text.begin() + static_cast<long>(width), is_digit))
        return -1;
    int number = 0;
    for (const char c : text.substr(0, width)) number = number * 10 + (c - '0');
    text.remove_prefix(width);
    return number >= low && number <= high ? number : -1;
}

int days_in(int year, int month) {
    constexpr std::array days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[static_cast<size_t>(month - 1)];
}

// As Go's time.Parse reads RFC 3339: "2024-02-29T12:00:00Z", "…T12:00:00.5+01:00".
bool is_time(std::string_view text) {
    const int year = take_number(text, 4, 0, 9999);
    if (year < 0 || !skip(text, '-')) return false;
    const int month = take_number(text, 2, 1, 12);
    if (month < 0 || !skip(text, '-')) return false;
    if (take_number(text, 2, 1, days_in(year, month)) < 0 || !skip(text, 'T')) return false;
    // Go is lenient about hours, and about nothing else.
    const size_t hour_digits = text.size() > 1 && text[1] == ':' ? 1 : 2;
    if (take_number(text, hour_digits, 0, 23) < 0 || !skip(text, ':')) return false;
    if (take_number(text, 2, 0, 59) < 0 || !skip(text, ':')) return false;
    if (take_number(text, 2, 0, 59) < 0) return false;
    if ((text.starts_with('.') || text.starts_with(',')) && text.size() > 1 && is_digit(text[1])) {
        text.remove_prefix(1);
        take_digits(text);
    }
    if (text == "Z") return true;
    if (!skip(text, '+') && !skip(text, '-')) return false;
    return take_number(text, 2, 0, 24) >= 0 && skip(text, ':') && take_number(text, 2, 0, 60) >= 0 &&
           text.empty();
}

// As apimachinery's resource.ParseQuantity reads it: "2", "100m", "1.5Gi", "1e3".
bool is_quantity(std::string_view text) {
    constexpr std::array<std::string_view, 16> suffixes = {"",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                                           "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return false;
    text = text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
    if (!skip(text, '+')) skip(text, '-');
    const bool whole = !take_digits(text).empty();
    const bool fraction = skip(text, '.') && !take_digits(text).empty();
    if (!whole && !fraction) return false;
    if (std::find(suffixes.begin(), suffixes.end(), text) != suffixes.end()) return true;
    if (!skip(text, 'e') && !skip(text, 'E')) return false;
    if (!skip(text, '+')) skip(text, '-');
    return !take_digits(text).empty() && text.empty();
}

// Go receives numbers as JSON text that Go itself wrote, so 1.0 is an integer.
template <typename Integer>
bool is_integer(const Value& value) {
    constexpr Integer low = std::numeric_limits<Integer>::min();
    constexpr Integer high = std::numeric_limits<Integer>::max();
    if (value.kind() == Value::Kind::integer) return value.integer() >= low && value.integer() <= high;
    if (value.kind() != Value::Kind::real) return false;
    const double real = value.real();
    return std::trunc(real) == real && real >= static_cast<double>(low) && real < static_cast<double>(high);
}

bool basic_fits(const Value& value, Kind kind) {
    const std::string_view text = value.string_or_empty();
    switch (kind) {
    case Kind::string:
        return value.is_string();
    case Kind::boolean:
        return value.is_boolean();
    case Kind::int32:
        return is_integer<int32_t>(value);
    case Kind::int64:
        return is_integer<int64_t>(value);
    case Kind::real:
        return value.is_number();
    case Kind::base64:
        return value.is_string() ? is_base64(text) : go_bytes(value).has_value();
    case Kind::time:
        return value.is_string() && is_time(text);
    case Kind::quantity:
        return value.is_number() || (value.is_string() && is_quantity(text));
    case Kind::int_or_string:
        return value.is_string() || is_integer<int32_t>(value);
    case Kind::version: // blang's tolerant reading
        return value.is_string() && semver::Version::parse_tolerant(text);
    case Kind::release:
        return value.is_string() && semver::Release::parse(text);
    default:
        return true; // any
    }
}

class Walk {
public:
    explicit Walk(Policy policy) : policy_(policy) {}

    Decoded run(const Value& value, const Type& type) {
        check(value, type);
        return std::move(found_);
    }

private:
    // From a collection to what it holds.
    struct Step {
        std::string_view key;
        size_t index = 0;
        bool is_item = false;
        const Field* field = nullptr; // of a structure's member
        const Type* in = nullptr;     // that structure
    };

    bool is_done() const { return policy_.only_first_misfit && !found_.misfits.empty(); }

    void check(const Value& value, const Type& type) {
        if (value.is_null()) {
            if (type.kind == Kind::version) misfit(value, &type);
            return;
        }
        switch (type.kind) {
        case Kind::any:
            return;
        case Kind::list:
            return value.is_array() ? check_items(value, type) : misfit(value, &type);
        case Kind::map:
        case Kind::structure:
            return value.is_object() ? check_members(value, type) : misfit(value, &type);
        case Kind::schema_or_list:
            if (value.is_array()) return check_items(value, type);
            if (value.is_object()) check(value, *type.element);
            return; // Go passes over anything else
        case Kind::schema_or_boolean:
            if (value.is_boolean()) return;
            return value.is_object() ? check(value, *type.element) : misfit(value, &type);
        case Kind::schema_or_strings:
            if (value.is_array()) return check_strings(value);
            if (value.is_object()) check(value, *type.element);
            return;
        default:
            if (!basic_fits(value, type.kind)) misfit(value, &type);
        }
    }

    void check_items(const Value& list, const Type& type) {
        for (size_t i = 0; i < list.items().size() && !is_done(); ++i) {
            steps_.push_back({.key = {}, .index = i, .is_item = true});
            check(list.items()[i], *type.element);
            steps_.pop_back();
        }
    }

    void check_strings(const Value& list) {
        for (const Value& item : list.items())
            if (!is_done()) check(item, types::string);
    }

    void check_members(const Value& object, const Type& type) {
        LastMembers last(object.members());
        for (size_t i = 0; i < object.members().size() && !is_done(); ++i) {
            const auto& [key, value] = object.members()[i];
            const Field* field = nullptr;
            const Type* member_type = type.element;
            if (type.kind == Kind::structure) {
                field = policy_.route == Route::converter ? type.field(key.string())
                                                          : type.field_in_any_case(key.string());
                if (!field) {
                    unknown(key, object, type);
                    continue;
                }
                if (policy_.unknown_keys == UnknownKeys::list && field->name != key.string())
                    found_.keys_in_other_case.push_back({key, object, &type});
                member_type = field->type;
            }
            const size_t misfits = found_.misfits.size();
            const size_t unknown_keys = found_.unknown_keys.size();
            steps_.push_back({.key = key.string(), .field = field, .in = field ? &type : nullptr});
            check(value, *member_type);
            steps_.pop_back();
            const bool is_good =
                found_.misfits.size() == misfits && found_.unknown_keys.size() == unknown_keys;
            if (is_good || policy_.route == Route::text || last.has(i)) continue;
            found_.misfits.resize(misfits);
            found_.unknown_keys.resize(unknown_keys);
        }
    }

    // The members that are followed by another one of the same key. Computed on first use, because nearly all
    // objects have no mistakes.
    class LastMembers {
    public:
        explicit LastMembers(std::span<const Member> members) : members_(members) {}

        bool has(size_t i) {
            if (last_.empty())
                for (size_t k = 0; k < members_.size(); ++k) last_[members_[k].key.string()] = k;
            return last_[members_[i].key.string()] == i;
        }

    private:
        std::span<const Member> members_;
        std::unordered_map<std::string_view, size_t> last_;
    };

    void unknown(const Value& key, const Value& object, const Type& type) {
        if (policy_.unknown_keys == UnknownKeys::list) found_.unknown_keys.push_back({key, object, &type});
        if (policy_.unknown_keys == UnknownKeys::refuse) misfit(key, nullptr);
    }

    void misfit(const Value& value, const Type* wanted) {
        Misfit& misfit = found_.misfits.emplace_back();
        misfit.value = value;
        misfit.wanted = wanted;
        for (const Step& step : steps_) {
            if (step.is_item) {
                misfit.path += fmt::format("[{}]", step.index);
                continue;
            }
            if (!misfit.path.empty()) misfit.path += '.';
            misfit.path += step.key;
            if (!step.field) continue;
            if (!misfit.go_path.empty()) misfit.go_path += '.';
            misfit.go_path += step.field->name;
            misfit.in = step.in;
        }
    }

    Policy policy_;
    std::vector<Step> steps_;
    Decoded found_;
};

// Returns Go's message for a value that is not base64 where bytes are wanted.
std::string bytes_error(const Misfit& misfit) {
    if (misfit.value.is_string())
        return fmt::format("illegal base64 data at input byte {}", base64_corrupt_at(misfit.value.string()));
    const std::string_view in = misfit.in ? misfit.in->struct_name() : std::string_view();
    for (const Value& item : items_of(&misfit.value))
        if (!go_bytes(Value::of(std::span(&item, 1)))) return mismatch(item, in, misfit.go_path, "uint8");
    return mismatch(misfit.value, in, misfit.go_path, misfit.wanted->go_name());
}

} // namespace

std::string Misfit::message(std::string_view start) const {
    std::string where(start);
    if (!where.empty() && !path.empty() && !path.starts_with('[')) where += '.';
    where += path;
    if (where.empty()) where = "it";
    if (!wanted) return fmt::format("{} has no field \"{}\"", where, value.string());
    const bool is_collection =
        wanted->kind == Kind::list || wanted->kind == Kind::map || wanted->kind == Kind::structure;
    if (value.is_string() && wanted->kind != Kind::boolean && !is_collection)
        return fmt::format("{} must be {}, which \"{}\" is not", where, wanted->description(),
                           value.string().substr(0, 80));
    return fmt::format("{} must be {}, not {}", where, wanted->description(), describe(value.kind()));
}

std::string Misfit::go_message() const {
    if (!wanted) return "json: unknown field " + go_quote(value.string());
    if (wanted->kind == Kind::base64) return bytes_error(*this);
    return mismatch(value, in ? in->struct_name() : std::string_view(), go_path, wanted->go_name());
}

Decoded decode(const Value& value, const Type& type, Policy policy) {
    return Walk(policy).run(value, type);
}

std::optional<Misfit> find_misfit(const Value& value, const Type& type, Route route) {
    Decoded decoded = decode(value, type, {.route = route, .only_first_misfit = true});
    if (decoded.misfits.empty()) return std::nullopt;
    return std::move(decoded.misfits.front());
}

std::string decode_error(const Value& value, const Type& type, Route route, UnknownKeys unknown_keys) {
    const Policy policy{route, unknown_keys, true};
    Decoded decoded = decode(value, type, policy);
    if (decoded.misfits.empty()) return {};
    Arena arena;
    // A map hands its members on in the order of their keys.
    if (route != Route::text) decoded = decode(normalised(value, arena), type, policy);
    return decoded.misfits.front().go_message();
}

} // namespace opcat::go
