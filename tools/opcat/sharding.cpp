#include "sharding.hpp"

#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/text.hpp"
#include "opcat/shard/merge.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "shard_store.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace opcat {

namespace fs = std::filesystem;

Option add_shard_flags(Command command, ShardFlags& flags) {
    const Command shards = command.under("Shards");
    const Option shard =
        shards.add_option("--shard I/N", flags.shard,
                          "Process only part I (from 0) of N; `opcat merge` merges the outputs of all parts");
    shards.add_option("--shard-output PLACE", flags.output,
                      "Where the output of the shard goes: a directory, or an image in a registry (NAME:TAG "
                      "becomes NAME:TAG-I)");
    return shard;
}

ItemFailure failure_of(const Error& error) {
    const bool is_request = dynamic_cast<const RequestError*>(&error) != nullptr;
    return {error.what(), error.hint(), is_request ? exit_usage : exit_environment, error.temporary()};
}

ItemFailure failure_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& failure) {
        return failure_of(failure);
    }
}

ItemFailure failure_of(const Diagnostics& findings) {
    std::string text;
    for (const Diagnostic& finding : findings)
        if (finding.severity == Severity::error) text += to_text(finding, {});
    if (text.ends_with('\n')) text.pop_back();
    return {text, {}, exit_status_of(count_findings(findings)), false};
}

void check_shard_flags(const ShardFlags& flags) {
    if (flags.output.empty())
        throw RequestError("--shard needs --shard-output", "name a directory, or an image in a registry");
    if (flags.shard.empty()) throw RequestError("--shard-output needs --shard", "for example --shard 0/16");
}

namespace {

// Which images are accepted is part of what a run asks for.
std::string request_about(const ImageFlags& images) {
    std::string text;
    if (!images.signature_policy.empty()) text += "\npolicy " + content_digest({images.signature_policy});
    if (!images.signature_stores.empty()) text += "\nregistries.d " + images.signature_stores;
    if (images.require_signatures) text += "\nsigned";
    return text;
}

} // namespace

void run_shard(const ShardFlags& flags, const ShardedRun& run, const ProduceItems& produce,
               const ImageFlags& images, Session& session) {
    check_shard_flags(flags);
    const Shard shard = Shard::parse(flags.shard);
    const std::vector<size_t> own = items_of(shard, run.items);
    std::vector<std::string> files = run.files;
    if (run.output != ShardOutput::lines)
        for (const size_t item : own) files.push_back(run.items[item]);
    const RunOfShards all{.output = run.output,
                          .version = OPCAT_VERSION,
                          .digest = run_digest(run.request + request_about(images), run.items),
                          .items = run.items.size(),
                          .content = content_digest(files)};
    // Of images and of what lines name, only the names were compared.
    const bool is_local = run.output != ShardOutput::lines && std::ranges::all_of(own, [&](size_t item) {
                              std::error_code failed;
                              return fs::exists(run.items[item], failed);
                          });
    const std::string shown = fmt::format("shard {}", shard.to_string());
    if (is_stored(flags.output, shard, all, images, session)) {
        if (!session.options.quiet)
            session.print(fmt::format("{} is complete in {} already{}\n", shown, flags.output,
                                      !is_local
                                          ? "; what images and catalogs have become since is not looked "
                                            "at: to run it again, name another --shard-output"
                                          : ""));
        return;
    }
    if (!names_image(flags.output, session.manner()))
        require_apart({{"--shard-output", flags.output}}, {run.items.begin(), run.items.end()});
    std::optional<TemporaryDirectory> temporary;
    if (names_image(flags.output, session.manner())) temporary.emplace(fs::temp_directory_path());
    const fs::path directory = temporary ? temporary->path() : fs::path(flags.output);
    PartWriter writer(directory, shard, all);
    for (size_t at = 0; at < own.size(); at += run.portion)
        produce(std::span(own).subspan(at, std::min(run.portion, own.size() - at)), writer);
    writer.commit();
    store(flags.output, directory, shard, all, writer.failures().empty(), images, session);
    for (const auto& [reference, failure] : writer.failures()) {
        session.print_error(fmt::format("{}: {}", reference, failure.message), failure.hint);
        session.exit_status =
            std::max<int>(session.exit_status, failure.temporary ? exit_environment : exit_findings);
    }
    if (session.options.quiet) return;
    const size_t failed = writer.failures().size();
    session.print(fmt::format("{}: {} of {}{}\n", shown, own.size(), counted(run.items.size(), "item"),
                              failed > 0 ? fmt::format(", {} failed", failed) : ""));
}

void add_batch_flags(Command command, BatchFlags& flags, const std::string& description) {
    command.add_option("--batch FILE", flags.file, description);
    add_shard_flags(command, flags.shard);
}

void refuse_shard_without_batch(const BatchFlags& flags, std::string_view flag) {
    if (flags.file.empty() && flags.shard.given())
        throw RequestError(fmt::format("--shard is for a part of {}", flag),
                           fmt::format("add {} FILE, or leave it out", flag));
}

void BatchAnswers::print(std::string_view answer) {
    session_.out.write(answer);
    ++printed_;
    refused_ += is_refusal(answer) ? 1 : 0;
}

void BatchAnswers::finish() {
    if (refused_ == 0) return;
    session_.out.flush();
    session_.print_warning(
        fmt::format("{} of {} could not be answered", refused_, counted(printed_, "line")));
    session_.exit_status = std::max<int>(session_.exit_status, exit_findings);
}

void run_batch(const BatchFlags& flags, std::string_view command, const AnswerLines& answer,
               const ImageFlags& images, Session& session) {
    // Enough to keep all threads busy, few enough to keep memory bounded.
    constexpr size_t portion = 4096;
    const auto file = read_list(flags.file);
    std::vector<BatchLine> lines;
    for_each_batch_line(*file, [&](const BatchLine& line) { lines.push_back(line); });
    if (lines.empty()) throw RequestError(fmt::format("{} has no lines to answer", file->path()));
    if (!flags.shard.given()) {
        BatchAnswers answers(session);
        for (size_t at = 0; at < lines.size(); at += portion)
            for (const std::string& text :
                 answer(std::span(lines).subspan(at, std::min(portion, lines.size() - at))))
                answers.print(text);
        answers.finish();
        return;
    }
    std::vector<std::string> items;
    items.reserve(lines.size());
    for (const BatchLine& line : lines) items.emplace_back(line.text);
    run_shard(
        flags.shard, {ShardOutput::lines, std::string(command), items, portion},
        [&](std::span<const size_t> own, PartWriter& writer) {
            std::vector<BatchLine> questions;
            for (const size_t item : own) questions.push_back(lines[item]);
            const std::vector<std::string> answers = answer(questions);
            for (size_t i = 0; i < own.size(); ++i) {
                writer.begin(own[i], fmt::format("line {}", questions[i].number));
                writer.add(answers[i]);
            }
        },
        images, session);
}

namespace {

// Names the failures; whether the rest is to be printed.
bool report_failures(std::span<const Part> parts, bool keep_going, Session& session) {
    const std::vector<const PartItem*> failed = failed_items(parts);
    for (const PartItem* item : failed) {
        session.print_error(fmt::format("{}: {}", item->reference, item->failure->message),
                            item->failure->hint);
        session.exit_status = std::max(session.exit_status, item->failure->exit_status);
    }
    if (failed.empty()) return true;
    if (keep_going) session.exit_status = exit_findings;
    const size_t items = parts.front().run.items;
    session.print(fmt::format("{} of {} failed{}\n", failed.size(), counted(items, "item"),
                              keep_going ? "; the output lacks them"
                                         : ": nothing is printed; --keep-going prints the rest"));
    return keep_going;
}

// The exit status of `opcat validate` for a report of findings.
ExitStatus status_of_findings(std::string_view text) {
    const auto report = parse_json<nlohmann::json>(text);
    if (!report.is_object()) return exit_ok;
    for (const auto& finding : report["findings"])
        if (finding.value("rule", "") == "file" && finding.value("severity", "") == "error")
            return exit_environment;
    return report["summary"].value("errors", 0U) > 0 ? exit_findings : exit_ok;
}

} // namespace

void print_merged(std::span<const Part> parts, bool keep_going, Session& session) {
    require_whole_run(parts);
    if (!report_failures(parts, keep_going, session)) return;
    const bool findings = parts.front().run.output == ShardOutput::findings;
    const bool lines = parts.front().run.output == ShardOutput::lines;
    BatchAnswers answers(session);
    merge_parts(parts, [&](std::string_view text) {
        if (lines) return answers.print(text);
        session.out.write(text);
        if (findings) session.exit_status = std::max<int>(session.exit_status, status_of_findings(text));
    });
    answers.finish();
}

} // namespace opcat
