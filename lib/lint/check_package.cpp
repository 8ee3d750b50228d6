#include "opcat/base/base64.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/fixes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace opcat {

std::string reason_against_package_name(std::string_view name) {
    constexpr size_t longest = 63;
    if (name.empty()) return "it is empty";
    const auto is_alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (name.size() > longest)
        return fmt::format("it has {} characters, and {} are allowed", name.size(), longest);
    if (name.find('.') != name.npos) return "it must not contain dots";
    if (!std::all_of(name.begin(), name.end(), [&](char c) { return is_alphanumeric(c) || c == '-'; }))
        return "only lower-case letters, digits and '-' are allowed";
    if (!is_alphanumeric(name.front()) || !is_alphanumeric(name.back()))
        return "it must begin and end with a letter or digit";
    return {};
}

namespace {

void check_default_channel(const PackageIndex& index, const Package& package, Diagnostics& out) {
    const std::vector<std::string_view> names = blob_names(index.channels);
    if (package.default_channel.empty()) {
        out.push_back(error("default-channel", package.start(),
                            fmt::format("package \"{}\" needs a default channel", package.name.text),
                            fmt::format("add \"defaultChannel: {}\" to the olm.package blob",
                                        names.empty() ? std::string("NAME") : listed(names, 5, {}, "or"))));
        return;
    }
    if (index.channel_by_name.contains(package.default_channel)) return;
    std::string help = did_you_mean(package.default_channel, names);
    if (help.empty() && !names.empty())
        help = fmt::format("the package has the channels {}", fmt::join(names, ", "));
    if (names.empty()) help = "add an olm.channel blob: a package needs at least one channel";
    const std::string_view near = misspelt(package.default_channel, names);
    // Only people can decide which channel is the default.
    const Location where = package.at(package.default_channel);
    out.push_back(with_name(error("default-channel", where,
                                  fmt::format("the default channel \"{}\" of package \"{}\" does not exist",
                                              package.default_channel.text, package.name.text),
                                  std::move(help)),
                            where, package.default_channel, near, FixEffect::text, false));
    // Either of the two names may be the wrong one.
    if (const auto channel = index.channel_by_name.find(near); channel != index.channel_by_name.end())
        out.back() = with_note(std::move(out.back()), fmt::format("channel \"{}\"", near),
                               channel->second->at(channel->second->name));
}

} // namespace

void check_package(const PackageIndex& index, Diagnostics& out) {
    if (index.packages.empty()) return; // check_unknown_packages
    const Package& first = *index.packages.front();
    if (first.name.empty()) {
        for (const Package* package : index.packages)
            out.push_back(
                error("package-name", package->start(), "a package needs a name", "add \"name: NAME\""));
        return;
    }
    for (size_t i = 1; i < index.packages.size(); ++i) {
        const Package& again = *index.packages[i];
        out.push_back(with_note(error("package-duplicate", again.at(again.name),
                                      fmt::format("package \"{}\" is defined again", index.name),
                                      "keep one olm.package blob for each package"),
                                "the first definition", first.at(first.name)));
        if (i <= 100) out.back().fix = remove_copy(first, again);
    }
    if (const std::string reason = reason_against_package_name(first.name); !reason.empty())
        out.push_back(
            error("package-name", first.at(first.name),
                  fmt::format("\"{}\" cannot be the name of a package: {}", first.name.text, reason)));
    check_default_channel(index, first, out);
}

namespace {

struct NamesInPackage {
    Suggestions bundles;
    Suggestions channels;
};

void check_entry(const PackageIndex& package, const Deprecations& deprecations, const DeprecationEntry& entry,
                 NamesInPackage& names, Diagnostics& out) {
    const auto at = [&](const Text& text) {
        return text.empty() ? deprecations.at(entry.offset) : deprecations.at(text);
    };
    if (entry.schema.empty()) {
        out.push_back(
            error("deprecation-reference", at(entry.schema), "a deprecation must say what it is for",
                  "add \"reference: {schema: olm.bundle, name: NAME}\", or olm.channel, or olm.package"));
        return;
    }
    if (entry.message.empty())
        out.push_back(error("deprecation-message",
                            deprecations.at(entry.message.offset > 0 ? entry.message.offset : entry.offset),
                            "a deprecation needs a message", "say what users should do instead"));
    if (entry.schema == schema::bundle) {
        if (!package.bundle_by_name.contains(entry.name))
            out.push_back(error("deprecation-reference", at(entry.name),
                                fmt::format("the deprecated bundle \"{}\" does not exist in package \"{}\"",
                                            entry.name.text, package.name),
                                names.bundles.of(entry.name)));
    } else if (entry.schema == schema::channel) {
        if (!package.channel_by_name.contains(entry.name))
            out.push_back(error("deprecation-reference", at(entry.name),
                                fmt::format("the deprecated channel \"{}\" does not exist in package \"{}\"",
                                            entry.name.text, package.name),
                                names.channels.of(entry.name)));
        else if (!package.packages.empty() && package.packages.front()->default_channel == entry.name.text)
            out.push_back(
                warning("default-channel-deprecated", at(entry.name),
                        fmt::format("the deprecated channel \"{}\" is the default channel of package \"{}\"",
                                    entry.name.text, package.name),
                        "make another channel the default: users who do not choose get it"));
    } else if (entry.schema == schema::package) {
        if (!entry.name.empty())
            out.push_back(error("deprecation-reference", at(entry.name),
                                "a reference to the package has no name",
                                "remove the name: the package is that of the blob"));
    } else {
        out.push_back(error("deprecation-reference", at(entry.schema),
                            fmt::format("\"{}\" cannot be deprecated", entry.schema.text),
                            "olm.package, olm.channel and olm.bundle can"));
    }
}

} // namespace

void check_deprecations(const PackageIndex& package, Diagnostics& out) {
    if (package.packages.empty()) return; // already reported as package-unknown
    NamesInPackage names{Suggestions(blob_names(package.bundles)), Suggestions(blob_names(package.channels))};
    for (const Deprecations* deprecations : package.deprecations) {
        if (deprecations != package.deprecations.front())
            out.push_back(with_note(
                error("deprecation-duplicate", deprecations->start(),
                      fmt::format("package \"{}\" has more than one olm.deprecations blob", package.name),
                      "put all entries into one"),
                "the first one", package.deprecations.front()->start()));
        std::map<std::pair<std::string_view, std::string_view>, const DeprecationEntry*> seen;
        for (const DeprecationEntry& entry : deprecations->entries) {
            check_entry(package, *deprecations, entry, names, out);
            const auto [first, is_new] = seen.try_emplace({entry.schema, entry.name}, &entry);
            if (!is_new && !entry.schema.empty())
                out.push_back(with_note(
                    error("deprecation-duplicate", deprecations->at(entry.offset),
                          fmt::format("{} \"{}\" is deprecated twice", entry.schema.text, entry.name.text),
                          "keep one entry"),
                    "the first one", deprecations->at(first->second->offset)));
        }
    }
}

} // namespace opcat
