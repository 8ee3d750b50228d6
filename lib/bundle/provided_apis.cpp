#include "bundle/provided_apis.hpp"

#include "catalog/finding.hpp"
#include "document/go_keys.hpp"
#include "manifest/api_types.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

std::string_view text_of(const Value* object, std::string_view field) {
    const Value* const found = object ? object->find(field) : nullptr;
    return found ? found->string_or_empty() : std::string_view();
}

class Finder {
public:
    Finder(const ClusterServiceVersion& csv, Diagnostics& diagnostics)
        : csv_(csv), diagnostics_(diagnostics) {}

    void add_crd(const Manifest& manifest) {
        const bool v1 = manifest.version == "v1";
        if (!v1 && manifest.version != "v1beta1") return;
        const Value& object = manifest.object;
        const SourceFile* const file = manifest.file->file.get();
        if (manifest.group != "apiextensions.k8s.io") {
            diagnostics_.push_back(
                error("bundle-crd", {file, object.find("apiVersion")->offset(), 1},
                      fmt::format("a CustomResourceDefinition cannot be of API group \"{}\"", manifest.group),
                      fmt::format("write \"apiVersion: apiextensions.k8s.io/{}\"", manifest.version)));
            return;
        }
        const manifest::GoType& type =
            manifest::api_types()[v1 ? "CustomResourceDefinition" : "CustomResourceDefinitionV1Beta1"];
        if (const auto misfit = manifest::find_misfit(object, type, manifest::KeyMatch::exact)) {
            diagnostics_.push_back(error("field-type", {file, misfit->offset, 1},
                                         misfit->message + " of CustomResourceDefinition"));
            return;
        }
        const Value* const spec = object.find("spec");
        const Value* const names = spec ? spec->find("names") : nullptr;
        ApiKey key{text_of(spec, "group"), {}, text_of(names, "kind"), text_of(names, "plural")};
        for (const Value& version : manifest::items_of(spec ? spec->find("versions") : nullptr)) {
            key.version = text_of(&version, "name");
            apis.provided.insert(key);
        }
        key.version = text_of(spec, "version");
        if (!v1 && !key.version.empty()) apis.provided.insert(key);
    }

    void add_api_services() {
        for (const Value& api : definitions("apiservicedefinitions", "owned"))
            apis.provided.insert(service_key(api));
        for (const Value& api : definitions("apiservicedefinitions", "required"))
            apis.required.insert(service_key(api));
    }

    void check_owned_crds() {
        for (const Value& crd : definitions("customresourcedefinitions", "owned")) {
            const auto key = crd_key(crd);
            if (!key || apis.provided.contains(*key)) continue;
            diagnostics_.push_back(with_note(
                error("bundle-crd", at(crd),
                      fmt::format(
                          "the owned CustomResourceDefinition {} with version {} and kind {} is not among "
                          "the manifests",
                          fmt::format("{}.{}", key->plural, key->group), key->version, key->kind),
                      "add its manifest, or correct name, version and kind"),
                fmt::format("found: {}", found_versions_of(*key))));
        }
    }

    void add_required_crds() {
        for (const Value& crd : definitions("customresourcedefinitions", "required"))
            if (const auto key = crd_key(crd)) apis.required.insert(*key);
    }

    BundleApis apis;

private:
    Location at(const Value& value) const { return {csv_.manifest->file->file.get(), value.offset(), 1}; }

    std::span<const Value> definitions(std::string_view field, std::string_view list) const {
        const Value* const all = csv_.spec->find(field);
        return manifest::items_of(all ? find_field(*all, list) : nullptr);
    }

    static std::string_view field(const Value& definition, std::string_view name) {
        const Value* const found = find_field(definition, name);
        return found ? found->string_or_empty() : std::string_view();
    }

    static ApiKey service_key(const Value& api) {
        return {field(api, "group"), field(api, "version"), field(api, "kind"), field(api, "name")};
    }

    // A custom resource definition is named "PLURAL.GROUP".
    std::optional<ApiKey> crd_key(const Value& crd) {
        const std::string_view name = field(crd, "name");
        const size_t dot = name.find('.');
        if (dot != name.npos)
            return ApiKey{name.substr(dot + 1), field(crd, "version"), field(crd, "kind"),
                          name.substr(0, dot)};
        diagnostics_.push_back(error("bundle-crd", at(crd),
                                     fmt::format("\"{}\" is no name of a CustomResourceDefinition", name),
                                     "write PLURAL.GROUP, as in \"widgets.example.com\""));
        return std::nullopt;
    }

    std::string found_versions_of(const ApiKey& wanted) const {
        std::string found;
        for (const ApiKey& key : apis.provided)
            if (key.group == wanted.group)
                found += fmt::format("{}{}.{} {} {}", found.empty() ? "" : ", ", key.plural, key.group,
                                     key.version, key.kind);
        return found.empty() ? fmt::format("nothing of group {}", wanted.group) : found;
    }

    const ClusterServiceVersion& csv_;
    Diagnostics& diagnostics_;
};

} // namespace

BundleApis find_apis(const std::vector<Manifest>& manifests, const ClusterServiceVersion& csv,
                     Diagnostics& diagnostics) {
    Finder finder(csv, diagnostics);
    for (const Manifest& manifest : manifests)
        if (manifest.kind == "CustomResourceDefinition") finder.add_crd(manifest);
    finder.add_api_services();
    finder.check_owned_crds();
    finder.add_required_crds();
    return std::move(finder.apis);
}

} // namespace opcat
