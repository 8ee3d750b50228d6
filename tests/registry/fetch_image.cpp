// fetch_image [FLAG]… REF…: pulls images with the flags that opcat's commands have, and prints what is in
// them. For the tests against registries, which need short waits and only this part of opcat.
#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/puller.hpp"
#include "terminal/progress.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void print(const image::UnpackedImage& image, Output& out) {
    out.write(fmt::format("image {} {}\n", image.name.text, image.digest));
    for (const std::string& warning : image.warnings) out.write(fmt::format("warning {}\n", warning));
    for (const auto& [key, value] : image.labels) out.write(fmt::format("label {}={}\n", key, value));
    std::vector<fs::path> paths;
    const fs::path root = image.path("");
    for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
        const std::string name = path.lexically_relative(root).string();
        if (fs::is_symlink(path))
            out.write(fmt::format("link {} {}\n", name, fs::read_symlink(path).string()));
        else if (fs::is_regular_file(path))
            out.write(fmt::format("file {} {}\n", name, sha256_hex(read(path))));
    }
}

int run(int argc, char** argv, Session& session) {
    CommandLine line("fetch_image", CommandLine::Order::commands_first);
    const Command fetch = line.root();
    ImageFlags flags;
    add_image_flags(fetch, flags);
    std::vector<std::string> references;
    std::vector<std::string> keep;
    unsigned retries = image::Options().retries;
    fetch.add_option("REF", references, "Images");
    fetch.add_option("--keep", keep, "Paths to keep (default: all)");
    fetch.add_option("--retries", retries, "How often to try again");
    fetch.add_option("--progress", session.options.progress, "auto, always, never");
    line.run(argc, argv);

    image::Options options = image_options(flags, session);
    options.retries = retries;
    options.first_retry_delay = std::chrono::milliseconds(20);
    options.stall_timeout = std::chrono::seconds(2);
    options.connect_timeout = std::chrono::seconds(2);
    options.longest_retry_delay = std::chrono::seconds(3);
    image::Puller puller(std::move(options));

    std::vector<image::PullRequest> requests;
    for (const std::string& reference : references) {
        requests.push_back({required(image::Name::parse(reference)), {}});
        if (!keep.empty()) requests.back().choose_paths = [&](const image::Labels&) { return keep; };
    }
    ThreadPool pool(4);
    std::vector<image::UnpackedImage> images;
    {
        PullDisplay display(session, references);
        images = puller.pull(requests, pool, display.callback());
    }
    for (const image::UnpackedImage& image : images) print(image, session.out);
    session.out.flush();
    return exit_ok;
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    clean_up_on_signals();
    Session session(Session::Name::opcat);
    try {
        return run(argc, argv, session);
    } catch (const RequestError& error) {
        session.print_error(error.what(), error.hint());
        return exit_usage;
    } catch (const Error& error) {
        session.print_error(error.what(), error.hint());
        return exit_environment;
    }
}
