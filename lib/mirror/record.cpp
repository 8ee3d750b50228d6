#include "opcat/mirror/record.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <utility>

namespace opcat {
namespace {

using Json = nlohmann::json;

constexpr const char* record_schema = "opcat.mirror.v1";

} // namespace

MirrorRecord MirrorRecord::parse(std::string_view text) {
    constexpr int max_depth = 4; // what is nested deeper is left out
    const Json json = Json::parse(
        text, [](int depth, Json::parse_event_t, Json&) { return depth <= max_depth; }, false);
    const auto refuse = [] {
        return Error(
            "the record of what opcat has mirrored is damaged",
            "remove the image opcat-mirror from the mirror; nothing that is there now is pruned then");
    };
    if (!json.is_object() || json.value("schema", Json()) != record_schema || !json.contains("catalogs") ||
        !json["catalogs"].is_object())
        throw refuse();
    MirrorRecord record;
    for (const auto& [catalog, images] : json["catalogs"].items()) {
        if (!images.is_object()) throw refuse();
        auto& list = record.catalogs[catalog];
        for (const auto& [name, digest] : images.items()) {
            if (!digest.is_string()) throw refuse();
            list[MirrorName::parse(name)] = digest.get<std::string>();
        }
    }
    return record;
}

std::string MirrorRecord::to_json() const {
    Json list = Json::object();
    for (const auto& [catalog, images] : catalogs) {
        Json& of_catalog = list[catalog] = Json::object();
        for (const auto& [name, digest] : images) of_catalog[name.to_string()] = digest;
    }
    return as_document(Json{{"schema", record_schema}, {"catalogs", std::move(list)}});
}

void MirrorRecord::add(const MirrorRecord& later) {
    for (const auto& [catalog, images] : later.catalogs)
        for (const auto& [name, digest] : images) {
            std::string& recorded = catalogs[catalog][name];
            const std::string old = std::exchange(recorded, digest);
            if (!old.empty() && old != digest) catalogs[catalog][{name.repository, tag_of_digest(old)}] = old;
        }
}

std::map<MirrorName, std::string> MirrorRecord::superfluous(const MirrorRecord& wanted) const {
    std::set<std::pair<std::string, std::string>> stays; // repository and digest
    std::set<MirrorName> names;
    const auto keep = [&](const std::map<MirrorName, std::string>& images) {
        for (const auto& [name, digest] : images) {
            stays.emplace(name.repository, digest);
            names.insert(name);
        }
    };
    for (const auto& [catalog, images] : wanted.catalogs) keep(images);
    for (const auto& [catalog, images] : catalogs)
        if (!wanted.catalogs.contains(catalog)) keep(images);
    std::map<MirrorName, std::string> result;
    for (const auto& [catalog, images] : catalogs)
        for (const auto& [name, digest] : images)
            if (!names.contains(name) && !stays.contains({name.repository, digest})) result[name] = digest;
    return result;
}

} // namespace opcat
