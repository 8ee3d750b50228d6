// How opcat writes JSON documents of its own (docs/json-output.md). Catalogs are written as opm writes them.
#pragma once

#include <string>

namespace opcat {

// `json`, a value of nlohmann's library, indented by two blanks, with a line break at the end. Bytes that are
// not UTF-8 become U+FFFD.
template <class Json>
std::string as_document(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace opcat
