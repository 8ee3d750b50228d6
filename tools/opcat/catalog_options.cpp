#include "catalog_options.hpp"

#include "command.hpp"
#include "environment.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

namespace opcat {

Option add_format_option(Command command, Format& format) {
    return command.add_choice("-o,--output", format, {{"json", Format::json}, {"yaml", Format::yaml}},
                              "Format: json or yaml");
}

Option add_migrate_option(Command command, bool& migrate) {
    return command.add_choice("--migrate-level", migrate,
                              {{"none", false}, {"bundle-object-to-csv-metadata", true}},
                              "Last migration to run: none or bundle-object-to-csv-metadata");
}

void add_allow_empty_flag(Command command, bool& allowed, const Session& session) {
    if (session.as_opm())
        allowed = true;
    else
        command.add_flag("--allow-empty", allowed, "Accept a catalog in which nothing is");
}

bool report_empty(const Catalog& catalog, Content least, bool allowed, std::string_view what,
                  std::string_view hint, Session& session) {
    const std::vector<AnyBlob> blobs = blobs_of(catalog);
    const auto dropped = static_cast<size_t>(std::count_if(blobs.begin(), blobs.end(), is_dropped));
    if (dropped > 0 && !session.as_opm())
        session.print_warning(fmt::format("{} {} left out of {}: {} not name a package",
                                          counted(dropped, "blob"), dropped == 1 ? "is" : "are", what,
                                          dropped == 1 ? "it does" : "they do"));
    const bool is_empty = dropped == blobs.size();
    if (allowed || (least == Content::package ? !catalog.packages.empty() : !is_empty)) return true;
    session.print_error(
        is_empty ? fmt::format("{} is empty: it has neither a package nor a channel nor a bundle", what)
                 : fmt::format("{} has no package", what),
        fmt::format("{}; --allow-empty accepts it",
                    dropped > 0 ? std::string("write `package: NAME` into its blobs") : std::string(hint)));
    session.exit_status = exit_findings;
    return false;
}

void warn_of_no_packages(const Catalog& catalog, std::string_view shown, const Session& session) {
    if (catalog.packages.empty() && catalog.channels.empty() && catalog.bundles.empty())
        session.print_warning(fmt::format("{} has no packages", shown));
}

namespace fs = std::filesystem;
namespace {

void add(std::vector<fs::path>& paths, const std::optional<fs::path>& directory, const char* below = "") {
    if (directory) paths.push_back(*below ? *directory / below : *directory);
}

// The order of containers-auth.json(5), then Docker's file. A file that the user names is the only one.
std::vector<fs::path> auth_files(const std::string& given) {
    if (!given.empty()) {
        std::error_code ignored;
        if (!fs::exists(given, ignored))
            throw Error(fmt::format("cannot read {}: {}", given, system_message(ENOENT)));
        return {given};
    }
    std::vector<fs::path> files;
    add(files, path_variable("REGISTRY_AUTH_FILE"));
    add(files, path_variable("XDG_RUNTIME_DIR"), "containers/auth.json");
    add(files, config_home(), "containers/auth.json");
    add(files, path_variable("DOCKER_CONFIG"), "config.json");
    add(files, below_home(".docker/config.json"));
    return files;
}

// A file that nobody may look at is there: what it says is not known.
bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

// containers-registries.conf(5): the user's file replaces the system's, what is in the .d directories is
// added. A file that the environment names must be there.
std::vector<fs::path> registries_conf() {
    const auto named = path_variable("CONTAINERS_REGISTRIES_CONF");
    std::vector<fs::path> paths;
    if (!named) {
        add(paths, config_home(), "containers/registries.conf");
        if (paths.empty() || !is_there(paths.front())) paths.assign(1, "/etc/containers/registries.conf");
    }
    paths.emplace_back("/etc/containers/registries.conf.d");
    add(paths, config_home(), "containers/registries.conf.d");
    std::erase_if(paths, [](const fs::path& path) { return !is_there(path); });
    if (named) paths.insert(paths.begin(), *named);
    return paths;
}

// containers-policy.json(5). Without a file nothing is verified.
std::optional<fs::path> signature_policy(const ImageFlags& flags) {
    if (!flags.signature_policy.empty()) return flags.signature_policy;
    std::vector<fs::path> places;
    add(places, below_home(".config/containers/policy.json"));
    places.emplace_back("/etc/containers/policy.json");
    const auto found = std::ranges::find_if(places, is_there);
    if (found != places.end()) return *found;
    if (flags.require_signatures)
        throw RequestError("--require-signatures needs a policy that says whose signatures count",
                           "name one with --signature-policy FILE; containers-policy.json(5) describes it");
    return std::nullopt;
}

// containers-registries.d(5).
fs::path signature_stores(const std::string& given) {
    if (!given.empty()) return given;
    std::error_code absent;
    const auto own = below_home(".config/containers/registries.d");
    return own && fs::exists(*own, absent) ? *own : fs::path("/etc/containers/registries.d");
}

// Where engines keep them.
std::string usual_signature_store() {
    const auto own = below_home(".local/share/containers/sigstore");
    return "file://" + (::geteuid() != 0 && own ? own->string() : "/var/lib/containers/sigstore");
}

std::vector<fs::path> host_cert_directories() {
    std::vector<fs::path> directories;
    add(directories, config_home(), "containers/certs.d");
    directories.emplace_back("/etc/containers/certs.d");
    directories.emplace_back("/etc/docker/certs.d");
    return directories;
}

// Without a place for a cache all works as well, only slower.
std::optional<fs::path> usable_cache(const Session& session) {
    auto directory = cache_directory();
    if (!directory) return std::nullopt;
    std::error_code failed;
    fs::create_directories(*directory, failed);
    if (!failed && ::access(directory->c_str(), W_OK | X_OK) == 0) return directory;
    session.print_warning("images are not cached: cannot write to " + directory->string() + ": " +
                          system_message(failed ? failed.value() : errno));
    return std::nullopt;
}

void add_login_flags(Command images, ImageFlags& flags) {
    images.add_flag("--skip-tls-verify", flags.skip_tls_verify, "Accept any certificate of a registry");
    images.add_flag("--use-http", flags.use_http, "Talk to registries in plain HTTP");
    images
        .add_option("--cert-dir DIR", flags.cert_dir,
                    "Directory with CAs (*.crt) and client certificates (*.cert, *.key)")
        .existing_directory();
    images.add_option("--authfile FILE", flags.authfile,
                      "File with credentials, instead of those of podman and docker");
}

void add_signature_flags(Command images, ImageFlags& flags) {
    images.add_option(
        "--signature-policy FILE", flags.signature_policy,
        "Policy that says which images are accepted (default: policy.json of container engines)");
    images
        .add_option("--registries.d DIR", flags.signature_stores,
                    "Directory that says where signatures are (default: that of container engines)")
        .existing_directory();
    images.add_flag("--require-signatures", flags.require_signatures,
                    "Refuse images that the policy accepts without a signature");
}

void add_rate_limit(Command images, ImageFlags& flags) {
    images
        .add_option("--registry-rps N", flags.requests_per_second,
                    "Maximum requests to registries per second (default: no limit)")
        .between(1, 1'000'000);
}

void add_size_limit(Command images, ImageFlags& flags) {
    images.add_size("--max-unpacked-size SIZE", flags.max_unpacked_size,
                    "Largest image to unpack (default: 4GiB)");
}

} // namespace

void add_registry_flags(Command command, ImageFlags& flags) {
    const Command images = command.under("Images");
    add_login_flags(images, flags);
    add_signature_flags(images, flags);
    add_rate_limit(images, flags);
    images.add_option("--allow-upload-host HOST", flags.upload_hosts,
                      "A host, besides the registry's own, to which the registry may have blobs uploaded");
    add_size_limit(images, flags);
}

void add_own_image_flags(Command command, ImageFlags& flags) {
    const Command images = command.under("Images");
    add_login_flags(images, flags);
    add_rate_limit(images, flags);
    add_size_limit(images, flags);
}

void add_image_flags(Command command, ImageFlags& flags) {
    const Command images = command.under("Images");
    add_login_flags(images, flags);
    add_signature_flags(images, flags);
    add_rate_limit(images, flags);
    images.add_option("--platform OS/ARCH[/VARIANT]", flags.platform,
                      "Platform to choose from a multi-platform image (default: linux on this architecture)");
    images.add_flag("--no-cache", flags.no_cache, "Do not use the cache of layers");
    add_size_limit(images, flags);
}

Option add_attachments_option(Command command, image::Attachments& wanted) {
    return command.add_choice("--attachments", wanted,
                              {{"all", image::Attachments::all},
                               {"signatures", image::Attachments::signatures},
                               {"none", image::Attachments::none}},
                              "What is copied with images: cosign's tags (.sig, .att, .sbom) and referrers");
}

void add_log_option(Command command, Session& session) {
    command.add_choice("--log", session.options.json_log, {{"text", false}, {"json", true}},
                       "What standard error has: text, or JSON alone, an object on each line");
}

image::Options image_options(const ImageFlags& flags, const Session& session) {
    image::Options options;
    options.skip_tls_verify = flags.skip_tls_verify || session.options.skip_tls_verify;
    options.use_http = flags.use_http || session.options.use_http;
    if (!flags.cert_dir.empty()) options.cert_directory = flags.cert_dir;
    options.host_cert_directories = host_cert_directories();
    options.ca_file = path_variable("SSL_CERT_FILE");
    options.ca_directory = path_variable("SSL_CERT_DIR");
    options.auth_files = auth_files(flags.authfile);
    options.registries_conf = registries_conf();
    options.signature_policy = signature_policy(flags);
    options.pinned = flags.pinned;
    options.require_signatures = flags.require_signatures;
    options.signature_stores = signature_stores(flags.signature_stores);
    options.usual_signature_store = usual_signature_store();
    options.user_agent = "opcat/" OPCAT_VERSION;
    if (!flags.platform.empty()) options.platform.wanted = required(image::Platform::parse(flags.platform));
    options.platform.or_first = !session.as_opm();
    if (!flags.no_cache) options.cache = usable_cache(session);
    options.upload_hosts = flags.upload_hosts;
    options.requests_per_second = flags.requests_per_second;
    options.temporary = temporary_directory();
    remove_abandoned_directories(options.temporary);
    options.max_unpacked_size = flags.max_unpacked_size;
    options.cancelled = flags.cancelled;
    return options;
}

} // namespace opcat
