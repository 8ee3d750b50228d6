#include "opcat/base/below.hpp"
#include "opcat/template/template.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// A bundle that is not loaded, and why.
void fail(LoadedCatalog& bundle, const Error& error) {
    const bool is_request = dynamic_cast<const RequestError*>(&error) != nullptr;
    bundle.diagnostics.push_back({.rule = is_request ? "template" : "file",
                                  .message = error.what(),
                                  .where = {},
                                  .notes = {},
                                  .help = error.hint()});
}

// Calls `action`; what it throws is the reason why the bundle is not loaded.
template <class Action>
void or_fail(LoadedCatalog& bundle, const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        fail(bundle, error);
    }
}

// Reports names that cannot be those of bundles, without loading these.
std::vector<LoadedCatalog> check_names(std::span<const std::string> names, const OpenOptions& options) {
    std::vector<LoadedCatalog> bundles(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
        bundles[i].bundles_unknown = true;
        or_fail(bundles[i], [&] {
            if (names_image(names[i], options.manner))
                static_cast<void>(required(image::Name::parse(names[i])));
            else if (std::error_code ignored; !fs::exists(names[i], ignored))
                throw RequestError(
                    fmt::format("{} is neither an image of a registry nor a directory", names[i]),
                    "write HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST");
        });
    }
    return bundles;
}

// Returns true if bundles can be read without a request to a registry.
bool are_at_hand(std::span<const std::string> names, const OpenOptions& options) {
    // The first use of a cache makes it: there is nothing to look for before.
    std::error_code absent;
    const bool has_cache = options.cache && fs::exists(*options.cache, absent);
    std::optional<image::Puller> puller;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        if (!names_image(name, options.manner)) return true;
        const auto parsed = image::Name::parse(name);
        if (parsed && parsed->transport != image::Transport::registry) return true;
        if (!parsed || !has_cache) return false;
        if (!puller) puller.emplace(options.images());
        return puller->is_cached(*parsed);
    });
}

// Each of them, or why it is not loaded.
std::vector<LoadedCatalog> load_bundles(std::span<const std::string> names, const std::string& reference,
                                        const OpenOptions& options, ThreadPool& pool) {
    std::vector<LoadedCatalog> bundles(names.size());
    std::vector<std::string> allowed;
    std::vector<LoadedCatalog*> of_allowed;
    for (size_t i = 0; i < names.size(); ++i)
        or_fail(bundles[i], [&] {
            require_own_bundles(names.subspan(i, 1), reference, options.templates->bundle_directories,
                                options.manner);
            allowed.push_back(names[i]);
            of_allowed.push_back(&bundles[i]);
        });
    if (allowed.empty()) return bundles;
    OpenOptions of_bundles = options;
    of_bundles.taken = Taken::all;
    of_bundles.image_template.reset();
    of_bundles.max_file_size = SourceFile::max_size;
    of_bundles.templates.reset();
    of_bundles.standard_input = {};
    std::vector<SourceOrError> found = open_each_that_can(allowed, of_bundles, pool);
    for (size_t i = 0; i < found.size(); ++i)
        or_fail(*of_allowed[i], [&] {
            if (const auto* const error = std::get_if<std::exception_ptr>(&found[i]))
                std::rethrow_exception(*error);
            *of_allowed[i] = std::get<Source>(std::move(found[i])).take();
        });
    return bundles;
}

} // namespace

void require_own_bundles(std::span<const std::string> references, const std::string& path,
                         const std::vector<std::string>& bundle_directories, Manner manner) {
    std::vector<fs::path> directories(bundle_directories.begin(), bundle_directories.end());
    if (path != "-") directories.push_back(fs::absolute(path).parent_path());
    for (const std::string& reference : references) {
        const fs::path named = local_path_of(reference, manner);
        if (named.empty()) continue;
        std::error_code failed;
        const fs::path real = fs::weakly_canonical(named, failed);
        const bool is_own =
            !failed && std::any_of(directories.begin(), directories.end(), [&](const fs::path& directory) {
                return is_below(real, fs::weakly_canonical(directory, failed));
            });
        if (!is_own)
            throw RequestError(
                fmt::format("{} is outside of the template's directory{}", reference,
                            named.is_absolute()
                                ? ""
                                : fmt::format(": from the working directory, it is {}", real.string())),
                "--bundle-dir DIR lets the template name bundles in another directory");
    }
}

void open_template(LoadedCatalog& loaded, const std::string& reference, const OpenOptions& options,
                   ThreadPool& pool) {
    const auto kind = template_in(loaded);
    if (!kind) return;
    if (!options.templates)
        throw RequestError(
            fmt::format("{} is a template, not a catalog", reference == "-" ? "standard input" : reference),
            "`opcat template render` makes the catalog");
    opcat::open_template(
        loaded,
        [&](std::span<const std::string> names) -> std::optional<std::vector<LoadedCatalog>> {
            return options.templates->resolve_images || are_at_hand(names, options)
                       ? load_bundles(names, reference, options, pool)
                       : check_names(names, options);
        },
        pool);
    if (!loaded.bundles_unknown || !options.templates->needs_channels) return;
    const std::string shown = reference == "-" ? "the template" : reference;
    if (kind == TemplateKind::semver && !has_errors(loaded.diagnostics))
        throw RequestError(fmt::format("{} has no channels yet: those of a semver template come from the "
                                       "versions of its bundles",
                                       shown),
                           "--resolve-images pulls the bundles");
    warn(options, fmt::format("the bundles of {} are unknown: their versions are those in their names, and "
                              "nothing else counts (--resolve-images pulls them)",
                              shown));
}

} // namespace opcat
