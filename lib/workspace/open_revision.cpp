#include "opcat/base/file.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// A tree that nobody made with git may name anything.
bool stays_below(const fs::path& name) {
    return name.is_relative() && std::none_of(name.begin(), name.end(), [](const fs::path& part) {
               return part == ".." || part == "." || part == ".git";
           });
}

// Links last, or a file could be written through one.
void write_below(const fs::path& directory, const GitRepository::Files& files,
                 const std::vector<std::unique_ptr<SourceFile>>& contents) {
    for (const bool links : {false, true})
        for (const auto& content : contents) {
            if ((files.at(content->path()).mode == "120000") != links) continue;
            const fs::path place = directory / content->path();
            make_directories(place.parent_path());
            if (!links) {
                write_file(place, content->bytes());
                continue;
            }
            std::error_code failed;
            fs::create_symlink(std::string(content->bytes()), place, failed);
            if (failed)
                throw Error(
                    fmt::format("cannot write {}: {}", place.string(), system_message(failed.value())));
        }
}

} // namespace

LoadedCatalog load_revision(const std::string& reference, const OpenOptions& options, ThreadPool& pool) {
    const Revision wanted = Revision::parse(reference);
    const std::string doing = fmt::format("read {}", reference);
    const std::string hint = "git:REVISION:PATH needs a working directory in a git repository";
    const GitRepository here(".", doing, hint);
    here.require_repository();
    const bool from_here = wanted.path.starts_with("./") || wanted.path.starts_with("../");
    const fs::path top = here.top();
    const std::string scope =
        (from_here ? fs::absolute(wanted.path).lexically_relative(top) : fs::path(wanted.path))
            .lexically_normal()
            .generic_string();
    const GitRepository git(top, doing, hint);
    const GitRepository::Files files = git.files(git.commit(wanted.revision), scope);
    if (files.empty())
        throw RequestError(fmt::format("{} has nothing at {}", go_quote(wanted.revision), scope),
                           "the path is relative to the top of the repository; ./PATH to this directory");
    std::vector<std::string> names;
    for (const auto& [name, file] : files)
        if (stays_below(name)) names.push_back(name);

    const TemporaryDirectory temporary(options.temporary);
    write_below(temporary.path(), files, git.read(files, names));
    return load_path(temporary.path() / scope, reference, options, pool);
}

} // namespace opcat
