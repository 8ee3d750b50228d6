// The rows of the tables, from blobs, upgrade graphs and findings.
#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/catalog/lifecycle.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/pages/presentation.hpp"
#include "opcat/query/tables.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace opcat::query {
namespace {

// A skipRange of each entry over each version would be quadratic.
constexpr size_t most_edges = 10'000'000;

std::string json_text(const Value* value) {
    std::string text;
    if (value) append_compact_json(text, *value);
    return text;
}

template <class Texts>
std::string json_list(const Texts& texts) {
    if (texts.empty()) return {};
    std::string list = "[";
    for (const std::string_view text : texts) {
        if (list.size() > 1) list += ',';
        append_compact_json(list, Value::of(text));
    }
    return list + "]";
}

std::string_view member(const Value* value, std::string_view key) {
    const Value* const found = value && value->is_object() ? value->find(key) : nullptr;
    return found ? found->string_or_empty() : std::string_view();
}

class Filler {
public:
    Filler(Database& database, const NamedCatalog& catalog, const std::set<ColumnUse>& uses, ThreadPool& pool)
        : database_(database), name_(catalog.name), source_(catalog.source), uses_(uses), pool_(pool) {}

    void fill() {
        if (uses("bundles") || uses("install_modes")) bundles();
        if (uses("catalogs")) rows("catalogs").text(name_).end();
        if (uses("packages")) packages();
        if (uses("channels")) channels();
        if (uses("entries")) entries();
        if (uses("edges")) edges();
        if (uses("properties")) properties();
        if (uses("apis")) apis();
        if (uses("dependencies")) dependencies();
        if (uses("images")) images();
        if (uses("deprecations")) deprecations();
        if (uses("lifecycles")) lifecycles();
        if (uses("blobs")) blobs();
        if (uses("findings")) findings();
    }

private:
    bool uses(std::string_view table) const {
        const auto found = uses_.lower_bound({std::string(table), std::string()});
        return found != uses_.end() && found->first == table;
    }
    bool uses(std::string_view table, std::string_view column) const {
        return uses_.contains({std::string(table), std::string(column)});
    }

    Inserter rows(std::string_view table) {
        return {database_, std::string(table), find_table(table)->columns.size()};
    }

    const UpgradeGraph& graph() {
        if (!graph_) graph_ = build_upgrade_graph(catalog(), pool_);
        return *graph_;
    }
    const Catalog& catalog() const { return source_.catalog(); }

    static void place(Inserter& rows, const Location& where) {
        if (!where.file) {
            rows.null().null();
            return;
        }
        rows.text(where.file->path()).number(where.file->position(where.offset).line);
    }
    static std::string_view message(const DeprecationEntry* deprecation) {
        return deprecation ? deprecation->message.text : std::string_view();
    }

    // Returns the presentation of the head of the default channel, if it is needed.
    pages::Presentation presentation_of_head(const PackageGraph& package) const {
        if (!uses("packages", "display_name") && !uses("packages", "provider")) return {};
        const Bundle* const head = package.default_head();
        return head ? pages::presentation_of(*head) : pages::Presentation();
    }

    void packages() {
        Inserter to = rows("packages");
        for (const PackageGraph& package : graph().packages) {
            if (!package.package) continue;
            const pages::Presentation head = presentation_of_head(package);
            to.text(name_).text(package.name).text(package.package->default_channel);
            to.text(head.display_name).text(head.provider).text(package.package->description);
            to.number(static_cast<int64_t>(package.channels.size()));
            to.number(static_cast<int64_t>(package.bundles.size()));
            to.text(message(package.deprecation));
            place(to, package.package->start());
            to.end();
        }
    }

    void channels() {
        Inserter to = rows("channels");
        for (const PackageGraph& package : graph().packages)
            for (const ChannelGraph& channel : package.channels) {
                const NodeId head = channel.head();
                to.text(name_).text(package.name).text(channel.name).number(channel.is_default ? 1 : 0);
                to.text(head == no_node ? std::string_view() : package.nodes[head].name);
                to.text(head == no_node ? std::string_view() : package.nodes[head].version_text);
                to.number(static_cast<int64_t>(channel.entries.size())).text(message(channel.deprecation));
                place(to, channel.channel->start());
                to.end();
            }
    }

    // Returns true if OLM classic may install the entry.
    static bool is_for_classic(const ChannelGraph& channel, size_t entry, const GraphNode& node) {
        return channel.problem == ChainProblem::none && channel.in_chain[entry] && node.is_for_classic();
    }

    void entries() {
        Inserter to = rows("entries");
        for (const PackageGraph& package : graph().packages)
            for (const ChannelGraph& channel : package.channels)
                for (size_t i = 0; i < channel.entries.size(); ++i) {
                    const GraphEntry& entry = channel.entries[i];
                    const GraphNode& node = package.nodes[entry.node];
                    to.text(name_).text(package.name).text(channel.name);
                    to.text(node.name).text(node.version_text);
                    to.text(entry.source->replaces).text(json_list(entry.source->skips));
                    to.text(entry.source->skip_range).number(channel.in_heads[i] ? 1 : 0);
                    to.number(is_for_classic(channel, i, node) ? 1 : 0);
                    to.number(channel.skipped[i] ? 1 : 0);
                    place(to, channel.channel->at(entry.source->offset));
                    to.end();
                }
    }

    void edges() {
        Inserter to = rows("edges");
        size_t count = 0;
        for (const PackageGraph& package : graph().packages)
            for (const ChannelGraph& channel : package.channels)
                for (size_t i = 0; i < channel.entries.size(); ++i) {
                    const GraphEntry& entry = channel.entries[i];
                    const GraphNode& node = package.nodes[entry.node];
                    const bool classic = is_for_classic(channel, i, node);
                    const bool v1 = node.bundle && !dependency_refused_by_v1(*node.bundle);
                    const auto add = [&](EdgeKind kind, NodeId from) {
                        if (from == entry.node) return;
                        if (++count > most_edges)
                            throw Error(
                                fmt::format("catalog {} has more than {} edges [limit]", name_, most_edges),
                                "ask table entries, which has the skipRanges themselves");
                        to.text(name_).text(package.name).text(channel.name).text(to_string(kind));
                        to.text(package.nodes[from].name).text(package.nodes[from].version_text);
                        to.text(node.name).text(node.version_text).number(classic ? 1 : 0).number(v1 ? 1 : 0);
                        to.end();
                    };
                    if (entry.replaces != no_node) add(EdgeKind::replaces, entry.replaces);
                    for (const NodeId skip : package.skips_of(entry)) add(EdgeKind::skips, skip);
                    if (entry.skip_range == no_range) continue;
                    for (const RankInterval& covered : package.skip_ranges[entry.skip_range].covers)
                        for (uint32_t rank = covered.begin; rank < covered.end; ++rank)
                            add(EdgeKind::skip_range, package.by_version[rank]);
                }
    }

    // Table bundles, and install_modes, whose rows come from the same manifests: each is decoded once, a
    // window of them at a time on all threads.
    void bundles() {
        constexpr std::array from_csv = {"display_name", "provider", "maturity", "capabilities",
                                         "categories",   "keywords", "summary",  "min_kube_version"};
        const bool with_modes = uses("install_modes");
        const bool presents =
            with_modes || std::any_of(from_csv.begin(), from_csv.end(),
                                      [&](const char* column) { return uses("bundles", column); });
        Inserter to = rows("bundles");
        Inserter modes = rows("install_modes");
        std::vector<std::pair<const PackageGraph*, const PackageBundle*>> all;
        for (const PackageGraph& package : graph().packages)
            for (const PackageBundle& bundle : package.bundles) all.emplace_back(&package, &bundle);
        constexpr size_t window = 256;
        for (size_t begin = 0; begin < all.size(); begin += window) {
            const size_t count = std::min(window, all.size() - begin);
            std::vector<pages::Presentation> csvs(count);
            if (presents)
                pool_.for_each(count, [&](size_t i) {
                    csvs[i] = pages::presentation_of(*all[begin + i].second->bundle);
                });
            for (size_t i = 0; i < count; ++i) {
                const auto& [package, bundle] = all[begin + i];
                if (uses("bundles")) add_bundle(to, *package, *bundle, csvs[i]);
                if (with_modes) add_modes(modes, *bundle->bundle, csvs[i]);
            }
        }
    }

    void add_bundle(Inserter& to, const PackageGraph& package, const PackageBundle& one,
                    const pages::Presentation& csv) {
        const Bundle& bundle = *one.bundle;
        const GraphNode& node = package.nodes[one.node];
        to.text(name_).text(package.name).text(bundle.name).text(node.version_text);
        if (node.version) {
            const semver::Version& version = node.version->version;
            to.number(static_cast<int64_t>(version.major)).number(static_cast<int64_t>(version.minor));
            to.number(static_cast<int64_t>(version.patch)).text(prerelease_of(node.version_text));
            to.number(node.rank);
        } else {
            to.null().null().null().null().null();
        }
        to.text(bundle.image);
        const size_t at = bundle.image.text.find('@');
        to.text(at == std::string_view::npos ? std::string_view() : bundle.image.text.substr(at + 1));
        to.text(csv.display_name).text(csv.provider).text(csv.maturity).text(csv.capabilities);
        to.text(csv.categories).text(fmt::format("{}", fmt::join(csv.keywords, ",")));
        to.text(csv.summary).text(csv.min_kube_version).text(max_openshift(bundle));
        to.text(message(node.deprecation));
        place(to, bundle.start());
        to.end();
    }

    void add_modes(Inserter& to, const Bundle& bundle, const pages::Presentation& csv) {
        for (const std::string& mode : std::set(csv.install_modes.begin(), csv.install_modes.end())) {
            to.text(name_).text(bundle.package).text(bundle.name).text(mode);
            to.end();
        }
    }

    static std::string_view prerelease_of(std::string_view version) {
        const size_t end = std::min(version.find('+'), version.size());
        const size_t dash = version.substr(0, end).find('-');
        return dash == std::string_view::npos ? std::string_view() : version.substr(dash + 1, end - dash - 1);
    }
    // As OLM reads it: what it cannot read holds every upgrade back.
    static std::string max_openshift(const Bundle& bundle) {
        const olmv1::MaxOpenShift max = olmv1::max_openshift_version(bundle);
        if (!max) return "not readable";
        return *max ? (*max)->to_string() : std::string();
    }

    template <typename Take>
    void each_property(Take take) {
        for (const Bundle& bundle : catalog().bundles)
            for (const Property& property : bundle.properties) take(bundle, property);
    }

    void properties() {
        Inserter to = rows("properties");
        const bool values = uses("properties", "value");
        each_property([&](const Bundle& bundle, const Property& property) {
            to.text(name_).text(bundle.package).text(bundle.name).text(property.type);
            to.text(values ? json_text(property.value) : std::string());
            to.end();
        });
    }

    void apis() {
        Inserter to = rows("apis");
        each_property([&](const Bundle& bundle, const Property& property) {
            const bool required = property.type == property_type::gvk_required;
            if (!required && property.type != property_type::gvk) return;
            to.text(name_).text(bundle.package).text(bundle.name).text(required ? "required" : "provided");
            to.text(member(property.value, "group")).text(member(property.value, "version"));
            to.text(member(property.value, "kind"));
            to.end();
        });
    }

    void dependencies() {
        Inserter to = rows("dependencies");
        each_property([&](const Bundle& bundle, const Property& property) {
            const bool of_package = property.type == property_type::package_required;
            const bool of_kind = property.type == property_type::gvk_required;
            if (!of_package && !of_kind && property.type != property_type::constraint) return;
            const std::string_view group = member(property.value, "group");
            to.text(name_).text(bundle.package).text(bundle.name).text(property.type);
            to.text(of_package ? std::string(member(property.value, "packageName"))
                    : of_kind  ? fmt::format("{}{}{}", member(property.value, "kind"),
                                            group.empty() ? "" : ".", group)
                               : std::string());
            to.text(of_package ? member(property.value, "versionRange") : std::string_view());
            to.text(json_text(property.value));
            to.end();
        });
    }

    void images() {
        Inserter to = rows("images");
        const auto add = [&](const Bundle& bundle, std::string_view role, std::string_view name,
                             std::string_view image) {
            if (image.empty()) return;
            to.text(name_).text(bundle.package).text(bundle.name).text(role).text(name).text(image);
            if (const auto spec = PullSpec::parse(image))
                to.text(spec->registry()).text(spec->repository()).text(spec->tag()).text(spec->digest());
            else
                to.null().null().null().null();
            to.end();
        };
        for (const Bundle& bundle : catalog().bundles) {
            add(bundle, "bundle", {}, bundle.image);
            for (const RelatedImage& related : bundle.related_images)
                add(bundle, "related", related.name, related.image);
        }
    }

    void deprecations() {
        Inserter to = rows("deprecations");
        for (const Deprecations& blob : catalog().deprecations)
            for (const DeprecationEntry& entry : blob.entries) {
                to.text(name_).text(blob.package).text(entry.schema).text(entry.name).text(entry.message);
                to.end();
            }
    }

    void lifecycles() {
        Inserter to = rows("lifecycles");
        const auto add = [&](const OtherBlob& blob, const LifecycleVersion& version,
                             const LifecyclePhase* phase) {
            const auto day = [&](const std::optional<Date>& date) {
                to.text(date ? date_text(*date) : std::string());
            };
            to.text(name_).text(blob.package).text(version.name);
            to.text(phase ? phase->name.text : std::string_view());
            day(phase ? phase->start : std::nullopt);
            day(phase ? phase->end : std::nullopt);
            to.text(json_list(version.versions_of("openshift")));
            to.end();
        };
        for (const OtherBlob& blob : catalog().others) {
            if (blob.schema != schema::lifecycles) continue;
            for (const LifecycleVersion& version : read_lifecycle(blob).versions) {
                for (const LifecyclePhase& phase : version.phases) add(blob, version, &phase);
                if (version.phases.empty()) add(blob, version, nullptr);
            }
        }
    }

    void blobs() {
        Inserter to = rows("blobs");
        for (const OtherBlob& blob : catalog().others) {
            to.text(name_).text(blob.package).text(blob.schema).text(blob.name).text(json_text(&blob.value));
            to.end();
        }
    }

    void findings() {
        Inserter to = rows("findings");
        const LintResult checked = lint({{source_}}, {}, pool_);
        for (const Diagnostic& finding : checked.findings) {
            to.text(name_).text(checked.subjects.of(finding.where).package).text(finding.rule);
            to.text(to_string(finding.severity)).text(finding.message);
            place(to, finding.where);
            to.end();
        }
    }

    Database& database_;
    const std::string& name_;
    const Source& source_;
    const std::set<ColumnUse>& uses_;
    ThreadPool& pool_;
    std::optional<UpgradeGraph> graph_;
};

} // namespace

void fill(Database& database, const std::vector<NamedCatalog>& catalogs, const std::set<ColumnUse>& uses,
          ThreadPool& pool) {
    database.execute("BEGIN");
    for (const NamedCatalog& catalog : catalogs) Filler(database, catalog, uses, pool).fill();
    database.execute("COMMIT");
}

std::set<std::pair<std::string, std::string>> selected(const Source& catalog, std::string_view table,
                                                       std::string_view expression, ThreadPool& pool) {
    Database database;
    database.execute(definitions());
    const std::string sql = fmt::format("SELECT {}, name FROM {} WHERE {}",
                                        table == "packages" ? "name" : "package", table, expression);
    fill(database, {{"catalog", catalog}}, uses_in(database, sql), pool);
    std::set<std::pair<std::string, std::string>> names;
    database.run(
        sql, {}, [](std::span<const std::string>) {},
        [&](Row row) {
            const auto text = [&](size_t column) {
                const auto* const found = std::get_if<std::string_view>(&row[column]);
                return std::string(found ? *found : std::string_view());
            };
            names.emplace(text(0), text(1));
        });
    return names;
}

} // namespace opcat::query
