#include "opcat/mirror/archive_history.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/mirror/archive_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <system_error>

namespace opcat {

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr const char* history_schema = "opcat.mirror-history.v1";
constexpr uint64_t most_in_history = uint64_t{256} << 20;

fs::path history_file(const fs::path& prefix) {
    return prefix.string() + "-history.json";
}

// An empty list if there is none.
Json read_history(const fs::path& prefix) {
    const fs::path file = history_file(prefix);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return Json::array();
    Json json =
        parse_shallow_json<Json>(read_file(file, file.string(), most_in_history)->bytes()).value_or(Json());
    const auto is_valid = [](const Json& one) {
        return one.is_object() && one.value("set", Json()).is_string() &&
               one.value("time", Json()).is_string() && one.value("blobs", Json()).is_object();
    };
    bool valid = json.is_object() && json.value("schema", Json()) == history_schema &&
                 json.value("archives", Json()).is_array();
    if (valid)
        for (const Json& one : json["archives"]) valid = valid && is_valid(one);
    if (!valid)
        throw Error(fmt::format("{} is not a history of archives", file.string()),
                    "remove it, and fill an archive with everything, without --since");
    return std::move(json["archives"]);
}

} // namespace

CarriedBlobs carried_since(const fs::path& prefix, const std::string& since) {
    const std::string time = since.size() == 10 ? since + "T00:00:00Z" : since;
    const auto before = since == "last" ? std::nullopt : cluster::time_of(time);
    if (since != "last" && !before)
        throw RequestError(fmt::format("{} is neither last nor a date", since),
                           "write last, 2026-01-31 or 2026-01-31T12:00:00Z");
    CarriedBlobs carried;
    for (const Json& archive : read_history(prefix)) {
        const auto written = cluster::time_of(archive["time"].get<std::string>());
        if (before && (!written || *written >= *before)) continue;
        carried.archives.push_back(archive["set"].get<std::string>());
        for (const auto& [digest, repository] : archive["blobs"].items())
            if (repository.is_string()) carried.blobs[digest] = repository.get<std::string>();
    }
    if (carried.archives.empty())
        throw RequestError(fmt::format("{} records no archive{}", history_file(prefix).string(),
                                       before ? " before that time" : ""),
                           "fill one with everything first, without --since");
    return carried;
}

void remember_archive(const fs::path& prefix, const WrittenArchive& archive) {
    Json archives = read_history(prefix);
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    archives.push_back(Json{{"set", archive.set},
                            {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                            {"blobs", archive.blobs}});
    write_file(history_file(prefix),
               as_document(Json{{"schema", history_schema}, {"archives", std::move(archives)}}));
}

} // namespace opcat
