// fetch_image [--name value]… REF…: pulls images and prints what is in them, for the tests against
// registries.
#include "image/puller.hpp"
#include "signals.hpp"
#include "support/digest.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

struct Arguments {
    image::Options options;
    std::vector<std::string> keep;
    std::vector<std::string> references;
    bool progress = false;
    bool everything = true;
};

Arguments parse(int argc, char** argv) {
    Arguments a;
    image::Options& o = a.options;
    o.first_retry_delay = std::chrono::milliseconds(20);
    o.stall_timeout = std::chrono::seconds(2);
    o.connect_timeout = std::chrono::seconds(2);
    o.longest_retry_delay = std::chrono::seconds(3);
    using Setter = std::function<void(const std::string&)>;
    const std::map<std::string, Setter> valued = {
        {"--cert-dir", [&](const std::string& v) { o.cert_directory = v; }},
        {"--host-cert-dir", [&](const std::string& v) { o.host_cert_directories.emplace_back(v); }},
        {"--ca-file", [&](const std::string& v) { o.ca_file = v; }},
        {"--authfile", [&](const std::string& v) { o.auth_files.emplace_back(v); }},
        {"--registries-conf", [&](const std::string& v) { o.registries_conf.emplace_back(v); }},
        {"--platform", [&](const std::string& v) { o.platform = image::Platform::parse(v); }},
        {"--cache", [&](const std::string& v) { o.cache = v; }},
        {"--temporary", [&](const std::string& v) { o.temporary = v; }},
        {"--max-unpacked-size", [&](const std::string& v) { o.max_unpacked_size = std::stoull(v); }},
        {"--retries", [&](const std::string& v) { o.retries = static_cast<unsigned>(std::stoul(v)); }},
        {"--keep",
         [&](const std::string& v) {
             a.everything = false;
             if (!v.empty()) a.keep.push_back(v);
         }},
    };
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--skip-tls-verify") {
            o.skip_tls_verify = true;
        } else if (argument == "--use-http") {
            o.use_http = true;
        } else if (argument == "--progress") {
            a.progress = true;
        } else if (const auto at = valued.find(argument); at != valued.end() && i + 1 < argc) {
            at->second(argv[++i]);
        } else {
            a.references.push_back(argument);
        }
    }
    return a;
}

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void print(const image::UnpackedImage& image) {
    fmt::print("image {} {}\n", image.name.text, image.digest);
    for (const std::string& warning : image.warnings) fmt::print("warning {}\n", warning);
    for (const auto& [key, value] : image.labels) fmt::print("label {}={}\n", key, value);
    std::vector<fs::path> paths;
    const fs::path root = image.path("");
    for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
        const std::string name = path.lexically_relative(root).string();
        if (fs::is_symlink(path))
            fmt::print("link {} {}\n", name, fs::read_symlink(path).string());
        else if (fs::is_regular_file(path))
            fmt::print("file {} {}\n", name, sha256_hex(read(path)));
    }
}

} // namespace

int main(int argc, char** argv) {
    clean_up_on_signals();
    try {
        Arguments arguments = parse(argc, argv);
        std::vector<image::PullRequest> requests;
        for (const std::string& reference : arguments.references) {
            requests.push_back({image::Name::parse(reference), {}});
            if (!arguments.everything)
                requests.back().choose_paths = [&](const image::Labels&) { return arguments.keep; };
        }
        image::Puller puller(arguments.options);
        ThreadPool pool(4);
        image::OnProgress on_progress;
        if (arguments.progress)
            on_progress = [](size_t image, const image::PullProgress& p) {
                if (p.done)
                    fmt::print("done {} {}/{} {}/{}\n", image, p.layers_done, p.layers, p.bytes,
                               p.bytes_total);
            };
        for (const image::UnpackedImage& image : puller.pull(requests, pool, on_progress)) print(image);
        return 0;
    } catch (const Error& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        if (!error.hint().empty()) fmt::print(stderr, "help: {}\n", error.hint());
        return 3;
    }
}
