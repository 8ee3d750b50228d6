#include "batch.hpp"

#include "support/error.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {

using Json = nlohmann::ordered_json;

void for_each_batch_line(const SourceFile& file, const std::function<void(const BatchLine&)>& take) {
    const std::string_view bytes = file.bytes();
    size_t number = 0;
    for (size_t begin = 0; begin < bytes.size();) {
        const size_t end = std::min(bytes.size(), bytes.find('\n', begin));
        const std::string_view text = bytes.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (text.find_first_not_of(" \t\r") != text.npos) take({number, text});
    }
}

Json question_in(const BatchLine& line) {
    constexpr size_t longest = size_t{1} << 20;
    if (line.text.size() > longest) throw UsageError("the line is longer than 1 MiB");
    Json question = Json::parse(line.text, nullptr, false);
    if (!question.is_object()) throw UsageError("the line is no JSON object");
    return question;
}

const std::string& string_in(const Json& question, const char* member) {
    const auto found = question.find(member);
    if (found == question.end() || !found->is_string())
        throw UsageError(fmt::format("the question needs \"{}\", a string", member));
    return found->get_ref<const std::string&>();
}

std::string why_refused(const BatchLine& line, const Error& error) {
    return fmt::format("line {}: {}", line.number, error.what());
}

std::string as_batch_line(const Json& answer) {
    return answer.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

} // namespace opcat
