// Reads what a command line gives: files, lists, durations.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/semver/version.hpp"

#include <chrono>
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

// The values of a flag as Go programs take lists: separated by commas, in double quotes where a value holds a
// comma, a quote (written twice) or a line break. Throws RequestError for quotes in the wrong place.
std::vector<std::string> split_list(std::string_view text);

// A day as options take it, "2026-01-31"; today for an empty text. Throws RequestError.
std::chrono::year_month_day read_day(std::string_view text);

// A version of Kubernetes: "1.36", "v1.36.2". `example`: how to write it, with the flag. Throws RequestError
// for all that is not 1.MINOR.
semver::Version read_kubernetes_version(const std::string& text, const std::string& example);

// A duration as options take it: "90s", "10m", "1h30m", "500ms": from a millisecond to 1,000 hours. Nothing
// for other texts.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text);

} // namespace opcat
