#include "opcat/resolve/v1/resolver.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace opcat::olmv1 {
namespace {

using Failure = Resolution::Failure;

class Walk {
public:
    Walk(const Query& query, Resolution& resolution)
        : query_(query), request_(query.request()), resolution_(resolution) {}

    // Returns true if the walk goes on.
    bool visit(const NamedCatalog& catalog) {
        CatalogAnswer& answer = resolution_.catalogs.emplace_back();
        answer.catalog = &catalog;
        if (request_.selector && !query_.selector().matches(all_labels(catalog))) {
            answer.state = CatalogAnswer::State::not_selected;
            return true;
        }
        if (catalog.unavailable) {
            answer.state = CatalogAnswer::State::unavailable;
            return true;
        }
        if (!catalog.index->failure().empty())
            return fail(Failure::catalog,
                        fmt::format("error walking catalogs: error getting package {} from catalog {}: {}",
                                    go_quote(request_.package), go_quote(catalog.name),
                                    catalog.index->failure()));
        answer.package = catalog.index->find(request_.package);
        if (!answer.package) {
            answer.state = CatalogAnswer::State::without_package;
            return true;
        }
        if (!query_.installed_error().empty())
            return fail(Failure::installed,
                        "error walking catalogs: error finding upgrade edges: " + query_.installed_error());
        if (!find_candidates(answer)) return false;
        if (!answer.candidates.empty()) offer(answer);
        return true;
    }

    // The last catalog whose offer was kept, for the deprecations that OLM reports. There must be an offer.
    const CatalogAnswer& remembered() const { return resolution_.catalogs[remembered_]; }

private:
    bool fail(Failure failure, std::string error) {
        resolution_.failure = failure;
        resolution_.error = std::move(error);
        return false;
    }

    bool find_candidates(CatalogAnswer& answer) {
        const PackageGraph& package = *answer.package;
        for (const PackageBundle& bundle : package.bundles) {
            if (!query_.in_channels(package, bundle) || !query_.in_range(bundle)) continue;
            if (query_.wants_successors()) {
                const V1Edge edge = query_.edge_to(package, bundle);
                if (edge.step == V1Edge::Step::crash)
                    return fail(Failure::crash,
                                fmt::format("error walking catalogs: OLM crashes on the skipRange {} of {} "
                                            "in channel {}: an alternative has no comparators",
                                            go_quote(edge.entry.entry->source->skip_range),
                                            go_quote(bundle.name()), go_quote(edge.entry.channel->name)));
                if (edge.step == V1Edge::Step::none) continue;
            }
            answer.candidates.push_back(&bundle);
        }
        std::stable_sort(answer.candidates.begin(), answer.candidates.end(),
                         [&](const PackageBundle* a, const PackageBundle* b) {
                             return v1_prefers(*a, *b, request_.release_support);
                         });
        return true;
    }

    void offer(const CatalogAnswer& answer) {
        std::vector<size_t>& offering = resolution_.offering;
        const bool deprecated = answer.candidates[0]->deprecated;
        if (!offering.empty()) {
            const bool last_deprecated = resolution_.catalogs[offering.back()].candidates[0]->deprecated;
            if (deprecated && !last_deprecated) return;
            if (!deprecated && last_deprecated) offering.clear();
        }
        remembered_ = resolution_.catalogs.size() - 1;
        offering.push_back(remembered_);
    }

    const Query& query_;
    const Request& request_;
    Resolution& resolution_;
    size_t remembered_ = 0;
};

void apply_priority(Resolution& resolution) {
    std::vector<size_t>& offering = resolution.offering;
    if (offering.size() < 2) return;
    const auto priority = [&](size_t i) { return resolution.catalogs[i].catalog->priority; };
    std::stable_sort(offering.begin(), offering.end(),
                     [&](size_t a, size_t b) { return priority(a) > priority(b); });
    if (priority(offering[0]) != priority(offering[1])) offering.resize(1);
}

std::string resolution_error(const Request& request, const Resolution& resolution) {
    const bool several = !resolution.offering.empty(); // one would have been chosen
    std::string text;
    if (request.installed)
        text += fmt::format("error upgrading from currently installed version {}: ",
                            go_quote(request.installed->version));
    text += fmt::format("{} for package {} ", several ? "found bundles" : "no bundles found",
                        go_quote(request.package));
    if (!request.version.empty()) text += fmt::format("matching version {} ", go_quote(request.version));
    if (!request.channels.empty()) text += fmt::format("in channels [{}] ", fmt::join(request.channels, " "));
    if (several) {
        std::vector<std::string_view> names;
        for (const size_t i : resolution.offering) names.push_back(resolution.catalogs[i].catalog->name);
        std::sort(names.begin(), names.end());
        text += fmt::format("in multiple catalogs with the same priority [{}] ", fmt::join(names, " "));
    }
    text.pop_back();
    return text;
}

// Chooses, and decides if OLM accepts the choice.
void choose(const Request& request, const CatalogAnswer& offer, const CatalogAnswer& remembered,
            Resolution& resolution) {
    const PackageBundle& bundle = *offer.candidates[0];
    const BundleVersion& version = bundle.version(request.release_support);
    if (!version) {
        resolution.failure = Failure::version;
        resolution.error = fmt::format("error getting resolved bundle version for bundle {}: {}",
                                       go_quote(bundle.name()), version.error());
        return;
    }
    Choice choice{offer.catalog,     offer.package,
                  &bundle,           shown(*version, request.release_support),
                  std::nullopt,      remembered.package->deprecations,
                  remembered.catalog};
    if (request.release_support && version->release) choice.release = version->release->to_string();
    if (!bundle.refused_by_v1) {
        resolution.choice = std::move(choice);
        return;
    }
    resolution.failure = Failure::dependency;
    resolution.error = refused_dependency(*bundle.bundle);
    resolution.unvalidated = std::move(choice);
}

} // namespace

std::string refused_dependency(const Bundle& bundle) {
    const Property* const dependency = dependency_refused_by_v1(bundle);
    if (!dependency) return {};
    return fmt::format(
        "validating bundle {0}: bundle {0} has a dependency declared via property {1} which is "
        "currently not supported",
        go_quote(bundle.name), go_quote(dependency->type));
}

Labels all_labels(const NamedCatalog& catalog) {
    Labels labels = catalog.labels;
    labels[std::string(catalog_name_label)] = catalog.name;
    return labels;
}

Resolution resolve(const Request& request, std::span<const NamedCatalog> catalogs) {
    Resolution resolution;
    const auto query = Query::compile(request);
    if (!query) {
        resolution.failure = Failure::request;
        resolution.error = query.error();
        return resolution;
    }
    resolution.catalogs.reserve(catalogs.size());
    Walk walk(*query, resolution);
    for (const NamedCatalog& catalog : catalogs)
        if (!walk.visit(catalog)) return resolution;
    apply_priority(resolution);
    if (resolution.offering.size() == 1) {
        choose(request, resolution.catalogs[resolution.offering[0]], walk.remembered(), resolution);
        return resolution;
    }
    resolution.failure = resolution.offering.empty() ? Failure::no_bundle : Failure::ambiguous;
    resolution.error = resolution_error(request, resolution);
    return resolution;
}

std::vector<const PackageBundle*> equals_of_choice(const Request& request, const Resolution& resolution) {
    std::vector<const PackageBundle*> equals;
    if (!resolution.choice) return equals;
    const PackageBundle& chosen = *resolution.choice->bundle;
    for (const PackageBundle* candidate : resolution.catalogs[resolution.offering[0]].candidates)
        if (candidate->name() != chosen.name() && !v1_prefers(chosen, *candidate, request.release_support))
            equals.push_back(candidate);
    return equals;
}

std::string describe_equals(const Request& request, const Resolution& resolution) {
    const auto equals = equals_of_choice(request, resolution);
    if (equals.empty()) return {};
    constexpr size_t most = 5;
    return fmt::format("OLM may take {} instead of {}: their versions are equal, and the order in which a "
                       "cluster serves the catalog is not determined",
                       listed(
                           equals, most, [](const PackageBundle* bundle) { return bundle->name(); }, "or"),
                       resolution.choice->bundle->name());
}

std::optional<InstallVerdict> judge_install(const Request& request, const Choice& choice) {
    if (!request.installer) return std::nullopt;
    return judge_install(install_facts(*choice.bundle->bundle), *request.installer);
}

std::string failed_choice(const Request& request, const Choice& choice) {
    const auto verdict = judge_install(request, choice);
    if (!verdict || verdict->refusal.empty()) return {};
    return fmt::format("OLM chooses {}; installing it fails: {}", choice.bundle->name(), verdict->refusal);
}

CatalogIndex::CatalogIndex(Catalog catalog) : catalog_(std::move(catalog)) {
    for (PackageIndex& blobs : index_packages(catalog_)) {
        const std::string_view name = blobs.name;
        packages_[name].blobs = std::move(blobs);
    }
    for (const OtherBlob& blob : catalog_.others)
        if (!blob.package.empty()) packages_[blob.package].blobs.name = blob.package;
}

const PackageGraph* CatalogIndex::find(std::string_view package) const {
    const auto found = packages_.find(package);
    if (found == packages_.end()) return nullptr;
    const Package& known = found->second;
    std::call_once(known.built, [&] { known.graph = build_package_graph(known.blobs); });
    return &known.graph;
}

std::vector<std::string_view> CatalogIndex::package_names() const {
    std::vector<std::string_view> names;
    for (const auto& [name, package] : packages_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<DeprecationNotice> deprecation_notice(const Request& request, const Choice& choice) {
    if (!choice.deprecations) return std::nullopt;
    DeprecationNotice notice;
    notice.catalog = choice.deprecations_of->name;
    notice.entries = choice.deprecations->entries.size();
    for (const DeprecationEntry& entry : choice.deprecations->entries) {
        const auto is_requested = [&] {
            return request.channels.empty() || std::find(request.channels.begin(), request.channels.end(),
                                                         entry.name.text) != request.channels.end();
        };
        if (entry.schema == schema::package) notice.package = entry.message.text;
        if (entry.schema == schema::channel && is_requested())
            notice.channels[entry.name.text] = entry.message.text;
        if (entry.schema == schema::bundle && entry.name == choice.bundle->name())
            notice.bundle = entry.message.text;
        if (entry.schema == schema::bundle && request.installed && entry.name == request.installed->name)
            notice.installed = entry.message.text;
    }
    return notice;
}

} // namespace opcat::olmv1
