#include "base/error.hpp"
#include "base/file.hpp"
#include "batch.hpp"
#include "cluster_flow.hpp"
#include "document/stream.hpp"
#include "input.hpp"
#include "resolve_classic.hpp"
#include "resolve_classic_report.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// A small YAML file of the program's own making: its first document.
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
    Scenario(const fs::path& directory, cluster::ClassicCatalogCache& cache)
        : settings_(directory / "scenario.yaml") {
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
            add(key, std::string(member.value.string_or_empty()), directory, cache);
        }
    }

    std::string global_ns() const { return settings_.text("globalCatalogNamespace"); }

    classic::ClusterState cluster;
    std::vector<classic::AvailableCatalog> catalogs;

private:
    void add(const classic::CatalogKey& key, const std::string& reference, const fs::path& directory,
             cluster::ClassicCatalogCache& cache) {
        if (reference.empty()) return;
        constexpr std::string_view unreachable = "unreachable:";
        if (reference.starts_with(unreachable))
            catalogs.push_back(
                {key, nullptr, cluster::unreachable_catalog(reference.substr(unreachable.size()))});
        else
            catalogs.push_back(cache.catalog(key, (directory / reference).lexically_normal().string()));
    }

    Settings settings_;
};

Json answer_to(const Json& request, cluster::ClassicCatalogCache& cache) {
    const std::string& ns = string_in(request, "namespace");
    const Scenario scenario(string_in(request, "scenario"), cache);
    const classic::Prediction prediction =
        classic::predict({ns, scenario.global_ns(), &scenario.cluster, scenario.catalogs});
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
    if (!prediction.error().empty()) result["error"] = prediction.error();
    if (!prediction.findings.empty()) result["findings"] = to_json(prediction.findings);
    return result;
}

} // namespace

void answer_resolve_classic_batch(const std::string& path, const ImageFlags& images, Session& session) {
    cluster::ClassicCatalogCache cache(catalog_access(images, session));
    const auto file = read_input(path);
    for_each_batch_line(*file, [&](const BatchLine& line) {
        Json result;
        try {
            result = answer_to(question_in(line), cache);
        } catch (const Error& error) {
            result = {{"error", why_refused(line, error)}};
        }
        session.out.write(as_batch_line(result));
    });
}

} // namespace opcat
