#include "cluster_flow.hpp"

#include "cluster/causes.hpp"
#include "cluster/resources.hpp"
#include "command.hpp"
#include "duration.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {

using namespace cluster;

WaitOptions FlowFlags::wait() const {
    return {.timeout = *duration_of(timeout), .interval = std::chrono::seconds(1)};
}

void add_flow_flags(Command command, FlowFlags& flags) {
    command.add_option("--timeout", flags.timeout, "How long to wait for the cluster")
        .duration()
        .show_default();
    command.add_flag("--no-wait", flags.no_wait, "Do not wait until it is done");
    command.add_flag("-y,--yes", flags.yes, "Answer questions with yes");
    command.add_flag("--dry-run", flags.dry_run, "Change nothing, show what would be done");
}

void add_making_flags(Command command, FlowFlags& flags) {
    command.add_flag("--force", flags.force, "Go on although it is predicted to fail");
    command.add_flag("--cleanup-on-failure", flags.clean_up, "If it fails, delete what this command created");
    command.add_flag("--force-conflicts", flags.force_conflicts,
                     "Take over fields that somebody else manages");
    command
        .add_option("-o,--output", flags.output, "Print the objects alone, and change nothing: yaml or json")
        .one_of({"yaml", "json"});
}

void StepDisplay::draw(char mark, bool final) {
    using namespace std::chrono;
    const auto seconds = duration_cast<std::chrono::seconds>(steady_clock::now() - since_).count();
    std::string line = fmt::format("  {} {}", mark, for_terminal(step_, 0));
    std::replace(line.begin(), line.end(), '\n', ' ');
    const std::string time = fmt::format("  {} s", seconds);
    const size_t width = std::max(session_.width_of_stderr(), 40U) - time.size() - 1;
    std::string cut;
    size_t used = 0;
    for (const std::string_view character : utf8_characters(line)) {
        used += display_width(character);
        if (used > width - 3 && display_width(line) > width) {
            cut += "...";
            break;
        }
        cut += character;
    }
    session_.print("\r\x1b[K" + cut + time + (final ? "\n" : ""));
}

void StepDisplay::show(const std::string& step) {
    if (session_.options.quiet) return;
    const bool live = session_.live_progress();
    if (step != step_) {
        end(true);
        step_ = step;
        since_ = std::chrono::steady_clock::now();
        if (!live) session_.print("  " + for_terminal(step, 4) + "\n");
    }
    constexpr std::string_view turning = "|/-\\";
    if (live) draw(turning[turns_++ % turning.size()], false);
}

void StepDisplay::end(bool good) {
    if (!step_.empty() && session_.live_progress() && !session_.options.quiet) draw(good ? '+' : '!', true);
    step_.clear();
}

const Json* counterpart(const std::vector<Json>& objects, const Json& object) {
    const auto same = std::find_if(objects.begin(), objects.end(), [&](const Json& other) {
        return kind_of(other) == kind_of(object) && group_of(other) == group_of(object) &&
               name_of(other) == name_of(object) && namespace_of(other) == namespace_of(object);
    });
    return same == objects.end() ? nullptr : &*same;
}

Changes::Changes(const Kubectl& kubectl, std::vector<Json> wanted)
    : kubectl_(kubectl), wanted_(std::move(wanted)) {
    const std::vector<Json> existing = kubectl.existing(wanted_);
    for (const Json& object : wanted_) {
        const Json* const there = counterpart(existing, object);
        if (!there)
            create_.push_back(object);
        else if (!satisfies(*there, object))
            change_.push_back(object);
    }
    drop_what_stays(existing);
}

// The API server writes some values in another way than they were told ("1000m" of a processor as "1"):
// whether an object is as wanted, it knows itself.
void Changes::drop_what_stays(const std::vector<Json>& existing) {
    if (change_.empty()) return;
    std::vector<Json> applied;
    try {
        applied = kubectl_.applied(change_);
    } catch (const KubectlError& error) {
        // The real thing will say it, too.
        if (error.failure().may_pass() || error.kind() == FailureKind::unauthorized) throw;
        return;
    }
    std::erase_if(change_, [&](const Json& object) {
        const Json* const there = counterpart(existing, object);
        const Json* const after = counterpart(applied, object);
        return there && after && says_the_same(*there, *after);
    });
}

bool Changes::touches(std::string_view kind) const {
    const auto is_of_kind = [&](const Json& object) { return kind_of(object) == kind; };
    return std::any_of(create_.begin(), create_.end(), is_of_kind) ||
           std::any_of(change_.begin(), change_.end(), is_of_kind);
}

void Changes::show(const FlowFlags& flags, Session& session) const {
    if (flags.output == "json") {
        session.out.write(to_indented_text(list_of(wanted_)));
        return;
    }
    const auto does = [&](const Json& object) -> std::string_view {
        const auto in = [&](const std::vector<Json>& some) {
            return std::find(some.begin(), some.end(), object) != some.end();
        };
        return in(create_) ? "would be created" : in(change_) ? "would be changed" : "is there already";
    };
    for (const Json& object : wanted_) {
        session.out.write("---\n");
        if (flags.output.empty()) session.out.write(fmt::format("# {} {}\n", describe(object), does(object)));
        session.out.write(to_yaml(object));
    }
}

void Changes::carry_out(const FlowFlags& flags, const Session& session) {
    if (!any()) return;
    std::vector<Json> objects = create_;
    objects.insert(objects.end(), change_.begin(), change_.end());
    // In the order in which they were asked for: a namespace comes before what lies in it.
    std::vector<Json> ordered;
    for (const Json& object : wanted_)
        if (std::find(objects.begin(), objects.end(), object) != objects.end()) ordered.push_back(object);
    // Whatever the call comes to, these may be there afterwards.
    created_ = create_;
    try {
        for (const std::string& warning : kubectl_.apply(ordered, flags.force_conflicts))
            session.print_warning("the cluster says: " + for_terminal(warning, 2));
    } catch (const Error&) {
        if (flags.clean_up) undo(session);
        throw;
    }
    if (session.options.quiet) return;
    for (const Json& object : ordered)
        session.print(fmt::format(
            "{} {}\n",
            std::find(create_.begin(), create_.end(), object) != create_.end() ? "created" : "changed",
            describe(object)));
}

void Changes::undo(const Session& session) const {
    if (created_.empty()) return;
    const std::vector<Json> backwards(created_.rbegin(), created_.rend());
    kubectl_.remove_objects(backwards);
    for (const Json& object : backwards) session.print("deleted " + describe(object) + "\n");
}

void report_failure(const Kubectl& kubectl, const Waited& waited, const FlowFlags& flags,
                    const Session& session) {
    const OperatorState& state = waited.state;
    const std::string what = state.package.empty() ? state.name : state.package;
    std::string message;
    if (waited.timed_out && state.health != Health::failing)
        message =
            fmt::format("{} was not done within {}: {}", what, flags.timeout,
                        !waited.trouble.empty() ? waited.trouble
                        : state.stage.empty()   ? std::string("it is ") + std::string(to_string(state.health))
                                                : state.stage);
    else
        message = fmt::format("{} fails ({}): {}", what, state.reason, state.cause);
    session.print_error(for_terminal(message, 2));
    for (const std::string& note : state.notes) session.print("  note: " + for_terminal(note, 4) + "\n");
    for (const std::string& cause : find_causes(kubectl, state))
        session.print("  because: " + for_terminal(cause, 4) + "\n");
    if (state.running && !state.version.empty())
        session.print(fmt::format("  {} runs on\n", state.installed));
    if (const std::string advice = advice_for(state); !advice.empty())
        session.print("  help: " + for_terminal(advice, 4) + "\n");
}

bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns) {
    const auto object = kubectl.get(resource::namespaces, ns);
    if (object && is_terminating(*object))
        throw Error(fmt::format("cannot use namespace {}: it is being deleted", ns),
                    "wait until it is gone (kubectl get namespaces), then try again");
    return object.has_value();
}

std::string for_terminal(const std::string& text, unsigned indent) {
    std::string out;
    for (const char c : escape_controls_in_lines(text)) {
        out += c;
        if (c == '\n') out += std::string(indent, ' ');
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
    return out;
}

} // namespace opcat
