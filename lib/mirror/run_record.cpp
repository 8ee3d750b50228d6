#include "opcat/mirror/run_record.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/plan.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat {
namespace {

constexpr const char* run_record_schema = "opcat.mirror-record.v1";

std::string_view to_string(RecordChange::Kind kind) {
    return kind == RecordChange::Kind::added ? "new" : kind == RecordChange::Kind::gone ? "gone" : "changed";
}

std::vector<std::string> strings_in(const nlohmann::json& object, const char* key) {
    std::vector<std::string> found;
    if (const auto at = object.find(key); at != object.end() && at->is_array())
        for (const auto& text : *at)
            if (text.is_string()) found.push_back(text.get<std::string>());
    return found;
}

} // namespace

std::string write_run_record(const MirroredImages& mirrored) {
    using Json = nlohmann::ordered_json;
    std::map<std::string, Json> images;
    for (const MirroredImage& image : mirrored.images)
        if (image.copy.done)
            images[image.copy.to] = Json{{"target", image.copy.to},     {"source", image.copy.from},
                                         {"digest", image.copy.digest}, {"isCatalog", image.is_catalog},
                                         {"catalogs", image.catalogs},  {"bundles", image.bundles}};
    Json list = Json::array();
    for (auto& [target, image] : images) list.push_back(std::move(image));
    return as_document(Json{{"schema", run_record_schema}, {"images", std::move(list)}});
}

RunRecord parse_run_record(std::string_view text) {
    using Json = nlohmann::json;
    const Json json = parse_shallow_json<Json>(text).value_or(Json());
    if (!json.is_object() || json.value("schema", Json()) != run_record_schema ||
        !json.value("images", Json()).is_array())
        throw Error("it is not the record of a run", "name a file that opcat mirror --record has written");
    RunRecord record;
    for (const Json& one : json["images"]) {
        if (!one.is_object()) throw Error("an image in it is not a JSON object");
        for (const char* const key : {"target", "source", "digest"})
            if (!one.value(key, Json()).is_string())
                throw Error(fmt::format("an image in it has no {}", key));
        // Records of before November 2026 name images by the tags of their digests.
        record[MirrorName::parse(one["target"].get<std::string>()).to_exact_string()] = {
            one["source"].get<std::string>(), one["digest"].get<std::string>(),
            one.value("isCatalog", Json()) == true, strings_in(one, "catalogs"), strings_in(one, "bundles")};
    }
    return record;
}

std::vector<RecordChange> changes_between(const RunRecord& before, const RunRecord& after) {
    std::vector<RecordChange> changes;
    for (const auto& [target, image] : after) {
        const auto old = before.find(target);
        if (old == before.end())
            changes.push_back({RecordChange::Kind::added, target, {}, image});
        else if (old->second.digest != image.digest)
            changes.push_back({RecordChange::Kind::changed, target, old->second, image});
    }
    for (const auto& [target, image] : before)
        if (!after.contains(target)) changes.push_back({RecordChange::Kind::gone, target, image, {}});
    return changes;
}

std::string changes_as_rows(const std::vector<RecordChange>& changes) {
    std::string rows = "CHANGE\tIMAGE\tDIGEST\tNEEDED BY\n";
    for (const RecordChange& change : changes) {
        const RecordedImage& image = change.kind == RecordChange::Kind::gone ? change.before : change.after;
        const auto& names = image.bundles.empty() ? image.catalogs : image.bundles;
        rows += fmt::format(
            "{}\t{}\t{}\t{}\n", to_string(change.kind), escape_controls(change.target),
            escape_controls(image.digest),
            escape_controls(shorten_list(std::vector<std::string_view>(names.begin(), names.end()), 60)));
    }
    return rows;
}

std::string changes_as_json(const std::vector<RecordChange>& changes) {
    using Json = nlohmann::ordered_json;
    const auto side = [](const RecordedImage& image) {
        return Json{{"source", image.source},
                    {"digest", image.digest},
                    {"catalogs", image.catalogs},
                    {"bundles", image.bundles}};
    };
    Json list = Json::array();
    for (const RecordChange& change : changes) {
        Json one{{"change", to_string(change.kind)}, {"target", change.target}};
        if (change.kind != RecordChange::Kind::added) one["before"] = side(change.before);
        if (change.kind != RecordChange::Kind::gone) one["after"] = side(change.after);
        list.push_back(std::move(one));
    }
    return as_document(Json{{"schema", "opcat.mirror-diff.v1"}, {"changes", std::move(list)}});
}

} // namespace opcat
