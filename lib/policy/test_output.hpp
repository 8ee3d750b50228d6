// TEST_OUTPUT, the result of a task of Konflux (make_result_json of konflux-test).
#pragma once

#include "opcat/policy/konflux.hpp"

#include <chrono>
#include <span>
#include <string>

namespace opcat::policy {

struct PolicyRun;

struct TestOutput {
    TaskResult result = TaskResult::success; // not none
    bool has_warnings = false;               // of a success: WARNING
    size_t successes = 0;
    size_t failures = 0;
    size_t warnings = 0;
    std::string note;
};

// One line of JSON, with a line break.
std::string to_json(const TestOutput& output, std::chrono::system_clock::time_point now);

// Returns the worst result of several tasks with its note, and the sums of their counts. A task that stores
// no verdict, which the pipeline takes for a failure, is an error.
TestOutput test_output_of(std::span<const PolicyRun> runs);

} // namespace opcat::policy
