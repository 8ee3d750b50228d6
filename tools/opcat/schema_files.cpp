#include "schema_files.hpp"

#include "input.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {

bool add_schema_files(const std::vector<std::string>& paths, Schemas& schemas, Session& session) {
    bool good = true;
    for (const std::string& path : paths) {
        const std::shared_ptr<const SourceFile> file = read_input(path);
        Diagnostics problems;
        if (schemas.add(file, problems)) continue;
        print_findings(problems, session);
        session.exit_status = exit_usage;
        good = false;
    }
    return good;
}

} // namespace opcat
