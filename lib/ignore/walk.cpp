#include "opcat/ignore/walk.hpp"

#include "opcat/base/below.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/ignore/ignore_rules.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

namespace opcat {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t max_ignore_file_size = uint64_t{1} << 20;

enum class Kind : uint8_t { file, directory, link, fifo, socket, device };

struct Entry {
    std::string name;
    Kind kind;
};

Kind kind_of(mode_t mode) {
    return S_ISREG(mode)    ? Kind::file
           : S_ISDIR(mode)  ? Kind::directory
           : S_ISLNK(mode)  ? Kind::link
           : S_ISFIFO(mode) ? Kind::fifo
           : S_ISSOCK(mode) ? Kind::socket
                            : Kind::device;
}

std::string_view words_for(Kind kind) {
    switch (kind) {
    case Kind::file:
        return "a file";
    case Kind::directory:
        return "a directory";
    case Kind::link:
        return "a symbolic link";
    case Kind::fifo:
        return "a FIFO";
    case Kind::socket:
        return "a socket";
    case Kind::device:
        break;
    }
    return "a device";
}

// The entries of a directory, sorted by byte. Throws std::system_error.
std::vector<Entry> list_directory(const fs::path& path) {
    const auto check = [](bool good) {
        if (!good) throw std::system_error(errno, std::generic_category());
    };
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
    check(directory != nullptr);
    std::vector<Entry> entries;
    while (true) {
        errno = 0;
        const dirent* found =
            ::readdir(directory.get()); // NOLINT(concurrency-mt-unsafe): a stream of our own
        if (!found) {
            check(errno == 0);
            break;
        }
        const std::string_view name = found->d_name;
        if (name == "." || name == "..") continue;
        mode_t mode = DTTOIF(found->d_type);
        if (found->d_type == DT_UNKNOWN) { // some file systems do not say
            struct stat status {};
            check(::fstatat(::dirfd(directory.get()), found->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0);
            mode = status.st_mode;
        }
        entries.push_back({std::string(name), kind_of(mode)});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
}

class Walk {
public:
    Walk(const fs::path& root, fs::path real_root, const WalkLimits& limits, const fs::path& shown_root,
         Links links, Git git)
        : root_(root), real_root_(std::move(real_root)), limits_(limits), links_(links), git_(git),
          shown_root_(shown_root.empty() ? root : shown_root) {}

    CatalogListing run() {
        visit_directory(root_, IgnoreScope{});
        return std::move(listing_);
    }

private:
    // `components_` leads to the directory.
    void visit_directory(const fs::path& path, IgnoreScope scope) {
        struct stat status {};
        if (links_ == Links::follow && ::stat(path.c_str(), &status) == 0 &&
            !visited_.emplace(status.st_dev, status.st_ino).second)
            return add_problem(
                fmt::format("cannot read {}: a link leads to a directory that is read already", shown()));
        std::vector<Entry> entries;
        constexpr int attempts = 3;
        for (int attempt = 1;; ++attempt) {
            try {
                entries = list_directory(path);
            } catch (const std::system_error& error) {
                if (error.code() == std::errc::no_such_file_or_directory && !components_.empty()) return;
                add_problem(fmt::format("cannot read directory {}: {}", shown(),
                                        system_message(error.code().value())));
                return;
            }
            // Without its rules, what they leave out would belong to the catalog.
            if (read_rules(path, entries, scope, attempt < attempts)) break;
        }
        for (const Entry& entry : entries) {
            if (links_ == Links::follow && entry.name.starts_with("..")) continue;
            if (git_ == Git::skip && entry.name == ".git") continue;
            components_.push_back(entry.name);
            visit_entry(path / entry.name, entry, scope);
            components_.pop_back();
            if (ended_) return;
        }
    }

    // False if they disappeared after the directory was listed, and `again` says that it can be listed again.
    bool read_rules(const fs::path& directory, const std::vector<Entry>& entries, IgnoreScope& scope,
                    bool again) {
        const auto rules = std::find_if(entries.begin(), entries.end(), [](const Entry& entry) {
            return entry.name == ignore_file_name && entry.kind != Kind::directory;
        });
        if (rules == entries.end()) return true;
        const size_t problems_before = listing_.problems.size();
        components_.push_back(rules->name);
        const fs::path path = directory / rules->name;
        if (is_catalog_file(path, rules->kind)) {
            try {
                const auto source = read_file(path, shown(), max_ignore_file_size);
                scope.set_rules(IgnoreRules::parse(source->bytes()));
            } catch (const Error& error) {
                add_problem(error.what());
            }
        }
        components_.pop_back();
        struct stat status {};
        const bool failed = listing_.problems.size() > problems_before;
        if (!failed || !again || ::lstat(path.c_str(), &status) == 0 || errno != ENOENT) return true;
        listing_.problems.resize(problems_before);
        return false;
    }

    void visit_entry(const fs::path& path, const Entry& entry, const IgnoreScope& scope) {
        if (++entries_ > limits_.entries)
            return end(fmt::format("cannot read all of {}: it has more than {} entries", shown_root_.string(),
                                   limits_.entries));
        if (entry.kind == Kind::directory || is_followed_to_directory(path, entry.kind)) {
            if (components_.size() > limits_.depth)
                return end(fmt::format("cannot read directory {}: it is more than {} directories deep",
                                       shown(), limits_.depth));
            return visit_directory(path, scope.enter(entry.name));
        }
        if (entry.name == ignore_file_name) return;
        const bool ignored = scope.is_ignored(components_, steps_);
        if (steps_ > limits_.matching_steps)
            return end(fmt::format("cannot apply the {} files of {}: their patterns take too long to match",
                                   ignore_file_name, shown_root_.string()));
        if (ignored || !is_catalog_file(path, entry.kind)) return;
        listing_.files.push_back({path, relative_name()});
    }

    bool is_followed_to_directory(const fs::path& path, Kind kind) const {
        struct stat status {};
        return links_ == Links::follow && kind == Kind::link && ::stat(path.c_str(), &status) == 0 &&
               S_ISDIR(status.st_mode);
    }

    // Adds a problem if not.
    bool is_catalog_file(const fs::path& path, Kind kind) {
        const auto refuse = [&](std::string_view why) {
            add_problem(fmt::format("cannot read {}: {}", shown(), why));
            return false;
        };
        if (!is_valid_utf8(relative_name())) return refuse("its name is not valid UTF-8");
        if (kind == Kind::file) return true;
        if (kind != Kind::link) return refuse(fmt::format("it is {}, not a regular file", words_for(kind)));

        std::error_code failure;
        const fs::path target = fs::canonical(path, failure);
        if (failure == std::errc::no_such_file_or_directory)
            return refuse("it is a symbolic link to something that does not exist");
        if (failure == std::errc::too_many_symbolic_link_levels)
            return refuse("it is a symbolic link that leads back to itself");
        if (failure) return refuse(system_message(failure.value()));
        if (links_ == Links::within_root && !is_below(target, real_root_))
            return refuse(fmt::format("it is a symbolic link that leads out of {}", shown_root_.string()));
        if (git_ == Git::skip && std::find(target.begin(), target.end(), ".git") != target.end())
            return refuse("it is a symbolic link into a repository of git");
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) return refuse(system_message(errno));
        if (!S_ISREG(status.st_mode))
            return refuse(fmt::format("it is a symbolic link to {}, not to a regular file",
                                      words_for(kind_of(status.st_mode))));
        return true;
    }

    std::string relative_name() const { return fmt::format("{}", fmt::join(components_, "/")); }
    std::string shown() const {
        return components_.empty() ? shown_root_.string() : (shown_root_ / relative_name()).string();
    }

    void add_problem(std::string message) {
        listing_.problems.push_back({relative_name(), std::move(message)});
    }

    void end(std::string message) {
        add_problem(std::move(message));
        ended_ = true;
    }

    fs::path root_;
    fs::path real_root_; // absolute, without links
    WalkLimits limits_;
    Links links_;
    Git git_;
    fs::path shown_root_;
    std::vector<std::string_view> components_;  // from the root to the entry at hand
    std::set<std::pair<dev_t, ino_t>> visited_; // directories, where links lead to them
    size_t entries_ = 0;
    uint64_t steps_ = 0;
    bool ended_ = false;
    CatalogListing listing_;
};

} // namespace

CatalogListing walk_catalog_directory(const fs::path& root, const WalkLimits& limits,
                                      const fs::path& shown_root, Links links, Git git) {
    const auto fail = [&](int error_number) {
        throw Error(fmt::format("cannot read {}: {}", root.string(), system_message(error_number)));
    };
    struct stat status {};
    if (::stat(root.c_str(), &status) != 0) fail(errno);
    if (S_ISREG(status.st_mode)) return {.files = {{root, root.filename().string()}}, .problems = {}};
    if (!S_ISDIR(status.st_mode))
        throw Error(fmt::format("cannot read {}: it is {}, not a file or directory", root.string(),
                                words_for(kind_of(status.st_mode))));
    std::error_code failure;
    fs::path real_root = fs::canonical(root, failure);
    if (failure) fail(failure.value());
    return Walk(root, std::move(real_root), limits, shown_root, links, git).run();
}

namespace {

// By the .indexignore files of these directories, each of which is above the one before; the last is the top.
bool is_left_out_by(const std::vector<fs::path>& directories, const fs::path& real) {
    std::vector<std::string> names; // below the topmost directory
    for (const fs::path& part : real.lexically_relative(directories.back())) names.push_back(part.string());
    const std::vector<std::string_view> components(names.begin(), names.end());
    IgnoreScope scope;
    std::error_code failed;
    for (size_t i = directories.size(); i-- > 0;) {
        if (const fs::path rules = directories[i] / ignore_file_name; fs::is_regular_file(rules, failed))
            scope.set_rules(
                IgnoreRules::parse(read_file(rules, rules.string(), max_ignore_file_size)->bytes()));
        if (i > 0) scope = scope.enter(names[directories.size() - 1 - i]);
    }
    uint64_t steps = 0;
    return scope.is_ignored(components, steps);
}

} // namespace

bool is_left_out(const fs::path& file) {
    std::error_code failed;
    const fs::path real = fs::canonical(file, failed);
    if (failed) return false;
    std::vector<fs::path> directories{real.parent_path()};
    for (fs::path at = directories.front();; at = at.parent_path()) {
        if (at != directories.front()) directories.push_back(at);
        if (fs::exists(at / ".git", failed)) break;
        if (at == at.root_path()) {
            directories.resize(1); // no repository
            break;
        }
    }
    return is_left_out_by(directories, real);
}

bool is_left_out(const fs::path& file, const fs::path& root) {
    std::vector<fs::path> directories;
    for (fs::path at = file.parent_path(); at != root; at = at.parent_path()) directories.push_back(at);
    directories.push_back(root);
    return is_left_out_by(directories, file);
}

} // namespace opcat
