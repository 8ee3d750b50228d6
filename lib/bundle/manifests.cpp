#include "opcat/bundle/manifests.hpp"

#include "opcat/base/below.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// The limit of etcd objects is below this.
constexpr uint64_t max_file_size = uint64_t{64} << 20;
constexpr size_t max_files = 10'000;

void read_documents(DocumentFile& result, Arena& arena) {
    const SourceFile& file = *result.file;
    Diagnostics problems;
    const std::vector<DocumentRange> documents = split_into_documents(file, problems);
    if (documents.empty() || (!problems.empty() && problems.front().where.offset <= documents.front().end)) {
        if (!problems.empty())
            result.problem = problems.front();
        else
            result.problem = warning("bundle-file", {&file, 0, 0}, "the file is empty");
        return;
    }
    result.notation = documents.front().notation;
    result.value = read_document(file, documents.front(), arena, result.problem);
    Diagnostic ignored;
    for (size_t i = 1; i < documents.size(); ++i)
        if (const auto next = read_document(file, documents[i], arena, ignored); next && !next->is_null())
            result.further.push_back(*next);
}

} // namespace

DocumentFile read_document_file(const fs::path& bundle, const fs::path& path, const std::string& shown,
                                Arena& arena) {
    std::error_code failed_to_find;
    const fs::path real = fs::canonical(path, failed_to_find);
    if (!failed_to_find && !is_below(real, fs::canonical(bundle, failed_to_find)))
        throw Error(fmt::format("cannot read {}: it is a symbolic link that leads out of the bundle", shown),
                    "put the file itself in its place");
    DocumentFile file{.file = nullptr, .name = path.filename().string(), .value = {}, .problem = {}};
    try {
        file.file = read_file(path, shown, max_file_size);
        read_documents(file, arena);
    } catch (const Error& failed) {
        file.problem = warning("bundle-file", {}, failed.what());
    }
    return file;
}

std::vector<DocumentFile> read_folder(const fs::path& folder, const fs::path& shown, bool hidden_ones,
                                      Arena& arena) {
    std::error_code failure;
    std::vector<std::string> names;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (at->symlink_status().type() != fs::file_type::directory &&
            (hidden_ones || !name.starts_with('.')))
            names.push_back(name);
    }
    if (failure)
        throw Error(fmt::format("cannot read {}: {}", shown.string(), system_message(failure.value())));
    if (names.size() > max_files)
        throw Error(fmt::format("cannot read {}: it has {} files, more than the limit of {}", shown.string(),
                                names.size(), max_files));
    std::sort(names.begin(), names.end());

    std::vector<DocumentFile> files;
    files.reserve(names.size());
    for (const std::string& name : names)
        files.push_back(
            read_document_file(folder.parent_path(), folder / name, (shown / name).string(), arena));
    return files;
}

namespace {

constexpr std::string_view csv_kind = "ClusterServiceVersion";

// Kubernetes has whole numbers of 64 bits with a sign; what is larger is a double.
Value with_kubernetes_numbers(const Value& value, Arena& arena) {
    switch (value.kind()) {
    case Value::Kind::large_integer:
        return Value::of(value.number(), value.offset());
    case Value::Kind::array: {
        std::vector<Value> items;
        for (const Value& item : value.items()) items.push_back(with_kubernetes_numbers(item, arena));
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))), value.offset());
    }
    case Value::Kind::object: {
        std::vector<Member> members;
        for (const Member& member : value.members())
            members.push_back({member.key, with_kubernetes_numbers(member.value, arena)});
        return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(members))),
                         value.offset());
    }
    default:
        return value;
    }
}

bool has_large_number(const Value& value) {
    if (value.is_array()) return std::any_of(value.items().begin(), value.items().end(), has_large_number);
    if (!value.is_object()) return value.kind() == Value::Kind::large_integer;
    return std::any_of(value.members().begin(), value.members().end(),
                       [](const Member& member) { return has_large_number(member.value); });
}

std::string_view string_field(const Value& object, std::string_view field) {
    return field_text(object, field, go::Route::converter);
}

Diagnostic skipped(const DocumentFile& file, Diagnostic reason) {
    reason.message = fmt::format("{} is skipped: {}", file.name, reason.message);
    return reason;
}

// Why opm does not accept the document as an object.
std::optional<Diagnostic> why_skipped(const DocumentFile& file) {
    if (auto reason = why_no_object(file)) return skipped(file, *std::move(reason));
    const std::string_view version = string_field(*file.value, "apiVersion");
    if (std::count(version.begin(), version.end(), '/') <= 1) return std::nullopt;
    return skipped(file,
                   warning("bundle-file", {file.file.get(), file.value->find("apiVersion")->offset(), 1},
                           fmt::format("its apiVersion {} has more than one '/'", version)));
}

Manifest manifest_of(const DocumentFile& file, Arena& arena) {
    Manifest manifest{
        .file = &file, .object = normalised(*file.value, arena), .kind = {}, .group = {}, .version = {}};
    if (has_large_number(manifest.object)) manifest.object = with_kubernetes_numbers(manifest.object, arena);
    manifest.kind = string_field(manifest.object, "kind");
    const std::string_view version = string_field(manifest.object, "apiVersion");
    const size_t slash = version.find('/');
    if (slash != version.npos) manifest.group = version.substr(0, slash);
    manifest.version = slash == version.npos ? version : version.substr(slash + 1);
    return manifest;
}

// A field of the ClusterServiceVersion in the type that opm gives it, or an error.
class CsvChecker {
public:
    CsvChecker(const Manifest& manifest, Diagnostics& diagnostics)
        : manifest_(manifest), diagnostics_(diagnostics) {}

    void check(const Value* value, const go::Type& type, go::Route route, std::string_view path) {
        if (!value) return;
        const auto misfit = go::find_misfit(*value, type, route);
        if (misfit) error_at(misfit->value.offset(), misfit->message(path));
    }

    void check_string(const Value* value, std::string_view path) {
        if (value && !value->is_null() && !value->is_string())
            error_at(value->offset(),
                     fmt::format("{} must be a string, not {}", path, describe(value->kind())));
    }

    void error_at(uint32_t offset, std::string message) {
        diagnostics_.push_back(error("field-type", {manifest_.file->file.get(), offset, 1},
                                     fmt::format("{}: {}", csv_kind, message)));
    }

private:
    const Manifest& manifest_;
    Diagnostics& diagnostics_;
};

void check_lists(CsvChecker& checker, const Value& spec, std::string_view field) {
    const Value* const definitions = spec.find(field);
    checker.check(definitions, go::type_named("APIKeys"), go::Route::map, fmt::format("spec.{}", field));
    for (const std::string_view list : {"owned", "required"}) {
        const Value* const items = definitions ? find_field(*definitions, list) : nullptr;
        if (!items || !items->is_array()) continue;
        for (const Value& item : items->items())
            if (item.is_null())
                checker.error_at(item.offset(), fmt::format("an item of spec.{}.{} is null", field, list));
    }
}

} // namespace

std::string go_json(const Value& value) {
    std::string text;
    append_html_safe_json(text, value);
    return text;
}

std::optional<Diagnostic> why_no_object(const DocumentFile& file) {
    const auto reason = [&](Location where, std::string message, std::string help = {}) {
        if (!where && file.file) where = {file.file.get(), 0, 1};
        return warning("bundle-file", where, std::move(message), std::move(help));
    };
    if (!file.value) return reason(file.problem.where, file.problem.message, file.problem.help);
    const Value& value = *file.value;
    const Location where{file.file.get(), value.offset(), 1};
    if (value.is_null())
        return reason(where, "its first document is empty",
                      !file.further.empty() ? "remove the first line \"---\": only the first document counts"
                                            : "");
    if (!value.is_object())
        return reason(where, fmt::format("a manifest must be an object, not {}", describe(value.kind())));
    if (string_field(value, "kind").empty()) return reason(where, "it has no kind");
    return std::nullopt;
}

std::vector<Manifest> select_manifests(const std::vector<DocumentFile>& files, Arena& arena,
                                       Diagnostics& diagnostics) {
    std::vector<Manifest> manifests;
    const DocumentFile* csv = nullptr;
    for (const DocumentFile& file : files) {
        if (auto problem = why_skipped(file)) {
            diagnostics.push_back(std::move(*problem));
            continue;
        }
        if (!file.further.empty())
            diagnostics.push_back(warning("bundle-file", {file.file.get(), 0, 1},
                                          fmt::format("of {} only the first document counts", file.name),
                                          "put every manifest into a file of its own"));
        Manifest manifest = manifest_of(file, arena);
        if (manifest.kind == csv_kind) {
            if (csv) {
                diagnostics.push_back(with_note(
                    skipped(file, warning("bundle-file", {file.file.get(), 0, 1},
                                          "a bundle has one ClusterServiceVersion", "remove one of the two")),
                    "the first one is here", {csv->file.get(), 0, 1}));
                continue;
            }
            csv = &file;
        }
        manifests.push_back(manifest);
    }
    return manifests;
}

std::optional<ClusterServiceVersion> find_csv(const std::vector<Manifest>& manifests,
                                              const std::string& folder, Diagnostics& diagnostics) {
    const auto found = std::find_if(manifests.begin(), manifests.end(),
                                    [](const Manifest& manifest) { return manifest.kind == csv_kind; });
    if (found == manifests.end()) {
        diagnostics.push_back(error("bundle-csv", {}, fmt::format("{} has no ClusterServiceVersion", folder),
                                    "the warnings say which files were skipped"));
        return std::nullopt;
    }
    const size_t findings_before = diagnostics.added();
    const Value& object = found->object;
    CsvChecker checker(*found, diagnostics);
    checker.check_string(object.find("apiVersion"), "apiVersion");
    const Value* const metadata = object.find("metadata");
    checker.check(metadata, go::type_named("ObjectMeta"), go::Route::converter, "metadata");

    ClusterServiceVersion csv{
        .manifest = &*found, .spec = object.find("spec"), .name = {}, .version = {}, .release = {}};
    if (!csv.spec || !csv.spec->is_object()) {
        checker.error_at(csv.spec ? csv.spec->offset() : object.offset(),
                         "it needs a spec, which is an object");
        return std::nullopt;
    }
    for (const std::string_view field : {"version", "release"})
        checker.check_string(csv.spec->find(field), fmt::format("spec.{}", field));
    check_lists(checker, *csv.spec, "customresourcedefinitions");
    check_lists(checker, *csv.spec, "apiservicedefinitions");
    checker.check(csv.spec, go::type_named("InstallOfDeployments"), go::Route::map, "spec");
    checker.check(csv.spec->find("relatedImages"), go::type_named("RelatedImages").only_field(),
                  go::Route::map, "spec.relatedImages");
    if (diagnostics.added() != findings_before) return std::nullopt;

    if (const Value* const name = metadata ? metadata->find("name") : nullptr)
        csv.name = {name->string_or_empty(), name->offset()};
    csv.version = string_field(*csv.spec, "version");
    csv.release = string_field(*csv.spec, "release");
    const Value* const annotations = metadata ? metadata->find("annotations") : nullptr;
    const Value* const properties = annotations ? annotations->find("olm.properties") : nullptr;
    if (properties && properties->is_string()) csv.properties = properties;
    return csv;
}

} // namespace opcat
