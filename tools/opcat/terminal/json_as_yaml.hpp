// Reports are made as JSON; this is the same as YAML.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// `json` is one valid JSON value. Keys come out sorted, as everywhere in YAML that opcat writes.
std::string json_as_yaml(std::string_view json);

} // namespace opcat
