// Makes scripts that complete a command line in a shell, from a command tree.
//
// Each script knows commands, flags and fixed values by itself; names of packages, channels, bundles, rules
// and topics it asks `PROGRAM complete-names KIND WORD...` for, with the words of the line so far.
#pragma once

#include "help/command_description.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Session;

std::string bash_completion(const CommandDescription& tree);
std::string zsh_completion(const CommandDescription& tree);
std::string fish_completion(const CommandDescription& tree);

// kubectl has its own scripts, which run `kubectl_complete-PLUGIN` with the words after the plugin's name, of
// which the last is the one to complete: this is the answer, one candidate per line, and a directive.
std::string kubectl_completion(const CommandDescription& tree, std::span<const char* const> words);

// The kind of values that a shell proposes.
struct ValueKind {
    enum class Source { words, files, directories, names };
    Source source = Source::files;
    std::string names;        // for `names`: the argument of `complete-names`
    bool behind_name = false; // for `files`: "NAME=" may be before the file
};

// By its choices, or else by the name of the option or its value: "--installed", "DIR", "PACKAGE".
ValueKind kind_of(const OptionDescription& option);

// The options of a command, and those of the root, which are valid everywhere.
std::vector<OptionDescription> options_at(const CommandDescription& command, const CommandDescription& root);

// The command of this name or alias directly below another; nullptr if there is none.
const CommandDescription* find_command(const CommandDescription& command, std::string_view name);

// All commands of a tree, each before its own.
std::vector<const CommandDescription*> all_commands(const CommandDescription& root);

struct Candidate {
    std::string_view name, description;
};

// The names of one kind that do not depend on a catalog: of rules ("rule"), and of what `help` explains
// ("topic") after these words of the line. None for other kinds. They refer to the tree.
std::vector<Candidate> names_without_catalog(std::string_view kind, const CommandDescription& tree,
                                             std::span<const std::string_view> words);

// A name in a catalog, one entry of a channel.
struct CatalogName {
    std::string package, channel, bundle;
};

// The names in a catalog, fast enough for completion: by package, channel and name, without invalid parts of
// the catalog and names that a shell would have to quote. Empty if `path` is not a catalog, or is too large
// to be read for this purpose.
// Cached below the cache directory until a file of the catalog changes its size or time.
std::vector<CatalogName> catalog_names(const std::filesystem::path& path, Session& session);

} // namespace opcat
