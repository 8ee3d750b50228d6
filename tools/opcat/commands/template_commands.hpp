// The commands about templates, which have other names under opm.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace opcat {

class Session;

void add_template_render(CLI::App& tree, const std::string& name, Session& session);
void add_template_convert(CLI::App& tree, const std::string& name, Session& session);

} // namespace opcat
