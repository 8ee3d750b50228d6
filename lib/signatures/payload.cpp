#include "opcat/signatures/payload.hpp"

#include "opcat/signatures/strict_json.hpp"

#include <cmath>

namespace opcat::signatures {

Claim parse_claim(std::string_view payload, std::string_view type, bool optional_may_be_null) {
    const StrictJson json("the signed claim", payload);
    const Value& root = json.root();
    json.require_keys(root, {"critical", "optional"});
    const Value& optional = *root.find("optional");
    if (!optional_may_be_null || !optional.is_null()) {
        json.members(optional);
        if (const Value* const creator = optional.find("creator")) json.text(*creator);
        if (const Value* const time = optional.find("timestamp");
            time && (!time->is_number() || time->number() != std::floor(time->number())))
            json.fail(*time, "the timestamp is not an integer");
    }
    const Value& critical = *root.find("critical");
    json.require_keys(critical, {"type", "image", "identity"});
    if (json.text(critical, "type") != type) json.fail(critical, "it is a claim of another type");
    const Value& image = *critical.find("image");
    json.require_keys(image, {"docker-manifest-digest"});
    const Value& identity = *critical.find("identity");
    json.require_keys(identity, {"docker-reference"});
    return {json.text(image, "docker-manifest-digest"), json.text(identity, "docker-reference")};
}

} // namespace opcat::signatures
