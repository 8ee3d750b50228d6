// A catalog as pages for a browser: its packages, their channels and bundles, upgrade graphs, findings
// (docs/serving.md). No I/O.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/lifecycle.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/pages/findings.hpp"
#include "opcat/pages/presentation.hpp"
#include "opcat/readiness/readiness.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opcat::pages {

// The kind of pages: of a server, which can answer requests, or files, which a browser opens directly.
enum class Use : uint8_t { server, files };

struct Page {
    std::string_view media_type; // with its charset
    std::string body;
    bool found = true; // false: it does not exist, which the page says
};

// The fields of forms; empty: not filled in.
struct FormFields {
    // For an upgrade path, or a comparison of two catalogs.
    std::string from = {};
    std::string to = {};
    std::string package = {};
    // For the objects that install a version.
    std::string channel = {};
    std::string ns = {};
    std::string catalog = {}; // on the cluster
    std::string catalog_ns = {};
    // A question to the catalog.
    std::string sql = {};
};

// A package with data that its pages need often.
struct PackagePages {
    const PackageGraph* graph = nullptr;
    std::string folder;                   // below "packages/"
    Presentation said;                    // of the default channel's head
    std::optional<readiness::Verdict> v1; // of what OLM v1 chooses; nothing: it has nothing to choose
    std::string_view icon_type;           // its media type; empty: none that a page may show
    std::string icon_link;                // relative to the package's folder, or a data URI; empty: none
    std::vector<const PageFinding*> findings;
    std::unordered_map<std::string_view, std::vector<const PageFinding*>> findings_of_bundles; // by name
    std::optional<Lifecycle> lifecycle;                                                        // the first
    std::optional<KnownSteps> steps; // for files, each of which asks for a version's
    // False: working out the upgrades from each version, for files, would take too much.
    bool has_upgrades = true;
    // The bundles with pages, by the hash of the file's name.
    std::vector<std::pair<size_t, NodeId>> by_file;

    std::string_view name() const { return graph->name; }
    std::string title() const; // its display name, or else its name
};

// Calls `use` with the bundle and all of its properties, if it still exists. Thread-safe.
using WithProperties =
    std::function<void(const Bundle& bundle, const std::function<void(const Bundle&)>& use)>;
void with_own_properties(const Bundle& bundle, const std::function<void(const Bundle&)>& use);

// Thread-safe.
class CatalogPages {
public:
    // `catalog` need not be valid: whatever exists is shown. Describes one bundle and decodes the icon of
    // each package. With a function of the caller's, bundles need not have their manifests, which are most of
    // a catalog.
    CatalogPages(std::string name, Catalog catalog, std::vector<PageFinding> findings, Use use,
                 ThreadPool& pool, WithProperties with_properties = with_own_properties);
    CatalogPages(const CatalogPages&) = delete;
    CatalogPages& operator=(const CatalogPages&) = delete;

    const std::string& name() const { return name_; }
    std::span<const PackagePages> packages() const { return packages_; }
    std::span<const PageFinding> findings() const { return findings_; }
    size_t bundles() const { return catalog_.bundles.size(); }
    Use use() const { return use_; }
    // Before the pages are shared: there is a page "query.html", which is not one of these.
    void link_query_page() { has_query_page_ = true; }
    bool has_query_page() const { return has_query_page_; }
    Presentation describe(const Bundle& bundle) const;
    // Says if OLM v1 installs the bundle: the newest release, with the standard feature set.
    readiness::BundleReadiness readiness_of(const Bundle& bundle) const;

    // All files, relative to the catalog's folder: "index.html", "words.js", "packages/foo/index.html", …
    std::vector<std::string> paths() const;
    // One of them; a path that is empty or ends with '/' means its index.html. A server also has "path.html"
    // of each package; it and the pages of bundles answer `question`. Pages take milliseconds for packages of
    // real catalogs; those with a graph or an upgrade path take near-linear time in nodes and edges of the
    // package.
    Page page(std::string_view path, const FormFields& question = {}) const;

private:
    Page package_file(const PackagePages& package, std::string_view path, const FormFields& question) const;

    std::string name_;
    Catalog catalog_;
    std::vector<PageFinding> findings_;
    Use use_;
    WithProperties with_properties_;
    UpgradeGraph graph_;
    std::vector<PackagePages> packages_; // by name
    std::unordered_map<std::string_view, size_t> by_folder_;
    bool has_query_page_ = false;
};

// The page above all catalogs: one list of their packages. `catalogs` are at "catalogs/NAME/". With several,
// a server also has "compare.html", which is not one of these.
Page home_page(std::span<const std::shared_ptr<const CatalogPages>> catalogs);

// Styles and scripts, next to the home page: "pages.css", "pages.js", "graph.css", "graph.js", "diff.css".
std::span<const std::string_view> asset_names();
std::optional<Page> asset(std::string_view name);

} // namespace opcat::pages
