// Why an operation cannot go on. What is wrong with the user's *input* is never thrown: that is a Diagnostic.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

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

private:
    std::string hint_;
};

// What was asked makes no sense: an unknown flag, a pull spec that is none. Exit status 2.
class UsageError : public Error {
public:
    using Error::Error;
};

} // namespace opcat
