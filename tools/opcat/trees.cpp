#include "trees.hpp"

#include "command.hpp"
#include "commands.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace opcat {
namespace {

struct Entry {
    const char* name;
    void (*add)(Command, Session&);
    bool tells_of_others = false;
};

struct Group {
    const char* title;
    std::span<const Entry> commands;
};

// In the order of the help text: the most important first.
constexpr Entry look_commands[] = {
    {"validate", add_validate}, {"explain", add_explain}, {"list", add_list},     {"graph", add_graph},
    {"query", add_query},       {"diff", add_diff},       {"log", add_log},       {"blame", add_blame},
    {"render", add_render},     {"merge", add_merge},     {"semver", add_semver}, {"bundle", add_bundle},
    {"schema", add_schema},     {"config", add_config}};
constexpr Entry predict_commands[] = {
    {"resolve", add_resolve}, {"plan", add_plan}, {"migrate-olm", add_migrate_olm}};
constexpr Entry make_commands[] = {{"init", add_init},         {"edit", add_edit},
                                   {"template", add_template}, {"filter", add_filter},
                                   {"compose", add_compose},   {"migrate", add_migrate},
                                   {"fmt", add_fmt},           {"generate", add_generate},
                                   {"lsp", add_lsp},           {"mcp", add_mcp}};
constexpr Entry serve_commands[] = {
    {"build", add_build}, {"copy", add_copy}, {"mirror", add_mirror}, {"serve", add_serve}};
constexpr Entry cluster_commands[] = {{"catalog", add_catalog}, {"search", add_search},
                                      {"install", add_install}, {"upgrade", add_upgrade},
                                      {"approve", add_approve}, {"uninstall", add_uninstall},
                                      {"status", add_status},   {"job", add_job}};
constexpr Entry own_commands[] = {{"cache", add_cache},
                                  {"link", add_link},
                                  {"completion", add_completion, true},
                                  {"help", add_help, true},
                                  {"version", add_version}};

constexpr Group groups[] = {{"Look at catalogs", look_commands},       {"Predict", predict_commands},
                            {"Make catalogs", make_commands},          {"Publish catalogs", serve_commands},
                            {"Work with a cluster", cluster_commands}, {"opcat itself", own_commands}};

struct OtherWord {
    std::string_view word;
    std::array<std::string_view, 3> commands; // the empty ones do not count
};

// Cluster commands come last: `kubectl opcat` has no others.
constexpr OtherWord other_words[] = {{"lint", {"validate"}},
                                     {"check", {"validate"}},
                                     {"verify", {"validate"}},
                                     {"format", {"fmt"}},
                                     {"ls", {"list", "status"}},
                                     {"get", {"list", "status"}},
                                     {"show", {"list", "graph", "status"}},
                                     {"describe", {"list", "graph", "status"}},
                                     {"info", {"list", "graph", "status"}},
                                     {"inspect", {"list", "graph", "status"}},
                                     {"draw", {"graph"}},
                                     {"cat", {"render"}},
                                     {"convert", {"migrate", "template"}},
                                     {"compare", {"diff"}},
                                     {"history", {"log"}},
                                     {"annotate", {"blame"}},
                                     {"create", {"init", "install"}},
                                     {"new", {"init"}},
                                     {"combine", {"compose", "merge"}},
                                     {"prune", {"filter"}},
                                     {"predict", {"resolve"}},
                                     {"publish", {"push"}},
                                     {"find", {"search"}},
                                     {"update", {"upgrade"}},
                                     {"delete", {"uninstall"}},
                                     {"remove", {"uninstall"}}};

void add(const Group& group, const Entry& entry, Command root, Session& session) {
    entry.add(root, session);
    root.find(entry.name)->group(group.title);
}

// Declaring all commands takes longer than most commands need.
bool add_alone(std::string_view name, Command root, Session& session) {
    for (const Group& group : groups)
        for (const Entry& entry : group.commands)
            if (name == entry.name && !entry.tells_of_others) {
                add(group, entry, root, session);
                return true;
            }
    return false;
}

} // namespace

bool opcat_has(std::string_view command) {
    for (const Group& group : groups)
        for (const Entry& entry : group.commands)
            if (command == entry.name) return true;
    return false;
}

std::span<const std::string_view> commands_meant_by(std::string_view word) {
    for (const OtherWord& other : other_words)
        if (other.word == word)
            return {other.commands.begin(), std::find(other.commands.begin(), other.commands.end(), "")};
    return {};
}

void build_opcat_tree(Command root, Session& session, std::string_view first_word) {
    root.description("Renders, checks, draws, resolves and installs operator catalogs.");
    if (add_alone(first_word, root, session)) return;
    for (const Group& group : groups)
        for (const Entry& entry : group.commands) add(group, entry, root, session);
    add_describe_commands(root, session);
}

void build_kubectl_tree(Command root, Session& session) {
    root.description("Installs and looks after operators on a cluster.");
    for (const Entry& entry : cluster_commands) entry.add(root, session);
    add_bundle(root, session); // `bundle manifests` prints what an installation would create
    add_help(root, session);
    add_version(root, session);
    add_describe_commands(root, session);
}

void build_opm_tree(Command root, Session& session) {
    root.description("Operator catalogs: opcat under the name and with the behaviour of opm.");
    GlobalOptions& options = session.options;
    const Option skip_tls_verify = root.add_flag("--skip-tls-verify", options.skip_tls_verify,
                                                 "Do not verify certificates of registries");
    const Option use_http = root.add_flag("--use-http", options.use_http, "Use plain HTTP for registries");
    use_http.excludes(skip_tls_verify);
    // The newer meaning of the old name in opm.
    root.add_flag("--skip-tls", options.use_http, "The same as --use-http (deprecated)")
        .excludes(skip_tls_verify)
        .excludes(use_http);
    root.add_flag("--debug", options.debug, "Accepted without effect").hide();
    add_opm_alpha(root, session);
    add_render(root, session);
    add_validate(root, session);
    add_generate(root, session);
    add_init(root, session);
    add_migrate(root, session);
    add_serve(root, session);
    add_version(root, session);
    add_completion(root, session);
    add_help(root, session);
    add_describe_commands(root, session);
    add_opm_legacy(root, session);
}

} // namespace opcat
