#include "opcat/policy/base_revision.hpp"

#include "opcat/base/git.hpp"
#include "opcat/lint/changes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::policy {
namespace {

namespace fs = std::filesystem;

// operators/NAME or catalogs/CATALOG/NAME; empty for another file.
std::string part_of(const std::string& name) {
    const size_t components = name.starts_with("operators/") ? 2 : name.starts_with("catalogs/") ? 3 : 0;
    size_t end = 0;
    for (size_t i = 0; i < components; ++i) {
        end = name.find('/', end);
        if (end == std::string::npos) return {};
        ++end;
    }
    return name.substr(0, end);
}

void add_files_below(const fs::path& root, const char* folder, std::set<std::string>& names) {
    std::error_code failed;
    fs::recursive_directory_iterator at(root / folder, failed);
    for (const fs::recursive_directory_iterator end; !failed && at != end; at.increment(failed)) {
        std::error_code ignored;
        if (!at->is_directory(ignored) || at->is_symlink(ignored))
            names.insert(at->path().lexically_relative(root).generic_string());
    }
}

} // namespace

BaseRevision base_of(const fs::path& root, const std::string& revision, const fs::path& temporary,
                     ThreadPool& pool) {
    const GitRepository git(root, fmt::format("find out what changed in {}", root.string()),
                            "--changed-since needs a git repository with the history of the commit");
    git.require_repository();
    const GitRepository::Files committed = git.files(git.common_commit(git.commit(revision), revision), ".");
    std::set<std::string> now;
    for (const auto& [name, file] : git.files(git.commit("HEAD"), ".")) now.insert(name);
    std::erase_if(now, [&](const std::string& name) {
        std::error_code ignored;
        return !fs::exists(fs::symlink_status(root / name, ignored));
    });
    for (const char* const folder : {"operators", "catalogs"}) add_files_below(root, folder, now);

    BaseRevision base{std::make_unique<TemporaryDirectory>(temporary),
                      changed_names(committed, root, now, pool)};
    std::set<std::string> touched;
    for (const std::string& name : base.changed_files) touched.insert(part_of(name));
    touched.erase("");
    std::vector<std::string> wanted;
    for (const auto& [name, file] : committed)
        if (file.mode != "120000" && touched.contains(part_of(name))) wanted.push_back(name);
    git.write(committed, wanted, base.directory->path());
    return base;
}

} // namespace opcat::policy
