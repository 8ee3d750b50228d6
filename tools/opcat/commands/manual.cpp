#include "help/manual.hpp"

#include "command.hpp"
#include "completion/completion.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct ManualOptions {
    std::string prose;
    std::string directory;
};

std::string prose_of(const CommandDescription& command, const fs::path& directory) {
    const fs::path path = directory / (page_name(command) + ".md");
    std::error_code failed;
    if (!fs::exists(path, failed)) return {};
    return std::string(read_file(path, path.string())->bytes());
}

void write_pages(const ManualOptions& options, const CommandDescription& root) {
    const fs::path directory(options.directory);
    // The other names have what opcat has, in another form: a page for each will do.
    if (root.name != "opcat") {
        write_file(directory / (page_name(root) + ".1"),
                   manual_page(root, root, Pages::one, prose_of(root, options.prose)));
        return;
    }
    for (const CommandDescription* command : all_commands(root))
        write_file(directory / (page_name(*command) + ".1"),
                   manual_page(*command, root, Pages::many, prose_of(*command, options.prose)));
    for (const Topic& topic : topics()) write_file(directory / (page_name(topic) + ".7"), manual_page(topic));
}

nlohmann::ordered_json as_json(const OptionDescription& option) {
    return {{"names", option.names},
            {"value", option.value},
            {"choices", option.choices},
            {"required", option.required},
            {"repeated", option.repeated}};
}

nlohmann::ordered_json as_json(const CommandDescription& command) {
    nlohmann::ordered_json json{{"path", command.path},
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

// Both are for those who make opcat: its manual, and its tests.
void add_manual(Command tree, Session& session) {
    const auto options = std::make_shared<ManualOptions>();
    const Command manual = tree.add_command("manual", "Write the manual pages");
    manual.hide();
    manual.add_option("PROSE", options->prose, "Directory with a page of prose for a command")
        .required()
        .existing_directory();
    manual.add_option("DIR", options->directory, "Directory to write to").required().existing_directory();
    manual.callback([options, tree] { write_pages(*options, describe(tree)); });

    const Command commands = tree.add_command("describe-commands", "Print the command tree as JSON");
    commands.hide();
    commands.callback([tree, &session] { session.out.write(as_document(as_json(describe(tree)))); });
}

} // namespace opcat
