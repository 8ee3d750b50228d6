#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/lint/checks.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

// Far more than any console shows.
constexpr uint64_t max_part_size = uint64_t{16} << 20;

struct InitOptions {
    std::string package;
    std::string default_channel;
    std::string description_file;
    std::string icon_file;
    Format format = Format::json;
};

// Bytes that are not UTF-8 become U+FFFD, as in opm's JSON.
std::string as_utf8(std::string_view bytes) {
    std::string text;
    for (const std::string_view character : utf8_characters(bytes))
        text += is_valid_utf8(character) ? character : std::string_view("\uFFFD");
    return text;
}

void run(const InitOptions& options, Session& session) {
    if (const std::string reason = reason_against_package_name(options.package);
        !session.as_opm() && !reason.empty())
        throw RequestError(
            fmt::format("{} cannot be the name of a package: {}", go_quote(options.package), reason));
    Package package;
    const std::string name = as_utf8(options.package);
    const std::string default_channel = as_utf8(options.default_channel);
    package.name.text = name;
    package.default_channel.text = default_channel;
    std::string description;
    if (!options.description_file.empty()) {
        description =
            as_utf8(read_file(options.description_file, options.description_file, max_part_size)->bytes());
        package.description.text = description;
    }
    std::string icon;
    if (!options.icon_file.empty()) {
        const auto file = read_file(options.icon_file, options.icon_file, max_part_size);
        const std::string_view type = image_media_type(file->bytes());
        if (type.empty())
            throw Error(fmt::format("the icon {} is not an image of a known format", options.icon_file),
                        "SVG and PNG are what consoles show best");
        icon = encode_base64(file->bytes());
        package.icon = Icon{icon, type};
    }
    Catalog catalog;
    catalog.packages.push_back(package);
    write_catalog(catalog, options.format, session.pool(),
                  [&](std::string_view, std::string_view text) { session.out.write(text); });
}

} // namespace

void add_init(Command tree, Session& session) {
    const Command command = tree.add_command("init", "Print an olm.package blob for a new catalog");
    auto& options = command.action<InitOptions>(run, session);
    command.add_option("PACKAGE", options.package, "Name of the package").required();
    command.add_option("-c,--default-channel", options.default_channel,
                       "Channel for subscriptions that do not name one");
    command.add_option("-d,--description FILE", options.description_file,
                       "File with the description, as Markdown");
    command.add_option("-i,--icon FILE", options.icon_file, "Image file with the icon");
    add_format_option(command, options.format);
    command.footer(
        "Example:\n  opcat init foo -c stable -d README.md -i icon.svg -o yaml > foo/catalog.yaml");
}

} // namespace opcat
