#include "terminal/csv.hpp"

#include "base/error.hpp"
#include "base/go_quote.hpp"

namespace opcat {
namespace {

// Reads a value in quotes, and leaves in `rest` what follows it.
std::string unquote(std::string_view& rest) {
    std::string value;
    rest.remove_prefix(1);
    for (;;) {
        const size_t quote = rest.find('"');
        if (quote == rest.npos) throw UsageError("a list has a quote that is not closed");
        value += rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (!rest.starts_with('"')) break;
        value += '"';
        rest.remove_prefix(1);
    }
    if (!rest.empty() && !rest.starts_with(','))
        throw UsageError("a list has text behind a quoted value: a quote inside of quotes is written twice");
    return value;
}

} // namespace

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> values;
    if (text.empty()) return values;
    for (;;) {
        if (text.starts_with('"')) {
            values.push_back(unquote(text));
        } else {
            const std::string_view value = text.substr(0, text.find(','));
            if (value.find('"') != value.npos)
                throw UsageError("a list has a quote within a value: " + go_quote(value),
                                 "put the whole value in quotes, and write the quote inside twice");
            values.emplace_back(value);
            text.remove_prefix(value.size());
        }
        if (text.empty()) return values;
        text.remove_prefix(1);
    }
}

} // namespace opcat
