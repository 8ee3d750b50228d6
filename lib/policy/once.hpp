// A value that is made at most once, when it is first asked for. If that throws, each later call throws the
// same.
#pragma once

#include <exception>
#include <optional>

namespace opcat::policy {

template <class Value>
class Once {
public:
    template <class Make>
    const Value& get(const Make& make) {
        if (error_) std::rethrow_exception(error_);
        try {
            if (!value_) value_.emplace(make());
        } catch (...) {
            error_ = std::current_exception();
            throw;
        }
        return *value_;
    }

private:
    std::optional<Value> value_;
    std::exception_ptr error_;
};

} // namespace opcat::policy
