#include "v1_prediction.hpp"

#include "cluster/catalog_state.hpp"
#include "cluster/resources.hpp"
#include "cluster_text.hpp"
#include "environment.hpp"
#include "references.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/file.hpp"

#include <nlohmann/json.hpp>

namespace opcat {

using namespace cluster;

namespace {

LoadedCatalog from_image(const Json& catalog, const ImageFlags& images, Session& session) {
    std::string image = text(catalog, {"status", "resolvedSource", "image", "ref"});
    if (image.empty()) image = text(catalog, {"spec", "source", "image", "ref"});
    return load_references({image}, session, {.image_template = {}, .images = images});
}

// status.urls.base is "https://catalogd-service.olmv1-system.svc/catalogs/NAME", which only the cluster
// itself can reach; the API server passes requests on. Where it names no service, the usual one is asked.
LoadedCatalog from_catalogd(const Kubectl& kubectl, const Json& catalog, Session& session) {
    std::string service = "catalogd-service";
    std::string ns = "olmv1-system";
    const std::string base = text(catalog, {"status", "urls", "base"});
    if (const size_t begin = base.find("://"), svc = base.find(".svc");
        begin != base.npos && svc != base.npos) {
        const std::string host = base.substr(begin + 3, svc - begin - 3);
        if (const size_t dot = host.find('.'); dot != host.npos) {
            service = host.substr(0, dot);
            ns = host.substr(dot + 1);
        }
    }
    const std::string content =
        kubectl.raw(fmt::format("/api/v1/namespaces/{}/services/https:{}:443/proxy/catalogs/{}/api/v1/all",
                                ns, service, name_of(catalog)));
    const TemporaryDirectory directory(temporary_directory());
    write_file(directory.path() / "catalog.json", content);
    return load_references({directory.path().string()}, session);
}

} // namespace

V1Catalogs::V1Catalogs(const Kubectl& kubectl, const std::string& only, const ImageFlags& images,
                       Session& session)
    : images_(&images), session_(&session) {
    for (const Json& catalog : kubectl.list(resource::cluster_catalogs)) {
        const std::string name = name_of(catalog);
        if (!only.empty() && name != only) continue;
        olmv1::NamedCatalog named;
        named.name = name;
        named.priority = static_cast<int32_t>(number(catalog, {"spec", "priority"}));
        named.unavailable = text(catalog, {"spec", "availabilityMode"}) == "Unavailable";
        if (const Json* const labels = find(catalog, {"metadata", "labels"}); labels && labels->is_object())
            for (const auto& member : labels->items())
                if (member.value().is_string())
                    named.labels[member.key()] = member.value().get<std::string>();
        std::string why;
        std::optional<LoadedCatalog> loaded;
        if (!named.unavailable) {
            try {
                loaded = from_image(catalog, images, session);
                remarks_.push_back(fmt::format("foretold from the image of catalog {}", name));
            } catch (const Error& error) {
                why = error.what();
            }
            if (!loaded) {
                try {
                    loaded = from_catalogd(kubectl, catalog, session);
                    remarks_.push_back(
                        fmt::format("foretold from what the cluster serves of catalog {}", name));
                } catch (const Error& error) {
                    remarks_.push_back(
                        fmt::format("catalog {} cannot be read from here: {}; nor from the cluster: {}", name,
                                    why, error.what()));
                }
            }
        }
        if (!loaded && !named.unavailable) {
            incomplete_ = true;
            continue;
        }
        named.index = loaded ? &indices_.emplace_back(std::move(loaded->catalog))
                             : &indices_.emplace_back(std::string("catalog is unavailable"));
        named_.push_back(std::move(named));
    }
}

BundleContent content_of(const Bundle& bundle, const ImageFlags& images, Session& session) {
    BundleContent content = bundle_content(bundle);
    if (!content.csv.empty()) return content;
    if (bundle.image.empty())
        throw Error(fmt::format("bundle {} has neither manifests nor an image", bundle.name.text));
    const LoadedCatalog loaded =
        load_references({std::string(bundle.image.text)}, session, {.image_template = {}, .images = images});
    for (const Bundle& found : loaded.catalog.bundles) {
        content = bundle_content(found);
        if (!content.csv.empty()) return content;
    }
    throw Error(fmt::format("image {} of bundle {} holds no ClusterServiceVersion", bundle.image.text,
                            bundle.name.text));
}

const BundleContent& V1Catalogs::content_of(const Bundle& bundle) const {
    const std::string name(bundle.name.text);
    const auto known = contents_.find(name);
    if (known != contents_.end()) return known->second;
    return contents_.emplace(name, opcat::content_of(bundle, *images_, *session_)).first->second;
}

bool print_v1_prediction(const olmv1::Request& request, const V1Catalogs& catalogs,
                         const olmv1::Resolution& resolution, std::span<const olmv1::Choice> way,
                         bool possible, const Session& session) {
    if (resolution.choice) {
        if (session.options.quiet) return true;
        std::string from = request.installed ? request.installed->name : std::string();
        const bool stays = way.size() == 1 && from == way[0].bundle->name();
        session.print(stays      ? fmt::format("OLM will stay at {}\n", from)
                      : possible ? std::string("OLM will\n")
                                 : std::string("OLM would\n"));
        for (const olmv1::Choice& step : way) {
            if (from != step.bundle->name())
                session.print(fmt::format("  {} {} (version {}, catalog {})\n",
                                          from.empty() ? "install" : "upgrade from " + from + " to",
                                          step.bundle->name(), step.version, step.catalog->name));
            from = step.bundle->name();
        }
        for (const std::string& remark : catalogs.remarks())
            session.print("  note: " + for_terminal(remark, 4) + "\n");
        return true;
    }
    if (catalogs.incomplete()) {
        session.print("cannot foretell what OLM will do\n");
        for (const std::string& remark : catalogs.remarks())
            session.print("  note: " + for_terminal(remark, 4) + "\n");
        return true;
    }
    session.print_error("OLM will not do it: " + for_terminal(resolution.error, 2));
    for (const olmv1::Suggestion& suggestion : olmv1::suggest(request, catalogs.named(), resolution)) {
        const bool by_flag = suggestion.request.policy != request.policy;
        session.print(fmt::format("  would work: {}{}, which resolves to {}\n", suggestion.change,
                                  by_flag ? " (--self-certified)" : "", suggestion.choice.bundle->name()));
    }
    return false;
}

} // namespace opcat
