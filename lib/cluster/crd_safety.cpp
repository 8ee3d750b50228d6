#include "cluster/crd_safety.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {
namespace {

const Json* version_of(const Json& crd, const std::string& name) {
    for (const Json& version : array(crd, {"spec", "versions"}))
        if (text(version, {"name"}) == name) return &version;
    return nullptr;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

class Comparison {
public:
    Comparison(std::string version, std::vector<std::string>& dangers)
        : version_(std::move(version)), dangers_(dangers) {}

    // `path` is where both stand, "^" at the top. Schemas of clusters are no deeper than their JSON.
    void compare(const Json& before, const Json& after, const std::string& path) {
        std::string added;
        const std::vector<std::string> required = strings(before, {"required"});
        for (const std::string& field : strings(after, {"required"}))
            if (!has(required, field)) added += (added.empty() ? "" : " ") + field;
        if (!added.empty())
            dangers_.push_back(
                fmt::format("{}: {}: required: new required fields: [{}]", version_, path, added));
        if (text(before, {"type"}) != text(after, {"type"}))
            dangers_.push_back(fmt::format("{}: {}: type: type changed : \"{}\" -> \"{}\"", version_, path,
                                           text(before, {"type"}), text(after, {"type"})));
        compare_enum(before, after, path);
        for (const char* bound : {"maximum", "maxLength", "maxItems", "maxProperties"})
            compare_bound(before, after, path, bound, true);
        for (const char* bound : {"minimum", "minLength", "minItems", "minProperties"})
            compare_bound(before, after, path, bound, false);
        if (const Json* const fields = find(before, {"properties"}); fields && fields->is_object())
            for (const auto& field : fields->items()) {
                const Json* const same = find(after, {"properties", field.key()});
                if (!same)
                    dangers_.push_back(fmt::format("existingFieldRemoval: removed field : {}.{}.{}", version_,
                                                   path, field.key()));
                else
                    compare(field.value(), *same, path + "." + field.key());
            }
        for (const char* inner : {"items", "additionalProperties"}) {
            const Json* const old = find(before, {inner});
            const Json* const now = find(after, {inner});
            if (old && now && old->is_object() && now->is_object()) compare(*old, *now, path + "." + inner);
        }
    }

private:
    void compare_enum(const Json& before, const Json& after, const std::string& path) {
        const Json& old = array(before, {"enum"});
        const Json& now = array(after, {"enum"});
        if (old.empty() && !now.empty())
            dangers_.push_back(
                fmt::format("{}: {}: enum: enum constraint added when there was none previously : {}",
                            version_, path, to_text(now)));
        for (const Json& value : old)
            if (!now.empty() && std::find(now.begin(), now.end(), value) == now.end())
                dangers_.push_back(fmt::format("{}: {}: enum: allowed enum value removed : {}", version_,
                                               path, to_text(value)));
    }

    void compare_bound(const Json& before, const Json& after, const std::string& path, const char* bound,
                       bool upper) {
        const Json* const old = find(before, {bound});
        const Json* const now = find(after, {bound});
        if (!now || !now->is_number()) return;
        if (!old || !old->is_number()) {
            dangers_.push_back(
                fmt::format("{}: {}: {}: {} constraint added when there was none previously : {}", version_,
                            path, bound, bound, to_text(*now)));
            return;
        }
        const double was = old->get<double>();
        const double is = now->get<double>();
        if (upper ? is < was : is > was)
            dangers_.push_back(fmt::format("{}: {}: {}: {} {} : {} -> {}", version_, path, bound, bound,
                                           upper ? "decreased" : "increased", to_text(*old), to_text(*now)));
    }

    std::string version_;
    std::vector<std::string>& dangers_;
};

} // namespace

std::vector<std::string> crd_dangers(const Json& current, const Json& wanted) {
    std::vector<std::string> dangers;
    if (text(current, {"spec", "scope"}) != text(wanted, {"spec", "scope"}))
        dangers.push_back(fmt::format("scope: scope changed : \"{}\" -> \"{}\"",
                                      text(current, {"spec", "scope"}), text(wanted, {"spec", "scope"})));
    std::string removed;
    for (const std::string& stored : strings(current, {"status", "storedVersions"}))
        if (!version_of(wanted, stored)) removed += (removed.empty() ? "" : " ") + stored;
    if (!removed.empty())
        dangers.push_back(fmt::format("storedVersionRemoval: stored versions removed : [{}]", removed));
    for (const Json& before : array(current, {"spec", "versions"})) {
        const std::string name = text(before, {"name"});
        const Json* const after = version_of(wanted, name);
        const Json* const old = find(before, {"schema", "openAPIV3Schema"});
        const Json* const now = after ? find(*after, {"schema", "openAPIV3Schema"}) : nullptr;
        if (old && now) Comparison(name, dangers).compare(*old, *now, "^");
    }
    std::sort(dangers.begin(), dangers.end());
    return dangers;
}

} // namespace opcat::cluster
