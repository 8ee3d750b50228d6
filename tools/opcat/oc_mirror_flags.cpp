#include "oc_mirror_flags.hpp"

#include <fmt/core.h>

#include <array>

namespace opcat {
namespace {

struct OcMirrorFlag {
    const char* name;
    const char* help;
};
constexpr std::array<OcMirrorFlag, 18> oc_mirror_flags{
    {{"--src-tls-verify",
      "opcat verifies certificates of both sides; to accept any, write --skip-tls-verify"},
     {"--dest-tls-verify",
      "opcat verifies certificates of both sides; to accept any, write --skip-tls-verify"},
     {"--parallel-images", "write -j N: that many transfers run at the same time"},
     {"--parallel-layers", "write -j N: that many transfers run at the same time"},
     {"--retry-times", "leave it out: opcat repeats a request that a registry could not answer 5 times"},
     {"--image-timeout", "leave it out: a transfer that stalls for 30 seconds is continued or ends"},
     {"--workspace", "leave it out: opcat keeps its record in the mirror, and writes --resources DIR"},
     {"--from", "name the directory or archive in place of a catalog: opcat mirror dir:DIR --to REGISTRY"},
     {"--cache-dir", "set XDG_CACHE_HOME: opcat keeps its cache in $XDG_CACHE_HOME/opcat"},
     {"--dry-run-manifest-lists", "write --dry-run: it looks at the images of lists, too"},
     {"--log-level", "leave it out, or write --quiet"},
     {"--policy", "write --signature-policy FILE"},
     {"--remove-signatures", "write --attachments none"},
     {"--retry-delay", "leave it out: opcat waits longer after each failure, or as long as a registry says"},
     {"--secure-policy",
      "leave it out: opcat obeys policy.json, or --signature-policy FILE; see also --require-signatures"},
     {"--strict-archive", "leave it out: no segment is larger than --archive-size; larger blobs are divided"},
     {"--v1", "leave it out"},
     {"--v2", "leave it out"}}};

} // namespace

void add_oc_mirror_flags(Command command) {
    for (const auto& [name, help] : oc_mirror_flags)
        command.add_refused(name, fmt::format("opcat does not have the flag {} of oc-mirror", name), help);
}

} // namespace opcat
