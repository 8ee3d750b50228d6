#include "terminal/locale_text.hpp"

#include "base/unicode.hpp"
#include "environment.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

bool needs_ascii(const Session& session) {
    static const bool utf8 = has_utf8_locale();
    return !utf8 && !session.as_opm();
}

} // namespace

std::string in_locale(std::string_view text, const Session& session) {
    return needs_ascii(session) ? draw_in_ascii(text) : std::string(text);
}

std::string table_in_locale(std::string_view rows, const Session& session, EmptyColumns empty) {
    std::string table = align_table(rows, session.width_of_stdout(), empty);
    // Where a cell was cut, one column is what there is room for.
    return needs_ascii(session) ? draw_in_ascii(table, "~") : table;
}

} // namespace opcat
