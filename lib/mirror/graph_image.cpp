#include "opcat/mirror/graph_image.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/cluster/objects.hpp"
#include "opcat/image/builder.hpp"
#include "opcat/image/http.hpp"
#include "opcat/image/unpack.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/mirror/catalog_image.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace opcat {

namespace fs = std::filesystem;
namespace {

constexpr uint64_t most_of_graph_data = uint64_t{256} << 20; // unpacked
constexpr const char* in_image = "var/lib/cincinnati-graph-data";
// Where the pods of the service mount the volume that the image fills.
constexpr const char* in_pod = "/var/lib/cincinnati/graph-data";

std::string download(const std::string& url, const image::Options& options) {
    image::HttpClient client(options);
    image::HttpRequest request;
    request.url = image::Url::parse(url);
    request.retries = options.retries;
    image::HttpResponse answer = client.send(request);
    if (answer.status != 200) throw Error(fmt::format("the server answers with {}", answer.status));
    return std::move(answer.body);
}

// That of the archive, or the one directory in it, as in archives of a repository.
fs::path top_of(const fs::path& root) {
    if (fs::is_directory(root / "channels")) return root;
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) all.push_back(entry.path());
    if (all.size() == 1 && fs::is_directory(all.front() / "channels")) return all.front();
    throw Error("it has no directory channels");
}

// Unpacks the data into an empty directory; returns its top.
fs::path unpack_graph_data(const std::string& place, const image::Options& options, const fs::path& into) {
    try {
        fs::path archive = place;
        if (image::is_http_url(place)) {
            archive = into / "archive";
            write_file(archive, download(place, options));
        }
        std::error_code absent;
        if (!fs::exists(archive, absent)) throw Error("it does not exist");
        const fs::path unpacked = into / "unpacked";
        fs::create_directory(unpacked);
        image::unpack({{archive, "the archive"}}, {""}, most_of_graph_data, unpacked);
        return top_of(unpacked / "root");
    } catch (const Error& error) {
        throw Error(
            fmt::format("cannot use the graph data of OpenShift from {}: {}", place, error.what()),
            error.hint().empty()
                ? "it is the archive that https://api.openshift.com/api/upgrades_info/graph-data serves"
                : error.hint());
    }
}

std::unique_ptr<image::ImageReader> build_graph_image(const fs::path& data,
                                                      std::unique_ptr<image::ImageReader> base,
                                                      const Platforms& platforms, const fs::path& temporary) {
    image::ImageRecipe recipe;
    image::add_directory(recipe.entries, in_image, data);
    recipe.command = {"/bin/bash", "-c", fmt::format("exec cp -rp /{}/* {}", in_image, in_pod)};
    recipe.platforms = platforms_in(*base, platforms);
    return image::build_image(recipe, std::move(base), temporary);
}

} // namespace

MirrorItem graph_item(const GraphImage& wanted, const MirrorName& name, image::ImageStores& stores,
                      const fs::path& directory) {
    const image::Name base = required(image::Name::parse(wanted.base));
    const fs::path data = unpack_graph_data(wanted.data, stores.options(), directory);
    MirrorItem item;
    item.from = "the graph data";
    item.name = name;
    item.reader = [&stores, base, data, platforms = wanted.platforms] {
        return build_graph_image(data, stores.reader(base), platforms, stores.options().temporary);
    };
    item.annotations = {{kind_annotation, graph_kind},
                        {sources_annotation, ""},
                        {catalogs_annotation, release_images},
                        {releases_annotation, wanted.releases}};
    item.catalogs = {release_images};
    item.is_rebuilt = true;
    return item;
}

std::string update_service(const UpdateService& service, const std::string& name) {
    cluster::Json object = cluster::named_object("updateservice.operator.openshift.io/v1", "UpdateService",
                                                 name, "openshift-update-service");
    object["spec"] = {
        {"graphDataImage", service.graph_image}, {"releases", service.releases}, {"replicas", 2}};
    return kube::to_yaml(cluster::object_of(object).value());
}

} // namespace opcat
