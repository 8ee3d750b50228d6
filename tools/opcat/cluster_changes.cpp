#include "cluster_changes.hpp"

#include "cluster/resources.hpp"
#include "cluster_text.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/json_document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {

using namespace cluster;

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
        session.out.write(as_document(list_of(wanted_)));
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

} // namespace opcat
