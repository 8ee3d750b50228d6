#include "cluster_flags.hpp"
#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/follow.hpp"
#include "opcat/cluster/shard_job.hpp"
#include "references.hpp"
#include "shard_store.hpp"
#include "sharding.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace opcat {
namespace {

using namespace cluster;

struct JobOptions {
    ClusterFlags cluster;
    std::vector<std::string> command;
    std::string image;
    std::string result;
    std::string claim;
    std::string name;
    unsigned shards = 8;
    unsigned parallelism = 0; // 0: all shards
    unsigned retries = 3;
    std::string pull_secret;
    std::string cpu = "1";
    std::string memory = "1Gi";
    std::string keep = "24h";
    std::string timeout = "24h";
    std::optional<Form> output; // yaml, json: the objects alone
    bool no_wait = false;
    bool keep_going = false;
    ImageFlags images; // for the results
};

unsigned pods_at_once(const JobOptions& options) {
    return options.parallelism == 0 ? options.shards : options.parallelism;
}

// The command line of a pod, and the items for it in a file.
struct PodCommand {
    std::vector<std::string> arguments;
    std::string items;
};

bool is_mirror(const JobOptions& options) {
    return options.command.front() == "mirror";
}

// Kubernetes replaces $(NAME) in arguments.
std::string literal(const std::string& argument) {
    return replace_all(argument, "$(", "$$(");
}

// The option of a command that names a file with its items.
std::string_view items_option(const std::string& command) {
    if (command == "render" || command == "validate") return "--refs";
    if (command == "resolve") return "--batch";
    if (command == "mirror") return {};
    throw RequestError(fmt::format("opcat {} has no shards", command),
                       "a Job runs opcat render, validate, resolve … --batch or mirror");
}

PodCommand pod_command(const JobOptions& options) {
    const std::string_view option = items_option(options.command.front());
    PodCommand pod;
    for (size_t i = 0; i < options.command.size(); ++i) {
        const std::string& argument = options.command[i];
        for (const char* given : {"--shard", "--shard-output"})
            if (argument.starts_with(given))
                throw RequestError(fmt::format("{} is not for the command of a Job", argument),
                                   "--shards and --result of opcat job say it");
        const bool joined = !option.empty() && argument.starts_with(std::string(option) + "=");
        const bool separate = !option.empty() && argument == option && i + 1 < options.command.size();
        if (!joined && !separate) {
            pod.arguments.push_back(literal(argument));
            continue;
        }
        pod.items = read_input(joined ? argument.substr(option.size() + 1) : options.command[++i])->bytes();
        if (!pod.items.empty() && !pod.items.ends_with('\n')) pod.items += '\n';
        pod.arguments.insert(pod.arguments.end(), {std::string(option), items_path});
    }
    const auto add = [&](const char* name, const std::string& value) {
        pod.arguments.insert(pod.arguments.end(), {name, value});
    };
    add("--shard", fmt::format("$(JOB_COMPLETION_INDEX)/{}", options.shards));
    if (!is_mirror(options)) add("--shard-output", options.claim.empty() ? options.result : results_path);
    if (!options.pull_secret.empty()) add("--authfile", authfile_path);
    if (const unsigned all = options.images.requests_per_second; all > 0)
        add("--registry-rps", std::to_string(std::max(1U, all / pods_at_once(options))));
    return pod;
}

std::string digest_of_run(const JobOptions& options, const PodCommand& pod) {
    std::vector<std::string> parts = pod.arguments;
    parts.push_back(pod.items);
    return run_digest(fmt::format("{} {} {}", options.image, options.claim, options.shards), parts);
}

// Equal for equal runs, so that the Job is found again.
std::string default_name(const std::string& command, std::string_view run) {
    constexpr size_t prefix = sizeof "sha256:" - 1;
    return fmt::format("opcat-{}-{}", command, run.substr(prefix, 10));
}

void check(const JobOptions& options) {
    if (options.command.empty()) throw RequestError("COMMAND is required", "see opcat job --help");
    if (options.image.empty())
        throw RequestError("--image is required", "name an image that has opcat as its entry point");
    const bool wants_place = !is_mirror(options);
    if (wants_place && options.result.empty() == options.claim.empty())
        throw RequestError("a Job needs one place for its results",
                           "give --result IMAGE or --result-claim NAME");
    if (!options.result.empty()) require_place(options.result);
    const bool has_json =
        std::any_of(options.command.begin(), options.command.end(),
                    [](const std::string& word) { return word == "json" || word == "--format=json"; });
    if (options.command.front() == "validate" && !has_json)
        throw RequestError("a shard has its findings as JSON", "add --format json to the command");
}

ShardJobSpec spec_of(const JobOptions& options, const PodCommand& pod, const std::string& ns) {
    const std::string run = digest_of_run(options, pod);
    return {.name = options.name.empty() ? default_name(options.command.front(), run) : options.name,
            .ns = ns,
            .run = run,
            .image = options.image,
            .arguments = pod.arguments,
            .items = pod.items,
            .shards = options.shards,
            .parallelism = pods_at_once(options),
            .retries = options.retries,
            .claim = options.claim,
            .pull_secret = options.pull_secret,
            .cpu = options.cpu,
            .memory = options.memory,
            .keep = std::chrono::duration_cast<std::chrono::seconds>(*duration_of(options.keep))};
}

void print_objects(const std::vector<Object>& objects, const JobOptions& options, Session& session) {
    if (options.output == Form::json) return session.out.write(kube::to_text(objects) + "\n");
    for (const Object& object : objects) session.out.write("---\n" + kube::to_yaml(object.value()));
}

class JobRun {
public:
    JobRun(const JobOptions& options, const ShardJobSpec& spec, const Kubectl& kubectl, Session& session)
        : options_(options), spec_(spec), kubectl_(kubectl), session_(session), scope_(Scope::in(spec.ns)) {}

    // Creates it, unless it exists: then an interrupted run continues. A failed Job is created again, and
    // processes the missing items.
    void start() {
        auto job = find();
        if (job && !is_job_of(*job, spec_))
            throw RequestError(fmt::format("Job {} belongs to another command", shown()),
                               "choose another name for this one: --name");
        if (job && state_of_shard_job(*job).end == ShardJobState::End::failed) {
            kubectl_.remove(resource::jobs, spec_.name, scope_);
            if (!wait_until([&] { return !find(); }, {.timeout = std::chrono::minutes(2)}))
                throw Error(fmt::format("Job {} of an earlier run still exists after 2 minutes", shown()));
            job.reset();
        }
        const std::vector<Object> objects = shard_job_objects(spec_);
        const bool exists = job.has_value();
        if (!exists) {
            kubectl_.try_apply(objects);
            for (const std::string& warning : kubectl_.apply(objects)) session_.print_warning(warning);
            job = find();
            if (!job) throw Error(fmt::format("Job {} is gone", shown()));
        }
        // Also of an existing one, whose creator may have been interrupted before this.
        kubectl_.apply(owned_by(*job, objects));
        if (exists)
            session_.print(fmt::format("Job {} already exists: continuing it\n", shown()));
        else if (!session_.options.quiet)
            session_.print(fmt::format("created Job {} with {}\n", shown(), counted(spec_.shards, "shard")));
    }

    // The result; nothing if it is still running.
    std::optional<ShardJobState> follow() {
        ShardJobState state;
        StepDisplay steps(session_);
        say_when_interrupted(fmt::format("the Job {} continues; the same command follows it again", shown()));
        const bool over = wait_until(
            [&] {
                const auto job = find();
                if (!job) throw Error(fmt::format("Job {} is gone", shown()), "run the command again");
                state = state_of_shard_job(*job);
                if (!session_.options.quiet) steps.show(words_for(state));
                if (state.done + state.failed < spec_.shards) report_troubles();
                return state.end != ShardJobState::End::none;
            },
            {.timeout = *duration_of(options_.timeout)});
        steps.end(state.end == ShardJobState::End::complete);
        say_when_interrupted("");
        if (!over) return std::nullopt;
        if (state.failed > 0) report_troubles();
        return state;
    }

    std::string shown() const { return fmt::format("{}/{}", spec_.ns, spec_.name); }

private:
    std::optional<Object> find() const { return kubectl_.get(resource::jobs, spec_.name, scope_); }

    std::string words_for(const ShardJobState& state) const {
        std::string text = fmt::format("{} of {} done", state.done, counted(spec_.shards, "shard"));
        if (state.failed > 0) text += fmt::format(", {} failed", state.failed);
        if (state.running > 0) text += fmt::format(", {} at work", state.running);
        return text;
    }

    // Each once.
    void report_troubles() {
        for (const Object& pod : kubectl_.list(resource::pods, scope_, pods_of_job(spec_.name)))
            if (std::string trouble = trouble_of_shard(pod); !trouble.empty() && told_.insert(trouble).second)
                session_.print_warning(for_terminal(trouble, 2));
    }

    const JobOptions& options_;
    const ShardJobSpec& spec_;
    const Kubectl& kubectl_;
    Session& session_;
    Scope scope_;
    std::set<std::string> told_;
};

void gather(const JobOptions& options, Session& session) {
    const StoredParts stored = read_stored({options.result}, options.images, session);
    const std::string& version = stored.parts.front().run.version;
    if (version != OPCAT_VERSION)
        throw RequestError(
            fmt::format("the Job's image has opcat {}, and this is opcat {}", version, OPCAT_VERSION),
            "use one version for both: --image");
    print_merged(stored.parts, options.keep_going, session);
}

void run(const JobOptions& options, Session& session) {
    check(options);
    const PodCommand pod = pod_command(options);
    if (options.output)
        return print_objects(shard_job_objects(spec_of(options, pod, options.cluster.ns)), options, session);
    const Connection connection = connect(options.cluster, session);
    const ShardJobSpec spec = spec_of(options, pod, connection.ns);
    require_name("the name of a Job", spec.name);
    JobRun job(options, spec, connection.kubectl, session);
    job.start();
    if (options.no_wait) return;
    const auto state = job.follow();
    if (!state)
        throw Error(fmt::format("Job {} has not ended after {}", job.shown(), options.timeout),
                    "the same command follows it again; --timeout waits longer");
    const bool complete = state->end == ShardJobState::End::complete;
    if (!complete) {
        session.print_error(fmt::format("Job {} failed: {}", job.shown(), state->reason),
                            "the same command does what is missing");
        session.exit_status = exit_findings;
    }
    if (is_mirror(options)) {
        if (complete)
            session.print(
                fmt::format("all images are copied; to publish the catalogs: opcat {} --finish-shards {}\n",
                            fmt::join(options.command, " "), options.shards));
    } else if (!options.claim.empty()) {
        session.print(
            fmt::format("the results are in PersistentVolumeClaim {}: opcat merge, in a pod that mounts it, "
                        "prints them\n",
                        options.claim));
    } else {
        gather(options, session);
    }
}

void add_job_flags(Command command, JobOptions& options) {
    command.add_option("COMMAND", options.command,
                       "After --: render or validate with --refs FILE, resolve with --batch FILE, or mirror");
    command.add_option("--image IMAGE", options.image,
                       "Image of the pods, with opcat of this version as its entry point");
    command.add_option("--result IMAGE", options.result,
                       "Image in a registry for the results: shard I writes IMAGE-I");
    command.add_option("--result-claim NAME", options.claim,
                       "PersistentVolumeClaim for the results, in place of an image");
    command.add_option("--shards N", options.shards, "How many shards")
        .between(1, Shard::most)
        .show_default();
    command.add_option("--parallelism N", options.parallelism, "How many pods at once (default: all)")
        .between(1, Shard::most);
    command
        .add_option("--retries N", options.retries, "How often a shard is retried after a temporary failure")
        .between(0, 100)
        .show_default();
    command.add_option("--name NAME", options.name,
                       "Name of the Job (default: made of the command and its items)");
    command.add_option("--pull-secret NAME", options.pull_secret,
                       "Secret with the credentials for registries (kubernetes.io/dockerconfigjson)");
    command.add_option("--cpu QUANTITY", options.cpu, "CPU that a pod requests").show_default();
    command.add_option("--memory QUANTITY", options.memory, "Memory of a pod").show_default();
    command.add_option("--keep", options.keep, "How long the Job is kept when it has ended")
        .duration()
        .show_default();
    command.add_option("--timeout", options.timeout, "How long to wait for its end")
        .duration()
        .show_default();
    command.add_choice("-o,--output", options.output, {Form::yaml, Form::json},
                       "Only print the objects: yaml or json");
    command.add_flag("--no-wait", options.no_wait, "Do not wait for its end");
    command.add_flag("--keep-going", options.keep_going, "Print the rest when items failed, and exit 1");
}

} // namespace

void add_job(Command tree, Session& session) {
    const Command command =
        tree.add_command("job", "Run a command in shards as a Kubernetes Job, and gather the output");
    auto& options = command.action<JobOptions>(run, session);
    add_job_flags(command, options);
    add_registry_flags(command, options.images);
    add_cluster_flags(command, options.cluster, false);
    command.footer(
        "Repeat the command to continue an interrupted run: finished shards are not repeated. --registry-rps "
        "is shared by all pods.\n\n"
        "Examples:\n"
        "  opcat job --image registry.example/opcat:0.1 --shards 32 --result "
        "registry.example/team/run:monday \\\n"
        "      -- render --refs bundles.txt > catalog.json\n"
        "  opcat job --image registry.example/opcat:0.1 --shards 8 --result registry.example/team/run:check "
        "-o yaml \\\n"
        "      -- validate --format json --refs bundles.txt | kubectl apply -f -\n"
        "  opcat job --image registry.example/opcat:0.1 --shards 8 -- mirror registry.example/catalog:v1 "
        "--to mirror.example");
}

} // namespace opcat
