#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "support/text.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat {
namespace {

template <typename Items>
std::string nearest(std::string_view name, const Items& items) {
    std::vector<std::string_view> names;
    names.reserve(items.size());
    for (const auto* item : items) names.push_back(item->name);
    return did_you_mean(name, names);
}

void check_entry(const PackageIndex& package, const Deprecations& deprecations, const DeprecationEntry& entry,
                 Diagnostics& out) {
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
        out.push_back(error("deprecation-message", deprecations.at(entry.offset),
                            "a deprecation needs a message", "say what users should do instead"));
    if (entry.schema == schema::bundle) {
        if (!package.bundle_by_name.contains(entry.name))
            out.push_back(error("deprecation-reference", at(entry.name),
                                fmt::format("the deprecated bundle \"{}\" does not exist in package \"{}\"",
                                            entry.name.text, package.name),
                                nearest(entry.name, package.bundles)));
    } else if (entry.schema == schema::channel) {
        if (!package.channel_by_name.contains(entry.name))
            out.push_back(error("deprecation-reference", at(entry.name),
                                fmt::format("the deprecated channel \"{}\" does not exist in package \"{}\"",
                                            entry.name.text, package.name),
                                nearest(entry.name, package.channels)));
        else if (!package.packages.empty() && package.packages.front()->default_channel == entry.name.text)
            out.push_back(
                warning("default-channel-deprecated", at(entry.name),
                        fmt::format("the deprecated channel \"{}\" is the default channel of package \"{}\"",
                                    entry.name.text, package.name),
                        "make another channel the default: it is what users get who do not choose"));
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
    if (package.packages.empty()) return; // told as package-unknown
    for (const Deprecations* deprecations : package.deprecations) {
        if (deprecations != package.deprecations.front())
            out.push_back(with_note(
                error("deprecation-duplicate", deprecations->start(),
                      fmt::format("package \"{}\" has more than one olm.deprecations blob", package.name),
                      "put all entries into one"),
                "the first one stands", package.deprecations.front()->start()));
        std::map<std::pair<std::string_view, std::string_view>, const DeprecationEntry*> seen;
        for (const DeprecationEntry& entry : deprecations->entries) {
            check_entry(package, *deprecations, entry, out);
            const auto [first, is_new] = seen.try_emplace({entry.schema, entry.name}, &entry);
            if (!is_new && !entry.schema.empty())
                out.push_back(with_note(
                    error("deprecation-duplicate", deprecations->at(entry.offset),
                          fmt::format("{} \"{}\" is deprecated twice", entry.schema.text, entry.name.text),
                          "keep one entry"),
                    "the first one stands", deprecations->at(first->second->offset)));
        }
    }
}

} // namespace opcat
