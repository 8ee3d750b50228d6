// Threads outside the pool.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

namespace opcat {

// Starts the thread that "waits for signals", for example. Throws Error if the system gives no more threads.
std::thread start_thread(std::string_view which, std::function<void()> run);

} // namespace opcat
