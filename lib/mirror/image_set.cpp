#include "opcat/mirror/image_set.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/mirror/blocked.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/release_request.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace opcat {
namespace {

constexpr std::string_view rule = "image-set";

// What a file of one kind has.
struct Form {
    std::string_view kind;
    std::string_view field; // with all else in it
    std::string_view type;
    std::string_view purpose;
    std::string_view not_here; // the field of the other form
};
constexpr Form mirror_form{"ImageSetConfiguration", "mirror", "v2alpha1.ImageSetConfiguration",
                           "what to mirror", "delete"};
constexpr Form delete_form{"DeleteImageSetConfiguration", "delete", "v2alpha1.DeleteImageSetConfiguration",
                           "what to remove", "mirror"};

// How messages call an object of a type of Go's.
std::string_view name_of(const go::Type& type) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 14> names{
        {{"v2alpha1.Mirror", "mirror"},
         {"v2alpha1.Delete", "delete"},
         {"v2alpha1.DeleteImageSetConfiguration", "the DeleteImageSetConfiguration"},
         {"v2alpha1.Platform", "platform"},
         {"v2alpha1.ReleaseChannel", "a channel of platform"},
         {"v2alpha1.Operator", "an item of operators"},
         {"v2alpha1.IncludePackage", "a package"},
         {"v2alpha1.IncludeChannel", "a channel"},
         {"v2alpha1.AdditionalImage", "an item of additionalImages"},
         {"v2alpha1.InstancePlatformFilter", "an item of platforms"},
         {"v2alpha1.Helm", "helm"},
         {"v2alpha1.Repository", "an item of repositories"},
         {"v2alpha1.Chart", "a chart"},
         {"v2alpha1.BlockedImage", "an item of blockedImages"}}};
    for (const auto& [type_name, name] : names)
        if (type.name == type_name) return name;
    return "the ImageSetConfiguration";
}

// What to do about fields that other versions of oc-mirror have.
std::string_view help_for_old_field(std::string_view field) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> old{
        {{"storageConfig",
          "oc-mirror v1 has it, and v2 does not: remove it, opcat keeps its record in the mirror"},
         {"targetName", "oc-mirror v1 has it, and v2 does not: write targetCatalog"},
         {"minBundle", "oc-mirror v1 has it, and v2 does not: write minVersion"},
         {"versions", "write minVersion and maxVersion"},
         {"bundles", "oc-mirror had it until 4.17: write minVersion and maxVersion"},
         {"selectedBundles", "only catalog-filter has it: write minVersion and maxVersion"}}};
    for (const auto& [name, help] : old)
        if (field == name) return help;
    return {};
}

class ImageSetReader {
public:
    ImageSetReader(const SourceFile& file, Diagnostics& diagnostics, ImageSetUse use)
        : file_(file), diagnostics_(diagnostics), use_(use) {}

    ImageSet read() {
        const std::optional<Value> root = read_document_of_file();
        if (!root || !is_image_set(*root) || !decodes(*root)) return {};
        if (text(*root, "apiVersion") == "mirror.openshift.io/v1alpha2")
            remark(*root->find("apiVersion"),
                   "mirror.openshift.io/v1alpha2 is read by the rules of oc-mirror v2",
                   "a package without versions is then the heads of all its channels");
        if (const Value* const size = find_field(*root, "archiveSize"); size && size->is_number())
            read_archive_size(*size);
        const Value* const mirror = find_field(*root, form_.field);
        if (!mirror || !mirror->is_object()) return std::move(set_);
        for (const Value& item : items_of(find_field(*mirror, "operators"))) read_catalog(item);
        for (const Value& item : items_of(find_field(*mirror, "additionalImages"))) read_image(item);
        for (const Value& item : items_of(find_field(*mirror, "blockedImages"))) read_blocked(item);
        if (const Value* const platform = find_field(*mirror, "platform"); platform && platform->is_object())
            set_.releases = read_release_request(*platform, platforms_of(*platform), file_, diagnostics_,
                                                 set_.unsupported);
        if (const Value* const helm = find_field(*mirror, "helm"); helm && helm->is_object())
            read_helm(*helm);
        if (const Value* const samples = find_field(*mirror, "samples"); !items_of(samples).empty())
            remark(*samples, "samples have no effect, as in oc-mirror", "remove them");
        return std::move(set_);
    }

private:
    Location at(const Value& value) const { return {&file_, value.offset(), 1}; }
    void read_archive_size(const Value& size) {
        const int64_t gibibytes =
            size.kind() == Value::Kind::integer ? size.integer() : static_cast<int64_t>(size.real());
        if (gibibytes < 0)
            return refuse(size, "archiveSize is negative", "write how many GiB a segment may have");
        set_.archive_size = gibibytes;
    }
    void refuse(const Value& value, std::string message, std::string help = {}) {
        diagnostics_.push_back(error(rule, at(value), std::move(message), std::move(help)));
    }
    void remark(const Value& value, std::string message, std::string help = {}) {
        diagnostics_.push_back(warning(rule, at(value), std::move(message), std::move(help)));
    }

    static std::string text(const Value& object, std::string_view field) {
        return std::string(field_text(object, field));
    }
    static bool is_true(const Value& object, std::string_view field) {
        const Value* const value = find_field(object, field);
        return value && value->is_boolean() && value->boolean();
    }

    // oc-mirror reads the first document.
    std::optional<Value> read_document_of_file() {
        std::optional<Value> root;
        for (const DocumentRange& range : split_into_documents(file_, diagnostics_)) {
            Diagnostic problem;
            const std::optional<Value> value = read_document(file_, range, arena_, problem);
            if (!value) {
                diagnostics_.push_back(problem);
                return std::nullopt;
            }
            if (value->is_null()) continue;
            if (root) {
                refuse(
                    *value,
                    fmt::format("this document is ignored: an {} is the first one of its file", form_.kind),
                    "write it to a file of its own");
                return std::nullopt;
            }
            root = value;
        }
        if (!root)
            diagnostics_.push_back(error(rule, {&file_, 0, 0},
                                         fmt::format("the file is empty: it must hold an {}", form_.kind)));
        return root;
    }

    // Exact in letter case, other than what is decoded.
    bool is_image_set(const Value& root) { // and of which form
        const auto wanted = [&](std::string message, std::string help) {
            refuse(root, std::move(message), std::move(help));
            return false;
        };
        if (!root.is_object())
            return wanted(fmt::format("the file must hold an {}, not {}", form_.kind, describe(root.kind())),
                          {});
        if (has_key_twice(root)) return false;
        const Value* const given = root.find("kind");
        const std::string_view kind = given ? given->string_or_empty() : std::string_view();
        if (use_ == ImageSetUse::removal && kind == delete_form.kind) form_ = delete_form;
        if (kind != form_.kind) {
            const std::string help = kind == delete_form.kind ? "opcat mirror delete takes it"
                                                              : fmt::format("write kind: {}", form_.kind);
            if (!given) return wanted("kind is missing", help);
            refuse(*given, fmt::format("this is not an {}", form_.kind), help);
            return false;
        }
        if (const Value* const other = root.find(form_.not_here)) {
            const Form& its = form_.kind == mirror_form.kind ? delete_form : mirror_form;
            refuse(*other, fmt::format("{} is a field of the kind {}", its.field, its.kind),
                   fmt::format("write {}, or another kind", form_.field));
            return false;
        }
        return root.find(form_.field) ||
               wanted(fmt::format("{} is missing", form_.field),
                      fmt::format("write {} below {}:", form_.purpose, form_.field));
    }

    bool has_key_twice(const Value& value) {
        bool twice = false;
        if (value.is_array())
            for (const Value& item : value.items()) twice = has_key_twice(item) || twice;
        if (!value.is_object()) return twice;
        std::set<std::string_view> keys;
        for (const Member& member : value.members()) {
            if (!keys.insert(member.key.string()).second) {
                refuse(member.key, fmt::format("the key {} appears twice", go_quote(member.key.string())),
                       "remove one of them");
                twice = true;
            }
            twice = has_key_twice(member.value) || twice;
        }
        return twice;
    }

    bool decodes(const Value& root) {
        const go::Decoded decoded =
            go::decode(root, go::type_named(form_.type), {.unknown_keys = go::UnknownKeys::list});
        for (const go::Misfit& misfit : decoded.misfits)
            refuse(misfit.value, misfit.message(),
                   misfit.wanted && misfit.wanted->kind == go::Type::Kind::string ? "write a text in quotes"
                                                                                  : "");
        for (const auto& [key, object, in] : decoded.unknown_keys) {
            std::vector<std::string_view> fields;
            for (const go::Field& field : in->fields) fields.push_back(field.name);
            std::string help(help_for_old_field(key.string()));
            if (help.empty()) help = did_you_mean(key.string(), fields);
            if (help.empty()) help = "it has " + listed(fields);
            refuse(key, fmt::format("{} has no field {}", name_of(*in), go_quote(key.string())),
                   std::move(help));
        }
        return decoded.misfits.empty() && decoded.unknown_keys.empty();
    }

    void read_catalog(const Value& item) {
        ImageSetCatalog catalog;
        catalog.request.where = at(item);
        catalog.target_repository = text(item, "targetCatalog");
        catalog.target_tag = text(item, "targetTag");
        catalog.source_template = text(item, "targetCatalogSourceTemplate");
        catalog.platforms = platforms_of(item);
        catalog.request.full = is_true(item, "full");
        std::string unique = "dir:"; // its name in the mirror, with its registry at home
        catalog.reference = text(item, "catalog");
        MirrorName name;
        if (catalog.reference.starts_with("oci:") || catalog.reference.starts_with('/') ||
            catalog.reference.starts_with('.')) {
            if (catalog.reference.starts_with("oci://"))
                catalog.reference = "oci:" + catalog.reference.substr(std::string_view("oci://").size());
            name.repository = catalog.reference;
        } else if (const auto spec = image_of(item, "catalog")) {
            name = mirror_name(*spec);
            if (!spec->digest().empty()) name.tag = spec->digest();
            unique = spec->registry() + "/";
        }
        check_target(item, "targetCatalog", catalog.target_repository, catalog.target_tag);
        if (!catalog.target_repository.empty()) name.repository = catalog.target_repository;
        if (!catalog.target_tag.empty() && !name.tag.empty())
            name.tag = catalog.target_tag; // a directory has none
        if (!names_.insert(unique + name.to_string()).second)
            refuse(item, fmt::format("the catalog {} appears twice", catalog.reference),
                   "put its packages into one item, or write another targetCatalog or targetTag");
        read_packages(item, catalog.request);
        set_.catalogs.push_back(std::move(catalog));
    }

    void read_packages(const Value& item, CatalogRequest& request) {
        std::set<std::string> packages;
        for (const Value& value : items_of(find_field(item, "packages"))) {
            RequestedPackage package{
                text(value, "name"), text(value, "defaultChannel"), {}, bounds(value), at(value)};
            check_name(value, package.name, packages, "package");
            std::set<std::string> channels;
            for (const Value& inner : items_of(find_field(value, "channels"))) {
                RequestedChannel channel{text(inner, "name"), bounds(inner), at(inner)};
                check_name(inner, channel.name, channels, "channel");
                if (!channel.versions.empty() && !package.versions.empty())
                    refuse(inner,
                           fmt::format("package {} and its channel {} both have bounds of versions",
                                       package.name, channel.name),
                           "write them either at the package, for all its channels, or at each channel");
                package.channels.push_back(std::move(channel));
            }
            request.packages.push_back(std::move(package));
        }
    }

    void check_name(const Value& value, const std::string& name, std::set<std::string>& names,
                    std::string_view what) {
        if (name.empty())
            refuse(value, fmt::format("the {} has no name", what), "write name: and its name");
        else if (!names.insert(name).second)
            refuse(value, fmt::format("{} {} appears twice", what, name), "put both into one item");
    }

    VersionBounds bounds(const Value& value) {
        VersionBounds bounds;
        for (const auto& [field, end] :
             {std::pair("minVersion", &bounds.least), {"maxVersion", &bounds.most}}) {
            *end = text(value, field);
            if (end->empty()) continue;
            const Value& given = *find_field(value, field);
            if (!bounds.where) bounds.where = at(given);
            if (!semver::Version::parse_coercing(*end))
                refuse(given, fmt::format("{} {} is not a version", field, go_quote(*end)),
                       "write a version such as 1.2.3, without operators");
        }
        return bounds;
    }

    // oc-mirror, too, takes nothing without a tag or digest.
    std::optional<PullSpec> image_of(const Value& item, std::string_view field) {
        std::string_view name = field_text(item, field);
        if (name.starts_with("docker://")) name.remove_prefix(std::string_view("docker://").size());
        const Value* const given = find_field(item, field);
        if (name.empty()) {
            refuse(given ? *given : item, fmt::format("{} is missing", field), "write the name of an image");
            return std::nullopt;
        }
        const auto spec = PullSpec::parse(name);
        if (!spec) {
            refuse(*given, fmt::format("{} is not a pull spec: {}", go_quote(name), spec.error().message),
                   "write REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:…");
            return std::nullopt;
        }
        if (spec->tag().empty() && spec->digest().empty()) {
            refuse(*given, fmt::format("{} has neither a tag nor a digest", name),
                   "add one; a directory is written as ./DIR or /DIR, a layout as oci:///DIR");
            return std::nullopt;
        }
        return *spec;
    }

    void check_target(const Value& item, std::string_view field, const std::string& repository,
                      const std::string& tag) {
        const auto is_exact = [](const std::string& name, const std::string& text, const auto& part) {
            const auto spec = PullSpec::parse(name);
            return spec && part(*spec) == text && spec->to_string() == name;
        };
        if (!repository.empty() && !is_exact("localhost/" + repository + ":x", repository,
                                             [](const PullSpec& spec) { return spec.repository(); }))
            refuse(*find_field(item, field),
                   fmt::format("{} {} is not a path in a registry", field, go_quote(repository)),
                   "write components of a-z, 0-9, '.', '_' and '-', separated by '/', without a tag");
        if (!tag.empty() &&
            !is_exact("localhost/x:" + tag, tag, [](const PullSpec& spec) { return spec.tag(); }))
            refuse(*find_field(item, "targetTag"), fmt::format("targetTag {} is not a tag", go_quote(tag)));
    }

    Platforms platforms_of(const Value& item) {
        Platforms platforms;
        for (const Value& value : items_of(find_field(item, "platforms"))) {
            const std::string os = text(value, "os");
            const std::string architecture = text(value, "architecture");
            if (os.empty() || architecture.empty())
                refuse(value, "a platform needs os and architecture",
                       "write {os: linux, architecture: amd64}");
            platforms.insert(fmt::format("{}/{}", os, architecture));
        }
        return platforms;
    }

    void read_image(const Value& item) {
        const auto spec = image_of(item, "name");
        const std::string repository = text(item, "targetRepo");
        const std::string tag = text(item, "targetTag");
        check_target(item, "targetRepo", repository, tag);
        Platforms platforms = platforms_of(item);
        if (spec) set_.images.push_back({*spec, repository, tag, std::move(platforms), at(item)});
    }

    void read_blocked(const Value& item) {
        std::string expression = text(item, "name");
        if (const std::string mistake = mistake_in_expression(expression); !mistake.empty())
            refuse(item, fmt::format("{} is not a regular expression: {}", go_quote(expression), mistake),
                   "escape characters that are meant literally with '\\'");
        set_.blocked.push_back(std::move(expression));
    }

    void read_helm(const Value& helm) {
        if (items_of(find_field(helm, "repositories")).empty() && items_of(find_field(helm, "local")).empty())
            return;
        set_.unsupported.push_back(
            error(rule, at(helm), "not supported by opcat: helm (charts, and the images that they name)",
                  "mirror it with oc-mirror from a file of its own, and remove it from this one"));
    }

    const SourceFile& file_;
    Diagnostics& diagnostics_;
    const ImageSetUse use_;
    Form form_ = mirror_form;
    Arena arena_;
    std::set<std::string> names_;
    ImageSet set_;
};

} // namespace

MirrorName ImageSetImage::target() const {
    MirrorName name = mirror_name(spec);
    if (!target_repository.empty()) name.repository = target_repository;
    if (!target_tag.empty()) name.tag = target_tag;
    return name;
}

ImageSet read_image_set(const SourceFile& file, Diagnostics& diagnostics, ImageSetUse use) {
    return ImageSetReader(file, diagnostics, use).read();
}

const ImageSetCatalog& item_for(const ImageSet& set, const std::string& reference) {
    const auto named = std::find_if(set.catalogs.begin(), set.catalogs.end(),
                                    [&](const ImageSetCatalog& item) { return item.reference == reference; });
    if (named != set.catalogs.end()) return *named;
    if (set.catalogs.size() == 1) return set.catalogs.front();
    std::vector<std::string> names;
    for (const ImageSetCatalog& item : set.catalogs) names.push_back(item.reference);
    throw RequestError(fmt::format("the ImageSetConfiguration does not name the catalog {}", reference),
                       names.empty() ? "it has no operators" : "it names " + listed(names, 8));
}

} // namespace opcat
