// Files of JSON Lines with a question in each line, and the answers in their order.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {

class Error;

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

// Throws RequestError for a member that is almost certainly a misspelling of a known one, which would then be
// missing. Others are the user's own.
void refuse_misspelt(const nlohmann::ordered_json& question, std::span<const std::string_view> known);

// "line N: …", for the member "error" of the answer.
std::string why_refused(const BatchLine& line, const Error& error);
// Returns true for an answer that is only such an error: the line was no question, or nothing could be read.
bool is_refusal(std::string_view answer);

// With its line break, in ASCII: some readers of lines take U+2028 and the like for the end of one.
std::string as_batch_line(const nlohmann::ordered_json& answer);

} // namespace opcat
