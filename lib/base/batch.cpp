#include "opcat/base/batch.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat {

using Json = nlohmann::ordered_json;

void for_each_batch_line(const SourceFile& file, const std::function<void(const BatchLine&)>& take) {
    size_t number = 0;
    for (const std::string_view text : lines_of(file.bytes())) {
        ++number;
        if (text.find_first_not_of(" \t\r") != text.npos) take({number, text});
    }
}

Json question_in(const BatchLine& line) {
    constexpr size_t longest = size_t{1} << 20;
    if (line.text.size() > longest) throw RequestError("the line is longer than 1 MiB");
    Json question = parse_json<Json>(line.text);
    if (!question.is_object()) throw RequestError("the line is not a JSON object");
    if (const std::string key = repeated_key(line.text); !key.empty())
        throw RequestError(fmt::format("\"{}\" is given twice in one object", key));
    return question;
}

const std::string& string_in(const Json& question, const char* member) {
    const auto found = question.find(member);
    if (found == question.end() || !found->is_string())
        throw RequestError(fmt::format("the question needs \"{}\", a string", member));
    return found->get_ref<const std::string&>();
}

void refuse_misspelt(const Json& question, std::span<const std::string_view> known) {
    for (const auto& [member, value] : question.items())
        if (const std::string_view meant = misspelt(member, known); !meant.empty())
            throw RequestError(fmt::format("there is no member \"{}\"", member), did_you_mean({{meant}}));
}

std::string why_refused(const BatchLine& line, const Error& error) {
    return fmt::format("line {}: {}", line.number, error.what());
}

bool is_refusal(std::string_view answer) {
    return answer.starts_with(R"({"error":"line )");
}

std::string as_batch_line(const Json& answer) {
    return as_ascii_line(answer) + "\n";
}

} // namespace opcat
