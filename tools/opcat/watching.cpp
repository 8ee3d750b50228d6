#include "watching.hpp"

#include "opcat/base/error.hpp"
#include "opcat/serve/served_catalog.hpp"
#include "terminal/session.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace opcat {
namespace {

using States = std::vector<serve::TreeState>;

constexpr std::chrono::milliseconds interval{300};

States states_of(const std::vector<std::string>& paths) {
    States states;
    for (const std::string& path : paths) states.push_back(serve::tree_state(path));
    return states;
}

void run(const std::function<void()>& action, Session& session) {
    session.exit_status = exit_ok;
    try {
        action();
    } catch (const Error& error) {
        if (session.out.has_failed()) throw; // nobody can see the next answer either
        session.print_error(error.what(), error.hint());
    }
    session.out.flush();
}

} // namespace

void repeat_on_change(const std::function<std::vector<std::string>()>& paths,
                      const std::function<void()>& action, Session& session) {
    const bool on_terminal = ::isatty(STDOUT_FILENO) == 1;
    while (true) {
        const std::vector<std::string> watched = paths();
        const States before = states_of(watched);
        if (on_terminal) session.out.write("\x1b[H\x1b[2J\x1b[3J");
        run(action, session);
        session.print(fmt::format("checked at {:%H:%M:%S}; waiting for changes, Ctrl-C ends\n",
                                  fmt::localtime(std::time(nullptr))));
        States last;
        for (States now = before; now == before || now != last;) {
            last = std::move(now);
            std::this_thread::sleep_for(interval);
            now = states_of(watched);
        }
    }
}

} // namespace opcat
