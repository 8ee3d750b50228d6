#include "opcat/mirror/record.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/image/referrers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace opcat {
namespace {

using Json = nlohmann::json;

constexpr const char* record_schema = "opcat.mirror.v1";

} // namespace

MirrorRecord MirrorRecord::parse(std::string_view text) {
    const Json json = parse_shallow_json<Json>(text).value_or(Json());
    const auto refuse = [] {
        return Error(
            "the record of what opcat has mirrored is damaged",
            "remove the image opcat-mirror from the mirror; nothing that is there now is pruned then");
    };
    if (!json.is_object() || json.value("schema", Json()) != record_schema || !json.contains("catalogs") ||
        !json["catalogs"].is_object())
        throw refuse();
    const auto images_in = [&](const Json& by_catalog) {
        if (!by_catalog.is_object()) throw refuse();
        Images all;
        for (const auto& [catalog, images] : by_catalog.items()) {
            if (!images.is_object()) throw refuse();
            auto& list = all[catalog];
            for (const auto& [name, digest] : images.items()) {
                if (!digest.is_string()) throw refuse();
                list[MirrorName::parse(name)] = digest.get<std::string>();
            }
        }
        return all;
    };
    const auto lists_in = [&](const Json& by_catalog) {
        Sources all;
        if (!by_catalog.is_object()) throw refuse();
        for (const auto& [catalog, images] : by_catalog.items()) {
            if (!images.is_object()) throw refuse();
            for (const auto& [name, specs] : images.items()) {
                if (!specs.is_array()) throw refuse();
                auto& list = all[catalog][MirrorName::parse(name)];
                for (const Json& spec : specs) {
                    if (!spec.is_string()) throw refuse();
                    list.insert(spec.get<std::string>());
                }
            }
        }
        return all;
    };
    MirrorRecord record;
    record.catalogs = images_in(json["catalogs"]);
    if (json.contains("unsettled")) record.unsettled = images_in(json["unsettled"]);
    if (json.contains("found")) record.found = images_in(json["found"]);
    if (json.contains("sources")) record.sources = lists_in(json["sources"]);
    if (json.contains("platforms")) record.platforms = lists_in(json["platforms"]);
    if (json.contains("signatures")) {
        if (!json["signatures"].is_object()) throw refuse();
        for (const auto& [key, message] : json["signatures"].items()) {
            if (!message.is_string()) throw refuse();
            record.signatures[key] = message.get<std::string>();
        }
    }
    return record;
}

std::string MirrorRecord::to_json() const {
    const auto to_list = [](const Images& all) {
        Json list = Json::object();
        for (const auto& [catalog, images] : all) {
            Json& of_catalog = list[catalog] = Json::object();
            for (const auto& [name, digest] : images) of_catalog[name.to_string()] = digest;
        }
        return list;
    };
    Json record{{"schema", record_schema}, {"catalogs", to_list(catalogs)}};
    if (!unsettled.empty()) record["unsettled"] = to_list(unsettled);
    if (!found.empty()) record["found"] = to_list(found);
    for (const auto& [key, lists] : {std::pair("sources", &sources), std::pair("platforms", &platforms)})
        for (const auto& [catalog, images] : *lists)
            for (const auto& [name, list] : images) record[key][catalog][name.to_string()] = list;
    if (!signatures.empty()) record["signatures"] = signatures;
    return as_document(record);
}

void MirrorRecord::add(const MirrorRecord& later) {
    for (const auto& [catalog, images] : later.catalogs)
        for (const auto& [name, digest] : images) {
            std::string& recorded = catalogs[catalog][name];
            const std::string old = std::exchange(recorded, digest);
            if (!old.empty() && old != digest)
                catalogs[catalog][{name.repository, image::tag_of_digest(old)}] = old;
        }
    for (const auto& [catalog, images] : later.sources) {
        sources[catalog] = images;
        platforms.erase(catalog);
        found.erase(catalog);
    }
    for (const auto& [catalog, images] : later.found) found[catalog] = images;
    for (const auto& [catalog, images] : later.platforms) platforms[catalog] = images;
    for (const auto& [key, message] : later.signatures) signatures[key] = message;
    const Images old = std::exchange(unsettled, {});
    for (const Images* const all : {&later.unsettled, &old})
        for (const auto& [catalog, images] : *all) {
            std::set<std::pair<std::string_view, std::string_view>> there; // under any name
            if (const auto known = catalogs.find(catalog); known != catalogs.end())
                for (const auto& [name, digest] : known->second) there.emplace(name.repository, digest);
            for (const auto& [name, digest] : images) {
                if (there.contains({name.repository, digest})) continue;
                auto& list = unsettled[catalog];
                if (const auto [at, is_new] = list.try_emplace(name, digest); !is_new && at->second != digest)
                    list.try_emplace({name.repository, image::tag_of_digest(digest)}, digest);
            }
        }
}

void MirrorRecord::begin_to_remove(const std::map<MirrorName, std::string>& images) {
    for (auto& [catalog, there] : catalogs)
        for (const auto& [name, digest] : images)
            if (there.erase(name) > 0) unsettled[catalog][name] = digest;
}

void MirrorRecord::remove(const MirrorName& name, const std::string& digest) {
    for (auto& [catalog, images] : unsettled) images.erase(name);
    std::erase_if(unsettled, [](const auto& catalog) { return catalog.second.empty(); });
    const std::string start = image::tag_of_digest(digest) + "-";
    std::erase_if(signatures, [&](const auto& one) { return one.first.starts_with(start); });
}

bool MirrorRecord::is_attachment(const MirrorName& name) const {
    return name.refers_to_an_image() && std::ranges::none_of(sources, [&](const auto& of_catalog) {
               const auto at = of_catalog.second.find(name);
               return at != of_catalog.second.end() && !at->second.empty();
           });
}

void MirrorRecord::adopt(const MirrorRecord& other, const std::set<std::string>& own) {
    const auto take = [&](auto& ours, const auto& theirs) {
        std::erase_if(ours, [&](const auto& one) { return !own.contains(one.first); });
        for (const auto& one : theirs)
            if (!own.contains(one.first)) ours.insert(one);
    };
    take(catalogs, other.catalogs);
    take(unsettled, other.unsettled);
    take(found, other.found);
    take(sources, other.sources);
    take(platforms, other.platforms);
    signatures.insert(other.signatures.begin(), other.signatures.end());
}

bool MirrorRecord::leave_to_others(const MirrorRecord& wanted) {
    std::set<std::pair<std::string_view, std::string_view>> of_others; // repository and digest
    for (const auto& [catalog, images] : catalogs)
        if (!wanted.catalogs.contains(catalog))
            for (const auto& [name, digest] : images) of_others.emplace(name.repository, digest);
    size_t left = 0;
    for (auto& [catalog, images] : catalogs) {
        const auto needed = wanted.catalogs.find(catalog);
        if (needed == wanted.catalogs.end()) continue;
        left += std::erase_if(images, [&](const auto& image) {
            return !needed->second.contains(image.first) &&
                   of_others.contains({image.first.repository, image.second});
        });
    }
    return left > 0;
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
    for (const auto& [catalog, images] : sources)
        if (!wanted.catalogs.contains(catalog))
            for (const auto& [name, specs] : images) names.insert(name);
    std::map<MirrorName, std::string> result;
    for (const Images* const all : {&catalogs, &unsettled})
        for (const auto& [catalog, images] : *all)
            for (const auto& [name, digest] : images)
                if (!names.contains(name) && !stays.contains({name.repository, digest}))
                    result[name] = digest;
    return result;
}

} // namespace opcat
