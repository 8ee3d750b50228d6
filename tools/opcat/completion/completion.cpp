#include "completion/completion.hpp"

#include "environment.hpp"
#include "help/help.hpp"
#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/graph/contents.hpp"
#include "opcat/lint/rules.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace opcat {
namespace {

struct Named {
    std::string_view value; // or option
    std::string_view names;
};
constexpr Named named[] = {{"PACKAGE", "package"},
                           {"packageName", "package"},
                           {"'PACKAGE RANGE'", "package"},
                           {"CHANNEL", "channel"},
                           {"BUNDLE", "bundle"},
                           {"RULE", "rule"},
                           {"PACKAGE/CHANNEL", "package-channel"},
                           {"TOPIC", "topic"}};

// Files of which a name may be given.
constexpr std::array<std::string_view, 2> behind_names{"CATALOG", "FORMAT=FILE"};

// The words of help texts for a value that is a file, a directory or an image; nothing is offered for other
// values.
constexpr std::array<std::string_view, 15> names_of_files{"FILE", "PATH", "PLACE",    "REF",     "indexRef",
                                                          "OLD",  "NEW",  "FILE|DIR", "SRC",     "TARGET",
                                                          "DEST", "EDGE", "CONFIG",   "COMMAND", "directory"};

bool contains(std::span<const std::string_view> values, std::string_view value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

void collect(const CommandDescription& command, std::vector<const CommandDescription*>& all) {
    all.push_back(&command);
    for (const CommandDescription& sub : command.commands) collect(sub, all);
}

} // namespace

ValueKind kind_of(const OptionDescription& option) {
    if (!option.choices.empty()) return {ValueKind::Source::words, {}};
    for (const Named& known : named)
        if (option.value == known.value || (!option.names.empty() && option.names.back() == known.value))
            return {ValueKind::Source::names, std::string(known.names)};
    if (option.value == "DIR") return {ValueKind::Source::directories, {}};
    const bool behind_name = contains(behind_names, option.value);
    if (behind_name || contains(names_of_files, option.value))
        return {ValueKind::Source::files, {}, behind_name};
    return {ValueKind::Source::words, {}};
}

std::vector<OptionDescription> options_at(const CommandDescription& command, const CommandDescription& root) {
    std::vector<OptionDescription> options = command.options;
    if (&command == &root) return options;
    for (const OptionDescription& global : root.options) {
        const bool hidden = std::any_of(options.begin(), options.end(), [&](const OptionDescription& option) {
            return option.names.back() == global.names.back();
        });
        if (!hidden) options.push_back(global);
    }
    return options;
}

std::vector<const CommandDescription*> all_commands(const CommandDescription& root) {
    std::vector<const CommandDescription*> all;
    collect(root, all);
    return all;
}

const CommandDescription* find_command(const CommandDescription& command, std::string_view name) {
    for (const CommandDescription& sub : command.commands)
        if (sub.name == name || std::find(sub.aliases.begin(), sub.aliases.end(), name) != sub.aliases.end())
            return &sub;
    return nullptr;
}

namespace {

// Returns what may follow in `help WORD...`: the commands below the words, and topics if there is no word
// yet.
std::vector<Candidate> explained(const CommandDescription& tree, std::span<const std::string_view> words) {
    const CommandDescription* command = &tree;
    const auto help = std::find(words.begin(), words.end(), "help");
    for (auto word = help; command && word != words.end(); ++word)
        if (word != help && !word->starts_with('-')) command = find_command(*command, *word);
    if (!command) return {};
    std::vector<Candidate> names;
    for (const CommandDescription& sub : command->commands) names.push_back({sub.name, sub.description});
    if (command == &tree)
        for (const Topic& topic : topics()) names.push_back({topic.name, title_of(topic)});
    return names;
}

} // namespace

std::vector<Candidate> names_without_catalog(std::string_view kind, const CommandDescription& tree,
                                             std::span<const std::string_view> words) {
    if (kind == "topic") return explained(tree, words);
    std::vector<Candidate> names;
    if (kind == "rule")
        for (const Rule& rule : rules()) names.push_back({rule.id, rule.title});
    return names;
}

namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 20'000;
constexpr uint64_t most_bytes = uint64_t{1} << 30;
constexpr size_t most_cached = 100; // catalogs

// A digest of the names, sizes and times of all files; nothing if there are too many.
std::optional<std::string> fingerprint(const fs::path& path) {
    Sha256 digest;
    size_t files = 0;
    uint64_t bytes = 0;
    const auto add = [&](const fs::path& file) {
        struct stat status {};
        if (::stat(file.c_str(), &status) != 0) return true;
        bytes += static_cast<uint64_t>(status.st_size);
        const timespec changed = modification_time(status);
        digest.update(
            fmt::format("{}\n{} {} {}\n", file.string(), status.st_size, changed.tv_sec, changed.tv_nsec));
        return ++files <= most_files && bytes <= most_bytes;
    };
    std::error_code failed;
    if (!add(path)) return std::nullopt;
    std::vector<fs::path> found;
    for (fs::recursive_directory_iterator it(path, failed), end; !failed && it != end; it.increment(failed)) {
        found.push_back(it->path());
        if (found.size() > most_files) return std::nullopt;
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found)
        if (!add(file)) return std::nullopt;
    return digest.finish_hex();
}

bool is_plain(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._+-").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

std::vector<CatalogName> read_catalog(const fs::path& path, Session& session) {
    const LoadedCatalog loaded = open(path.string(), opening({}, session), session.pool()).take();
    const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, session.pool());
    std::vector<CatalogName> names;
    for (const PackageGraph& package : graph.packages)
        for (const BundleRow& row : list_bundles(package, BundleOrder::name))
            if (is_plain(package.name) && is_plain(row.channel->name) && is_plain(row.node->name))
                names.push_back(
                    {std::string(package.name), std::string(row.channel->name), std::string(row.node->name)});
    return names;
}

// The fingerprint on the first line, then "PACKAGE CHANNEL BUNDLE" on each.
std::string to_text(const std::string& fingerprint, const std::vector<CatalogName>& names) {
    std::string text = fingerprint + "\n";
    for (const CatalogName& name : names)
        text += name.package + " " + name.channel + " " + name.bundle + "\n";
    return text;
}

std::vector<CatalogName> from_text(std::string_view text) {
    std::vector<CatalogName> names;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const size_t first = line.find(' ');
        const size_t second = line.find(' ', first + 1);
        if (first == line.npos || second == line.npos) continue;
        names.push_back({std::string(line.substr(0, first)),
                         std::string(line.substr(first + 1, second - first - 1)),
                         std::string(line.substr(second + 1))});
    }
    return names;
}

std::optional<std::vector<CatalogName>> cached(const fs::path& file, const std::string& fingerprint) {
    std::error_code failed;
    if (!fs::exists(file, failed)) return std::nullopt;
    const auto text = read_file(file, file.string());
    const std::string_view bytes = text->bytes();
    if (!bytes.starts_with(fingerprint + "\n")) return std::nullopt;
    return from_text(bytes.substr(fingerprint.size() + 1));
}

// Limits the cache of users who complete in very many catalogs: it is emptied from time to time.
void make_room(const fs::path& directory) {
    std::error_code failed;
    fs::create_directories(directory, failed);
    const auto files = std::distance(fs::directory_iterator(directory, failed), fs::directory_iterator());
    if (static_cast<size_t>(files) < most_cached) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed))
        fs::remove(entry.path(), failed);
}

} // namespace

std::vector<CatalogName> catalog_names(const fs::path& path, Session& session) {
    const auto now = fingerprint(path);
    if (!now) return {};
    const auto cache = cache_directory();
    if (!cache) return read_catalog(path, session);
    const fs::path directory = *cache / "completion";
    const fs::path file = directory / sha256_hex(fs::absolute(path).lexically_normal().string());
    if (auto names = cached(file, *now)) return std::move(*names);
    std::vector<CatalogName> names = read_catalog(path, session);
    try {
        make_room(directory);
        write_file(file, to_text(*now, names));
    } catch (const Error&) {
        // A cache that cannot be written costs time, not the answer.
    }
    return names;
}

} // namespace opcat
