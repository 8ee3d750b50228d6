// The parts of `opcat search`.
#pragma once

#include "catalog_options.hpp"
#include "form.hpp"

#include <string>
#include <vector>

namespace opcat {

class Session;

// `references`: REF or NAME=REF, one at least. `output`: table or json.
void search_offline(const std::string& words, const std::vector<std::string>& references, Form output,
                    const ImageFlags& images, Session& session);

} // namespace opcat
