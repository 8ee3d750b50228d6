// The commands about templates, which have other names under opm.
#pragma once

#include <string>

namespace opcat {

class Command;
class Session;

void add_template_render(Command tree, const std::string& name, Session& session);
void add_template_convert(Command tree, const std::string& name, Session& session);

} // namespace opcat
