// The upgrade path of each OLM from an installed version, with reasons.
#pragma once

#include "opcat/graph/graph_view.hpp"
#include "opcat/olm/paths.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

struct PathQuestion {
    PackageView view; // the package, and the channels to consider
    Installed from;
    NodeId to = no_node;                             // no_node: as far as possible
    std::optional<OlmGeneration> olm = std::nullopt; // nothing: both
    // Only so many steps of a path are followed; the report about a longer one does not say if it arrives.
    size_t most_steps = all_steps;
    const KnownSteps* known = nullptr; // of the package, if `view` has all of its channels
};

struct ClassicPath {
    const ChannelGraph* channel = nullptr;
    Walk walk;
    bool arrives = false; // at the target, or at the head of the channel
    std::optional<NoPath> no_path;
    std::string difference; // why OLM v1 takes another first step; empty: it does not
};

struct V1Path {
    Walk walk;
    bool arrives = false; // at the target, or at the highest version
    std::optional<NoPath> no_path;
    bool ambiguous = false; // the first step is one of several with the same version
};

struct PathReport {
    PathQuestion question;
    std::vector<ClassicPath> classic; // the default channel first
    std::optional<V1Path> v1;
    // The fewest steps to the target along edges; nothing: there is no path, or no target.
    std::optional<std::vector<PathStep>> shortest;
    std::string refusal; // why OLM classic gets nothing of the catalog; empty: it does, or nobody has asked

    // Nothing arrives then with OLM classic.
    void refuse_classic(std::string why);
    // Returns true if at least one path reaches its target.
    bool arrives() const;
};

// Channels with equal text share it: many differ only in their names. Each group has its text and its paths,
// in their order.
using PathGroup = std::pair<std::string, std::vector<const ClassicPath*>>;
std::vector<PathGroup> group_by_answer(const std::vector<ClassicPath>& paths,
                                       const std::function<std::string(const ClassicPath&)>& answer_of);

PathReport find_paths(PathQuestion question);

std::string path_report_as_text(const PathReport& report, bool colour);

// The parts of a report in words, with names as in the catalog, for callers with their own layout.
Walk until_target(const PathQuestion& question, const Walk& walk); // without the steps after the target
// "3 steps", "already there".
std::string summary_in_words(const PathQuestion& question, const Walk& walk, bool arrives);
std::string why_in_words(const PackageGraph& graph, const PathStep& step, const Installed& from);
// Why the path ends where it does; empty if there is nothing to say.
std::string end_in_words(const PathQuestion& question, const Walk& walk, bool arrives);
// The channels to be subscribed to for a path, one for each step, so that channels are switched as seldom as
// possible. Linear in the edges of the steps.
std::vector<const ChannelGraph*> channels_of(const std::vector<PathStep>& steps);
// A text about one channel, or several with the same text.
std::string of_any_channel(std::string text, const ChannelGraph& channel);

// One JSON object of schema "opcat.path.v1" (docs/json-output.md), with a line break at the end.
std::string path_report_as_json(const PathReport& report);

} // namespace opcat
