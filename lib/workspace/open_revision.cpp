#include "opcat/base/file.hpp"
#include "opcat/base/git.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

namespace opcat {

namespace fs = std::filesystem;

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
    names.reserve(files.size());
    for (const auto& [name, file] : files) names.push_back(name);

    const TemporaryDirectory temporary(options.temporary);
    git.write(files, names, temporary.path());
    return load_path(temporary.path() / scope, reference, options, pool);
}

} // namespace opcat
