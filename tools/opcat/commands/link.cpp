#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"
#include "terminal/session.hpp"

#include <filesystem>
#include <string_view>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// The other names of the binary: opm's, the one by which kubectl finds a plugin, and the one that it asks to
// complete the plugin's command lines. tools/opcat/CMakeLists.txt makes the same links.
constexpr std::string_view other_names[] = {"opm", "kubectl-opcat", "kubectl_complete-opcat"};

struct LinkOptions {
    std::string directory;
    bool force = false;
};

// A link is made next to its place and renamed, so that a program of that name is never missing.
void make_link(const fs::path& target, const fs::path& link) {
    const fs::path staged = link.string() + ".new";
    std::error_code failed;
    fs::remove(staged, failed);
    fs::create_symlink(target, staged, failed);
    if (!failed) fs::rename(staged, link, failed);
    if (!failed) return;
    std::error_code ignored;
    fs::remove(staged, ignored);
    throw Error(fmt::format("cannot make the link {}: {}", link.string(), system_message(failed.value())));
}

void run(const LinkOptions& options, Session& session) {
    const fs::path self = own_program();
    if (self.empty()) throw Error("cannot find the path of opcat itself");
    const fs::path directory(options.directory);
    std::error_code failed;
    for (const std::string_view name : other_names) {
        const fs::path link = directory / name;
        if (fs::symlink_status(link, failed).type() != fs::file_type::not_found && !options.force &&
            !fs::equivalent(link, self, failed))
            throw Error(fmt::format("{} is there already, and is not opcat", link.string()),
                        "--force replaces it");
    }
    for (const std::string_view name : other_names) {
        make_link(self, directory / name);
        session.out.write(fmt::format("{} -> {}\n", (directory / name).string(), self.string()));
    }
}

} // namespace

void add_link(Command tree, Session& session) {
    const Command command = tree.add_command("link", "Create links to opcat under its other names");
    auto& options = command.action<LinkOptions>(run, session);
    command
        .add_option("DIR", options.directory,
                    "Directory for the links opm, kubectl-opcat and kubectl_complete-opcat")
        .required()
        .existing_directory()
        .value_name("DIR");
    command.add_flag("--force", options.force, "Replace other programs with these names");
    command.footer("Example:\n  opcat link ~/.local/bin");
}

} // namespace opcat
