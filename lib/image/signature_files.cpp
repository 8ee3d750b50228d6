#include "opcat/image/signature_files.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/manifest.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace opcat::image {
namespace {

constexpr size_t max_signatures = 128; // of one manifest, as engines have it
constexpr std::string_view file_scheme = "file://";

// One file of a store on this machine.
std::optional<std::string> read_stored(std::string_view url) {
    const auto path = unescape_url(url.substr(file_scheme.size()));
    if (!path) throw Error(fmt::format("{} is not a valid URL", printable(url)));
    std::error_code absent;
    if (!std::filesystem::exists(*path, absent)) return std::nullopt;
    return std::string(read_file(*path, *path, max_document_size)->bytes());
}

std::optional<std::string> fetch_stored(HttpClient& http, const Options& options, const std::string& url) {
    HttpRequest request;
    request.url = Url::parse(url);
    request.retries = options.retries;
    HttpResponse answer = http.send(request);
    if (answer.status == 404) return std::nullopt;
    if (answer.status != 200) throw Error(fmt::format("{} answered {}", request.url.shown(), answer.status));
    return std::move(answer.body);
}

} // namespace

std::vector<std::string> signature_files(HttpClient& http, const Options& options, const std::string& place) {
    std::vector<std::string> files;
    while (true) {
        const std::string url = signature_url(place, files.size() + 1);
        auto file = url.starts_with(file_scheme) ? read_stored(url) : fetch_stored(http, options, url);
        if (!file) return files;
        if (files.size() == max_signatures)
            throw Error(fmt::format("{} has more than {} signatures", printable(place), max_signatures));
        files.push_back(*std::move(file));
    }
}

std::vector<std::string> signatures_in_registry(RegistryClient& client, const Endpoint& endpoint,
                                                const std::string& digest) {
    const std::string what = "list of signatures of " + digest;
    const HttpResponse answer = client.send(
        endpoint,
        {.path = fmt::format("/extensions/v2/{}/signatures/{}", endpoint.spec.repository(), digest)});
    if (answer.status != 200) refuse(answer, endpoint, what);
    const auto unusable = [&] {
        return Error(fmt::format("{} sent a {} that cannot be read", endpoint.spec.registry(), what));
    };
    const auto json = parse_json<nlohmann::json>(answer.body);
    if (!json.is_object()) throw unusable();
    const auto listed = json.find("signatures");
    if (listed == json.end() || listed->is_null()) return {};
    if (!listed->is_array()) throw unusable();
    std::vector<std::string> messages;
    for (const auto& one : *listed) {
        if (!one.is_object() || one.value("schemaVersion", nlohmann::json()) != 2 ||
            one.value("type", nlohmann::json()) != "atomic")
            continue;
        const auto content = one.value("content", nlohmann::json());
        auto message =
            content.is_string() ? decode_base64(content.get_ref<const std::string&>()) : std::nullopt;
        if (!message) throw unusable();
        if (messages.size() == max_signatures)
            throw Error(fmt::format("{} has more than {} signatures of {}", endpoint.spec.registry(),
                                    max_signatures, digest));
        messages.push_back(*std::move(message));
    }
    return messages;
}

std::string signature_url(const std::string& place, size_t number) {
    return fmt::format("{}/signature-{}", place, number);
}

std::string file_url(const std::string& directory) {
    return std::string(file_scheme) + url_escape(directory);
}

} // namespace opcat::image
