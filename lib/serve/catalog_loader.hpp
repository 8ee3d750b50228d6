// Loads the catalogs of a server, loads them again when they change, and makes their pages.
#pragma once

#include "opcat/pages/findings.hpp"
#include "opcat/serve/server.hpp"
#include "opcat/workspace/open.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::serve {

struct ServedSource {
    std::string name;
    std::string reference;
    bool is_directory = false; // of a catalog's files: it can be watched
};

// Thrown for a catalog with mistakes, or with files that cannot be read. All of that has been reported.
struct Unservable {
    std::string problem; // the findings as text
    bool may_pass;       // it is not a mistake in the catalog
};

struct LoaderOptions {
    std::vector<ServedSource> sources;
    const ServerOptions& server; // of the server that answers from the catalogs
    OpenOptions how;
    bool has_pages = true;             // for browsers
    bool compares_images = false;      // with their registries, to see changes
    const std::atomic<bool>& stopping; // then failures are not reported
    // What is wrong with a catalog, why one cannot be read, and what else its operator should know; of the
    // latter `problem` may be empty.
    std::function<void(const Diagnostics&)> on_findings;
    std::function<void(const Error&)> on_error;
    std::function<void(std::string_view what, const std::string& catalog, const std::string& problem)>
        on_warning;
    std::function<void(const ServedSource&, const Snapshot&, double seconds)> on_loaded;
};

class CatalogLoader {
public:
    CatalogLoader(LoaderOptions options, ThreadPool& pool);
    CatalogLoader(const CatalogLoader&) = delete;
    CatalogLoader& operator=(const CatalogLoader&) = delete;

    const ServedCatalogs& catalogs() const { return catalogs_; }
    // From now on this server announces changes.
    void serve_by(Server& server) { server_ = &server; }

    // Throws Unservable, or Error for what cannot be reached.
    void load(size_t which);
    // Loads those again that have changed since the last look, but not since a moment; or all, if a user asks
    // for it. The earlier version of one that cannot be loaded is still served.
    void load_changed(bool asked);
    // Those that browsers have requested since the last look.
    void make_wanted_pages();
    // Until then, and if that fails, their plain text is sent.
    void compress_large_ones();

private:
    // The state of a catalog when it was loaded: equal states mean equal catalogs.
    struct State {
        TreeState tree;     // of a directory
        std::string digest; // of an image in a registry that is watched

        friend bool operator==(const State&, const State&) = default;
    };
    struct Loaded {
        State state;                                             // when it was loaded last
        State served;                                            // when the served version was loaded
        State seen;                                              // at the last look
        size_t restless = 0;                                     // so many looks have found another state
        std::optional<std::vector<pages::PageFinding>> findings; // of an image
    };

    void load_source_of(size_t which);
    void forget_pages(size_t which);
    State state_of(const ServedSource& source) const;
    LoadOptions reading(bool names_only = false) const;
    std::shared_ptr<CatalogDocument> document_in_parts(size_t which, bool wants_registry);
    Source open_source(size_t which) const;
    Source open_valid_source(size_t which, bool for_registry);
    [[noreturn]] void refuse_source(size_t which);
    [[noreturn]] void refuse(const Diagnostics& errors);
    std::vector<pages::PageFinding> findings_of_served(size_t which, const Snapshot& snapshot);
    bool has_changed(size_t which);
    void reload(size_t which, bool asked);

    LoaderOptions options_;
    ThreadPool& pool_;
    ServedCatalogs catalogs_;
    std::vector<Loaded> loaded_;
    std::string known_problem_; // of the catalog that is being loaded; it is not reported again
    Server* server_ = nullptr;
};

} // namespace opcat::serve
