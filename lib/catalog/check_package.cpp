#include "catalog/checks.hpp"
#include "catalog/finding.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace opcat {
namespace {

// An RFC 1123 label, as Kubernetes checks it.
std::string reason_against_name(std::string_view name) {
    constexpr size_t longest = 63;
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

// Blobs that name a package of which there is no olm.package blob.
void check_unknown_package(const PackageIndex& package, Diagnostics& out) {
    const auto complain = [&](const Blob& blob, std::string_view kind) {
        if (package.name.empty()) {
            out.push_back(
                error("package-unknown", blob.start(),
                      fmt::format("{} {} must name its package", kind,
                                  blob.name.empty() ? "blob" : fmt::format("\"{}\"", blob.name.text)),
                      "add \"package: NAME\""));
            return;
        }
        out.push_back(error(
            "package-unknown", blob.at(blob.package),
            fmt::format("{} \"{}\" belongs to package \"{}\", which the catalog does not have", kind,
                        blob.name.text, package.name),
            fmt::format("add an olm.package blob with \"name: {}\", or correct the name", package.name)));
    };
    for (const Channel* channel : package.channels) complain(*channel, "channel");
    for (const Bundle* bundle : package.bundles) complain(*bundle, "bundle");
    for (const Deprecations* deprecations : package.deprecations) complain(*deprecations, "deprecations of");
}

void check_default_channel(const PackageIndex& index, const Package& package, Diagnostics& out) {
    if (package.default_channel.empty()) {
        out.push_back(error("default-channel", package.start(),
                            fmt::format("package \"{}\" needs a default channel", package.name.text),
                            "add \"defaultChannel: NAME\" to the olm.package blob"));
        return;
    }
    if (index.channel_by_name.contains(package.default_channel)) return;
    std::vector<std::string_view> names;
    for (const Channel* channel : index.channels) names.push_back(channel->name);
    std::string help = did_you_mean(package.default_channel, names);
    if (help.empty() && !names.empty())
        help = fmt::format("the package has the channels {}", fmt::join(names, ", "));
    if (names.empty()) help = "add an olm.channel blob: a package needs at least one channel";
    out.push_back(error("default-channel", package.at(package.default_channel),
                        fmt::format("the default channel \"{}\" of package \"{}\" does not exist",
                                    package.default_channel.text, package.name.text),
                        std::move(help)));
}

} // namespace

void check_package(const PackageIndex& index, Diagnostics& out) {
    if (index.packages.empty()) {
        check_unknown_package(index, out);
        return;
    }
    const Package& first = *index.packages.front();
    if (first.name.empty()) {
        for (const Package* package : index.packages)
            out.push_back(
                error("package-name", package->start(), "a package needs a name", "add \"name: NAME\""));
        return;
    }
    for (size_t i = 1; i < index.packages.size(); ++i)
        out.push_back(with_note(error("package-duplicate", index.packages[i]->at(index.packages[i]->name),
                                      fmt::format("package \"{}\" is defined again", index.name),
                                      "keep one olm.package blob for each package"),
                                "the first definition stands", first.at(first.name)));
    if (const std::string reason = reason_against_name(first.name); !reason.empty())
        out.push_back(
            error("package-name", first.at(first.name),
                  fmt::format("\"{}\" cannot be the name of a package: {}", first.name.text, reason)));
    check_default_channel(index, first, out);
}

} // namespace opcat
