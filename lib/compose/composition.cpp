#include "opcat/compose/composition.hpp"

#include "opcat/authoring/dockerfile.hpp"
#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/image/puller.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

namespace opcat {
namespace {

namespace fs = std::filesystem;

std::string digest_of(std::string_view bytes) {
    return "sha256:" + sha256_hex(bytes);
}

} // namespace

Composition::Composition(const SourceFile& file, const ComposeConfig& config, OpenOptions options,
                         ThreadPool& pool)
    : file_(file), config_(config), options_(std::move(options)), pool_(pool),
      base_(fs::path(file.path()).parent_path()), directory_(base_ / config.name.text),
      lock_path_(fs::path(file.path()).replace_extension(".lock")),
      dockerfile_path_(base_ / (std::string(config.name) + ".Dockerfile")) {}

Diagnostics Composition::read_lock() {
    Diagnostics diagnostics;
    std::error_code absent;
    if (!fs::exists(lock_path_, absent)) return diagnostics;
    lock_file_ = read_file(lock_path_, lock_path_.string());
    if (auto lock = read_compose_lock(*lock_file_, diagnostics)) state_.lock = *std::move(lock);
    return diagnostics;
}

// What cannot be written must not be found after the directory was replaced.
void Composition::require_places() const {
    for (const fs::path& path : {lock_path_, dockerfile_path_}) {
        std::error_code absent;
        if (path == directory_)
            throw Error(fmt::format("the catalog would have the name of its lock, {}", path.string()),
                        "give it another name");
        if (!fs::is_regular_file(path, absent) &&
            fs::symlink_status(path, absent).type() != fs::file_type::not_found)
            throw Error(fmt::format("cannot write {}: it is not a file", path.string()), "move it away");
    }
}

void Composition::throw_not_ours(const fs::path& path) const {
    throw Error(fmt::format("cannot replace {}: this configuration did not make {}", directory_.string(),
                            path.string()),
                "move it away, or give the catalog another name");
}

fs::path Composition::output_of(const ComposeReference& reference) const {
    return directory_ / reference.name.text / "catalog.yaml";
}

void Composition::take_directory() {
    require_places();
    staged_.emplace(directory_);
    std::set<std::string> ours;
    for (const ComposeReference& reference : config_.references) ours.emplace(reference.name.text);
    if (state_.lock.is_of(config_.name))
        for (const Pin& pin : state_.lock.pins) ours.insert(pin.name);
    std::error_code absent;
    for (const auto& entry : fs::recursive_directory_iterator(directory_, absent)) {
        const fs::path inside = entry.path().lexically_relative(directory_);
        const std::string first = inside.begin()->string();
        if (!ours.contains(first) || (inside != first && inside != fs::path(first) / "catalog.yaml"))
            throw_not_ours(entry.path());
    }
}

bool Composition::lies_in_registry(const std::string& reference) const {
    return names_image(reference, options_.manner) &&
           required(image::Name::parse(reference)).transport == image::Transport::registry;
}

// Empty: it is not in a registry. Throws Error if it does not exist.
std::string Composition::current_digest(const ComposeReference& reference, image::Puller& puller) const {
    const std::string image(reference.image);
    if (lies_in_registry(image)) return puller.digest(required(image::Name::parse(image)));
    require_existing(location_of(reference, {}));
    return {};
}

Diagnostics Composition::read_state() {
    const std::vector<ComposeReference>& references = config_.references;
    for (const ComposeReference& reference : references) {
        const fs::path path = output_of(reference);
        std::error_code absent;
        existing_.push_back(fs::exists(path, absent) ? read_file(path, path.string()) : nullptr);
        state_.contents.push_back(existing_.back() ? digest_of(existing_.back()->bytes()) : "");
    }
    state_.digests.resize(references.size());
    std::vector<Diagnostics> failed(references.size());
    image::Puller puller(options_.images());
    std::atomic<bool> offline = false;
    pool_.for_each(references.size(), [&](size_t i) {
        if (offline) return;
        try {
            state_.digests[i] = current_digest(references[i], puller);
        } catch (const Error& error) {
            failed[i].push_back(failed_reference(references[i], error));
            offline = offline || error.temporary();
        }
    });
    Diagnostics findings;
    for (Diagnostics& of_one : failed) std::move(of_one.begin(), of_one.end(), std::back_inserter(findings));
    return findings;
}

// At its line in the configuration.
Diagnostic Composition::failed_reference(const ComposeReference& reference, const Error& failure) const {
    const bool is_request = dynamic_cast<const RequestError*>(&failure) != nullptr;
    return error(is_request ? "compose" : "file", {&file_, reference.image.offset, 1}, failure.what(),
                 failure.hint());
}

// The reference for the loader.
std::string Composition::location_of(const ComposeReference& reference, const std::string& digest) const {
    const std::string image(reference.image);
    if (!digest.empty()) return required(image::Name::parse(image)).spec->name() + "@" + digest;
    const size_t path = image::Name::has_transport(image) ? image.find(':') + 1 : 0;
    return image.substr(0, path) + (base_ / image.substr(path)).string();
}

std::vector<LoadedCatalog> Composition::load(const ComposePlan& plan) {
    std::vector<std::string> to_load;
    for (const ComposeStep& step : plan.steps)
        if (!step.up_to_date) to_load.push_back(location_of(*step.reference, step.digest));
    std::vector<SourceOrError> opened = open_each_that_can(to_load, options_, pool_);
    auto next = opened.begin();
    std::vector<LoadedCatalog> all;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        if (plan.steps[i].up_to_date) {
            std::vector<std::unique_ptr<SourceFile>> files;
            files.push_back(std::move(existing_[i]));
            all.push_back(load_catalog(std::move(files), pool_));
            continue;
        }
        SourceOrError& one = *next++;
        if (auto* const source = std::get_if<Source>(&one)) {
            all.push_back(std::move(*source).take());
            continue;
        }
        try {
            std::rethrow_exception(std::get<std::exception_ptr>(one));
        } catch (const Error& error) {
            all.emplace_back().diagnostics.push_back(failed_reference(*plan.steps[i].reference, error));
        }
    }
    return all;
}

Diagnostics Composition::check(std::span<const LoadedCatalog> catalogs) const {
    std::vector<ComposeSource> sources;
    sources.reserve(catalogs.size());
    for (size_t i = 0; i < catalogs.size(); ++i)
        sources.push_back({&config_.references[i], &catalogs[i].catalog});
    return check_sources(sources, file_);
}

// A reference that is not in the lock may have an output nevertheless: of a run that was killed before it
// wrote the lock. Otherwise its file belongs to somebody else.
void Composition::require_replaceable(const ComposeReference& reference, const std::string& before,
                                      const std::string& now) const {
    const bool is_ours = state_.lock.is_of(config_.name) && state_.lock.find(reference.name);
    if (!before.empty() && before != now && !is_ours) throw_not_ours(output_of(reference));
}

// Two configurations whose names differ only in their extension have one lock.
void Composition::require_own_lock() const {
    std::error_code absent;
    const fs::path of_lock = base_ / state_.lock.catalog;
    if (!state_.lock.is_of(config_.name) && fs::exists(of_lock, absent))
        throw Error(
            fmt::format("{} is the lock of another catalog, {}", lock_path_.string(), of_lock.string()),
            "give this configuration another file name; or if its catalog has got another name, move that "
            "directory away");
}

Composed Composition::write(const ComposePlan& plan, std::span<const LoadedCatalog> catalogs) {
    Composed made;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        const ComposeReference& reference = *plan.steps[i].reference;
        const std::string& before = state_.contents[i];
        std::string text;
        write_catalog(catalogs[i].catalog, Format::yaml, pool_,
                      [&](std::string_view, std::string_view piece) { text += piece; });
        const std::string content = digest_of(text);
        require_replaceable(reference, before, content);
        if (before.empty()) ++made.added;
        if (content != before) ++made.changed;
        if (content != before && !before.empty()) made.edited.push_back(output_of(reference));
        fs::create_directory(staged_->path() / reference.name.text);
        write_file(staged_->path() / reference.name.text / "catalog.yaml", text);
        made.lock.pins.push_back(
            {std::string(reference.name), std::string(reference.image), plan.steps[i].digest, content});
    }
    std::sort(made.lock.pins.begin(), made.lock.pins.end(),
              [](const Pin& a, const Pin& b) { return a.name < b.name; });
    made.lock.catalog = config_.name;
    return made;
}

void Composition::publish() {
    require_own_lock();
    staged_->commit();
}

void Composition::write_files_of(const ComposeLock& lock) const {
    require_own_lock();
    std::error_code absent;
    if (!fs::exists(dockerfile_path_, absent))
        write_file(dockerfile_path_, to_text(Dockerfile{.directory = std::string(config_.name),
                                                        .base_image = std::string(default_opm_image),
                                                        .builder_image = std::string(default_opm_image),
                                                        .labels = {}}));
    if (!(lock == state_.lock)) write_file(lock_path_, to_text(lock));
}

} // namespace opcat
