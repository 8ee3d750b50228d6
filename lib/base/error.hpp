// How operations fail: Error is thrown when an operation cannot continue; a Result holds a value or the
// reason why it is absent. Mistakes in the user's *input* are never thrown: they are Diagnostics.
#pragma once

#include <cassert>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace opcat {

// The environment failed: a file, the network, another program. Exit status 3.
//
// `what()` says what was being done, on which file or object, and what went wrong, as one sentence without a
// full stop: "cannot read catalogs/foo/index.yaml: permission denied". `hint()` says what to try, and may be
// empty.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, std::string hint = {})
        : std::runtime_error(message), hint_(std::move(hint)) {}
    const std::string& hint() const { return hint_; }

    // Returns true if a retry may succeed: a server was overloaded, or a connection broke.
    bool temporary() const { return temporary_; }
    Error as_temporary() const {
        Error error = *this;
        error.temporary_ = true;
        return error;
    }
    // Returns true if a server answered that what was asked for does not exist.
    bool absent() const { return absent_; }
    Error as_absent() const {
        Error error = *this;
        error.absent_ = true;
        return error;
    }
    // The same failure with a message that describes better what was being done.
    Error with_message(const std::string& message) const {
        Error error(message, hint_);
        error.temporary_ = temporary_;
        error.absent_ = absent_;
        return error;
    }

protected:
    Error(const std::string& message, std::string hint, bool temporary) : Error(message, std::move(hint)) {
        temporary_ = temporary;
    }

private:
    std::string hint_;
    bool temporary_ = false;
    bool absent_ = false;
};

// The request is not possible: a package that does not exist, a text that is not a pull spec, unknown flags.
// Exit status 2.
class RequestError : public Error {
public:
    using Error::Error;
};

// A value, or the reason why it is absent. For operations whose input is sometimes expected to be wrong,
// where the caller decides what that means. `T` and `E` are different types; each converts to a Result.
// Reading the absent one is a broken invariant.
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

// Why a text could not be parsed.
struct ParseError {
    std::string message;
    size_t offset = 0;     // the bytes of the text that are wrong
    size_t length = 0;     // 0: something is missing at the offset
    std::string help = {}; // what to write instead; may be empty
};

// An error about `part`, which is a piece of `text`.
inline ParseError error_about(std::string_view text, std::string_view part, std::string message) {
    return {std::move(message), static_cast<size_t>(part.data() - text.data()), part.size(), {}};
}

template <typename T>
using Parsed = Result<T, ParseError>;

// For callers that need the value. Throws RequestError.
template <typename T>
T required(Parsed<T> parsed) {
    if (!parsed) throw RequestError(parsed.error().message, parsed.error().help);
    return *std::move(parsed);
}

} // namespace opcat
