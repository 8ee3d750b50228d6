#include "opcat/base/text.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/policy/konflux.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace opcat::policy {
namespace {

// A channel as jq cuts it from the rendered catalog.
struct ChannelNames {
    const Channel* blob;
    std::vector<std::string_view> entries;
};
using Channels = std::map<std::string_view, std::vector<ChannelNames>>; // by package, in the order of opm

// Nothing if jq fails: a channel has no list of entries.
std::optional<Channels> channels_of(const Catalog& catalog) {
    Channels channels;
    for (const PackageBlobs& package : by_package(catalog))
        for (const AnyBlob& blob : package.blobs) {
            const auto* const channel = std::get_if<const Channel*>(&blob);
            if (!channel) continue;
            if (!(*channel)->has_entries) return std::nullopt;
            ChannelNames& names = channels[package.package].emplace_back(ChannelNames{*channel, {}});
            for (const ChannelEntry& entry : (*channel)->entries) names.entries.push_back(entry.name.text);
        }
    return channels;
}

bool is_word(char c) {
    const char lower = ascii_lower(c);
    return is_digit(c) || (lower >= 'a' && lower <= 'z') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Returns true if grep -Fw finds the name in the line: between characters that are not of a word.
bool has_word(std::string_view line, std::string_view name) {
    if (name.empty()) return true;
    for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        const size_t end = at + name.size();
        if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end]))) return true;
    }
    return false;
}

// The names in a line as the script writes them, for grep, and one by one.
class Line {
public:
    void add(std::string_view name) {
        names_.push_back(name);
        line_.append(line_.empty() ? "" : " ").append(name);
    }
    bool matches(std::string_view name) const { return has_word(line_, name); }
    // The name itself; "" if another one hides that it is missing.
    bool has(std::string_view name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }

private:
    std::vector<std::string_view> names_;
    std::string line_;
};

// dev-preview, pre-ga and candidate channels may lose entries.
bool may_be_pruned(std::string_view channel) {
    return channel.find("dev-preview") != std::string_view::npos ||
           channel.find("pre-ga") != std::string_view::npos ||
           channel.find("candidate") != std::string_view::npos;
}

class Pruning {
public:
    Pruning(const Channels& fragment, const Channels& index) : fragment_(fragment), index_(index) {}

    TaskVerdict run() {
        for (const auto& [package, channels] : fragment_)
            if (const auto in_index = index_.find(package); in_index != index_.end())
                check_package(package, channels, in_index->second);
        if (!verdict_.messages.empty()) verdict_.result = TaskResult::failure;
        verdict_.failures = verdict_.messages.size();
        verdict_.successes = verdict_.messages.empty() ? 1 : 0;
        verdict_.note = "Task fbc-target-index-pruning-check completed: Check result for task result.";
        return std::move(verdict_);
    }

private:
    void check_package(std::string_view package, const std::vector<ChannelNames>& own,
                       const std::vector<ChannelNames>& released) {
        Line names;
        for (const ChannelNames& channel : own) names.add(channel.blob->name.text);
        const Location here = own.front().blob->start();
        std::vector<std::string_view> to_test;
        for (const ChannelNames& channel : released) {
            const std::string_view name = channel.blob->name.text;
            if (names.matches(name)) {
                to_test.push_back(name);
                if (!names.has(name) && channel.entries.empty())
                    note(fmt::format("the fragment has no channel {}.{}: the pipeline finds its name in that "
                                     "of another "
                                     "channel",
                                     package, name),
                         here);
            } else if (!may_be_pruned(name)) {
                fail(fmt::format("FBC fragment prunes entire {}.{} channel.", package, name), here,
                     fmt::format("keep the channel {} as the index has it, and deprecate it instead", name));
            }
        }
        for (const std::string_view channel : to_test) check_channel(package, channel, own, released, here);
    }

    void check_channel(std::string_view package, std::string_view channel,
                       const std::vector<ChannelNames>& own, const std::vector<ChannelNames>& released,
                       Location here) {
        Line entries;
        for (const ChannelNames& one : own) {
            if (one.blob->name.text != channel) continue;
            here = one.blob->start();
            for (const std::string_view entry : one.entries) entries.add(entry);
        }
        for (const ChannelNames& one : released) {
            if (one.blob->name.text != channel) continue;
            for (const std::string_view entry : one.entries) {
                if (entries.has(entry)) continue;
                if (entries.matches(entry))
                    note(fmt::format("the fragment prunes {} from {}.{}: the pipeline finds its name in that "
                                     "of another entry",
                                     entry, package, channel),
                         here);
                else if (!may_be_pruned(channel))
                    fail(fmt::format("FBC fragment prunes {} from {}.{} channel.", entry, package, channel),
                         here,
                         "keep the entry: users of this version would have no upgrade path to a newer one");
            }
        }
    }

    void fail(const std::string& message, Location where, std::string fix) {
        verdict_.messages.push_back({"!FAILURE! - " + message, {where}, std::move(fix)});
    }
    void note(std::string message, Location where) {
        verdict_.notes.push_back({std::move(message), {where}, {}});
    }

    const Channels& fragment_;
    const Channels& index_;
    TaskVerdict verdict_;
};

// The command with which the script reads channels of a catalog; jq fails if a channel has no entries.
constexpr const char* channels_command =
    "Script errored at command: jq -s 'map(select(.schema == \"olm.channel\")) | reduce .[] as $obj ([]; . "
    "+= "
    "[{{package: $obj.package, channel: $obj.name, entries: [$obj.entries[].name]}}])' \"${{{}}}\" > "
    "\"${{{}_channels}}\".";

TaskVerdict without_verdict(TaskResult result, std::string why) {
    TaskVerdict verdict;
    verdict.result = result;
    verdict.note = result == TaskResult::error ? "Unexpected error: " + why : why;
    verdict.ended_by = std::move(why);
    return verdict;
}

} // namespace

TaskVerdict check_pruning(const Source& fragment, const Source& index) {
    constexpr const char* prefix = "Task fbc-target-index-pruning-check failed: ";
    if (has_errors(fragment.loaded().diagnostics))
        return without_verdict(TaskResult::none,
                               std::string(prefix) +
                                   "Rendered FBC fragment does not exist: /shared/catalog.json");
    if (has_errors(index.loaded().diagnostics))
        return without_verdict(TaskResult::error,
                               "Script errored at command: rendered_target_index=$(render_opm -t "
                               "\"${target_index_pullspec}\" --file).");
    const auto own = channels_of(fragment.catalog());
    const auto released = channels_of(index.catalog());
    if (!own || !released)
        return without_verdict(TaskResult::error,
                               fmt::format(channels_command,
                                           own ? "rendered_target_index" : "rendered_fbc_image",
                                           own ? "ndx" : "fbc"));
    if (own->empty())
        return without_verdict(TaskResult::none,
                               std::string(prefix) + "No OLM packages detected in FBC fragment.");
    if (released->empty())
        return without_verdict(TaskResult::none,
                               std::string(prefix) + "No OLM packages detected in target index.");
    return Pruning(*own, *released).run();
}

} // namespace opcat::policy
