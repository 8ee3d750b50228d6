// Reads what a command line gives: files, lines of questions, lists, durations.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Error;

// Reads all of a file, or of standard input for "-", which is shown as "stdin". Throws Error.
std::unique_ptr<SourceFile> read_input(const std::string& path);

// The same for a list of lines, which may also be a directory with pieces of it, in the order of their names
// (without hidden ones): a file that is too large for one ConfigMap of Kubernetes.
std::unique_ptr<SourceFile> read_list(const std::string& path);

// The lines of such a list without the white space around each, empty ones and comments (#). They refer to
// the file.
std::vector<std::string_view> entries_of_list(const SourceFile& file);

// `path` itself, or if it is a directory the files of YAML and JSON below it, by name. Throws Error.
std::vector<std::string> manifest_files(const std::string& path);

// Parts that the --batch options share: files of JSON Lines, a question in each line, and the answers in
// their order.
struct BatchLine {
    size_t number = 0; // in the file, from 1
    std::string_view text;
};

// Calls `take` for each line that is not blank; they refer to the file.
void for_each_batch_line(const SourceFile& file, const std::function<void(const BatchLine&)>& take);

// The JSON object in a line of at most 1 MiB. Throws RequestError for all others.
nlohmann::ordered_json question_in(const BatchLine& line);

// A member of the question. Throws RequestError if it is missing or no string.
const std::string& string_in(const nlohmann::ordered_json& question, const char* member);

// "line N: …", for the member "error" of the answer.
std::string why_refused(const BatchLine& line, const Error& error);

// With its line break, in ASCII: some readers of lines take U+2028 and the like for the end of one.
std::string as_batch_line(const nlohmann::ordered_json& answer);

// The values of a flag as Go programs take lists: separated by commas, in double quotes where a value holds a
// comma, a quote (written twice) or a line break. Throws RequestError for quotes in the wrong place.
std::vector<std::string> split_list(std::string_view text);

// A day as options take it, "2026-01-31"; today for an empty text. Throws RequestError.
std::chrono::year_month_day read_day(std::string_view text);

// A duration as options take it: "90s", "10m", "1h30m", "500ms": from a millisecond to 1,000 hours. Nothing
// for other texts.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text);

} // namespace opcat
