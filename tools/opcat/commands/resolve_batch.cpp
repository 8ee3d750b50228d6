// The --batch of both resolvers: docs/resolve-batch.md, docs/resolve-classic.md.

#include "classic_inputs.hpp"
#include "commands/resolve.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/resolve/v1/batch.hpp"
#include "opcat/workspace/classic_sources.hpp"
#include "references.hpp"
#include "sharding.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

namespace opcat {
namespace {

using namespace olmv1;
using Json = nlohmann::ordered_json;

class Batch {
public:
    Batch(const ImageFlags& images, Session& session) : session_(session), cache_(session, images) {}

    std::vector<std::string> answer(std::span<const BatchLine> block) {
        std::vector<BatchQuestion> questions(block.size());
        std::vector<std::string> answers(block.size());
        // `step` for each line that is not refused yet.
        const auto for_each = [&](const auto& step) {
            session_.pool().for_each(block.size(), [&](size_t i) {
                try {
                    if (answers[i].empty()) step(i);
                } catch (const RequestError& error) {
                    answers[i] = as_batch_line({{"error", why_refused(block[i], error)}});
                }
            });
        };
        for_each([&](size_t i) { questions[i] = read_batch_question(question_in(block[i])); });
        for (BatchQuestion& question : questions)
            for (BatchCatalog& catalog : question.catalogs)
                catalog.catalog.index = &cache_.index_or_failure(catalog.reference);
        for_each([&](size_t i) { answers[i] = as_batch_line(olmv1::answer_to(questions[i])); });
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
    if (!prediction.findings.empty()) result["findings"] = classic::to_json(prediction.findings);
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
