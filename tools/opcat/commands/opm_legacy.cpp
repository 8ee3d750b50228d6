// Commands of opm that opcat does not have: the answer to each is the replacement.

#include "command.hpp"
#include "commands.hpp"
#include "terminal/session.hpp"

#include <string>
#include <string_view>

namespace opcat {
namespace {

struct Answer {
    std::string_view command; // words after "opm"; a group is before its commands
    std::string_view instead;
};

constexpr std::string_view sqlite = "file-based catalogs have replaced SQLite indexes: `opcat migrate INDEX "
                                    "DIR` converts an index, and `opcat build DIR -t IMAGE` makes its image";
constexpr std::string_view add_instead =
    "add the output of `opcat render BUNDLE` to the catalog and an entry to a channel, or list the bundle in "
    "a "
    "template and run `opcat template render`; then `opcat build DIR -t IMAGE` makes the image";
constexpr std::string_view remove_instead =
    "a package is a folder of the catalog that `opcat migrate INDEX DIR` writes: remove the folder";
constexpr std::string_view prune = "`opcat filter REF -p PACKAGE` keeps only the named packages";
constexpr std::string_view prune_stranded =
    "`opcat validate REF` reports bundles without a channel: remove their blobs";
constexpr std::string_view truncate =
    "remove the old entries from the channels and declare deprecations in an olm.deprecations blob; `opcat "
    "diff OLD NEW` shows which installed versions it strands";
constexpr std::string_view serve_index =
    "`opm migrate INDEX DIR` makes a catalog directory of the index, which `opm serve DIR` serves";
constexpr std::string_view serve_http = "`opm serve DIR --no-grpc --http :8080` serves catalogs over HTTP";
constexpr std::string_view bundle_image =
    "operator-sdk makes bundles; `opcat bundle validate DIR` checks them";
constexpr std::string_view bundle_unpack =
    "`opcat render IMAGE` prints the bundle's manifests as properties of its blob";

constexpr Answer answers[] = {
    {"index", sqlite},
    {"index add", add_instead},
    {"index rm", remove_instead},
    {"index delete", remove_instead},
    {"index prune", prune},
    {"index prune-stranded", prune_stranded},
    {"index deprecatetruncate", truncate},
    {"index deprecate", truncate},
    {"index export", "`opcat render INDEX` prints the content of an index"},
    {"registry", sqlite},
    {"registry add", add_instead},
    {"registry rm", remove_instead},
    {"registry prune", prune},
    {"registry prune-stranded", prune_stranded},
    {"registry deprecatetruncate", truncate},
    {"registry serve", serve_index},
    {"registry mirror",
     "`opcat mirror CATALOG --to REGISTRY` mirrors a catalog with the images of its bundles"},
    {"http", serve_http},
    {"alpha bundle generate", bundle_image},
    {"alpha bundle build", "`opcat build bundle DIR -t IMAGE` makes the image of a bundle"},
    {"alpha bundle extract", bundle_unpack},
    {"alpha bundle unpack", bundle_unpack},
    {"alpha diff", "`opcat diff OLD NEW` shows what changed, and the regressions"},
    {"alpha generate", "it is `opm generate` now"},
    {"alpha render-veneer", "veneers are templates now: `opm alpha render-template`"},
};

// Follows `words` down the tree, all but the last, which is left in `words`.
Command parent_of(Command tree, std::string_view& words) {
    Command parent = tree;
    for (size_t blank = words.find(' '); blank != words.npos; blank = words.find(' ')) {
        parent = parent.find(words.substr(0, blank)).value();
        words.remove_prefix(blank + 1);
    }
    return parent;
}

} // namespace

void add_opm_legacy(Command tree, Session& session) {
    for (const Answer& answer : answers) {
        std::string_view name = answer.command;
        const Command parent = parent_of(tree, name);
        const Command command = parent.add_command(std::string(name), std::string(answer.instead));
        command.group("Replaced by other commands");
        // Accepts all flags of opm's command.
        command.ignore_others();
        command.callback([command, &answer, &session] {
            if (command.command_given()) return; // which has answered
            session.print_error(fmt::format("opcat has no opm {}: {}", answer.command, answer.instead));
            session.exit_status = exit_findings;
        });
    }
}

void add_opm_alpha(Command tree, Session& session) {
    const Command alpha = tree.add_command("alpha", "Run an alpha subcommand");
    alpha.needs_command();
    add_opm_list(alpha, session);
    add_opm_render_graph(alpha, session);
    add_opm_render_template(alpha, session);
    add_opm_convert_template(alpha, session);
    add_opm_bundle_validate(alpha, session);
}

} // namespace opcat
