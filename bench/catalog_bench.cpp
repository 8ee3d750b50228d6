// Jobs of opcat on a catalog directory, next to what plain reading, libyaml and yaml-cpp take for the same
// bytes.
//
//   catalog_bench DIRECTORY [THREADS]
//
// Every job is run in processes of its own, for its peak memory, with one thread and with THREADS (default:
// one per core) in turns; times are the best of some runs, without the start of the program. On a shared
// machine only the ratios of one run are meaningful.
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/lint.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>
#ifdef OPCAT_WITH_YAML_CPP
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

namespace {

using namespace opcat;

struct Measured {
    double seconds = 0;
    double peak_mb = 0;
};

// Runs a job in a child process, so that its memory is its own.
Measured run_once(const std::function<void()>& job) {
    void* const shared =
        mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* const seconds = static_cast<double*>(shared);
    const pid_t child = fork();
    if (child == 0) {
        const auto start = std::chrono::steady_clock::now();
        job();
        *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        _exit(0);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0) throw Error("a benchmark failed");
    const Measured measured{*seconds, static_cast<double>(usage.ru_maxrss) / 1024};
    munmap(shared, sizeof(double));
    return measured;
}

using Job = std::function<void(unsigned threads)>;

// The best of some runs with each number of threads. They take turns, so that other load on the machine
// affects them equally.
std::vector<Measured> measure(const Job& job, const std::vector<unsigned>& thread_counts) {
    constexpr int runs = 15;
    std::vector<Measured> best(thread_counts.size());
    for (int run = 0; run < runs; ++run) {
        for (size_t i = 0; i < thread_counts.size(); ++i) {
            const Measured again = run_once([&] { job(thread_counts[i]); });
            if (run == 0 || again.seconds < best[i].seconds) best[i] = again;
        }
    }
    return best;
}

std::vector<std::unique_ptr<SourceFile>> read_all(const CatalogListing& listing) {
    std::vector<std::unique_ptr<SourceFile>> files;
    for (const CatalogFile& file : listing.files) files.push_back(read_file(file.path, file.name));
    return files;
}

void scan_events(const SourceFile& file) {
    yaml_parser_t parser;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(file.bytes().data()),
                                 file.bytes().size());
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) break;
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

#ifdef OPCAT_WITH_YAML_CPP
class IgnoredEvents : public YAML::EventHandler {
    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
};

void scan_events_of_yaml_cpp(const SourceFile& file) {
    std::istringstream stream{std::string(file.bytes())};
    YAML::Parser parser(stream);
    IgnoredEvents events;
    while (parser.HandleNextDocument(events)) {
    }
}
#endif

int run(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: catalog_bench DIRECTORY [THREADS]\n");
        return 2;
    }
    const std::filesystem::path root = argv[1];
    const unsigned threads =
        argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::thread::hardware_concurrency();
    const CatalogListing listing = walk_catalog_directory(root);
    size_t bytes = 0;
    for (const auto& file : read_all(listing)) bytes += file->bytes().size();
    const double megabytes = static_cast<double>(bytes) / 1e6;
    fmt::print("{}: {:.1f} MB in {} files\n\n", root.string(), megabytes, listing.files.size());

    const auto render = [&](Format format) {
        return [&, format](unsigned with) {
            ThreadPool pool(with);
            const LoadedCatalog loaded = load_catalog(root, pool);
            size_t written = 0;
            write_catalog(loaded.catalog, format, pool,
                          [&](std::string_view, std::string_view text) { written += text.size(); });
        };
    };
    struct Row {
        std::string_view name;
        bool has_threads;
        Job job;
    };
    const Row rows[] = {
        {"read the files, into small pages", false, [&](unsigned) { read_all(listing); }},
        {"libyaml's events", false,
         [&](unsigned) {
             for (const auto& file : read_all(listing)) scan_events(*file);
         }},
#ifdef OPCAT_WITH_YAML_CPP
        {"yaml-cpp's events", false,
         [&](unsigned) {
             for (const auto& file : read_all(listing)) scan_events_of_yaml_cpp(*file);
         }},
#endif
        // The work that every reader of catalogs must do, in the way of load, and nothing else.
        {"read the files", true,
         [&](unsigned with) {
             ThreadPool pool(with);
             FileMemory memory;
             std::vector<std::unique_ptr<SourceFile>> files(listing.files.size());
             pool.for_each(files.size(), [&](size_t i) {
                 const CatalogFile& file = listing.files[i];
                 files[i] = read_file(file.path, file.name, SourceFile::max_size, &memory, &pool);
             });
         }},
        {"load", true,
         [&](unsigned with) {
             ThreadPool pool(with);
             load_catalog(root, pool);
         }},
        {"validate", true, // only what opm refuses
         [&](unsigned with) {
             ThreadPool pool(with);
             lint({{Source("", load_catalog(root, pool))}}, {.rules = LintOptions::Rules::enforced_by_opm},
                  pool);
         }},
        {"validate, all rules", true,
         [&](unsigned with) {
             ThreadPool pool(with);
             lint({{Source("", load_catalog(root, pool))}}, {}, pool);
         }},
        {"render -o json", true, render(Format::json)},
        {"render -o yaml", true, render(Format::yaml)},
    };
    fmt::print("| job | 1 thread, ms | {} threads, ms | speed-up | MB/s | × libyaml | peak memory × input |\n"
               "|---|---|---|---|---|---|---|\n",
               threads);
    double libyaml_seconds = 0;
    for (const auto& [name, has_threads, job] : rows) {
        const std::vector<Measured> best =
            measure(job, has_threads ? std::vector{1U, threads} : std::vector{1U});
        const Measured &one = best.front(), &last = best.back();
        if (name.starts_with("libyaml")) libyaml_seconds = one.seconds;
        fmt::print("| {} | {:.1f} | {} | {} | {:.0f} | {} | {:.2f} |\n", name, one.seconds * 1e3,
                   has_threads ? fmt::format("{:.1f}", last.seconds * 1e3) : "",
                   has_threads ? fmt::format("{:.2f}", one.seconds / last.seconds) : "",
                   megabytes / last.seconds,
                   libyaml_seconds > 0 ? fmt::format("{:.2f}", last.seconds / libyaml_seconds) : "",
                   last.peak_mb * 1.048576 / megabytes);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 3;
    }
}
