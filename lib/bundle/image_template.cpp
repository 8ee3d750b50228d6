#include "bundle/image_template.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trim_left(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text;
}
std::string_view trim_right(std::string_view text) {
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view BundleNames::*field_of(std::string_view action) {
    if (action == ".Package") return &BundleNames::package;
    if (action == ".Name") return &BundleNames::name;
    if (action == ".Version") return &BundleNames::version;
    return nullptr;
}

} // namespace

ImageTemplate ImageTemplate::parse(std::string_view text) {
    ImageTemplate result;
    const auto refuse = [&](std::string_view action, std::string_view why) {
        throw UsageError(fmt::format("cannot use the image template \"{}\": {} {}", text, action, why),
                         "it knows {{.Package}}, {{.Name}} and {{.Version}}");
    };
    std::string_view rest = text;
    bool trim_next = false;
    while (true) {
        const size_t open = rest.find("{{");
        std::string_view literal = rest.substr(0, open);
        if (trim_next) literal = trim_left(literal);
        if (open == rest.npos) {
            result.parts_.push_back({std::string(literal), nullptr});
            return result;
        }
        const size_t close = rest.find("}}", open);
        if (close == rest.npos) refuse(rest.substr(open), "is not closed by }}");
        const std::string_view whole = rest.substr(open, close + 2 - open);
        std::string_view action = rest.substr(open + 2, close - open - 2);
        const auto is_blank = [](char c) { return blanks.find(c) != blanks.npos; };
        if (action.size() > 1 && action[0] == '-' && is_blank(action[1])) {
            literal = trim_right(literal);
            action.remove_prefix(1);
        }
        trim_next = action.size() > 1 && action.back() == '-' && is_blank(action[action.size() - 2]);
        if (trim_next) action.remove_suffix(1);
        const auto field = field_of(trim_left(trim_right(action)));
        if (!field) refuse(whole, "is none of its fields");
        result.parts_.push_back({std::string(literal), field});
        rest.remove_prefix(close + 2);
    }
}

std::string ImageTemplate::expand(const BundleNames& names) const {
    std::string result;
    for (const Part& part : parts_) {
        result += part.literal;
        if (part.field) result += names.*part.field;
    }
    return result;
}

} // namespace opcat
