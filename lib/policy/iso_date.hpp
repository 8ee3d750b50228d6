// Dates and times of ISO 8601, as Python's dateutil reads them.
#pragma once

#include <string_view>

namespace opcat::policy {

// Returns true if dateutil.parser.isoparse() accepts the text.
bool is_iso_date(std::string_view text);

} // namespace opcat::policy
