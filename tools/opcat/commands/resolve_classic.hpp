// The parts of `opcat resolve classic`.
#pragma once

#include "image_options.hpp"

#include <string>

namespace opcat {

class Command;
class Session;

void add_resolve_classic(Command resolve, Session& session);

// Answers the requests in a file of JSON Lines, or on standard input for "-" (docs/resolve-classic.md).
void answer_resolve_classic_batch(const std::string& path, const ImageFlags& images, Session& session);

} // namespace opcat
