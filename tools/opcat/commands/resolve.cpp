#include "resolve.hpp"

#include "base/table.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "resolve_classic.hpp"

namespace opcat {

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::string text;
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i)
            text += escape_controls(row[i]) + (i + 1 < row.size() ? '\t' : '\n');
    return align_table(text, 0, EmptyColumns::kept);
}

void add_resolve(Command tree, Session& session) {
    const Command command = tree.add_command("resolve", "Predict what OLM would install or upgrade to");
    command.needs_command();
    add_resolve_v1(command, session);
    add_resolve_ocp_upgrade(command, session);
    add_resolve_classic(command, session);
}

} // namespace opcat
