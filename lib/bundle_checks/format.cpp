#include "opcat/bundle_checks/format.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/bundle/manifests.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/encode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace opcat::bundle_checks {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view bundle_domain = "operators.operatorframework.io.bundle.";

constexpr std::array required_keys = {annotation_key::media_type, annotation_key::manifests,
                                      annotation_key::metadata, annotation_key::package,
                                      annotation_key::channels};
constexpr std::array known_keys = {annotation_key::media_type, annotation_key::manifests,
                                   annotation_key::metadata,   annotation_key::package,
                                   annotation_key::channels,   annotation_key::default_channel,
                                   annotation_key::openshift};

bool has_meaning(std::string_view key) {
    return std::find(known_keys.begin(), known_keys.end(), key) != known_keys.end();
}

Location place_of_text(const SourceFile& file, uint32_t offset, std::string_view text) {
    const bool is_plain = !text.empty() && file.bytes().substr(offset).starts_with(text);
    return {&file, offset, is_plain ? static_cast<uint32_t>(text.size()) : 1U};
}

// The annotations as opm reads them: the files in turn, into one map, until a file decodes and there is a
// map. So what a file of the wrong form has is kept for the next file.
class AnnotationReader {
public:
    explicit AnnotationReader(Arena& arena) : arena_(arena) {}

    bool read(const DocumentFile& file) {
        if (!file.value) return false;
        if (file.value->is_null()) return has_map_;
        if (!file.value->is_object()) return false;
        const bool is_yaml = file.notation == Notation::yaml;
        const Value whole =
            is_yaml ? go::with_strings(*file.value, go::type_named("BundleAnnotationTexts"), arena_)
                    : *file.value;
        const Value* const found =
            find_field(whole, "annotations", is_yaml ? go::Route::map : go::Route::text);
        if (!found) return has_map_;
        if (found->is_null()) {
            has_map_ = false;
            annotations_.clear();
            return false;
        }
        if (!found->is_object()) return false;
        start_ = {file.file.get(), found->offset(), 1};
        has_map_ = true;
        bool decodes = true;
        for (const Member& member : found->members()) {
            if (!member.value.is_string() && !member.value.is_null()) {
                decodes = false;
                if (!misfit_) misfit_ = no_text(file, member);
            }
            add(*file.file, member);
        }
        return decodes;
    }

    std::map<std::string_view, BundleAnnotation> take() { return std::move(annotations_); }
    Location start() const { return start_; }
    // The first annotation that is not a text.
    const std::optional<Diagnostic>& misfit() const { return misfit_; }

private:
    static Diagnostic no_text(const DocumentFile& file, const Member& member) {
        return error("bundle-format", {file.file.get(), member.value.offset(), 1},
                     fmt::format("the annotation {} is {}, not a text", member.key.string(),
                                 describe(member.value.kind())),
                     "write a text; channels are separated by commas");
    }

    void add(const SourceFile& file, const Member& member) {
        const std::string_view key = member.key.string();
        const std::string_view value = member.value.string_or_empty();
        annotations_[key] = {key, value, place_of_text(file, member.key.offset(), key),
                             place_of_text(file, member.value.offset(), value)};
    }

    Arena& arena_;
    bool has_map_ = false;
    std::map<std::string_view, BundleAnnotation> annotations_;
    Location start_;
    std::optional<Diagnostic> misfit_;
};

struct FilesOfBundle {
    Arena arena;
    std::vector<DocumentFile> manifests, metadata;
};

constexpr std::string_view no_annotations = "Could not find annotations file";

class FormatChecker {
public:
    FormatChecker(const fs::path& root, const fs::path& shown) : root_(root), shown_(shown) {}

    Format check() {
        format_.memory = memory_;
        const bool has_manifests = has_folder("manifests");
        const bool has_metadata = has_folder("metadata");
        if (!has_manifests && !has_metadata) {
            refuse(
                {no_folder("manifests"), no_folder("metadata")}, {},
                fmt::format("{} is not the directory of a bundle: it has no folders manifests/ and metadata/",
                            shown_.string()),
                is_in_bundle() ? "name the directory above it"
                               : "name the directory that has manifests/ and metadata/");
        } else if (!has_manifests) {
            refuse({no_folder("manifests")}, {}, fmt::format("{} has no folder manifests/", shown_.string()),
                   "put the objects of the operator there");
        } else if (!has_metadata) {
            refuse({no_folder("metadata")}, {}, fmt::format("{} has no folder metadata/", shown_.string()),
                   "put annotations.yaml there");
        }
        if (!has_manifests || !has_metadata) return std::move(format_);
        read_manifests();
        read_metadata();
        return std::move(format_);
    }

private:
    // As opm does, which does not follow links.
    bool has_folder(std::string_view name) const {
        std::error_code failed;
        return fs::symlink_status(root_ / name, failed).type() == fs::file_type::directory;
    }
    bool is_in_bundle() const {
        std::error_code failed;
        const fs::path above = fs::absolute(root_, failed).lexically_normal();
        const fs::path parent = (above.has_filename() ? above : above.parent_path()).parent_path();
        return fs::is_directory(parent / "manifests", failed) &&
               fs::is_directory(parent / "metadata", failed);
    }
    static std::string no_folder(std::string_view name) {
        return fmt::format("Unable to locate {} directory", name);
    }

    void read_manifests() {
        std::vector<DocumentFile>& files = memory_->manifests;
        files = read_folder(root_ / "manifests", shown_ / "manifests", true, memory_->arena);
        if (files.empty()) {
            const std::string folder = (shown_ / "manifests").string();
            refuse({fmt::format("The directory {} contains no yaml files", folder)}, {},
                   fmt::format("{} has no files", folder), "put the objects of the operator there");
            return;
        }
        const auto is_chart = [](const DocumentFile& file) {
            return file.name == "Chart.yaml" && file.value && !field_text(*file.value, "name").empty();
        };
        const auto is_csv = [](const DocumentFile& file) {
            return !why_no_object(file) &&
                   field_text(*file.value, "kind", go::Route::converter) == "ClusterServiceVersion";
        };
        format_.media_type = std::any_of(files.begin(), files.end(), is_chart) ? helm_media_type
                             : std::any_of(files.begin(), files.end(), is_csv) ? registry_media_type
                                                                               : "plain";
    }

    void read_metadata() {
        std::vector<DocumentFile>& files = memory_->metadata;
        files = read_folder(root_ / "metadata", shown_ / "metadata", true, memory_->arena);
        AnnotationReader reader(memory_->arena);
        bool found = false;
        const DocumentFile* dependencies = nullptr;
        for (const DocumentFile& file : files) {
            if (!found && (found = reader.read(file))) continue;
            if (dependencies) continue;
            if (file.value && file.value->is_null() && !file.file->bytes().empty()) {
                crash(file);
                return;
            }
            if (has_dependencies(file)) dependencies = &file;
        }
        Diagnostics reported; // by the readers of bundles
        format_.properties = opcat::read_metadata(files, memory_->arena, reported).properties;
        if (reader.misfit()) format_.findings.push_back(*reader.misfit());
        if (found) {
            format_.annotations = reader.take();
            const auto before = static_cast<ptrdiff_t>(format_.findings.size());
            check_annotations(reader.start());
            // opm's message is a consequence of that.
            if (reader.misfit())
                format_.findings.erase(format_.findings.begin() + before, format_.findings.end());
        } else if (reader.misfit()) {
            format_.opm_errors.emplace_back(no_annotations);
        } else {
            report_no_annotations(files);
        }
        if (dependencies) check_dependencies_in(*dependencies);
        for (Diagnostic& finding : reported)
            if (finding.severity == Severity::warning) format_.findings.push_back(std::move(finding));
    }

    // opm looks for dependencies in the file, and takes nothing for a list of them.
    void crash(const DocumentFile& file) {
        refuse({""}, {file.file.get(), 0, 1},
               fmt::format("{} says nothing, and opm and operator-sdk crash at it", file.name),
               "remove the file");
    }

    void report_no_annotations(const std::vector<DocumentFile>& files) {
        Location where;
        std::string help = "add annotations.yaml, with annotations: and the package, the channels, the media "
                           "type and the folders of the bundle below it";
        for (const DocumentFile& file : files) {
            // A file of the wrong form has a finding of its own (source.cpp).
            if (file.name.starts_with("annotations") && !has_place_for_annotations(file)) {
                format_.opm_errors.emplace_back(no_annotations);
                return;
            }
            if (!file.value || !file.value->is_object()) continue;
            for (const Member& member : file.value->members()) {
                constexpr std::string_view wanted[] = {"annotations"};
                if (misspelt(member.key.string(), wanted).empty()) continue;
                where = place_of_text(*file.file, member.key.offset(), member.key.string());
                help = "did you mean annotations?";
            }
        }
        refuse({std::string(no_annotations)}, where,
               fmt::format("no file in {} has the annotations of the bundle", (shown_ / "metadata").string()),
               std::move(help));
    }

    static bool has_place_for_annotations(const DocumentFile& file) {
        if (!file.value) return false;
        if (!file.value->is_object()) return file.value->is_null();
        const Value* const found = find_field(*file.value, "annotations");
        return !found || found->is_null() || found->is_object();
    }

    // ---- annotations

    void check_annotations(const Location& start) {
        std::map<std::string_view, const BundleAnnotation*> meant;
        for (const auto& [key, annotation] : format_.annotations)
            if (const std::string_view known = meant_annotation(key); !known.empty())
                meant.try_emplace(known, &annotation);
        for (const std::string_view key : required_keys)
            if (!format_.annotation(key)) check_missing(key, meant[key], start);
        check_media_type();
        for (const std::string_view key : {annotation_key::channels, annotation_key::default_channel})
            if (const auto* const annotation = format_.annotation(key);
                annotation && annotation->value.empty())
                refuse({fmt::format("Expecting annotation {} to have non-empty value", go_quote(key))},
                       annotation->value_at,
                       key == annotation_key::channels ? "the bundle names no channel"
                                                       : "the default channel has no name",
                       key == annotation_key::channels ? "write the channels, separated by commas"
                                                       : "name a channel, or remove the annotation");
    }

    // `written`: one that is meant to be it; nullptr: none.
    void check_missing(std::string_view key, const BundleAnnotation* written, const Location& start) {
        std::vector<std::string> words = {fmt::format("Missing annotation {}", go_quote(key))};
        if (key == annotation_key::media_type)
            words.push_back(media_type_error({}));
        else if (key == annotation_key::channels)
            words.push_back(fmt::format("Expecting annotation {} to have non-empty value", go_quote(key)));
        std::move(words.begin(), words.end(), std::back_inserter(format_.opm_errors));
        if (written) {
            Diagnostic finding =
                error("bundle-format", written->key_at,
                      fmt::format("the annotation {} has no meaning, and {} is missing", written->key, key),
                      fmt::format("did you mean {}?", key));
            format_.findings.push_back(
                with_name(std::move(finding), written->key_at, written->key, key, FixEffect::key));
            return;
        }
        const std::string usual = key == annotation_key::media_type  ? std::string(registry_media_type)
                                  : key == annotation_key::manifests ? "manifests/"
                                  : key == annotation_key::metadata  ? "metadata/"
                                  : key == annotation_key::package   ? "PACKAGE"
                                                                     : "CHANNEL";
        refuse({}, start, fmt::format("the annotation {} is missing", key),
               fmt::format("write \"{}: {}\"", key, usual));
    }

    std::string media_type_error(std::string_view value) const {
        return fmt::format("Expecting annotation {} to have value {} instead of {}",
                           go_quote(annotation_key::media_type), go_quote(format_.media_type),
                           go_quote(value));
    }

    void check_media_type() {
        const BundleAnnotation* const annotation = format_.annotation(annotation_key::media_type);
        if (!annotation || annotation->value == format_.media_type) return;
        format_.opm_errors.push_back(media_type_error(annotation->value));
        // A missing ClusterServiceVersion, or a missing folder, has a finding of its own.
        const bool has_type =
            format_.media_type == registry_media_type || format_.media_type == helm_media_type;
        if (!has_type) return;
        Diagnostic finding =
            error("bundle-format", annotation->value_at,
                  fmt::format("the media type is \"{}\", but manifests/ has a bundle of type {}",
                              annotation->value, format_.media_type),
                  fmt::format("write {}", format_.media_type));
        format_.findings.push_back(with_name(std::move(finding), annotation->value_at, annotation->value,
                                             format_.media_type, FixEffect::text));
    }

    // ---- dependencies

    bool has_dependencies(const DocumentFile& file) {
        if (!file.value || !file.value->is_object()) return false;
        const bool is_yaml = file.notation == Notation::yaml;
        const auto route = is_yaml ? go::Route::map : go::Route::text;
        const go::Type& type = go::type_named("BundleDependencies");
        const Value whole = is_yaml ? go::with_strings(*file.value, type, memory_->arena) : *file.value;
        return !items_of(find_field(whole, "dependencies", route)).empty() &&
               !go::find_misfit(whole, type, route);
    }

    void check_dependencies_in(const DocumentFile& file) {
        const auto route = file.notation == Notation::yaml ? go::Route::map : go::Route::text;
        const Value& list = *find_field(*file.value, "dependencies", route);
        format_.dependencies = typed_values(*file.file, file.notation, list, memory_->arena);
        for (DependencyProblem& problem : check_dependencies(format_.dependencies)) {
            format_.findings.push_back(std::move(problem.finding));
            std::move(problem.opm_errors.begin(), problem.opm_errors.end(),
                      std::back_inserter(format_.opm_errors));
        }
    }

    void refuse(std::vector<std::string> opm_errors, Location where, std::string message, std::string help) {
        std::move(opm_errors.begin(), opm_errors.end(), std::back_inserter(format_.opm_errors));
        format_.findings.push_back(error("bundle-format", where, std::move(message), std::move(help)));
    }

    const fs::path& root_;
    const fs::path& shown_;
    std::shared_ptr<FilesOfBundle> memory_ = std::make_shared<FilesOfBundle>();
    Format format_;
};

} // namespace

bool is_required(std::string_view key) {
    return std::find(required_keys.begin(), required_keys.end(), key) != required_keys.end();
}

std::string_view meant_annotation(std::string_view key) {
    if (has_meaning(key)) return {};
    if (const std::string_view near = misspelt(key, known_keys); !near.empty()) return near;
    for (const std::string_view known : known_keys) {
        if (!known.starts_with(bundle_domain)) continue;
        const std::string_view rest = known.substr(bundle_domain.size()); // "channels.v1"
        if (key == rest || key == rest.substr(0, rest.rfind('.')) ||
            key.ends_with(fmt::format("bundle.{}", rest)))
            return known;
    }
    return {};
}

bool is_unknown_of_bundles(std::string_view key) {
    return key.starts_with(bundle_domain) && !has_meaning(key);
}

const BundleAnnotation* Format::annotation(std::string_view key) const {
    const auto found = annotations.find(key);
    return found == annotations.end() ? nullptr : &found->second;
}

Format check_format(const fs::path& root, const fs::path& shown) {
    return FormatChecker(root, shown).check();
}

} // namespace opcat::bundle_checks
