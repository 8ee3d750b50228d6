#include "filter/dependencies.hpp"

#include "catalog/catalog.hpp"

#include <fmt/core.h>

#include <map>
#include <tuple>

namespace opcat {
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
                need_package(bundle, text_of(*property.value, "packageName"));
            else if (property.type == property_type::gvk_required)
                need_api(bundle, api_of(*property.value));
            else if (property.type == property_type::constraint)
                follow_constraint(bundle, *property.value);
        }
    }

    // Nested no deeper than documents can be.
    void follow_constraint(const Bundle& bundle, const Value& constraint) {
        if (!constraint.is_object()) return;
        if (const Value* const package = constraint.find("package"))
            need_package(bundle, text_of(*package, "packageName"));
        if (const Value* const api = constraint.find("gvk")) need_api(bundle, api_of(*api));
        for (const char* const several : {"all", "any"}) {
            const Value* const group = constraint.find(several);
            const Value* const inside = group && group->is_object() ? group->find("constraints") : nullptr;
            if (!inside || !inside->is_array()) continue;
            for (const Value& one : inside->items()) follow_constraint(bundle, one);
        }
    }

    void need_package(const Bundle& bundle, std::string_view package) {
        if (known_.contains(package))
            add(package);
        else
            miss(bundle, fmt::format("package {}", package));
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
                fmt::format("{} requires {}, which nothing in the catalog is", bundle.name.text, what));
    }

    const std::function<bool(const Bundle&)>& is_kept_;
    std::map<std::string_view, std::vector<const Bundle*>> bundles_;
    std::map<Api, std::set<std::string_view>> providers_;
    std::set<std::string_view> known_;
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
