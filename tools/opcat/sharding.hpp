// One part of a run that several machines share: --shard and --shard-output.
#pragma once

#include "opcat/base/batch.hpp"
#include "opcat/shard/part.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Command;
class Error;
class Option;
class Session;
struct ImageFlags;

struct ShardFlags {
    std::string shard;  // "3/16"; empty: the whole run
    std::string output; // a directory, or an image (shard_store.hpp)

    bool given() const { return !shard.empty() || !output.empty(); }
};

// `flags` is filled when the command line is parsed, and must live as long as the command. Returns --shard,
// for options that exclude it.
Option add_shard_flags(Command command, ShardFlags& flags);

// Throws RequestError if only one of the two flags is given.
void check_shard_flags(const ShardFlags& flags);

// A run of which this is a part.
struct ShardedRun {
    ShardOutput output = ShardOutput::lines;
    std::string request; // what the output depends on in addition to the items, for run_digest()
    std::span<const std::string> items;
    size_t portion = 1;                  // how many items are processed together
    std::vector<std::string> files = {}; // that every item depends on: schemas, settings
};

// Writes the output of items (indexes into those of the run, ascending), or why there is none.
using ProduceItems = std::function<void(std::span<const size_t> items, PartWriter& writer)>;

// Calls `produce` for the items of the shard, portion by portion, unless a complete part exists already. Sets
// the exit status: 3 if an item failed temporarily, 1 if others failed. Throws RequestError for wrong flags.
void run_shard(const ShardFlags& flags, const ShardedRun& run, const ProduceItems& produce,
               const ImageFlags& images, Session& session);

// Common to the --batch options: questions in lines, and the answers in their order.
struct BatchFlags {
    std::string file; // empty: there is no batch
    ShardFlags shard;
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_batch_flags(Command command, BatchFlags& flags, const std::string& description);

// Throws RequestError for flags of shards without a batch. `flag` names that of the batch.
void refuse_shard_without_batch(const BatchFlags& flags, std::string_view flag);

// The answers to some lines, each with its line break.
using AnswerLines = std::function<std::vector<std::string>(std::span<const BatchLine>)>;

// Prints one of the answers to the lines of a batch, and counts it.
class BatchAnswers {
public:
    explicit BatchAnswers(Session& session) : session_(session) {}
    void print(std::string_view answer);
    // Says how many lines could not be answered; the exit status is then 1.
    void finish();

private:
    Session& session_;
    size_t printed_ = 0;
    size_t refused_ = 0;
};

// Prints the answers, or writes those of a shard. `command` describes the question.
void run_batch(const BatchFlags& flags, std::string_view command, const AnswerLines& answer,
               const ImageFlags& images, Session& session);

// Why an item has no output: the error of a run of its own.
ItemFailure failure_of(const Error& error);
ItemFailure failure_of(const std::exception_ptr& error); // an Error
ItemFailure failure_of(const Diagnostics& findings);

// Prints the output of a single machine and exits like it. Failed items are named, and then nothing is
// printed unless `keep_going`. Throws RequestError unless the parts belong to one run.
void print_merged(std::span<const Part> parts, bool keep_going, Session& session);

} // namespace opcat
