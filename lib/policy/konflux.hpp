// The tasks of Konflux that judge a fragment of a catalog: validate-fbc and fbc-target-index-pruning-check
// (konflux-operator-tasks at the commit that policy.hpp names), with their verdicts and their words.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/source.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::policy {

struct TaskMessage {
    std::string text; // the official words: a line of the log, with the lines that belong to it
    std::vector<Location> where;
    std::string fix;
};

enum class TaskResult : uint8_t { success, failure, error, none }; // none: the task stores no verdict

std::string_view to_string(TaskResult result); // "SUCCESS", ...

struct TaskVerdict {
    TaskResult result = TaskResult::success;
    std::vector<TaskMessage> messages;
    std::vector<TaskMessage> notes; // what the task passes by mistake, in our words
    std::string ended_by;           // why it has no success and no failure: in the official words
    Diagnostics refused;            // what opm refuses
};

struct Fragment {
    const Source& catalog;
    std::filesystem::path directory; // empty: its folders are not known, as of an image
    std::string openshift;           // the tag of the base image, with or without "v"
};

TaskVerdict validate_fbc(const Fragment& fragment, ThreadPool& pool);

// `index`: the target index.
TaskVerdict check_pruning(const Source& fragment, const Source& index);

} // namespace opcat::policy
