#include "classic_inputs.hpp"

#include "opcat/base/error.hpp"

#include <fmt/format.h>

#include <charconv>

namespace opcat {

ClassicCatalogOption parse_classic_catalog(const std::string& text) {
    const auto wrong = [&](std::string_view why) {
        return RequestError(fmt::format("--catalog {}: {}", text, why),
                            "write NAMESPACE/NAME=REF[,priority=N]");
    };
    const size_t equals = text.find('=');
    const size_t slash = text.find('/');
    if (equals == std::string::npos || slash == std::string::npos || slash == 0 || slash + 1 >= equals)
        throw wrong("NAMESPACE/NAME is missing");
    ClassicCatalogOption option{{text.substr(0, slash), text.substr(slash + 1, equals - slash - 1)},
                                text.substr(equals + 1),
                                std::nullopt};
    constexpr std::string_view setting = ",priority=";
    if (const size_t comma = option.reference.rfind(setting); comma != std::string::npos) {
        const std::string number = option.reference.substr(comma + setting.size());
        int64_t priority = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), priority);
        if (error != std::errc() || end != number.data() + number.size() || number.empty())
            throw wrong(fmt::format("\"{}\" is not an integer", number));
        option.priority = priority;
        option.reference.resize(comma);
    }
    if (option.reference.empty()) throw wrong("there is no REF");
    if (const size_t comma = option.reference.rfind(','); comma != std::string::npos)
        if (const std::string rest = option.reference.substr(comma + 1); rest.find('=') != std::string::npos)
            throw wrong(fmt::format("\"{}\" is not a setting", rest));
    return option;
}

classic::InputNames input_names() {
    return {.catalog = "--catalog", .cluster = "--cluster", .subscription = "--subscribe"};
}

} // namespace opcat
