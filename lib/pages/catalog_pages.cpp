#include "opcat/pages/catalog_pages.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/work.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/graph/diff_report.hpp"
#include "opcat/graph/draw.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/pages/html.hpp"
#include "opcat/pages/parts.hpp"
#include "page_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace opcat::pages {
namespace {

struct IconType {
    std::string_view media_type;
    std::string_view file;
};
// The types that browsers show.
constexpr std::array icon_types{
    IconType{"image/png", "icon.png"},
    IconType{"image/svg+xml", "icon.svg"},
    IconType{"image/jpeg", "icon.jpg"},
    IconType{"image/gif", "icon.gif"},
    IconType{"image/webp", "icon.webp"},
    IconType{"image/avif", "icon.avif"},
    IconType{"image/vnd.microsoft.icon", "icon.ico"},
};
constexpr std::string_view svg = "image/svg+xml";
constexpr std::string_view script_type = "text/javascript; charset=utf-8";

// The media type comes from the bytes, not from the catalog.
void find_icon(PackagePages& package, Use use) {
    const Package* const blob = package.graph->package;
    if (!blob || !blob->icon || !blob->icon->base64) return;
    const auto bytes = decode_base64(*blob->icon->base64);
    if (!bytes) return;
    const std::string_view media_type = image_media_type(*bytes);
    const auto known = std::find_if(icon_types.begin(), icon_types.end(),
                                    [&](const IconType& type) { return type.media_type == media_type; });
    if (known == icon_types.end()) return;
    package.icon_type = known->media_type;
    // An SVG image does not run scripts inside a page, but does if its file is opened; a server's answer can
    // forbid that, a file cannot.
    package.icon_link = use == Use::files && known->media_type == svg
                            ? fmt::format("data:{};base64,{}", svg, encode_base64(*bytes))
                            : std::string(known->file);
}

size_t hash_of(std::string_view file) {
    return std::hash<std::string_view>()(file);
}

void index_files(PackagePages& package) {
    const std::vector<GraphNode>& nodes = package.graph->nodes;
    for (NodeId node = 0; node < nodes.size(); ++node)
        if (!nodes[node].is_virtual())
            package.by_file.emplace_back(hash_of(file_name(nodes[node].name)), node);
    std::sort(package.by_file.begin(), package.by_file.end());
}

std::string about_catalog(const CatalogPages& catalog, const std::string& folder) {
    size_t channels = 0;
    for (const PackagePages& package : catalog.packages()) channels += package.graph->channels.size();
    const std::string findings = findings_in_words(catalog.findings());
    return fmt::format(
        "<p class=\"lead\">{}, {}, {} · {}{}</p>\n", counted(catalog.packages().size(), "package"),
        counted(channels, "channel"), counted(catalog.bundles(), "bundle"),
        findings.empty() ? "no findings"
                         : fmt::format("<a href=\"{}findings.html\">{}</a>", folder, findings),
        catalog.has_query_page() ? fmt::format(" · <a href=\"{}query.html\">Ask in SQL</a>", folder) : "");
}

Page catalog_page(const CatalogPages& catalog) {
    std::string main =
        fmt::format("<h1>{}</h1>\n{}{}{}", escape_html(catalog.name()), about_catalog(catalog, ""),
                    search_status("package"), package_list(catalog, ""));
    if (catalog.use() == Use::server)
        main += "<p class=\"help\">For programs: <a href=\"api/v1/all\">api/v1/all</a> is the catalog as "
                "lines of JSON.</p>\n";
    return {html_type, whole_page({.title = catalog.name(),
                                   .root = "../../",
                                   .above = {{"Home", "../../index.html"}},
                                   .search = "Search packages"},
                                  main)};
}

Page findings_page(const CatalogPages& catalog) {
    constexpr size_t most = 1000;
    std::string main = "<h1>Findings</h1>\n" + search_status("finding");
    std::map<std::string_view, std::vector<const PageFinding*>> by_package;
    for (const PageFinding& finding : catalog.findings()) by_package[finding.package].push_back(&finding);
    if (by_package.empty()) main += "<p>No findings.</p>\n";
    const auto heading = [&](std::string_view name) {
        if (name.empty()) return std::string("The catalog");
        const auto packages = catalog.packages();
        const bool has_page = std::any_of(packages.begin(), packages.end(), [&](const PackagePages& package) {
            return package.name() == name;
        });
        return has_page ? fmt::format("<a href=\"packages/{}/index.html\">{}</a>", file_name(name),
                                      escape_html(name))
                        : escape_html(name);
    };
    for (const auto& [name, findings] : by_package)
        main += fmt::format("<h2>{}</h2>\n{}", heading(name), findings_list(findings, most));
    return {html_type, whole_page({.title = "Findings",
                                   .root = "../../",
                                   .above = {{"Home", "../../index.html"}, {catalog.name(), "index.html"}},
                                   .search = "Search findings"},
                                  main)};
}

Page missing_page(const CatalogPages& catalog, size_t depth) {
    std::string up;
    for (size_t i = 0; i < depth; ++i) up += "../";
    Page page{html_type,
              whole_page({.title = "Not found",
                          .root = up + "../../",
                          .above = {{"Home", up + "../../index.html"}, {catalog.name(), up + "index.html"}},
                          .search = {}},
                         "<h1>Not found</h1>\n<p>The catalog does not have this page. It may have had it "
                         "before the catalog was reloaded.</p>\n")};
    page.found = false;
    return page;
}

} // namespace

std::string PackagePages::title() const {
    return said.display_name.empty() ? std::string(name()) : said.display_name;
}

CatalogPages::CatalogPages(std::string name, Catalog catalog, std::vector<PageFinding> findings, Use use,
                           ThreadPool& pool, WithProperties with_properties)
    : name_(std::move(name)), catalog_(std::move(catalog)), findings_(std::move(findings)), use_(use),
      with_properties_(std::move(with_properties)), graph_(build_upgrade_graph(catalog_, pool)),
      packages_(graph_.packages.size()) {
    pool.for_each(packages_.size(), [&](size_t i) {
        PackagePages& package = packages_[i];
        package.graph = &graph_.packages[i];
        package.folder = file_name(package.graph->name);
        if (const Bundle* const head = package.graph->default_head()) package.said = describe(*head);
        if (const PackageBundle* const choice = readiness::choice_of_v1(*package.graph, {}))
            package.v1 = readiness_of(*choice->bundle).verdict;
        find_icon(package, use_);
        index_files(package);
    });
    // The answer about one version can take time in proportion to the package, and a server gives only one.
    Work work;
    uint64_t places = uint64_t{4} << 20; // for steps that are known, 4 bytes each
    if (use_ == Use::files)
        for (PackagePages& package : packages_) {
            const PackageGraph& graph = *package.graph;
            package.steps = KnownSteps::of(graph, places);
            const auto unknown = static_cast<size_t>(
                std::count_if(package.by_file.begin(), package.by_file.end(), [&](const auto& file) {
                    return !package.steps || !package.steps->knows_paths(file.second);
                }));
            package.has_upgrades = work.take(package.by_file.size() * graph.channels.size() +
                                             unknown * (graph.nodes.size() + graph.node_entries.size()));
        }
    std::unordered_map<std::string_view, size_t> by_name;
    for (size_t i = 0; i < packages_.size(); ++i) {
        by_folder_.emplace(packages_[i].folder, i);
        by_name.emplace(packages_[i].name(), i);
    }
    for (const PageFinding& finding : findings_)
        if (const auto found = by_name.find(finding.package); found != by_name.end()) {
            PackagePages& package = packages_[found->second];
            package.findings.push_back(&finding);
            if (finding.schema == schema::bundle)
                package.findings_of_bundles[finding.name].push_back(&finding);
        }
    for (const OtherBlob& blob : catalog_.others)
        if (const auto found = by_name.find(blob.package);
            blob.schema == schema::lifecycles && found != by_name.end())
            if (auto& lifecycle = packages_[found->second].lifecycle; !lifecycle)
                lifecycle = read_lifecycle(blob);
}

void with_own_properties(const Bundle& bundle, const std::function<void(const Bundle&)>& use) {
    use(bundle);
}

Presentation CatalogPages::describe(const Bundle& bundle) const {
    Presentation said;
    with_properties_(bundle, [&](const Bundle& whole) { said = presentation_of(whole); });
    return said;
}

readiness::BundleReadiness CatalogPages::readiness_of(const Bundle& bundle) const {
    readiness::BundleReadiness result; // unknown
    with_properties_(
        bundle, [&](const Bundle& whole) { result = readiness::readiness_of(whole, olmv1::OlmRelease{}); });
    result.bundle = &bundle;
    return result;
}

std::vector<std::string> CatalogPages::paths() const {
    std::vector<std::string> paths{"index.html", "findings.html", "words.js"};
    for (const PackagePages& package : packages_) {
        const std::string folder = "packages/" + package.folder + "/";
        paths.push_back(folder + "index.html");
        paths.push_back(folder + "graph.html");
        if (!package.icon_link.empty() && !package.icon_link.starts_with("data:"))
            paths.push_back(folder + package.icon_link);
        for (const GraphNode& node : package.graph->nodes)
            if (!node.is_virtual()) paths.push_back(folder + "bundles/" + file_name(node.name) + ".html");
    }
    return paths;
}

Page CatalogPages::page(std::string_view path, const FormFields& question) const {
    if (path.empty() || path == "index.html") return catalog_page(*this);
    if (path == "findings.html") return findings_page(*this);
    if (path == "words.js") return {script_type, words_script(*this)};
    constexpr std::string_view packages = "packages/";
    const size_t depth = static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
    if (!path.starts_with(packages)) return missing_page(*this, depth);
    const std::string_view rest = path.substr(packages.size());
    const size_t slash = rest.find('/');
    const auto found = by_folder_.find(rest.substr(0, slash));
    if (slash == rest.npos || found == by_folder_.end()) return missing_page(*this, depth);
    return package_file(packages_[found->second], rest.substr(slash + 1), question);
}

Page CatalogPages::package_file(const PackagePages& package, std::string_view path,
                                const FormFields& question) const {
    if (path.empty() || path == "index.html") return package_page(*this, package);
    if (path == "graph.html") return graph_page(*this, package);
    if (path == "path.html" && use_ == Use::server) return path_page(*this, package, question);
    if (!package.icon_link.empty() && path == package.icon_link)
        return {package.icon_type, *decode_base64(*package.graph->package->icon->base64)};
    constexpr std::string_view bundles = "bundles/";
    constexpr std::string_view ending = ".html";
    const auto& nodes = package.graph->nodes;
    if (path.starts_with(bundles) && path.ends_with(ending)) {
        const std::string_view file =
            path.substr(bundles.size(), path.size() - bundles.size() - ending.size());
        const auto first = std::pair(hash_of(file), NodeId{0});
        for (auto known = std::lower_bound(package.by_file.begin(), package.by_file.end(), first);
             known != package.by_file.end() && known->first == first.first; ++known)
            if (file_name(nodes[known->second].name) == file)
                return bundle_page(*this, package, known->second, question);
    }
    return missing_page(*this, 2 + static_cast<size_t>(std::count(path.begin(), path.end(), '/')));
}

namespace {

// From the first to the last, unless they are chosen.
std::string compare_form(std::span<const std::shared_ptr<const CatalogPages>> catalogs) {
    const auto choice = [&](std::string_view label, std::string_view name, const CatalogPages& chosen) {
        std::string options;
        for (const auto& catalog : catalogs)
            options += fmt::format("<option{}>{}\n", catalog.get() == &chosen ? " selected" : "",
                                   escape_html(catalog->name()));
        return fmt::format("<label>{} <select name=\"{}\">{}</select></label>\n", label, name, options);
    };
    return "<details id=\"compare\"><summary>Compare two catalogs</summary>\n<form class=\"ask\" "
           "action=\"compare.html\" method=\"get\">\n" +
           choice("From", "from", *catalogs.front()) + choice("To", "to", *catalogs.back()) +
           "<label>Package <input name=\"package\" placeholder=\"all\" autocomplete=\"off\"></label>\n"
           "<button>Compare</button>\n</form></details>\n";
}

} // namespace

Page home_page(std::span<const std::shared_ptr<const CatalogPages>> catalogs) {
    const bool several = catalogs.size() > 1;
    std::string main = several ? "<h1>Operator catalogs</h1>\n" + search_status("package") : std::string();
    if (several && catalogs.front()->use() == Use::server) main += compare_form(catalogs);
    for (const auto& catalog : catalogs) {
        const std::string folder = "catalogs/" + catalog->name() + "/";
        main += fmt::format("<h{0}><a href=\"{1}index.html\">{2}</a></h{0}>\n{3}{4}{5}", several ? 2 : 1,
                            folder, escape_html(catalog->name()), about_catalog(*catalog, folder),
                            several ? "" : search_status("package"), package_list(*catalog, folder));
    }
    const std::string title = catalogs.size() == 1 ? catalogs.front()->name() : "Operator catalogs";
    return {html_type,
            whole_page({.title = title, .root = "", .above = {}, .search = "Search packages"}, main)};
}

namespace {

struct Asset {
    std::string_view name;
    std::string_view media_type;
    std::string_view text;
};
constexpr std::string_view css_type = "text/css; charset=utf-8";

} // namespace

std::span<const std::string_view> asset_names() {
    static constexpr std::array<std::string_view, 6> names{"opcat.svg", "pages.css", "pages.js",
                                                           "graph.css", "graph.js",  "diff.css"};
    return names;
}

std::optional<Page> asset(std::string_view name) {
    const Asset assets[] = {
        {"opcat.svg", svg, embedded::opcat_svg},       {"pages.css", css_type, embedded::pages_css},
        {"pages.js", script_type, embedded::pages_js}, {"graph.css", css_type, graph_style()},
        {"graph.js", script_type, graph_script()},     {"diff.css", css_type, diff_style()}};
    for (const Asset& one : assets)
        if (one.name == name) return Page{one.media_type, std::string(one.text)};
    return std::nullopt;
}

} // namespace opcat::pages
