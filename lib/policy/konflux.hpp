// The tasks of Konflux that judge a fragment of a catalog: validate-fbc and fbc-target-index-pruning-check
// (konflux-operator-tasks at the commit that policy.hpp names), with their verdicts and their words.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/policy/fragment_image.hpp"

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
    bool wants_digests = false; // `where` are images with tags
};

enum class TaskResult : uint8_t { success, failure, error, none }; // none: the task stores no verdict

std::string_view to_string(TaskResult result); // "SUCCESS", ...

struct TaskVerdict {
    TaskResult result = TaskResult::success;
    std::vector<TaskMessage> messages;
    std::vector<TaskMessage> notes; // what the task passes by mistake, in our words
    std::string ended_by;           // why it has no success and no failure: in the official words
    std::string note;               // of TEST_OUTPUT, like the following
    size_t successes = 0;
    size_t failures = 0;
    // Related images that the target index lacks, sorted; nothing: there is no target index.
    std::optional<std::vector<std::string>> unreleased = {};
    Diagnostics refused; // what opm refuses
};

struct Fragment {
    const Source& catalog;
    std::filesystem::path directory;      // empty: its folders are not known, as of an image
    std::string openshift;                // the tag of the base image, with or without "v"
    const FragmentImage* image = nullptr; // nullptr: it is not known
    const Source* index = nullptr;        // the target index; nullptr: it is not known
};

// The checks of the image that decide whether the others are made. Nothing if they are.
std::optional<TaskVerdict> check_fragment_image(const FragmentImage& image);

TaskVerdict validate_fbc(const Fragment& fragment, ThreadPool& pool);

// The related images of bundles without olm.deprecated that the index does not have in the same packages.
std::vector<std::string> unreleased_related_images(const Catalog& fragment, const Catalog& index);

// Makes Conforma's checks of these images before a release (conforma/policy, package olm): they must be named
// by digests, and be in one of `registries`, if these are given. Returns its messages, with what to change.
std::vector<TaskMessage> check_related_images(const Source& fragment,
                                              const std::vector<std::string>& unreleased,
                                              const std::vector<std::string>& registries);

// `index`: the target index.
TaskVerdict check_pruning(const Source& fragment, const Source& index);

} // namespace opcat::policy
