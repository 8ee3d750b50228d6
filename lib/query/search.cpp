#include "opcat/query/search.hpp"

#include "opcat/base/error.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/pages/package_words.hpp"
#include "opcat/pages/presentation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace opcat::query {
namespace {

// Nothing: a word is not in it.
std::optional<FoundPackage> find_in(const NamedCatalog& catalog, const PackageGraph& package,
                                    const std::vector<std::string>& wanted) {
    if (!package.package) return std::nullopt;
    FoundPackage found{.catalog = catalog.name,
                       .package = std::string(package.name),
                       .display_name = {},
                       .provider = {},
                       .channel = std::string(package.package->default_channel),
                       .head = {},
                       .version = {},
                       .where = {}};
    const ChannelGraph* const channel = package.default_channel();
    if (const NodeId node = channel ? channel->head() : no_node; node != no_node) {
        found.head = package.nodes[node].name;
        found.version = package.nodes[node].version_text;
    }
    const Bundle* const head = package.default_head();
    const pages::Presentation said = head ? pages::presentation_of(*head) : pages::Presentation();
    found.display_name = said.display_name;
    found.provider = said.provider;
    const std::vector<pages::WordField> fields = pages::word_fields(package, said);
    std::vector<std::vector<std::string>> words;
    words.reserve(fields.size());
    for (const pages::WordField& field : fields) words.push_back(pages::words_in(field.text));
    double best_of_all = 0;
    for (const std::string& word : wanted) {
        double best = 0;
        for (size_t i = 0; i < fields.size(); ++i) {
            const double score = pages::likeness(word, words[i]) * fields[i].weight;
            best = std::max(best, score);
            if (score <= best_of_all) continue;
            best_of_all = score;
            found.where = fields[i].is_word ? fmt::format("{} {}", fields[i].name, fields[i].text)
                                            : std::string(fields[i].name);
        }
        if (best == 0) return std::nullopt;
        found.score += best;
    }
    return found;
}

} // namespace

std::vector<FoundPackage> search(const std::vector<NamedCatalog>& catalogs, std::string_view words,
                                 ThreadPool& pool) {
    const std::vector<std::string> wanted = pages::words_in(words);
    if (wanted.empty())
        throw RequestError("there is no word to look for", "`opcat list packages` lists all packages");
    std::vector<FoundPackage> all;
    for (const NamedCatalog& catalog : catalogs) {
        const UpgradeGraph graph = build_upgrade_graph(catalog.source.catalog(), pool);
        std::vector<std::optional<FoundPackage>> found(graph.packages.size());
        pool.for_each(found.size(),
                      [&](size_t i) { found[i] = find_in(catalog, graph.packages[i], wanted); });
        for (std::optional<FoundPackage>& one : found)
            if (one) all.push_back(*std::move(one));
    }
    std::stable_sort(all.begin(), all.end(), [](const FoundPackage& a, const FoundPackage& b) {
        return std::tie(b.score, a.package) < std::tie(a.score, b.package);
    });
    return all;
}

} // namespace opcat::query
