#include "manual.hpp"

#include "commands.hpp"
#include "completion/value_kind.hpp"
#include "session.hpp"
#include "support/file.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string prose;
    std::string directory;
};

std::string prose_of(const Command& command, const fs::path& directory) {
    const fs::path path = directory / (page_name(command) + ".md");
    std::error_code failed;
    if (!fs::exists(path, failed)) return {};
    return std::string(read_file(path, path.string())->bytes());
}

void write_pages(const Options& options, const Command& root) {
    const fs::path directory(options.directory);
    // The other names have what opcat has, in another form: a page for each will do.
    if (root.name != "opcat") {
        write_file(directory / (page_name(root) + ".1"),
                   manual_page(root, root, Pages::one, prose_of(root, options.prose)));
        return;
    }
    for (const Command* command : all_commands(root))
        write_file(directory / (page_name(*command) + ".1"),
                   manual_page(*command, root, Pages::many, prose_of(*command, options.prose)));
    for (const Topic& topic : topics()) write_file(directory / (page_name(topic) + ".7"), manual_page(topic));
}

nlohmann::ordered_json as_json(const CommandOption& option) {
    return {{"names", option.names},
            {"value", option.value},
            {"choices", option.choices},
            {"required", option.required},
            {"repeated", option.repeated}};
}

nlohmann::ordered_json as_json(const Command& command) {
    nlohmann::ordered_json json{{"path", command.path},
                                {"description", command.description},
                                {"footer", command.footer},
                                {"options", nlohmann::ordered_json::array()},
                                {"arguments", nlohmann::ordered_json::array()},
                                {"commands", nlohmann::ordered_json::array()}};
    for (const CommandOption& option : command.options) json["options"].push_back(as_json(option));
    for (const CommandOption& argument : command.arguments) json["arguments"].push_back(as_json(argument));
    for (const Command& sub : command.commands) json["commands"].push_back(as_json(sub));
    return json;
}

} // namespace

// Both are for those who make opcat: its manual, and its tests.
void add_manual(CLI::App& tree, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App* manual = tree.add_subcommand("manual", "Write the manual pages");
    manual->group("");
    manual->add_option("PROSE", options->prose, "Directory with a page of prose for a command")
        ->required()
        ->check(CLI::ExistingDirectory);
    manual->add_option("DIR", options->directory, "Directory to write to")
        ->required()
        ->check(CLI::ExistingDirectory);
    manual->callback([options, &tree] { write_pages(*options, describe(tree)); });

    CLI::App* commands = tree.add_subcommand("describe-commands", "Print the command tree as JSON");
    commands->group("");
    commands->callback([&tree, &session] { session.out.write(as_json(describe(tree)).dump(1) + "\n"); });
}

} // namespace opcat
