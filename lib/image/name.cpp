#include "image/name.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

namespace opcat::image {
namespace {

struct Prefix {
    std::string_view text;
    Transport transport;
};
constexpr Prefix prefixes[] = {
    {"docker://", Transport::registry},
    {"oci-archive:", Transport::oci_archive},
    {"docker-archive:", Transport::docker_archive},
    {"oci:", Transport::oci_layout},
};

} // namespace

bool Name::has_transport(std::string_view text) {
    for (const Prefix& prefix : prefixes)
        if (text.starts_with(prefix.text)) return true;
    return false;
}

Name Name::parse(std::string_view text) {
    Name name;
    name.text = text;
    std::string_view rest = text;
    for (const Prefix& prefix : prefixes) {
        if (!text.starts_with(prefix.text)) continue;
        name.transport = prefix.transport;
        rest.remove_prefix(prefix.text.size());
        break;
    }
    if (name.transport == Transport::registry) {
        std::string reason;
        name.spec = PullSpec::parse(rest, &reason);
        if (name.spec && name.spec->registry().empty())
            reason = "its first part is no host name, so it names no registry";
        if (!reason.empty()) throw UsageError(fmt::format("\"{}\" is no image: {}", text, reason));
        return name;
    }
    const size_t colon = rest.find(':');
    name.path = rest.substr(0, colon);
    if (colon != std::string_view::npos) name.tag = rest.substr(colon + 1);
    if (name.path.empty())
        throw UsageError(fmt::format("\"{}\" is no image: the path after the first colon is missing", text));
    return name;
}

} // namespace opcat::image
