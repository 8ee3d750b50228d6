// Text for people, with the characters that the locale has.
#pragma once

#include "base/table.hpp"

#include <string>
#include <string_view>

namespace opcat {

class Session;

// In ASCII what opcat draws with, unless the locale is one of UTF-8. The name opm changes nothing.
std::string in_locale(std::string_view text, const Session& session);

// A table (support/table.hpp) for standard output: as wide as its terminal.
std::string table_in_locale(std::string_view rows, const Session& session,
                            EmptyColumns empty = EmptyColumns::dropped);

} // namespace opcat
