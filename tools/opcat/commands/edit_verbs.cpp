// The verbs of `opcat edit` on what is there already.
#include "command.hpp"
#include "commands/edit.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/image/puller.hpp"
#include "opcat/lint/pinning.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <memory>

namespace opcat {
namespace {

struct VerbOptions {
    EditFlags flags;
    std::string package;
    std::vector<std::string> names;
    std::vector<std::string> channels;
    std::string to;
    std::string from;
    std::string message;
    std::string default_channel;
    bool undo = false;
    bool digest = false;
    std::string lock;
    ImageFlags images;
};

using Verb = std::function<void(edit::Edit&, const VerbOptions&)>;

Command add_verb(Command tree, const std::string& name, const std::string& description,
                 const std::shared_ptr<VerbOptions>& options, std::span<const RegressionKind> intended,
                 Verb verb, Session& session,
                 const std::string& which = "The package (default: the only one of each file)") {
    const Command command = tree.add_command(name, description);
    command.add_option("-p,--package PACKAGE", options->package, which);
    add_edit_flags(command, options->flags);
    command.callback([options, intended, verb = std::move(verb), &session] {
        const auto references = references_of(options->flags, options->package, session);
        if (!references) return;
        run_edit(
            options->flags, *references, options->package, [&](edit::Edit& edit) { verb(edit, *options); },
            intended, session);
    });
    return command;
}

void add_promote(Command tree, Session& session) {
    const auto options = std::make_shared<VerbOptions>();
    const Command command = add_verb(
        tree, "promote", "Add bundles to further channels", options, {},
        [](edit::Edit& edit, const VerbOptions& of) {
            edit::promote(edit, of.package, of.names, of.channels);
        },
        session);
    command
        .add_option("BUNDLE", options->names,
                    "A bundle of the package, by name, version or range of versions; of a semver template an "
                    "image")
        .required();
    command.add_option("--to CHANNEL", options->channels, "The channel").required();
    command.footer("Examples:\n"
                   "  opcat edit promote 2.0.0 --to candidate --in catalog/ -p foo --diff");
}

void add_retract(Command tree, Session& session) {
    const auto options = std::make_shared<VerbOptions>();
    const Command command = add_verb(
        tree, "retract",
        "Withdraw a broken release: it is installed only on request, and its users are upgraded", options,
        edit::meant_by_retract,
        [](edit::Edit& edit, const VerbOptions& of) {
            edit::retract(edit, of.package, of.names.front(), of.to, of.message);
        },
        session);
    command.add_option("BUNDLE", options->names, "The bundle, by name or version").required().at_most(1);
    command.add_option("--to BUNDLE", options->to,
                       "What its users get (default: what replaces it); may be an earlier release");
    command.add_option("--message TEXT", options->message, "Why, for the deprecation");
    command.footer("Examples:\n"
                   "  opcat edit retract 1.2.0 --message 'It loses data.' --in catalog/ -p foo --diff");
}

void add_remove(Command tree, Session& session) {
    const auto options = std::make_shared<VerbOptions>();
    const Command command = add_verb(
        tree, "remove", "Remove bundles, or a channel (remove channel NAME)", options, edit::meant_by_remove,
        [](edit::Edit& edit, const VerbOptions& of) {
            if (of.names.front() != "channel") return edit::remove_bundles(edit, of.package, of.names);
            if (of.names.size() != 2) throw RequestError("remove channel takes the name of one channel");
            edit::remove_channel(edit, of.package, of.names.back(), of.default_channel);
        },
        session);
    command
        .add_option("BUNDLE", options->names,
                    "A bundle by name, version or range of versions; or the word channel and its name")
        .required();
    command.add_option("--default-channel NAME", options->default_channel,
                       "The new default channel, if the old one is removed");
    command.footer("Examples:\n"
                   "  opcat edit remove '<2.0.0' --in catalog/ -p foo --diff\n"
                   "  opcat edit remove channel beta --in catalog/ -p foo --diff");
}

edit::Deprecated deprecated_of(const std::vector<std::string>& words) {
    if (words == std::vector<std::string>{"package"}) return {schema::package, {}};
    if (words.size() == 2 && words[0] == "channel") return {schema::channel, words[1]};
    if (words.size() == 2 && words[0] == "bundle") return {schema::bundle, words[1]};
    throw RequestError("what is deprecated?", "write package, channel NAME, or bundle NAME");
}

void add_deprecate(Command tree, Session& session) {
    const auto options = std::make_shared<VerbOptions>();
    const Command command = add_verb(
        tree, "deprecate", "Deprecate a package, a channel or a bundle, or take that back", options,
        edit::meant_by_deprecate,
        [](edit::Edit& edit, const VerbOptions& of) {
            if (of.undo != of.message.empty())
                throw RequestError(of.undo ? "--undo takes no message"
                                           : "a deprecation needs a message for users",
                                   "--message TEXT, or --undo");
            edit::deprecate(edit, of.package, deprecated_of(of.names), of.message);
        },
        session);
    command.add_option("WHAT", options->names, "package, channel NAME, or bundle NAME").required();
    command.add_option("--message TEXT", options->message, "What users should know and do");
    command.add_flag("--undo", options->undo, "It is not deprecated any more");
    command.footer("Examples:\n"
                   "  opcat edit deprecate channel beta --message 'Use stable.' --in catalog/ -p foo --diff\n"
                   "  opcat edit deprecate bundle 1.0.0 --message 'Upgrade.' --in catalog/ -p foo --diff\n\n"
                   "--undo in place of --message takes a deprecation back.");
}

void add_channel(Command tree, Session& session) {
    const Command channel = tree.add_command("channel", "Rename a channel, or make one");
    channel.needs_command();
    channel.footer("Examples:\n  opcat edit channel rename beta candidate --in catalog/ -p foo --diff");
    const auto renaming = std::make_shared<VerbOptions>();
    const Command rename = add_verb(
        channel, "rename", "Give a channel another name", renaming, edit::meant_by_rename,
        [](edit::Edit& edit, const VerbOptions& of) {
            edit::rename_channel(edit, of.package, of.from, of.to);
        },
        session);
    rename.add_option("CHANNEL", renaming->from, "The channel").required();
    rename.add_option("NAME", renaming->to, "Its new name").required();
    rename.footer("Examples:\n"
                  "  opcat edit channel rename beta candidate --in catalog/ -p foo --diff");
    const auto making = std::make_shared<VerbOptions>();
    const Command create = add_verb(
        channel, "create", "Make a channel with the entries of another", making, {},
        [](edit::Edit& edit, const VerbOptions& of) {
            edit::create_channel(edit, of.package, of.to, of.from);
        },
        session);
    create.add_option("NAME", making->to, "The new channel").required();
    create.add_option("--from CHANNEL", making->from, "The channel whose entries it has").required();
    create.footer("Examples:\n"
                  "  opcat edit channel create stable-v2 --from stable --in catalog/ -p foo --diff");
}

void add_default_channel(Command tree, Session& session) {
    const auto options = std::make_shared<VerbOptions>();
    const Command command = add_verb(
        tree, "default-channel", "Name the channel of those who name none", options,
        edit::meant_by_default_channel,
        [](edit::Edit& edit, const VerbOptions& of) { edit::set_default_channel(edit, of.package, of.to); },
        session);
    command.add_option("CHANNEL", options->to, "A channel of the package").required();
    command.footer("Examples:\n"
                   "  opcat edit default-channel beta --in catalog/ -p foo --diff");
}

std::optional<std::string> with_digest(const std::string& image, const ImageDigests& lock,
                                       std::optional<image::Puller>& puller, const VerbOptions& options,
                                       Session& session) {
    const auto spec = PullSpec::parse(image);
    if (!spec || !spec->digest().empty()) return std::nullopt;
    if (auto known = pinned(image, lock)) return known;
    if (!options.lock.empty())
        throw RequestError(fmt::format("{} has no digest for {}", options.lock, image));
    if (!puller) puller.emplace(image_options(options.images, session));
    return spec->name() + "@" + puller->digest(required(image::Name::parse(image)));
}

// Returns true if a pull spec begins with a prefix, and where a name of the prefix ends, that of the pull
// spec ends: half the name of a host, a repository or a tag is another one, and a host with a port is another
// registry. A prefix whose end cannot be the end of a name ("registry.example/", "foo-") is taken as it is.
bool begins_with_names(std::string_view image, std::string_view prefix) {
    if (!image.starts_with(prefix)) return false;
    const std::string_view rest = image.substr(prefix.size());
    const char last = ascii_lower(prefix.back());
    const bool ends_name = is_digit(last) || (last >= 'a' && last <= 'z');
    if (!ends_name || rest.empty() || rest.front() == '/' || rest.front() == '@') return true;
    const bool is_port = prefix.find('/') == prefix.npos && rest.find('/') != rest.npos;
    return rest.front() == ':' && !is_port;
}

void change_images(edit::Edit& edit, const VerbOptions& options, Session& session) {
    const bool by_prefix = !options.from.empty() || !options.to.empty();
    if ((options.names.size() == 2) + by_prefix + options.digest != 1 ||
        (by_prefix && (options.from.empty() || options.to.empty())))
        throw RequestError("which images?", "write OLD NEW, or --from PREFIX --to PREFIX, or --digest");
    const auto separator_at_end = [](const std::string& text) {
        return text.find_first_of("/:@", text.size() - 1) == text.npos ? '\0' : text.back();
    };
    if (by_prefix && separator_at_end(options.from) != separator_at_end(options.to))
        throw RequestError(fmt::format("{} and {} do not end alike", options.from, options.to),
                           "write '/' at the end of both, or of none; the same for ':' and '@'");
    const ImageDigests lock = options.lock.empty() ? ImageDigests() : read_image_lock(options.lock);
    std::optional<image::Puller> puller;
    edit::change_images(edit, options.package, [&](const std::string& image) -> std::optional<std::string> {
        if (options.digest) return with_digest(image, lock, puller, options, session);
        if (!by_prefix) return image == options.names[0] ? std::optional(options.names[1]) : std::nullopt;
        if (!begins_with_names(image, options.from)) return std::nullopt;
        return options.to + image.substr(options.from.size());
    });
}

void add_image(Command tree, Session& session) {
    const auto options = std::make_shared<VerbOptions>();
    const Command command = add_verb(
        tree, "image", "Give images other pull specs, or pin them to digests", options, edit::meant_by_image,
        [&session](edit::Edit& edit, const VerbOptions& of) { change_images(edit, of, session); }, session,
        "Only images of bundles of this package (default: of all)");
    command.add_option("OLD", options->names, "A pull spec, and the one that takes its place").at_most(2);
    command.add_option("--from PREFIX", options->from, "The beginning of pull specs");
    command.add_option("--to PREFIX", options->to, "Their new beginning");
    command.add_flag("--digest", options->digest,
                     "Pin tags to their digests, for which registries are asked");
    command.add_option(
        "--lock FILE", options->lock,
        "With --digest: a file with a pull spec and its digest in each line, instead of asking");
    add_image_flags(command, options->images);
    command.footer(
        "Examples:\n"
        "  opcat edit image --from registry.example/ --to registry.stage.example/ --in catalog/ --diff\n"
        "  opcat edit image --digest --in catalog/ --diff");
}

} // namespace

void add_edit_verbs(Command tree, Session& session) {
    add_promote(tree, session);
    add_retract(tree, session);
    add_remove(tree, session);
    add_deprecate(tree, session);
    add_channel(tree, session);
    add_default_channel(tree, session);
    add_image(tree, session);
}

} // namespace opcat
