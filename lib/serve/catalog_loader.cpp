#include "opcat/serve/catalog_loader.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/image/name.hpp"
#include "opcat/lint/counts.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/serve/catalog_document.hpp"
#include "opcat/serve/registry_snapshot.hpp"
#include "opcat/serve/served_pages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace opcat::serve {
namespace {

using Clock = std::chrono::steady_clock;

// An action whose failures are all Errors. `doing`: "load the catalog shop".
template <class Action>
void with_errors(const std::string& doing, const Action& action) {
    try {
        action();
    } catch (const std::bad_alloc&) {
        throw Error(fmt::format("cannot {}: there is not enough memory", doing),
                    "give the server more memory, or serve a part of the catalog");
    } catch (const std::system_error& error) { // of the file system
        throw Error(fmt::format("cannot {}: {}", doing, error.what()));
    }
}

} // namespace

CatalogLoader::CatalogLoader(LoaderOptions options, ThreadPool& pool)
    : options_(std::move(options)), pool_(pool), loaded_(options_.sources.size()) {
    for (const ServedSource& source : options_.sources)
        catalogs_.push_back(std::make_unique<ServedCatalog>(source.name));
}

void CatalogLoader::load(size_t which) {
    with_errors("load the catalog " + options_.sources[which].name, [&] { load_source_of(which); });
}

// Those of the next version are made when they are asked for: both at once are more than a server needs.
void CatalogLoader::forget_pages(size_t which) {
    auto served = catalogs_[which]->snapshot();
    if (!served || !served->pages) return;
    auto snapshot = std::make_shared<Snapshot>(*served);
    served.reset();
    snapshot->pages.reset();
    catalogs_[which]->add_pages(std::move(snapshot));
    return_free_memory();
}

void CatalogLoader::load_source_of(size_t which) {
    forget_pages(which);
    const ServedSource& source = options_.sources[which];
    const auto begin = Clock::now();
    Loaded& loaded = loaded_[which];
    // Before it is read, so that later changes are noticed later.
    loaded.state = loaded.seen = state_of(source);
    const bool http = !options_.server.http.empty();
    const auto& ports = options_.server.grpc;
    const bool checks_only = !http && ports.empty();
    const bool wants_registry =
        checks_only ||
        std::any_of(ports.begin(), ports.end(), [&](const GrpcPort& port) { return port.catalog == which; });
    const ServedApis apis{.http = http, .grpc = wants_registry};
    // Everything that is served is made of a text; the files are not kept.
    std::shared_ptr<Snapshot> snapshot;
    std::optional<Source> opened; // an image, which is not read again
    if (source.is_directory) {
        snapshot = make_snapshot(document_in_parts(which, wants_registry), apis, pool_);
        // The findings have their places in the files.
        if (!snapshot) refuse_source(which);
    } else {
        opened = open_valid_source(which, wants_registry);
        snapshot = make_snapshot(*opened, apis, pool_);
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    const auto earlier = catalogs_[which]->snapshot();
    // A volume that is not there yet, rather than an operator catalog without operators.
    if (earlier && earlier->packages > 0 && snapshot->packages == 0)
        throw Error(fmt::format("the catalog {} has no packages any more", source.name),
                    "restart opcat to serve it empty");
    const bool replaced = earlier != nullptr;
    if (earlier && earlier->document && snapshot->document) snapshot->document->follow(*earlier->document);
    catalogs_[which]->publish(snapshot, took.count());
    loaded.served = loaded.state;
    loaded.findings.reset();
    if (!server_) return;
    server_->catalogs_changed(replaced);
    options_.on_loaded(source, *snapshot, took.count());
    if (opened && options_.has_pages && http) loaded.findings = pages::find_for_pages(*opened, pool_);
    opened.reset();
    return_free_memory(); // data of loading that serving does not need
}

// Of an image that is watched, this takes a request to its registry.
CatalogLoader::State CatalogLoader::state_of(const ServedSource& source) const {
    if (source.is_directory || kind_of(source.reference, options_.how.manner) == ReferenceKind::path)
        return {tree_state(source.reference), {}};
    if (!options_.compares_images || !names_image(source.reference, options_.how.manner)) return {};
    const image::Name name = required(image::Name::parse(source.reference));
    if (name.transport != image::Transport::registry) return {tree_state(name.path), {}};
    return {{}, image::Puller(options_.how.images()).digest(name)};
}

// Of directories, which the user trusts.
LoadOptions CatalogLoader::reading(bool names_only) const {
    return {.follow_links = true, .skip_git = options_.how.manner == Manner::opcat, .names_only = names_only};
}

// With little memory. Without a registry only names are checked, as catalogd does.
std::shared_ptr<CatalogDocument> CatalogLoader::document_in_parts(size_t which, bool wants_registry) {
    const TreeState& state = loaded_[which].state.tree;
    const auto document = std::make_shared<CatalogDocument>(state.newest, state.bytes + state.bytes / 8);
    const Diagnostics problems =
        load_catalog_in_parts(options_.sources[which].reference, pool_, reading(!wants_registry),
                              [&](const Catalog& part) { document->add(part, pool_); });
    if (has_errors(problems)) {
        if (wants_registry) refuse_source(which);
        refuse(problems);
    }
    document->finish();
    return document;
}

Source CatalogLoader::open_source(size_t which) const {
    return open(options_.sources[which].reference, options_.how, pool_);
}

Source CatalogLoader::open_valid_source(size_t which, bool for_registry) {
    Source source = open_source(which);
    const LoadedCatalog& loaded = source.loaded();
    Diagnostics errors = for_registry ? find_errors(loaded, pool_) : loaded.diagnostics;
    if (for_registry && errors.empty()) errors = find_serving_errors(loaded.catalog);
    if (has_errors(errors)) refuse(errors);
    return source;
}

// A source that has errors, as was found without their places.
void CatalogLoader::refuse_source(size_t which) {
    static_cast<void>(open_valid_source(which, true));
    throw Error(fmt::format("cannot load the catalog {}: it has changed while it was being loaded",
                            options_.sources[which].name),
                "try again");
}

void CatalogLoader::make_wanted_pages() {
    for (size_t i = 0; i < catalogs_.size(); ++i) {
        const auto served = catalogs_[i]->snapshot();
        if (!catalogs_[i]->wants_pages() || !served) continue;
        auto snapshot = std::make_shared<Snapshot>(*served);
        snapshot->pages_problem.clear(); // of the last attempt
        try {
            with_errors("make the pages", [&] {
                std::vector<pages::PageFinding> findings = findings_of_served(i, *served);
                return_free_memory(); // of the files
                snapshot->pages = make_pages(options_.sources[i].name, served->document, std::move(findings),
                                             options_.server.allow_query, pool_);
            });
        } catch (const Error& error) {
            snapshot->pages_problem = error.what();
            options_.on_warning("the pages cannot be made", options_.sources[i].name, error.what());
        }
        catalogs_[i]->add_pages(std::move(snapshot));
        server_->catalogs_changed(false);
        return_free_memory();
    }
}

// The findings of the served version, from its files if they are unchanged and readable; else from what
// is served, where they have other places.
std::vector<pages::PageFinding> CatalogLoader::findings_of_served(size_t which, const Snapshot& snapshot) {
    const Loaded& loaded = loaded_[which];
    if (loaded.findings) return *loaded.findings;
    const ServedSource& source = options_.sources[which];
    const auto is_unchanged = [&] { return state_of(source) == loaded.served; };
    if (source.is_directory && is_unchanged()) {
        if (auto found = pages::find_in_parts(source.reference, reading(), pool_); found && is_unchanged())
            return *std::move(found);
        const Source opened = open_source(which);
        if (is_unchanged() && count_findings(opened.loaded().diagnostics).unreadable == 0)
            return pages::find_for_pages(opened, pool_);
    }
    return pages::find_for_pages(Source(source.reference, load_all(*snapshot.document, pool_)), pool_);
}

void CatalogLoader::refuse(const Diagnostics& errors) {
    std::string problem;
    for (const Diagnostic& finding : errors) problem += to_text(finding, {});
    if (problem != known_problem_) options_.on_findings(errors);
    const FindingCounts counts = count_findings(errors);
    throw Unservable{problem, counts.unreadable + counts.limited > 0};
}

void CatalogLoader::compress_large_ones() {
    for (const auto& catalog : catalogs_) {
        const auto snapshot = catalog->snapshot();
        if (!snapshot || !snapshot->document || snapshot->document->is_compressed()) continue;
        try {
            with_errors("compress the catalog " + catalog->name(),
                        [&] { snapshot->document->compress(pool_); });
        } catch (const Error& error) {
            options_.on_warning("the catalog is sent without compression", catalog->name(), error.what());
        }
        return_free_memory();
    }
}

// So many looks a directory may go on changing before it is loaded all the same.
constexpr size_t most_restless_looks = 5;

// Returns true if it has changed since it was loaded, but not any more: a directory is not loaded in the
// middle of a copy.
bool CatalogLoader::has_changed(size_t which) {
    const ServedSource& source = options_.sources[which];
    Loaded& loaded = loaded_[which];
    try {
        State state;
        with_errors("look at the catalog", [&] { state = state_of(source); });
        catalogs_[which]->report_watch({});
        loaded.restless = state == loaded.seen ? 0 : loaded.restless + 1;
        const bool settled =
            !state.digest.empty() || loaded.restless == 0 || loaded.restless % most_restless_looks == 0;
        loaded.seen = state;
        return settled && state != loaded.state;
    } catch (const Error& error) {
        if (options_.stopping) return false;
        // A registry that is unavailable for some time is reported once.
        if (catalogs_[which]->watch_problem() != error.what())
            options_.on_warning("the image cannot be looked at", source.name, error.what());
        catalogs_[which]->report_watch(error.what());
        return false;
    }
}

// A failure that is not a mistake in the catalog may pass: the next look tries again, and only reports
// what is new. `asked`: by a user, who is to see it again.
void CatalogLoader::reload(size_t which, bool asked) {
    known_problem_ = asked ? std::string() : catalogs_[which]->problem();
    std::string problem;
    bool may_pass = true;
    try {
        load(which);
        return;
    } catch (const Unservable& unservable) {
        problem = unservable.problem;
        may_pass = unservable.may_pass;
    } catch (const Error& error) {
        if (options_.stopping) return;
        problem = error.what();
        if (problem != known_problem_) options_.on_error(error);
    }
    if (may_pass) loaded_[which].state = {};
    catalogs_[which]->report_failure(problem);
    if (problem != known_problem_)
        options_.on_warning("the catalog could not be reloaded: the earlier version is still served",
                            catalogs_[which]->name(), {});
}

void CatalogLoader::load_changed(bool asked) {
    bool any = false;
    for (size_t i = 0; i < catalogs_.size(); ++i) {
        if (!asked && !has_changed(i)) continue;
        reload(i, asked);
        loaded_[i].seen = loaded_[i].state;
        any = true;
    }
    if (any) compress_large_ones();
}

} // namespace opcat::serve
