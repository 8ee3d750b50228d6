#include "opcat/image/name.hpp"

#include "opcat/base/error.hpp"

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

Parsed<Name> Name::parse(std::string_view text) {
    const auto fail = [&](std::string_view reason) {
        return error_about(text, text, fmt::format("\"{}\" is not an image: {}", text, reason));
    };
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
        const auto spec = PullSpec::parse(rest);
        if (!spec) return fail(spec.error().message);
        if (spec->registry().empty())
            return fail("its first part is not a host name, so it does not name a registry");
        name.spec = *spec;
        return name;
    }
    const size_t colon = rest.find(':');
    name.path = rest.substr(0, colon);
    if (colon != std::string_view::npos) name.tag = rest.substr(colon + 1);
    if (name.path.empty()) return fail("the path after the first colon is missing");
    return name;
}

} // namespace opcat::image
