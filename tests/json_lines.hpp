// Recorded answers, one JSON document in each line.
#pragma once

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace opcat::test {

using Json = nlohmann::json;

inline std::vector<Json> lines_of(std::string_view bytes) {
    std::istringstream stream{std::string(bytes)};
    std::vector<Json> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(Json::parse(line));
    return lines;
}

} // namespace opcat::test
