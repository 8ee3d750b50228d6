#include "opcat/query/search.hpp"

#include "opcat/base/text.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/pages/presentation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace opcat::query {
namespace {

struct Field {
    const char* name;
    double weight;
    std::string text;
    bool is_word = false; // the text is one name, which the result shows
};

bool is_part_of_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80;
}

std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : ascii_lower(text)) {
        if (is_part_of_word(c))
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

constexpr size_t least_for_slip = 4;

// 1: the word itself; less for what is only near; 0: neither.
double likeness(const std::string& wanted, const std::vector<std::string>& words) {
    double best = 0;
    for (const std::string& word : words) {
        double found = 0;
        if (word == wanted)
            found = 1;
        else if (word.starts_with(wanted))
            found = 0.8;
        else if (wanted.size() > 2 && word.find(wanted) != std::string::npos)
            found = 0.5;
        else if (const std::string_view known = word;
                 wanted.size() >= least_for_slip && !misspelt(wanted, std::span(&known, 1)).empty())
            found = 0.4;
        best = std::max(best, found);
    }
    return best;
}

std::vector<Field> fields_of(const PackageGraph& package, const Bundle* head,
                             const pages::Presentation& said) {
    std::vector<Field> fields{{"name", 10, std::string(package.name)},
                              {"display name", 8, said.display_name},
                              {"provider", 4, said.provider},
                              {"category", 4, said.categories},
                              {"summary", 3, said.summary},
                              {"description", 1, said.description}};
    if (package.package) fields.push_back({"description", 1, std::string(package.package->description)});
    for (const std::string& keyword : said.keywords) fields.push_back({"keyword", 6, keyword, true});
    if (!head) return fields;
    for (const Property& property : head->properties) {
        if (property.type != property_type::gvk || !property.value || !property.value->is_object()) continue;
        if (const Value* const kind = property.value->find("kind"))
            fields.push_back({"kind", 6, std::string(kind->string_or_empty()), true});
    }
    return fields;
}

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
    const ChannelGraph* const channel = package.find_channel(found.channel);
    const NodeId node = channel ? channel->head() : no_node;
    const Bundle* const head = node == no_node ? nullptr : package.nodes[node].bundle;
    if (node != no_node) {
        found.head = package.nodes[node].name;
        found.version = package.nodes[node].version_text;
    }
    const pages::Presentation said = head ? pages::presentation_of(*head) : pages::Presentation();
    found.display_name = said.display_name;
    found.provider = said.provider;
    const std::vector<Field> fields = fields_of(package, head, said);
    std::vector<std::vector<std::string>> words;
    words.reserve(fields.size());
    for (const Field& field : fields) words.push_back(words_in(field.text));
    double best_of_all = 0;
    for (const std::string& word : wanted) {
        double best = 0;
        for (size_t i = 0; i < fields.size(); ++i) {
            const double score = likeness(word, words[i]) * fields[i].weight;
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
    const std::vector<std::string> wanted = words_in(words);
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
