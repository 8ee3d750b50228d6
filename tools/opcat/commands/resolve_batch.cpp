// The --batch of both resolvers: docs/resolve-batch.md, docs/resolve-classic.md.

#include "classic_inputs.hpp"
#include "commands/resolve.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
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
                catalog.catalog.index = &cache_.sources.index(catalog.reference);
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

// A small YAML file: one mapping.
class Settings {
public:
    explicit Settings(const fs::path& path) : file_(read_file(path, path.string())) {
        const auto refuse = [&](std::string_view why) {
            return Error(fmt::format("cannot read {}: {}", path.string(), why));
        };
        Diagnostics problems;
        const auto documents = split_into_documents(*file_, problems);
        if (!problems.empty()) throw refuse(problems.front().message);
        if (documents.size() != 1) throw refuse("it is not one document");
        Diagnostic problem;
        const auto value = read_document(*file_, documents[0], arena_, problem);
        if (!value) throw refuse(problem.message);
        if (!value->is_object()) throw refuse("it is not a mapping");
        value_ = *value;
    }
    // Throws Error if it has no such text.
    std::string text(std::string_view key) const {
        const Value* const found = value_.find(key);
        if (!found || !found->is_string())
            throw Error(fmt::format("cannot read {}: it has no text {}", file_->path(), go_quote(key)));
        return std::string(found->string());
    }
    std::span<const Member> members() const { return value_.members(); }

private:
    std::unique_ptr<SourceFile> file_;
    Arena arena_;
    Value value_;
};

// A scenario: a directory with the cluster's objects and the catalogs of its CatalogSources.
class Scenario {
public:
    Scenario(const fs::path& directory, ClassicSources& sources)
        : global_ns(Settings(directory / "scenario.yaml").text("globalCatalogNamespace")) {
        const fs::path objects = directory / "cluster.yaml";
        Diagnostics findings;
        classic::read_manifests(read_file(objects, objects.string()), cluster, findings);
        if (!findings.empty())
            throw Error(fmt::format("cannot read {}: {}", objects.string(), findings[0].message));
        const Settings listed(directory / "catalogs.yaml");
        for (const Member& member : listed.members()) {
            const std::string_view name = member.key.string();
            const size_t slash = name.find('/');
            if (slash == name.npos)
                throw Error(fmt::format("{} names no catalog as NAMESPACE/NAME",
                                        (directory / "catalogs.yaml").string()));
            const classic::CatalogKey key{std::string(name.substr(0, slash)),
                                          std::string(name.substr(slash + 1))};
            add(key, listed.text(name), directory, sources);
        }
    }

    const std::string global_ns;
    classic::ClusterState cluster;
    std::vector<classic::AvailableCatalog> catalogs;

private:
    void add(const classic::CatalogKey& key, const std::string& reference, const fs::path& directory,
             ClassicSources& sources) {
        if (reference.empty()) return; // OLM has not connected to it
        constexpr std::string_view unreachable = "unreachable:";
        if (reference.starts_with(unreachable))
            catalogs.push_back(
                {key, nullptr, classic::unreachable_catalog(reference.substr(unreachable.size()))});
        else
            catalogs.push_back(sources.catalog(key, (directory / reference).lexically_normal().string()));
    }
};

Json answer_to(const Json& request, ClassicSources& sources) {
    static constexpr std::string_view members[] = {"namespace", "scenario"};
    refuse_misspelt(request, members);
    const std::string& ns = string_in(request, "namespace");
    const Scenario scenario(string_in(request, "scenario"), sources);
    const classic::Prediction prediction =
        classic::predict({ns, scenario.global_ns, &scenario.cluster, scenario.catalogs}, input_names());
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
