// The options of all commands that read images or write catalogs.
#pragma once

#include "opcat/catalog/write.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/image/options.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Command;
class Option;
class Session;

// -o, --output.
Option add_format_option(Command command, Format& format);

// --migrate-level; `migrate` says whether there is a migration to run.
Option add_migrate_option(Command command, bool& migrate);

// --allow-empty, under the name opcat. Under the name opm nothing is a catalog, too: `allowed` is then true.
void add_allow_empty_flag(Command command, bool& allowed, const Session& session);

// What a catalog has at least: what is printed may be a part, what clusters get offers something.
enum class Content : uint8_t { blob, package };

// Why a directory may seem to be empty.
constexpr std::string_view empty_input_hint =
    "correct the path, or look for an .indexignore file that leaves out too much";

// Nothing is not a catalog: says that `what` is empty, and returns false, if it has less than that and that
// is not allowed. The exit status becomes that of findings.
bool report_empty(const Catalog& catalog, Content least, bool allowed, std::string_view what,
                  std::string_view hint, Session& session);

// Where an empty answer is one, too: warns that the catalog `shown` has nothing of a package.
void warn_of_no_packages(const Catalog& catalog, std::string_view shown, const Session& session);

// The flags of all commands that take an image, or publish one.
struct ImageFlags {
    bool skip_tls_verify = false;
    bool use_http = false;
    std::string cert_dir;
    std::string authfile;
    std::string platform;
    std::string signature_policy;
    bool require_signatures = false;
    std::string signature_stores;
    bool no_cache = false;
    unsigned requests_per_second = 0;
    uint64_t max_unpacked_size = uint64_t{4} << 30;
    std::vector<std::string> upload_hosts;
    // Not flags, but of image::Options.
    const std::atomic<bool>* cancelled = nullptr;
    std::shared_ptr<image::PinnedNames> pinned;
};

// `flags` is filled when the command line is parsed, and must live as long as the command.
// Those about registries, for commands that publish.
void add_registry_flags(Command command, ImageFlags& flags);
// For a command that reads only images of opcat's own, which no signature policy is about.
void add_own_image_flags(Command command, ImageFlags& flags);
// All of them, for commands that read what is in an image.
void add_image_flags(Command command, ImageFlags& flags);

// --attachments, for commands that copy images.
Option add_attachments_option(Command command, image::Attachments& wanted);

// --log, for commands that programs follow.
void add_log_option(Command command, Session& session);

// What the flags and the environment say. Warns if the cache cannot be used. Throws RequestError on a flag
// that makes no sense.
image::Options image_options(const ImageFlags& flags, const Session& session);

} // namespace opcat
