#include "opcat/base/thread.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"

#include <fmt/core.h>

#include <system_error>
#include <utility>

namespace opcat {

std::thread start_thread(std::string_view which, std::function<void()> run) {
    try {
        return std::thread(std::move(run));
    } catch (const std::system_error& refused) {
        throw Error(
            fmt::format("cannot start the thread that {}: {}", which, system_message(refused.code().value())),
            "a limit on threads is reached: see ulimit -u, or the limit on processes of the "
            "container");
    }
}

} // namespace opcat
