#include "catalog_options.hpp"
#include "command.hpp"
#include "shard_store.hpp"
#include "sharding.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct MergeOptions {
    std::vector<std::string> places;
    bool keep_going = false;
    ImageFlags images;
};

void run(const MergeOptions& options, Session& session) {
    const StoredParts stored = read_stored(options.places, options.images, session);
    print_merged(stored.parts, options.keep_going, session);
}

} // namespace

void add_merge(Command tree, Session& session) {
    const Command command = tree.add_command("merge", "Merge the outputs of all shards of a run");
    auto& options = command.action<MergeOptions>(run, session);
    command
        .add_option("PLACE", options.places,
                    "Where the shards have put their outputs: directories, or an image in a registry")
        .required();
    command.add_flag("--keep-going", options.keep_going, "Print the rest when items failed, and exit 1");
    add_own_image_flags(command, options.images);
    command.footer(
        "Prints, byte for byte, what the command would have printed without --shard. All shards of the "
        "run must be there; those that are missing or do not belong to it are named.\n\n"
        "Examples:\n"
        "  opcat render --refs bundles.txt --shard 0/2 --shard-output shards\n"
        "  opcat render --refs bundles.txt --shard 1/2 --shard-output shards\n"
        "  opcat merge shards > catalog.json\n"
        "  opcat merge registry.example/team/shards:monday > catalog.json");
}

} // namespace opcat
