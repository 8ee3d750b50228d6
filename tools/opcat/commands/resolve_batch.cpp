// Requests and answers of `opcat resolve v1 --batch`: docs/resolve-batch.md.

#include "classic_inputs.hpp"
#include "commands/resolve.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/resolve/v1/installed.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "opcat/workspace/classic_sources.hpp"
#include "references.hpp"
#include "sharding.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

namespace opcat {
namespace {

using namespace olmv1;
using Json = nlohmann::ordered_json;

constexpr size_t most_catalogs = 1000;

struct CatalogLine {
    NamedCatalog catalog;
    std::string reference;
};

struct Line {
    std::string error; // why the line is not a request; the other fields are then empty
    Request request;
    std::string installed; // in the user's form, to be read with the loaded catalogs; empty: nothing
    std::vector<CatalogLine> catalogs;
    std::optional<size_t> candidates; // how many of each catalog to report
};

const Json* find(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

RequestError wrong(const char* name, const char* wanted) {
    return RequestError(fmt::format("\"{}\" must be {}", name, wanted));
}

std::string string_of(const Json& object, const char* name, bool required) {
    const Json* const value = find(object, name);
    if (!value && !required) return {};
    if (!value || !value->is_string()) throw wrong(name, "a string");
    return value->get<std::string>();
}

std::vector<std::string> strings_of(const Json& object, const char* name) {
    const Json* const value = find(object, name);
    if (!value) return {};
    if (!value->is_array()) throw wrong(name, "a list of strings");
    std::vector<std::string> strings;
    for (const Json& item : *value) {
        if (!item.is_string()) throw wrong(name, "a list of strings");
        strings.push_back(item.get<std::string>());
    }
    return strings;
}

Labels labels_of(const Json& object, const char* name) {
    Labels labels;
    const Json* const value = find(object, name);
    if (!value) return labels;
    if (!value->is_object()) throw wrong(name, "an object of strings");
    for (const auto& [key, label] : value->items()) {
        if (!label.is_string()) throw wrong(name, "an object of strings");
        labels[key] = label.get<std::string>();
    }
    return labels;
}

LabelSelectorSpec selector_of(const Json& value) {
    if (!value.is_object()) throw wrong("selector", "an object");
    LabelSelectorSpec selector;
    selector.match_labels = labels_of(value, "matchLabels");
    if (const Json* const expressions = find(value, "matchExpressions")) {
        if (!expressions->is_array()) throw wrong("matchExpressions", "a list of objects");
        for (const Json& item : *expressions) {
            if (!item.is_object()) throw wrong("matchExpressions", "a list of objects");
            selector.match_expressions.push_back({string_of(item, "key", true),
                                                  string_of(item, "operator", true),
                                                  strings_of(item, "values")});
        }
    }
    return selector;
}

InstalledBundle installed_of(const Json& value) {
    if (!value.is_object()) throw wrong("installed", "an object or a string");
    InstalledBundle installed{string_of(value, "name", true), string_of(value, "version", true),
                              std::nullopt};
    if (find(value, "release")) installed.release = string_of(value, "release", true);
    return installed;
}

CatalogLine catalog_of(const Json& value) {
    if (!value.is_object()) throw wrong("catalogs", "a list of objects");
    CatalogLine line;
    line.catalog.name = string_of(value, "name", true);
    line.reference = string_of(value, "ref", true);
    line.catalog.labels = labels_of(value, "labels");
    if (const Json* const priority = find(value, "priority")) {
        if (!priority->is_number_integer()) throw wrong("priority", "an integer");
        const auto number = priority->get<int64_t>();
        if (number != static_cast<int32_t>(number)) throw wrong("priority", "an integer of 32 bits");
        line.catalog.priority = static_cast<int32_t>(number);
    }
    if (const Json* const unavailable = find(value, "unavailable")) {
        if (!unavailable->is_boolean()) throw wrong("unavailable", "true or false");
        line.catalog.unavailable = unavailable->get<bool>();
    }
    return line;
}

std::string feature_set_of(const Json& line) {
    std::string name = string_of(line, "featureSet", false);
    if (!name.empty() && name != "standard" && name != "experimental")
        throw wrong("featureSet", "standard or experimental");
    return name;
}

Line read_line(const Json& value) {
    Line line;
    const Json* const catalogs = find(value, "catalogs");
    if (!catalogs || !catalogs->is_array()) throw wrong("catalogs", "a list of objects");
    if (catalogs->size() > most_catalogs) throw wrong("catalogs", "at most 1000");
    for (const Json& catalog : *catalogs) line.catalogs.push_back(catalog_of(catalog));
    Request& request = line.request;
    request.package = string_of(value, "package", true);
    request.version = string_of(value, "version", false);
    request.channels = strings_of(value, "channels");
    const std::string policy = string_of(value, "policy", false);
    if (policy == to_string(Policy::self_certified))
        request.policy = Policy::self_certified;
    else if (!policy.empty() && policy != to_string(request.policy))
        throw wrong("policy", "CatalogProvided or SelfCertified");
    if (const Json* const installed = find(value, "installed")) {
        if (installed->is_string())
            line.installed = installed->get<std::string>();
        else
            request.installed = installed_of(*installed);
    }
    if (const Json* const selector = find(value, "selector")) request.selector = selector_of(*selector);
    if (find(value, "olmRelease") || find(value, "featureSet")) {
        request.installer = Installer{
            .release = OlmRelease::named(string_of(value, "olmRelease", false), feature_set_of(value))};
        request.release_support = request.installer->release.supports_bundle_releases();
    }
    for (const std::string& feature : strings_of(value, "features")) {
        if (feature != "BundleReleaseSupport")
            throw RequestError(fmt::format("there is no feature \"{}\"", feature));
        request.release_support = true;
    }
    if (const Json* const candidates = find(value, "candidates")) {
        if (!candidates->is_number_unsigned()) throw wrong("candidates", "the number to report");
        line.candidates = candidates->get<size_t>();
    }
    return line;
}

Json notice_of(const DeprecationNotice& notice) {
    Json json = {{"catalog", notice.catalog}, {"entries", notice.entries}};
    if (notice.package) json["package"] = *notice.package;
    for (const auto& [name, message] : notice.channels) json["channels"][std::string(name)] = message;
    if (notice.bundle) json["bundle"] = *notice.bundle;
    if (notice.installed) json["installed"] = *notice.installed;
    return json;
}

void put_choice(Json& answer, const Request& request, const Choice& choice) {
    answer["bundle"] = choice.bundle->name();
    answer["version"] = choice.version;
    if (choice.release) answer["release"] = *choice.release;
    answer["catalog"] = choice.catalog->name;
    if (const auto notice = deprecation_notice(request, choice)) answer["deprecation"] = notice_of(*notice);
}

// Throws RequestError for a malformed installed bundle.
Json answer_to(Line& line) {
    if (!line.error.empty()) return {{"error", line.error}};
    std::vector<NamedCatalog> catalogs;
    for (const CatalogLine& catalog : line.catalogs) catalogs.push_back(catalog.catalog);
    if (!line.installed.empty())
        line.request.installed = read_installed(line.installed, line.request, catalogs);
    const Resolution resolution = resolve(line.request, catalogs);
    Json answer = Json::object();
    if (resolution.choice) {
        const Choice& choice = *resolution.choice;
        put_choice(answer, line.request, choice);
        if (const auto verdict = judge_install(line.request, choice))
            answer["install"] = to_json(line.request, choice, *verdict);
    }
    if (!resolution.error.empty()) answer["error"] = resolution.error;
    if (resolution.unvalidated) put_choice(answer["unvalidated"], line.request, *resolution.unvalidated);
    if (!line.candidates) return answer;
    for (const CatalogAnswer& catalog : resolution.catalogs)
        for (size_t i = 0; i < std::min(*line.candidates, catalog.candidates.size()); ++i)
            answer["candidates"][catalog.catalog->name].push_back(catalog.candidates[i]->name());
    return answer;
}

class Batch {
public:
    Batch(const ImageFlags& images, Session& session) : session_(session), cache_(session, images) {}

    std::vector<std::string> answer(std::span<const BatchLine> block) {
        std::vector<Line> lines(block.size());
        session_.pool().for_each(block.size(), [&](size_t i) {
            try {
                lines[i] = read_line(question_in(block[i]));
            } catch (const RequestError& error) {
                lines[i].error = why_refused(block[i], error);
            }
        });
        for (Line& line : lines)
            for (CatalogLine& catalog : line.catalogs)
                catalog.catalog.index = &cache_.index_or_failure(catalog.reference);
        std::vector<std::string> answers(block.size());
        session_.pool().for_each(block.size(), [&](size_t i) {
            try {
                answers[i] = as_batch_line(answer_to(lines[i]));
            } catch (const RequestError& error) {
                answers[i] = as_batch_line({{"error", why_refused(block[i], error)}});
            }
        });
        return answers;
    }

private:
    Session& session_;
    CatalogCache cache_;
};

} // namespace

void answer_resolve_v1_batch(const BatchFlags& flags, const ImageFlags& images, Session& session) {
    Batch batch(images, session);
    run_batch(
        flags, "resolve v1", [&](std::span<const BatchLine> lines) { return batch.answer(lines); }, images,
        session);
}

namespace {

namespace fs = std::filesystem;

// A small YAML file from the program itself: its first document.
class Settings {
public:
    explicit Settings(const fs::path& path) : file_(read_file(path, path.string())) {
        Diagnostics problems;
        const auto documents = split_into_documents(*file_, problems);
        Diagnostic problem;
        if (documents.empty()) return;
        const auto value = read_document(*file_, documents[0], arena_, problem);
        if (!value) throw Error(fmt::format("cannot read {}: {}", path.string(), problem.message));
        value_ = *value;
    }
    std::string text(std::string_view key) const {
        const Value* const found = value_.find(key);
        return std::string(found ? found->string_or_empty() : std::string_view());
    }
    const Value& value() const { return value_; }

private:
    std::unique_ptr<SourceFile> file_;
    Arena arena_;
    Value value_;
};

// A scenario: a directory with the cluster's objects and the catalogs of its CatalogSources.
class Scenario {
public:
    Scenario(const fs::path& directory, ClassicSources& sources) : settings_(directory / "scenario.yaml") {
        const fs::path objects = directory / "cluster.yaml";
        Diagnostics findings;
        classic::read_manifests(read_file(objects, objects.string()), cluster, findings);
        if (!findings.empty())
            throw Error(fmt::format("cannot read {}: {}", objects.string(), findings[0].message));
        const Settings listed(directory / "catalogs.yaml");
        if (!listed.value().is_object()) return;
        for (const Member& member : listed.value().members()) {
            const std::string_view name = member.key.string();
            const size_t slash = name.find('/');
            const classic::CatalogKey key{std::string(name.substr(0, slash)),
                                          std::string(name.substr(slash + 1))};
            add(key, std::string(member.value.string_or_empty()), directory, sources);
        }
    }

    std::string global_ns() const { return settings_.text("globalCatalogNamespace"); }

    classic::ClusterState cluster;
    std::vector<classic::AvailableCatalog> catalogs;

private:
    void add(const classic::CatalogKey& key, const std::string& reference, const fs::path& directory,
             ClassicSources& sources) {
        if (reference.empty()) return;
        constexpr std::string_view unreachable = "unreachable:";
        if (reference.starts_with(unreachable))
            catalogs.push_back(
                {key, nullptr, classic::unreachable_catalog(reference.substr(unreachable.size()))});
        else
            catalogs.push_back(sources.catalog(key, (directory / reference).lexically_normal().string()));
    }

    Settings settings_;
};

Json answer_to(const Json& request, ClassicSources& sources) {
    const std::string& ns = string_in(request, "namespace");
    const Scenario scenario(string_in(request, "scenario"), sources);
    const classic::Prediction prediction =
        classic::predict({ns, scenario.global_ns(), &scenario.cluster, scenario.catalogs}, input_names());
    const classic::Resolution& resolution = prediction.resolution;
    Json operators = Json::array();
    for (const classic::ResolvedOperator& resolved : resolution.operators) {
        const classic::Entry& entry = *resolved.entry;
        operators.push_back({{"name", entry.name},
                             {"version", entry.version_text()},
                             {"package", entry.package},
                             {"channel", entry.channel},
                             {"catalog", entry.snapshot->key.to_string()}});
    }
    Json result{{"operators", std::move(operators)}, {"error", nullptr}, {"conflicts", resolution.conflicts}};
    if (!prediction.resolution.error.empty()) result["error"] = prediction.resolution.error;
    if (!prediction.findings.empty()) result["findings"] = to_json(prediction.findings);
    return result;
}

} // namespace

void answer_resolve_classic_batch(const BatchFlags& flags, const ImageFlags& images, Session& session) {
    ClassicSources sources(opening(images, session), session.pool());
    const auto answer = [&](const BatchLine& line) -> Json {
        try {
            return answer_to(question_in(line), sources);
        } catch (const Error& error) {
            return {{"error", why_refused(line, error)}};
        }
    };
    run_batch(
        flags, "resolve classic",
        [&](std::span<const BatchLine> lines) {
            std::vector<std::string> answers;
            for (const BatchLine& line : lines) answers.push_back(as_batch_line(answer(line)));
            return answers;
        },
        images, session);
}

} // namespace opcat
