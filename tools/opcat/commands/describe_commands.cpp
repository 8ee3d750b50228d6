#include "command.hpp"
#include "help/command_description.hpp"
#include "opcat/base/json.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

namespace opcat {
namespace {

nlohmann::ordered_json as_json(const OptionDescription& option) {
    return {{"names", option.names},
            {"signature", signature(option)},
            {"description", full_description(option)},
            {"group", option.group},
            {"value", option.value},
            {"choices", option.choices},
            {"required", option.required},
            {"repeated", option.repeated}};
}

nlohmann::ordered_json as_json(const CommandDescription& command) {
    nlohmann::ordered_json json{{"path", command.path},
                                {"synopsis", synopsis(command)},
                                {"description", command.description},
                                {"footer", command.footer},
                                {"options", nlohmann::ordered_json::array()},
                                {"arguments", nlohmann::ordered_json::array()},
                                {"commands", nlohmann::ordered_json::array()}};
    for (const OptionDescription& option : command.options) json["options"].push_back(as_json(option));
    for (const OptionDescription& argument : command.arguments)
        json["arguments"].push_back(as_json(argument));
    for (const CommandDescription& sub : command.commands) json["commands"].push_back(as_json(sub));
    return json;
}

} // namespace

// For those who make opcat: its manual and its tests are made from this.
void add_describe_commands(Command tree, Session& session) {
    const Command command = tree.add_command("describe-commands", "Print the command tree as JSON");
    command.hide();
    command.callback([tree, &session] { session.out.write(as_document(as_json(describe(tree)))); });
}

} // namespace opcat
