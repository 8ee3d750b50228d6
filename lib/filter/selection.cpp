#include "opcat/filter/selection.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/blang_range.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace opcat {
namespace {

constexpr std::string_view rule = "filter";
constexpr std::array<std::string_view, 1> file_fields{"packages"};
constexpr std::array<std::string_view, 3> package_fields{"name", "channels", "versions"};

bool is_in_package_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

void add_channel_to(PackageSelection& selection, std::string_view channel) {
    auto& channels = selection.channels;
    if (std::find(channels.begin(), channels.end(), channel) == channels.end())
        channels.emplace_back(channel);
}

} // namespace

void Selection::add_package(std::string_view text) {
    packages[std::string(text)];
}

void Selection::add_channel(std::string_view text) {
    const size_t slash = text.find('/');
    if (slash == text.npos || slash == 0 || slash + 1 == text.size())
        throw RequestError(fmt::format("{} names no channel of a package", go_quote(text)),
                           "write PACKAGE/CHANNEL, as in foo/stable");
    add_channel_to(packages[std::string(text.substr(0, slash))], text.substr(slash + 1));
}

void Selection::add_version(std::string_view text) {
    const auto end_of_name = std::find_if_not(text.begin(), text.end(), is_in_package_name);
    const std::string package(text.begin(), end_of_name);
    const std::string range(end_of_name, text.end());
    const size_t begin = range.find_first_not_of(" \t@:");
    const auto constraints = semver::Constraints::parse(begin == range.npos ? "" : range.substr(begin));
    if (package.empty() || begin == range.npos || !constraints)
        throw RequestError(fmt::format("{} is not a package with a range of its versions{}", go_quote(text),
                                       package.empty() || begin == range.npos || constraints
                                           ? std::string()
                                           : ": " + constraints.error().message),
                           "write PACKAGE and a range, as in 'foo>=1.2 <2' or 'foo ~1.4 || 2.0.0'");
    packages[package].versions.push_back({range.substr(begin), *constraints});
}

void Selection::add_file(const SourceFile& file, Diagnostics& diagnostics) {
    Arena arena;
    const auto root = read_object(file, arena, "a selection", rule, diagnostics);
    if (!root) return;
    const FieldReader fields(&file, *root, "the selection", diagnostics);
    fields.refuse_all_but(file_fields, rule);
    const Value* const list = fields.array("packages");
    if (!list) return;
    for (const Value& item : list->items()) {
        if (!item.is_object()) {
            diagnostics.push_back(error(rule, {&file, item.offset(), 1}, "a package must be an object",
                                        "write {name: PACKAGE, channels: [CHANNEL], versions: [RANGE]}"));
            continue;
        }
        const FieldReader package(&file, item, "a package of the selection", diagnostics);
        package.refuse_all_but(package_fields, rule);
        const Text name = package.string("name");
        if (name.empty())
            diagnostics.push_back(error(rule, {&file, name.offset, 1}, "a package needs a name"));
        PackageSelection& selection = packages[std::string(name)];
        for (const Text& channel : package.strings("channels", arena)) add_channel_to(selection, channel);
        for (const Text& range : package.strings("versions", arena)) {
            const auto constraints = semver::Constraints::parse(range);
            if (constraints)
                selection.versions.push_back({std::string(range), *constraints});
            else
                diagnostics.push_back(error(rule, {&file, range.offset, 1},
                                            fmt::format("{} is not a range of versions: {}", go_quote(range),
                                                        constraints.error().message)));
        }
    }
}

namespace {

using Api = std::tuple<std::string_view, std::string_view, std::string_view>; // group, version, kind

std::string_view text_of(const Value& value, std::string_view field) {
    const Value* const found = value.is_object() ? value.find(field) : nullptr;
    return found ? found->string_or_empty() : std::string_view();
}

Api api_of(const Value& value) {
    return {text_of(value, "group"), text_of(value, "version"), text_of(value, "kind")};
}

class Search {
public:
    Search(const Catalog& catalog, const std::function<bool(const Bundle&)>& is_kept) : is_kept_(is_kept) {
        for (const Bundle& bundle : catalog.bundles) {
            bundles_[bundle.package].push_back(&bundle);
            for (const Property& property : bundle.properties)
                if (property.type == property_type::gvk && property.value)
                    providers_[api_of(*property.value)].insert(bundle.package);
        }
        for (const Package& package : catalog.packages) known_.insert(package.name);
    }

    Dependencies run(std::set<std::string_view> packages) {
        const std::set<std::string_view> first = packages;
        result_.packages = std::move(packages);
        std::vector<std::string_view> queue(first.begin(), first.end());
        for (size_t i = 0; i < queue.size(); ++i) {
            queue_ = &queue;
            const std::string_view package = queue[i];
            for (const Bundle* bundle : bundles_[package])
                if (!first.contains(package) || is_kept_(*bundle)) follow(*bundle);
        }
        return std::move(result_);
    }

private:
    void follow(const Bundle& bundle) {
        for (const Property& property : bundle.properties) {
            if (!property.value) continue;
            if (property.type == property_type::package_required)
                need_package(bundle, *property.value);
            else if (property.type == property_type::gvk_required)
                need_api(bundle, api_of(*property.value));
            else if (property.type == property_type::constraint)
                follow_constraint(bundle, *property.value);
        }
    }

    // Not nested more deeply than documents can be.
    void follow_constraint(const Bundle& bundle, const Value& constraint) {
        if (!constraint.is_object()) return;
        if (const Value* const package = constraint.find("package")) need_package(bundle, *package);
        if (const Value* const api = constraint.find("gvk")) need_api(bundle, api_of(*api));
        for (const char* const several : {"all", "any"}) {
            const Value* const group = constraint.find(several);
            const Value* const inside = group && group->is_object() ? group->find("constraints") : nullptr;
            if (!inside || !inside->is_array()) continue;
            for (const Value& one : inside->items()) follow_constraint(bundle, one);
        }
    }

    void need_package(const Bundle& bundle, const Value& required) {
        const std::string_view package = text_of(required, "packageName");
        if (!known_.contains(package)) return miss(bundle, fmt::format("package {}", package));
        add(package);
        const std::string_view text = text_of(required, "versionRange");
        if (text.empty() || !asked_.emplace(package, text).second) return;
        const auto range = semver::BlangRange::parse(text);
        const std::vector<semver::Version>& versions = versions_of(package);
        if (range &&
            range->ranks_in(versions.size(), [&](size_t i) -> const semver::Version& { return versions[i]; })
                .empty())
            miss(bundle, fmt::format("package {} in version {}", package, text));
    }

    // Ascending, each once.
    const std::vector<semver::Version>& versions_of(std::string_view package) {
        const auto [known, is_new] = versions_.try_emplace(package);
        if (!is_new) return known->second;
        for (const Bundle* bundle : bundles_[package])
            for (const Property& property : bundle->properties)
                if (property.type == property_type::package && property.value)
                    if (auto version = semver::Version::parse(text_of(*property.value, "version")))
                        known->second.push_back(*std::move(version));
        std::ranges::sort(known->second, [](const auto& a, const auto& b) { return a < b; });
        known->second.erase(std::unique(known->second.begin(), known->second.end()), known->second.end());
        return known->second;
    }

    void need_api(const Bundle& bundle, const Api& api) {
        const auto found = providers_.find(api);
        if (found == providers_.end()) {
            const auto& [group, version, kind] = api;
            miss(bundle, fmt::format("the API {} of {}/{}", kind, group, version));
            return;
        }
        for (const std::string_view package : found->second) add(package);
    }

    void add(std::string_view package) {
        if (result_.packages.insert(package).second) queue_->push_back(package);
    }

    void miss(const Bundle& bundle, const std::string& what) {
        if (missed_.insert(what).second)
            result_.missing.push_back(
                fmt::format("{} requires {}, which the catalog does not have", bundle.name.text, what));
    }

    const std::function<bool(const Bundle&)>& is_kept_;
    std::map<std::string_view, std::vector<const Bundle*>> bundles_;
    std::map<Api, std::set<std::string_view>> providers_;
    std::set<std::string_view> known_;
    std::map<std::string_view, std::vector<semver::Version>> versions_; // by package
    std::set<std::pair<std::string_view, std::string_view>> asked_;     // package and range
    std::set<std::string> missed_;
    Dependencies result_;
    std::vector<std::string_view>* queue_ = nullptr;
};

} // namespace

Dependencies find_dependencies(const Catalog& catalog, std::set<std::string_view> packages,
                               const std::function<bool(const Bundle&)>& is_kept) {
    return Search(catalog, is_kept).run(std::move(packages));
}

} // namespace opcat
