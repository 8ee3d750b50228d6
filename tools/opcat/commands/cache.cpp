#include "command.hpp"
#include "environment.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/blob_store.hpp"
#include "terminal/session.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace opcat {
namespace {

std::filesystem::path directory() {
    const auto path = cache_directory();
    if (!path) throw Error("there is no place for a cache: neither XDG_CACHE_HOME nor HOME is set");
    return *path;
}

void list(Session& session) {
    uint64_t total = 0;
    std::string rows = "DIGEST\tSIZE\tLAST USE\tIMAGE\n";
    const auto blobs = image::list_cache(directory());
    for (const image::CachedBlob& blob : blobs) {
        total += blob.size;
        const std::time_t used = std::chrono::system_clock::to_time_t(blob.last_used);
        rows += fmt::format("{}\t{:>10}\t{:%Y-%m-%d %H:%M}\t{}\n", blob.digest, human_size(blob.size),
                            fmt::localtime(used),
                            escape_controls(fmt::format("{}", fmt::join(blob.images, ", "))));
    }
    if (!blobs.empty()) session.out.write(table_in_locale(rows, session));
    session.out.flush();
    if (!session.options.quiet)
        session.print(fmt::format("{}, {} in {}\n", counted(blobs.size(), "blob"), human_size(total),
                                  directory().string()));
}

void clean(Session& session) {
    const image::CleanedCache cleaned = image::clean_cache(directory());
    if (!session.options.quiet)
        session.print(
            fmt::format("removed {}, {}\n", counted(cleaned.blobs, "blob"), human_size(cleaned.bytes)));
}

} // namespace

void add_cache(Command tree, Session& session) {
    const Command command = tree.add_command("cache", "List or remove cached image layers");
    command.needs_command();
    command.footer("Example:\n  opcat cache list");
    command.add_command("list", "List cached layers with digest, size, last use and images")
        .footer("Example:\n  opcat cache list")
        .callback([&session] { list(session); });
    command.add_command("clean", "Remove all of it")
        .footer("Example:\n  opcat cache clean")
        .callback([&session] { clean(session); });
}

} // namespace opcat
