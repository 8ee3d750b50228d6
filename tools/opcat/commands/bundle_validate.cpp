#include "command.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "input.hpp"
#include "olm_release_flags.hpp"
#include "opcat/base/batch.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/bundle_checks.hpp"
#include "references.hpp"
#include "report_flags.hpp"
#include "sharding.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

namespace opcat {
namespace {

using Json = nlohmann::ordered_json;

struct BundleValidateOptions {
    std::vector<std::string> references;
    BundleSuite suite = BundleSuite::standard;
    std::string kubernetes_version;
    std::string categories;
    std::string policy;
    OlmReleaseFlags olm;
    ConfigurationFlags configuration;
    ReportFlags report;
    std::string batch;
    ImageFlags images;
};

// As SelectionOptions::asked.
std::string asked_of(const BundleValidateOptions& options) {
    std::string asked = "bundle validate";
    if (options.suite != BundleSuite::standard)
        asked += options.suite == BundleSuite::all ? " --suite all" : " --suite operatorhub";
    if (!options.kubernetes_version.empty()) asked += " --kubernetes-version " + options.kubernetes_version;
    if (!options.categories.empty()) asked += " --categories " + options.categories;
    if (!options.policy.empty()) asked += " --policy " + options.policy;
    return asked;
}

// {"categories": ["Database"]}
std::vector<std::string> read_categories(const std::string& path) {
    const auto file = read_file(path, path, uint64_t{1} << 20);
    const Json json = parse_json<Json>(file->bytes());
    const auto refuse = [&](std::string_view why) {
        return RequestError(fmt::format("cannot use the categories in {}: {}", path, why),
                            "it must hold an object such as {\"categories\": [\"Database\"]}");
    };
    if (!json.is_object() || !json.contains("categories")) throw refuse("it has no \"categories\"");
    std::vector<std::string> categories;
    for (const Json& item : json["categories"]) {
        if (!item.is_string()) throw refuse("a category is not a string");
        categories.push_back(item.get<std::string>());
    }
    return categories;
}

BundleCheckOptions check_options(const BundleValidateOptions& options) {
    BundleCheckOptions checks{
        .suite = options.suite, .kubernetes_version = options.kubernetes_version, .categories = std::nullopt};
    if (options.policy.empty() && options.olm.given())
        throw RequestError("--olm-release and --feature-set need --policy olm-v1");
    if (!options.policy.empty()) checks.olm_v1 = options.olm.read();
    std::string categories = options.categories;
    if (categories.empty())
        if (const auto path = path_variable("OPERATOR_BUNDLE_CATEGORIES")) categories = path->string();
    if (!categories.empty()) checks.categories = read_categories(categories);
    return checks;
}

// ---- for people

struct Checked {
    std::vector<CheckedBundle> bundles;
    std::vector<FoundIn> findings; // of each
    Subjects subjects;
};

// Directories may be named twice, or lie in each other.
class Reported {
public:
    void remove_from(Diagnostics& findings) {
        std::erase_if(findings, [&](const Diagnostic& finding) {
            const SourceFile* const file = finding.where.file;
            return !keys_
                        .emplace(file ? real_path(*file) : std::string(), finding.where.offset, finding.rule,
                                 finding.message)
                        .second;
        });
    }

private:
    // Returns the real path; the name for files in images, which do not exist under their names.
    const std::string& real_path(const SourceFile& file) {
        const auto [known, is_new] = paths_.try_emplace(&file);
        if (!is_new) return known->second;
        std::error_code failed;
        const auto path = std::filesystem::weakly_canonical(file.path(), failed);
        known->second = failed ? file.path() : path.string();
        return known->second;
    }

    std::set<std::tuple<std::string, uint32_t, std::string_view, std::string>> keys_;
    std::map<const SourceFile*, std::string> paths_;
};

Checked check_all(const std::vector<BundleFiles>& bundles, const BundleCheckOptions& options,
                  Session& session) {
    Checked checked;
    checked.bundles.resize(bundles.size());
    session.pool().for_each(bundles.size(), [&](size_t i) {
        checked.bundles[i] = check_bundle(bundles[i].directory, bundles[i].shown, options);
    });
    Reported reported;
    for (CheckedBundle& bundle : checked.bundles) {
        checked.subjects.add(bundle.objects);
        reported.remove_from(bundle.findings);
        checked.findings.push_back({.findings = std::move(bundle.findings)});
    }
    return checked;
}

void run(const BundleValidateOptions& options, Session& session) {
    if (options.references.empty())
        throw RequestError("no bundle is named", "name a directory or an image, or use --batch");
    if (!options.kubernetes_version.empty())
        read_kubernetes_version(options.kubernetes_version, "--kubernetes-version 1.25");
    check_report_flags(options.report, options.references);
    std::vector<Configuration> configurations;
    for (const std::string& reference : options.references) {
        auto configuration = configuration_for(reference, options.configuration, session);
        if (!configuration) return;
        configurations.push_back(*std::move(configuration));
    }
    const auto baseline = load_baseline(options.report, session);
    if (!baseline) return;
    const BundleCheckOptions checks = check_options(options);
    const std::vector<BundleFiles> bundles =
        open_bundle_files(options.references, opening(options.images, session), session.pool());
    Checked checked = check_all(bundles, checks, session);
    for (size_t i = 0; i < bundles.size(); ++i) {
        FoundIn& found = checked.findings[i];
        found.configuration = &configurations[i];
        found.remarks = &checked.bundles[i].remarks;
        found.complete = checked.bundles[i].loads && checks.suite == BundleSuite::all;
    }
    report(select_findings(
               std::move(checked.findings), checked.subjects,
               {.baseline = &*baseline, .strict = options.report.strict, .asked = asked_of(options)}),
           checked.subjects, counted(bundles.size(), "bundle") + " checked", {}, options.report, session);
}

// ---- --batch

std::string answer_to(const BatchLine& line, const BundleCheckOptions& checks) {
    try {
        const Json question = question_in(line);
        BundleCheckOptions options = checks;
        if (question.contains("kubernetesVersion"))
            options.kubernetes_version = string_in(question, "kubernetesVersion");
        const CountedBundle counted = count_findings_of_validators(string_in(question, "dir"), options);
        Json found = Json::object();
        for (const ValidatorCounts& counts : counted.found) {
            Json& of_validator = found[std::string(counts.validator)];
            if (counts.errors > 0) of_validator["Error"] = counts.errors;
            if (counts.warnings > 0) of_validator["Warning"] = counts.warnings;
        }
        return as_batch_line({{"loads", counted.loads}, {"found", std::move(found)}});
    } catch (const Error& error) {
        return as_batch_line({{"error", why_refused(line, error)}});
    }
}

void run_batch(const BundleValidateOptions& options, Session& session) {
    const BundleCheckOptions checks = check_options(options);
    const auto file = read_input(options.batch);
    std::vector<BatchLine> lines;
    for_each_batch_line(*file, [&](const BatchLine& line) { lines.push_back(line); });
    std::vector<std::string> answers(lines.size());
    session.pool().for_each(lines.size(), [&](size_t i) { answers[i] = answer_to(lines[i], checks); });
    BatchAnswers printed(session);
    for (const std::string& answer : answers) printed.print(answer);
    printed.finish();
}

} // namespace

void add_bundle_validate(Command bundle, Session& session) {
    const Command command =
        bundle.add_command("validate", "Check bundles as operator-sdk does, with file, line and column");
    const auto options = std::make_shared<BundleValidateOptions>();
    const Option references =
        command.add_option("REF", options->references, "A bundle: a directory or an image");
    command.add_choice(
        "--suite SUITE", options->suite,
        {{"default", BundleSuite::standard},
         {"operatorhub", BundleSuite::operatorhub},
         {"all", BundleSuite::all}},
        "default: the requirements of OLM; operatorhub: also those of OperatorHub.io; all: also "
        "recommendations");
    command.add_option("--kubernetes-version VERSION", options->kubernetes_version,
                       "The version that the bundle is for: using an API that it does not have is an error");
    command.add_option("--categories FILE", options->categories,
                       "A JSON file with the known categories, instead of those of OperatorHub.io "
                       "(default: the variable OPERATOR_BUNDLE_CATEGORIES)");
    command
        .add_option(
            "--policy", options->policy,
            "Also require that OLM v1 can install the bundle and gives the operator what it needs: olm-v1")
        .one_of({"olm-v1"});
    add_olm_release_flags(command, options->olm);
    const ReportOptions reports = add_report_flags(command, options->report);
    add_configuration_flags(command, options->configuration);
    command
        .add_option(
            "--batch FILE", options->batch,
            "Answer the questions in a file of JSON Lines, - for standard input: {\"dir\": DIRECTORY, "
            "\"kubernetesVersion\": VERSION}")
        .excludes(references)
        .excludes(reports.files)
        .excludes(reports.summary);
    add_image_flags(command, options->images);
    command.footer("Examples:\n"
                   "  opcat bundle validate bundle/\n"
                   "  opcat bundle validate --suite all --kubernetes-version 1.25 bundle/\n"
                   "  opcat bundle validate --policy olm-v1 bundle/\n"
                   "  opcat bundle validate --rule csv-icon=off --baseline known.json bundle/\n"
                   "  opcat bundle validate --format github registry.example/shop-bundle:v1.0.0\n\n"
                   "Its errors include what OLM classic would not install, and its notes what OLM v1 would "
                   "not (`opcat bundle "
                   "predict`). `opcat explain RULE` explains a rule. Levels of rules, overrides and comments "
                   "that suppress "
                   "findings work as for `opcat validate`.\nExit status: 0 if there are no errors, 1 if "
                   "there are.");
    command.callback([options, &session] {
        if (options->batch.empty())
            run(*options, session);
        else
            run_batch(*options, session);
    });
}

// opm validates one image, which it pulls with the tool that -b names; opcat pulls it itself.
void add_opm_bundle_validate(Command alpha, Session& session) {
    struct OpmOptions {
        std::string image;
        std::string builder = "docker";
        std::vector<std::string> optional;
    };
    const auto options = std::make_shared<OpmOptions>();
    const Command group = alpha.add_command("bundle", "Operator bundle commands");
    group.needs_command();
    const Command command = group.add_command("validate", "Validate the image of a bundle");
    command.add_option("-t,--tag IMAGE", options->image, "The image").required();
    command.add_option("-b,--image-builder", options->builder, "Ignored: opcat pulls the image itself")
        .one_of({"docker", "podman", "none"});
    command
        .add_option("-o,--optional-validators", options->optional,
                    "Further checks: operatorhub, bundle-objects")
        .comma_separated()
        .one_of({"operatorhub", "bundle-objects"});
    command.callback([options, &session] {
        const bool for_operatorhub = std::find(options->optional.begin(), options->optional.end(),
                                               "operatorhub") != options->optional.end();
        const std::vector<BundleFiles> bundles =
            open_bundle_files({options->image}, opening({}, session), session.pool());
        const OpmVerdict verdict = validate_as_opm(bundles.front().directory, bundles.front().shown,
                                                   for_operatorhub, check_options({}));
        const std::vector<std::string>& errors = verdict.format_errors;
        const bool crashes = std::find(errors.begin(), errors.end(), "") != errors.end();
        if (!errors.empty() && !crashes) {
            session.print_error(fmt::format("Bundle validation errors: {}", fmt::join(errors, ",")));
            session.exit_status = exit_findings;
            return;
        }
        print_findings(verdict.findings, session);
        if (has_errors(verdict.findings))
            session.exit_status = exit_findings;
        else
            session.print("All validation tests have been completed successfully\n");
    });
}

} // namespace opcat
