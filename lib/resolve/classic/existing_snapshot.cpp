#include "document/json_reader.hpp"
#include "document/json_writer.hpp"
#include "go/fields.hpp"
#include "resolve/classic/entry.hpp"
#include "resolve/classic/go_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat::classic {
namespace {

// What cannot be read makes the whole snapshot fail.
struct Unreadable {
    std::string error;
};

class Builder {
public:
    Builder(const std::string& ns, const ClusterState& cluster, Snapshot& snapshot)
        : ns_(ns), cluster_(cluster), snapshot_(snapshot) {}

    void run() {
        const OperatorGroup* const group = group_if_any();
        for (const ClusterServiceVersion& csv : cluster_.csvs)
            if (csv.ns == ns_) csvs_.push_back(&csv);
        // The listing has no order of its own; this one is as good as any, and the same every time.
        std::stable_sort(csvs_.begin(), csvs_.end(),
                         [](const auto* a, const auto* b) { return a->name < b->name; });
        const bool fail_forward =
            group && group->text_at({"spec", "upgradeStrategy"}) == "TechPreviewUnsafeFailForward";
        for (const ClusterServiceVersion* csv : csvs_) {
            if (csv->copied) continue;
            if (fail_forward && is_on_the_way_to_a_failure(*csv)) continue;
            add(*csv);
        }
    }

private:
    // One that has none is as good as before there were any.
    const OperatorGroup* group_if_any() const {
        const OperatorGroup* found = nullptr;
        size_t count = 0;
        for (const OperatorGroup& group : cluster_.operator_groups) {
            if (group.ns != ns_) continue;
            found = &group;
            ++count;
        }
        if (count > 1) throw Unreadable{fmt::format("found {} operatorGroups, expected 1", count)};
        return found;
    }

    // Follows who replaces whom.
    bool is_on_the_way_to_a_failure(const ClusterServiceVersion& csv) const {
        std::map<std::string_view, const ClusterServiceVersion*> replacements;
        for (const ClusterServiceVersion* other : csvs_)
            if (!other->replaces.empty()) replacements[other->replaces] = other;
        std::set<const ClusterServiceVersion*> seen;
        const ClusterServiceVersion* last = &csv;
        for (;;) {
            seen.insert(last);
            const auto next = replacements.find(last->name);
            if (next == replacements.end()) break;
            if (last->phase != "Replacing")
                throw Unreadable{fmt::format("csv {}/{} in phase {} instead of Replacing", last->ns,
                                             last->name, last->phase)};
            if (seen.contains(next->second))
                throw Unreadable{
                    fmt::format("csv {}/{} has already been seen", next->second->ns, next->second->name)};
            last = next->second;
        }
        return csv.phase == "Replacing" && last->phase == "Failed";
    }

    void add(const ClusterServiceVersion& csv) {
        Entry entry;
        entry.name = csv.name;
        entry.csv = &csv;
        entry.where = csv.where();
        entry.version = semver::Version();
        if (auto version = semver::Version::parse_tolerant(csv.version)) entry.version = *std::move(version);
        for (const Subscription& subscription : cluster_.subscriptions)
            if (subscription.ns == ns_ && subscription.installed_csv == csv.name)
                entry.subscription = &subscription;
        auto facts = std::make_shared<Facts>();
        const bool no_version = *entry.version == semver::Version();
        const std::vector<EntryProperty> inferred = from_apis(csv, no_version ? "" : entry.version_text());
        const Value* const annotation =
            csv.at({"metadata", "annotations", "operatorframework.io/properties"});
        facts->properties = annotation ? from_annotation(csv, annotation->string_or_empty()) : inferred;
        find_facts(*facts);
        if (!facts->packages.empty()) entry.package = facts->packages.back().name;
        entry.facts = std::move(facts);
        snapshot_.entries.push_back(std::move(entry));
    }

    std::vector<EntryProperty> from_annotation(const ClusterServiceVersion& csv,
                                               std::string_view annotation) {
        const auto fail = [&](const std::string& why) {
            throw Unreadable{
                fmt::format("failed to retrieve properties of csv \"{}\": failed to unmarshal properties "
                            "annotation: {}",
                            csv.name, why)};
        };
        if (const std::string error = json_syntax_error(annotation); !error.empty()) fail(error);
        const auto file = std::make_shared<SourceFile>(
            fmt::format("annotation operatorframework.io/properties of {}/{}", csv.ns, csv.name), annotation);
        uint32_t end = 0;
        Diagnostic problem;
        const auto value = read_json(*file, 0, *snapshot_.arena, end, problem);
        if (!value) fail(problem.message);
        snapshot_.files.push_back(file);
        std::vector<EntryProperty> properties;
        if (value->is_null()) return properties;
        if (!value->is_object()) fail(json_mismatch(*value, {}, {}, "projection.propertiesAnnotation"));
        const Value* list = nullptr;
        for (const Member& member : value->members())
            if (means_field(member.key.string(), "properties")) list = &member.value;
        if (!list || list->is_null()) return properties;
        if (!list->is_array())
            fail(json_mismatch(*list, "propertiesAnnotation", "properties", "[]projection.property"));
        for (const Value& item : list->items()) properties.push_back(property_of(item, *file, fail));
        return properties;
    }

    template <typename Fail>
    static EntryProperty property_of(const Value& item, const SourceFile& file, const Fail& fail) {
        EntryProperty property{{}, {}, {&file, item.offset(), 1}};
        const StringField type{"type", &property.type};
        if (!item.is_object() && !item.is_null())
            fail(json_mismatch(item, "propertiesAnnotation", "properties", "projection.property"));
        const std::string error =
            read_strings(item, {&type, 1}, "property.properties", "projection.property");
        if (!error.empty()) fail(error);
        if (!item.is_object()) return property;
        for (const Member& member : item.members())
            if (means_field(member.key.string(), "value")) property.value = member.value;
        return property;
    }

    struct Api {
        std::string_view group, version, kind, plural;
        friend auto operator<=>(const Api&, const Api&) = default;
    };

    void add_crds(const ClusterServiceVersion& csv, std::string_view which, std::set<Api>& apis) const {
        const Value* const list = csv.at({"spec", "customresourcedefinitions", which});
        if (!list || !list->is_array()) return;
        for (const Value& crd : list->items()) {
            const auto text = [&](std::string_view key) {
                const Value* const found = crd.find(key);
                return found ? found->string_or_empty() : std::string_view();
            };
            const std::string_view name = text("name");
            const size_t dot = name.find('.');
            if (dot == std::string_view::npos)
                throw Unreadable{fmt::format("error parsing crd name: {}", name)};
            apis.insert({name.substr(dot + 1), text("version"), text("kind"), name.substr(0, dot)});
        }
    }

    void add_api_services(const ClusterServiceVersion& csv, std::string_view which,
                          std::set<Api>& apis) const {
        const Value* const list = csv.at({"spec", "apiservicedefinitions", which});
        if (!list || !list->is_array()) return;
        for (const Value& api : list->items()) {
            const auto text = [&](std::string_view key) {
                const Value* const found = api.find(key);
                return found ? found->string_or_empty() : std::string_view();
            };
            apis.insert({text("group"), text("version"), text("kind"), text("name")});
        }
    }

    // Sorted by their JSON text.
    void add_apis(std::string_view type, const std::set<Api>& apis, bool required,
                  const ClusterServiceVersion& csv, std::vector<EntryProperty>& properties) {
        std::multimap<std::string, Value> sorted;
        for (const Api& api : apis) {
            const Member group{Value::of(std::string_view("group")), Value::of(api.group)};
            const Member kind{Value::of(std::string_view("kind")), Value::of(api.kind)};
            const Member version{Value::of(std::string_view("version")), Value::of(api.version)};
            const std::vector<Member> members = required ? std::vector<Member>{group, version, kind}
                                                         : std::vector<Member>{group, kind, version};
            const auto copied = snapshot_.arena->copy(std::span<const Member>(members));
            const Value value = Value::of(std::span<const Member>(copied));
            std::string text;
            append_compact_json(text, value);
            sorted.emplace(std::move(text), value);
        }
        for (const auto& [text, value] : sorted) properties.push_back({type, value, csv.where()});
    }

    std::vector<EntryProperty> from_apis(const ClusterServiceVersion& csv, const std::string& version) {
        std::set<Api> owned;
        std::set<Api> required;
        add_crds(csv, "owned", owned);
        add_api_services(csv, "owned", owned);
        add_crds(csv, "required", required);
        add_api_services(csv, "required", required);
        std::vector<EntryProperty> properties;
        add_apis(property_type::gvk, owned, false, csv, properties);
        add_apis(property_type::gvk_required, required, true, csv, properties);
        std::set<std::string_view> packages;
        for (const Subscription& subscription : cluster_.subscriptions)
            if (subscription.ns == ns_ && subscription.installed_csv == csv.name)
                if (!subscription.package.empty()) packages.insert(subscription.package);
        if (packages.size() == 1) {
            const std::vector<Member> members = {
                {Value::of(std::string_view("packageName")), Value::of(*packages.begin())},
                {Value::of(std::string_view("version")),
                 Value::of(snapshot_.arena->copy(std::string_view(version)))}};
            const auto copied = snapshot_.arena->copy(std::span<const Member>(members));
            properties.push_back(
                {property_type::package, Value::of(std::span<const Member>(copied)), csv.where()});
        }
        return properties;
    }

    const std::string& ns_;
    const ClusterState& cluster_;
    Snapshot& snapshot_;
    std::vector<const ClusterServiceVersion*> csvs_;
};

} // namespace

std::shared_ptr<const Snapshot> existing_snapshot(const std::string& ns, const ClusterState& cluster) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->key = CatalogKey::existing(ns);
    try {
        Builder(ns, cluster, *snapshot).run();
    } catch (const Unreadable& unreadable) {
        snapshot->entries.clear();
        snapshot->error = unreadable.error;
    }
    snapshot->build_index();
    return snapshot;
}

} // namespace opcat::classic
