#include "completion/completion.hpp"

#include "command.hpp"
#include "environment.hpp"
#include "opcat/base/error.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <memory>
#include <set>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct NamesRequest {
    std::string kind;
    std::vector<std::string> words; // of the line so far
};

// "catalog/", "~/catalog", "--catalog=prod=catalog/,priority=1": the path in a word, if there is one.
fs::path path_in(std::string_view word) {
    std::error_code failed;
    for (;;) {
        std::string_view piece = word.substr(0, word.find(','));
        fs::path path(piece);
        if (piece.starts_with("~/"))
            if (const auto home = below_home(piece.substr(2))) path = *home;
        if (!piece.empty() && (fs::is_directory(path, failed) || fs::is_regular_file(path, failed)))
            return path;
        const size_t equals = word.find('=');
        if (equals == word.npos) return {};
        word.remove_prefix(equals + 1);
    }
}

// Names of one kind; a package or a channel on the line restricts them.
std::set<std::string> matching_names(const std::string& kind, const std::vector<CatalogName>& names,
                                     const std::set<std::string>& words) {
    bool has_package = false;
    bool has_channel = false;
    for (const CatalogName& name : names) {
        has_package |= words.contains(name.package);
        has_channel |= words.contains(name.channel);
    }
    std::set<std::string> chosen;
    for (const CatalogName& name : names) {
        if (kind == "package") chosen.insert(name.package);
        if (kind == "package-channel") chosen.insert(name.package + "/" + name.channel);
        if (has_package && !words.contains(name.package)) continue;
        if (kind == "channel") chosen.insert(name.channel);
        if (has_channel && !words.contains(name.channel)) continue;
        if (kind == "bundle") chosen.insert(name.bundle);
    }
    return chosen;
}

void print_names(const NamesRequest& request, const CommandDescription& tree, Session& session) {
    session.options.quiet = true;
    std::set<std::string> names;
    const std::vector<std::string_view> words(request.words.begin(), request.words.end());
    const std::vector<Candidate> known = names_without_catalog(request.kind, tree, words);
    for (const Candidate& candidate : known) names.emplace(candidate.name);
    if (known.empty())
        for (const std::string& word : request.words) {
            const fs::path path = path_in(word);
            if (path.empty()) continue;
            try {
                names.merge(matching_names(request.kind, catalog_names(path, session),
                                           {request.words.begin(), request.words.end()}));
            } catch (const Error&) {
                // Not a catalog. Nothing is printed while somebody types.
            }
        }
    for (const std::string& name : names) session.out.write(name + "\n");
}

} // namespace

void add_completion(Command tree, Session& session) {
    const Command command = tree.add_command("completion", "Print a completion script for a shell");
    command.needs_command();
    struct Shell {
        const char* name;
        std::string (*script)(const CommandDescription&);
        const char* example; // {0}: our name
    };
    static constexpr Shell shells[] = {
        {"bash", bash_completion, "  source <({0} completion bash)"},
        {"zsh", zsh_completion, "  {0} completion zsh > ~/.zfunc/_{0}"},
        {"fish", fish_completion, "  {0} completion fish > ~/.config/fish/completions/{0}.fish"}};
    const std::string name = tree.name();
    std::string examples;
    for (const Shell& shell : shells) {
        const Command one = command.add_command(shell.name, std::string("For ") + shell.name);
        // As in opm, which would omit descriptions.
        const auto ignored = std::make_shared<bool>(false);
        if (session.as_opm()) one.add_flag("--no-descriptions", *ignored, "Accepted, and ignored");
        one.callback([tree, &shell, &session, ignored] { session.out.write(shell.script(describe(tree))); });
        const std::string example = fmt::format(fmt::runtime(shell.example), name);
        one.footer("Example:\n" + example);
        examples += example + "\n";
    }
    command.footer(
        "Examples:\n" + examples +
        "\n"
        "Packages install them where the shells look. kubectl completes `kubectl opcat` by itself where "
        "kubectl_complete-opcat is installed; it needs its own script: see kubectl completion --help.");

    const auto request = std::make_shared<NamesRequest>();
    const Command names = tree.add_command("complete-names", "Print names for a shell to offer");
    names.hide();
    names.add_option("KIND", request->kind, "package, channel, package-channel, bundle, rule or topic")
        .required();
    // The words are an unfinished command line: none of them is an option of this command.
    names.keep_rest();
    names.callback([tree, names, request, &session] {
        request->words = names.rest();
        print_names(*request, describe(tree), session);
    });
}

} // namespace opcat
