#include "base/text.hpp"
#include "command.hpp"
#include "libraries.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <memory>

namespace opcat {
namespace {

std::string as_json() {
    nlohmann::ordered_json result{
        {"schema", "opcat.version.v1"}, {"version", OPCAT_VERSION}, {"compiler", OPCAT_COMPILER}};
    for (const Library& library : libraries()) result["libraries"][library.name] = library.version;
    return as_document(result);
}

// The form in which opm prints it, for scripts that read that.
constexpr std::string_view as_opm =
    "Version: version.Version{OpmVersion:\"opcat-" OPCAT_VERSION
    "\", GitCommit:\"\", BuildDate:\"\", GoOs:\"linux\", GoArch:\"" OPCAT_GO_ARCH "\"}\n";

} // namespace

void add_version(Command tree, Session& session) {
    const Command command = tree.add_command("version", "Print the version");
    if (session.as_opm()) {
        command.callback([&session] { session.out.write(as_opm); });
        return;
    }
    const auto format = std::make_shared<std::string>("text");
    command.add_option("-o,--output", *format, "text, or json with the versions of the libraries, too")
        .one_of({"text", "json"});
    command.footer("Example:\n  opcat version -o json");
    command.callback([format, &session] {
        session.out.write(*format == "json" ? as_json() : "opcat " OPCAT_VERSION "\n");
    });
}

} // namespace opcat
