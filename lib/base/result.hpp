// A value, or why there is none.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

namespace opcat {

// For operations on input that is expected to be wrong now and then, where the caller decides what that
// means. `T` and `E` are different types; each converts to a Result by itself. Asking for what is not there
// is a broken invariant.
template <typename T, typename E>
class [[nodiscard]] Result {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is how a Result is made
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    Result(E error) : content_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }

    const T& operator*() const& { return value(); }
    T operator*() && {
        assert(content_.index() == 0);
        return std::move(*std::get_if<0>(&content_));
    }
    const T* operator->() const { return &value(); }

    const E& error() const {
        assert(content_.index() == 1);
        return *std::get_if<1>(&content_);
    }

private:
    const T& value() const {
        assert(content_.index() == 0);
        return *std::get_if<0>(&content_);
    }

    std::variant<T, E> content_;
};

} // namespace opcat
