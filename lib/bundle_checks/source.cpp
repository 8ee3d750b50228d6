#include "opcat/bundle_checks/source.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

namespace opcat::bundle_checks {
namespace {

namespace fs = std::filesystem;

constexpr size_t max_files = 10'000;
constexpr size_t max_depth = 100; // of folders
constexpr uint64_t max_file_size = uint64_t{64} << 20;

constexpr std::string_view csv_kind = "ClusterServiceVersion";
constexpr std::string_view crd_kind = "CustomResourceDefinition";

struct Entry {
    fs::path folder; // below the root; empty: the root itself
    std::string name;
    bool is_folder = false;
    bool is_hidden = false; // its name, or that of a folder above it, begins with a dot
};

// Memory that findings and objects refer to.
struct Memory {
    Arena arena;
    std::map<fs::path, DocumentFile> files; // by their paths below the root
};

bool is_document_name(std::string_view name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

class Loader {
public:
    Loader(fs::path root, fs::path shown) : root_(std::move(root)), shown_(std::move(shown)) {}

    LoadedSource load() {
        list({}, false, 0);
        read_files();
        const auto inner = std::ranges::find_if(
            entries_, [](const Entry& entry) { return entry.is_folder && entry.folder == "manifests"; });
        if (inner != entries_.end()) result_.source.folder_in_manifests = "manifests/" + inner->name;
        read_annotations();
        result_.source.as_v1_reads =
            v1_metadata(metadata_file("annotations.yaml"), metadata_file("properties.yaml"), memory_->arena);
        for (const fs::path& folder : folders_with_csv_) load_folder(folder);
        if (folders_with_csv_.empty()) report_missing_csv();
        measure();
        list_objects();
        sort_by_place(result_.problems);
        result_.loads = !has_errors(result_.problems);
        result_.memory = memory_;
        return std::move(result_);
    }

private:
    // Everything below a folder, sorted by name, the content of a folder after the folder itself.
    void list(const fs::path& folder, bool is_hidden, size_t depth) {
        const fs::path path = shown_ / folder;
        if (depth > max_depth)
            throw Error(
                fmt::format("cannot read {}: it is more than {} folders deep", path.string(), max_depth));
        std::error_code failure;
        std::map<std::string, bool> names;
        for (fs::directory_iterator at(root_ / folder, failure), end; !failure && at != end;
             at.increment(failure))
            names[at->path().filename().string()] = at->symlink_status().type() == fs::file_type::directory;
        if (failure)
            throw Error(fmt::format("cannot read {}: {}", path.string(), system_message(failure.value())));
        for (const auto& [name, is_folder] : names) {
            if (entries_.size() == max_files)
                throw Error(
                    fmt::format("cannot read {}: it has more than {} files", shown_.string(), max_files));
            const bool hidden = is_hidden || name.starts_with('.');
            entries_.push_back({folder, name, is_folder, hidden});
            if (is_folder) list(folder / name, hidden, depth + 1);
        }
    }

    void read_files() {
        for (const Entry& entry : entries_) {
            if (entry.is_folder || entry.is_hidden) continue;
            const fs::path path = entry.folder / entry.name;
            if (leads_to_folder(path)) continue;
            const DocumentFile& file =
                memory_->files
                    .emplace(path, read_document_file(root_, root_ / path, (shown_ / path).string(),
                                                      memory_->arena))
                    .first->second;
            if (!file.file) {
                problem(error("file", {}, file.problem.message));
            } else if (!why_no_object(file) &&
                       field_text(*file.value, "kind", go::Route::converter) == csv_kind &&
                       std::find(folders_with_csv_.begin(), folders_with_csv_.end(), entry.folder) ==
                           folders_with_csv_.end()) {
                folders_with_csv_.push_back(entry.folder);
            }
        }
    }

    // A link to a folder is neither a file nor a folder of the bundle.
    bool leads_to_folder(const fs::path& path) const {
        std::error_code ignored;
        return fs::is_directory(root_ / path, ignored);
    }

    const DocumentFile* metadata_file(const char* name) const {
        const auto found = memory_->files.find(fs::path("metadata") / name);
        return found == memory_->files.end() || !found->second.file ? nullptr : &found->second;
    }

    // Only the last of several files counts.
    void read_annotations() {
        const go::Type& type = go::type_named("BundleAnnotations");
        Value annotations;
        const SourceFile* source = nullptr;
        for (const auto& entry : entries_) {
            if (!entry.name.starts_with("annotations")) continue;
            const auto found = memory_->files.find(entry.folder / entry.name);
            if (found == memory_->files.end() || !found->second.file) continue;
            const DocumentFile& file = found->second;
            if (!file.value) {
                problem(file.problem, Severity::error);
                continue;
            }
            const Value value = go::with_strings(*file.value, type, memory_->arena);
            if (const auto misfit = go::find_misfit(value, type, go::Route::map)) {
                problem(error("field-type", {file.file.get(), misfit->value.offset(), 1}, misfit->message()));
                continue;
            }
            source = file.file.get();
            const Value* const fields = find_field(value, "annotations");
            annotations = fields ? *fields : Value();
        }
        const auto text = [&](std::string_view part) {
            return field_text(annotations, fmt::format("operators.operatorframework.io.bundle.{}.v1", part));
        };
        package_ = text("package");
        result_.source.package = package_;
        result_.source.default_channel = text("channel.default");
        const std::string_view channels = text("channels");
        for (size_t begin = 0; begin <= channels.size();) {
            const size_t end = std::min(channels.size(), channels.find(',', begin));
            result_.source.channels.emplace_back(channels.substr(begin, end - begin));
            begin = end + 1;
        }
        if (!source) return;
        const Value* const at = find_field(annotations, "operators.operatorframework.io.bundle.channels.v1");
        result_.source.channels_at = {source, at ? at->offset() : annotations.offset(), 1};
    }

    void load_folder(const fs::path& folder) {
        Source& source = result_.source;
        source.objects.clear();
        source.further.clear();
        source.crds.clear();
        const SourceFile* csv = nullptr;
        for (const Entry& entry : entries_) {
            if (entry.folder != folder) continue;
            const fs::path path = folder / entry.name;
            const auto found = memory_->files.find(path);
            if (found == memory_->files.end()) {
                report_other(entry, path);
                continue;
            }
            const DocumentFile& file = found->second;
            if (!file.file) continue; // reported
            if (auto reason = why_no_object(file)) {
                reason->message = fmt::format("{} is not a manifest: {}", entry.name, reason->message);
                problem(*std::move(reason), Severity::error);
                continue;
            }
            for (const Value& further : file.further)
                source.further.emplace_back(further, memory_, file.file.get());
            if (!file.further.empty())
                problem(warning("bundle-file", {file.file.get(), 0, 1},
                                fmt::format("of {} only the first document counts", entry.name),
                                "put every manifest into a file of its own"));
            const kube::Object object(*file.value, memory_, file.file.get());
            source.objects.push_back(object);
            if (object.kind() == csv_kind) {
                if (csv)
                    problem(with_note(error("bundle-csv", object.where(),
                                            "a bundle has one ClusterServiceVersion, and this is another one",
                                            "remove one of the two"),
                                      "the first one is here", {csv, 0, 1}));
                csv = file.file.get();
                source.csv = typed(object, "ClusterServiceVersion");
            } else if (object.kind() == crd_kind) {
                add_crd(object);
            }
        }
    }

    void report_other(const Entry& entry, const fs::path& path) {
        const std::string what = entry.is_folder || leads_to_folder(path) ? "folder" : "hidden file";
        problem(error("bundle-file", {},
                      fmt::format("the {} {} is among the manifests, where only files of objects may be",
                                  what, (shown_ / path).string()),
                      "move it out of the folder"));
    }

    void add_crd(const kube::Object& object) {
        if (const std::string_view type = type_of_crd(object, result_.problems); !type.empty())
            result_.source.crds.push_back(typed(object, type));
    }

    kube::Object typed(const kube::Object& object, std::string_view type_name) {
        return as_type(object, type_name, memory_->arena, result_.problems);
    }

    void report_missing_csv() {
        problem(error("bundle-csv", {}, fmt::format("{} has no {}", shown_.string(), csv_kind),
                      "add its manifest, or correct the kind of one that is there"));
        const auto is_metadata = [&](const fs::path& folder) {
            return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
                return entry.folder == folder && entry.name.starts_with("annotations");
            });
        };
        for (const auto& [path, file] : memory_->files)
            if (file.file && is_document_name(file.name) && !is_metadata(path.parent_path()))
                if (auto reason = why_no_object(file)) {
                    reason->message = fmt::format("{} is not a manifest: {}", file.name, reason->message);
                    problem(*std::move(reason), Severity::warning);
                }
    }

    // Compression takes time, and most bundles are small enough without it.
    void measure() {
        uint64_t most = 0;
        std::vector<fs::path> paths;
        for (const Entry& entry : entries_) {
            std::error_code failure;
            const fs::path path = root_ / entry.folder / entry.name;
            if (entry.is_folder || !fs::is_regular_file(path, failure)) continue;
            const uint64_t size = fs::file_size(path, failure);
            if (failure) continue;
            paths.push_back(path);
            most += (size + size / 1000 + 64) * 4 / 3;
        }
        if (most > largest_bundle / 2) {
            most = 0;
            for (const fs::path& path : paths)
                most += compressed_size(read_file(path, path.string(), max_file_size)->bytes());
        }
        result_.source.compressed_size = most;
    }

    void list_objects() {
        for (const auto& [path, file] : memory_->files) {
            if (!file.value) continue;
            const kube::Fields fields(*file.value);
            result_.objects.push_back({file.file.get(),
                                       {.package = package_,
                                        .schema = fields.kind(),
                                        .name = fields.text("metadata", "name"),
                                        .value = &*file.value}});
            if (file.notation != Notation::yaml) continue;
            const std::vector<Location> remarks = find_remarks(*file.file);
            result_.remarks.insert(result_.remarks.end(), remarks.begin(), remarks.end());
        }
    }

    void problem(Diagnostic diagnostic) { result_.problems.push_back(std::move(diagnostic)); }
    void problem(Diagnostic diagnostic, Severity severity) {
        diagnostic.severity = severity;
        problem(std::move(diagnostic));
    }

    fs::path root_;
    fs::path shown_;
    std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
    std::vector<Entry> entries_;
    std::string_view package_;
    std::vector<fs::path> folders_with_csv_; // in the order in which they were found
    LoadedSource result_;
};

} // namespace

std::string Api::describe() const {
    return group.empty() ? fmt::format("{} {}", version, kind)
                         : fmt::format("{}/{} {}", group, version, kind);
}

std::string_view type_of_crd(const kube::Object& object, Diagnostics& out) {
    const std::string_view version = object.text("apiVersion");
    if (version == "apiextensions.k8s.io/v1") return "CustomResourceDefinition";
    if (version == "apiextensions.k8s.io/v1beta1") return "CustomResourceDefinitionV1Beta1";
    out.push_back(error("bundle-crd", place_of(object, object, "apiVersion"),
                        fmt::format("there is no {} in \"{}\"", crd_kind, version),
                        "write apiextensions.k8s.io/v1"));
    return {};
}

kube::Object as_type(const kube::Object& object, std::string_view type_name, Arena& arena, Diagnostics& out) {
    const go::Type& type = go::type_named(type_name);
    const Value value = go::with_strings(object.value(), type, arena);
    for (const go::Misfit& misfit : go::decode(value, type, {}).misfits)
        out.push_back(error("field-type", {object.file, misfit.value.offset(), 1},
                            fmt::format("{}: {}", object.kind(), misfit.message())));
    return {go::with_field_names(value, type, go::Route::map, arena), object.memory, object.file};
}

LoadedSource load_source(const fs::path& root, const fs::path& shown) {
    return Loader(root, shown).load();
}

bool has_any(const kube::Fields& rule, std::string_view field,
             std::initializer_list<std::string_view> wanted) {
    const auto items = rule.items(field);
    return std::any_of(items.begin(), items.end(), [&](const Value& item) {
        return std::find(wanted.begin(), wanted.end(), item.string_or_empty()) != wanted.end();
    });
}

Location place_of(const kube::Object& object, const kube::Fields& part) {
    const Value& value = part.value();
    const std::string_view text = value.string_or_empty();
    const bool is_plain = !text.empty() && object.file &&
                          object.file->bytes().substr(value.offset()).starts_with(text) &&
                          text.find('\n') == text.npos;
    return {object.file, value.offset(), is_plain ? static_cast<uint32_t>(text.size()) : 1U};
}

} // namespace opcat::bundle_checks
