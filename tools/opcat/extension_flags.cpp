#include "extension_flags.hpp"

#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

// Pairs that may be several in a value, separated by commas.
kube::Labels labels_in(const std::vector<std::string>& pairs, const char* flag) {
    kube::Labels labels;
    for (const std::string& pair : pairs) {
        const size_t equals = pair.find('=');
        if (equals == std::string::npos)
            throw RequestError(fmt::format("{} {}: this is not KEY=VALUE", flag, pair));
        const std::string key = pair.substr(0, equals);
        const std::string value = pair.substr(equals + 1);
        std::vector<std::string> errors = kube::label_key_errors(key);
        for (std::string& error : kube::label_value_errors(value)) errors.push_back(std::move(error));
        if (!errors.empty())
            throw RequestError(
                fmt::format("{} {}: this is not a label: {}", flag, pair, fmt::join(errors, "; ")));
        labels[key] = value;
    }
    return labels;
}

// "a.b\.c" is the field "b.c" of the field "a".
std::vector<std::string> fields_in_key(std::string_view text) {
    std::vector<std::string> path(1);
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '.')
            path.back() += text[++i];
        else if (text[i] == '.')
            path.emplace_back();
        else
            path.back() += text[i];
    }
    return path;
}

Object field_in(const std::string& pair, size_t equals) {
    Json json = pair.substr(equals + 1);
    const std::vector<std::string> path = fields_in_key(std::string_view(pair).substr(0, equals));
    for (auto part = path.rbegin(); part != path.rend(); ++part) {
        if (part->empty())
            throw RequestError(fmt::format("--config {}: the name of a field is empty", pair),
                               "write KEY=VALUE, with dots between the names of fields");
        json = Json{{*part, std::move(json)}};
    }
    return object_of(json);
}

Object fields_in_file(const std::string& path) {
    const std::unique_ptr<SourceFile> file = read_input(path);
    Diagnostics problems;
    Arena arena;
    Json config = Json::object();
    size_t documents = 0;
    for (const DocumentRange& range : split_into_documents(*file, problems)) {
        Diagnostic problem;
        const auto document = read_document(*file, range, arena, problem);
        if (!document) {
            problems.push_back(std::move(problem));
        } else if (!document->is_null()) {
            if (++documents > 1 || !document->is_object())
                throw RequestError(fmt::format("--config {}: this is not one object", path),
                                   "write the fields of spec.config.inline, such as watchNamespace: shop");
            config = json_of(*document);
        }
    }
    if (!problems.empty()) throw RequestError(fmt::format("--config {}: {}", path, problems.front().message));
    return object_of(config);
}

Object config_in(const std::vector<std::string>& values, const std::vector<std::string>& watch) {
    constexpr const char* watched = "watchNamespace";
    Object config;
    for (const std::string& value : values) {
        const size_t equals = value.find('=');
        // A file whose path has an equals sign is given as ./a=b.
        const bool is_pair =
            equals != std::string::npos && !value.starts_with('/') && !value.starts_with('.');
        config = merged(config, is_pair ? field_in(value, equals) : fields_in_file(value));
    }
    if (watch.empty()) return config;
    if (watch.size() > 1)
        throw RequestError("OLM v1 lets an operator watch one namespace, and there are several "
                           "--watch-namespace");
    if (config.at(watched))
        throw RequestError("--watch-namespace and watchNamespace of --config exclude each other");
    return merged(config, object_of({{watched, watch.front()}}));
}

// The API server names the bounds.
std::optional<int64_t> minutes_in(const std::string& duration) {
    if (duration.empty()) return std::nullopt;
    constexpr int64_t minute = 60'000;
    const int64_t milliseconds = duration_of(duration)->count();
    if (milliseconds % minute != 0)
        throw RequestError(fmt::format("--progress-deadline {}: OLM v1 counts whole minutes", duration),
                           "write a duration such as 30m");
    return milliseconds / minute;
}

} // namespace

void ExtensionFlags::require_none(std::string_view olm) const {
    const std::pair<bool, const char*> flags[] = {{!config.empty(), "--config"},
                                                  {!progress_deadline.empty(), "--progress-deadline"},
                                                  {!crd_upgrade_safety.empty(), "--crd-upgrade-safety"},
                                                  {!catalog_selector.empty(), "--catalog-selector"},
                                                  {!labels.empty(), "--label"}};
    for (const auto& [given, flag] : flags)
        if (given) throw RequestError(fmt::format("{} is for OLM v1, and this is {}", flag, olm));
}

ExtensionSettings ExtensionFlags::settings(const std::vector<std::string>& watch,
                                           const std::string& catalog) const {
    if (!catalog.empty() && !catalog_selector.empty())
        throw RequestError("--catalog and --catalog-selector exclude each other");
    return {.catalog_labels = labels_in(catalog_selector, "--catalog-selector"),
            .config = config_in(config, watch),
            .progress_deadline = minutes_in(progress_deadline),
            .crd_upgrade_safety = crd_upgrade_safety,
            .labels = labels_in(labels, "--label")};
}

void add_extension_flags(Command command, ExtensionFlags& flags) {
    command.add_option(
        "--config FILE|KEY=VALUE", flags.config,
        "OLM v1: configuration of the operator: a file with fields of spec.config.inline, or a "
        "field and its text, with dots between names");
    command
        .add_option("--progress-deadline", flags.progress_deadline,
                    "OLM v1: when a rollout counts as failed, from 10m to 12h")
        .duration();
    command
        .add_option("--crd-upgrade-safety", flags.crd_upgrade_safety,
                    "OLM v1: whether changes of definitions that may lose data are refused: Strict or None")
        .one_of({"Strict", "None"});
    command
        .add_option("--catalog-selector KEY=VALUE", flags.catalog_selector,
                    "OLM v1: choose from the catalogs with these labels, in place of --catalog")
        .comma_separated();
    command.add_option("--label KEY=VALUE", flags.labels, "OLM v1: a label for the objects that opcat makes");
}

} // namespace opcat
