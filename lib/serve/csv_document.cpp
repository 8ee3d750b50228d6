#include "opcat/serve/csv_document.hpp"

#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/semver/version.hpp"

#include <initializer_list>
#include <string_view>

namespace opcat::serve {
namespace {

// An object of JSON, written member by member.
class Object {
public:
    explicit Object(std::string& out) : out_(out) { out_ += '{'; }
    void end() { out_ += '}'; }

    std::string& key(std::string_view name) {
        if (!is_first_) out_ += ',';
        is_first_ = false;
        append_json_string(out_, name);
        out_ += ':';
        return out_;
    }
    void text(std::string_view name, std::string_view value) { append_json_string(key(name), value); }
    void text_unless_empty(std::string_view name, std::string_view value) {
        if (!value.empty()) text(name, value);
    }
    void json(std::string_view name, std::string_view value) { key(name) += value; }
    // Copies a field of another object, if it is there. Empty fields are copied, too.
    void copy(const Value& from, std::string_view field, std::string_view name) {
        if (const Value* const value = from.find(field)) append_compact_json(key(name), *value);
    }
    void copy(const Value& from, std::string_view field) { copy(from, field, field); }

private:
    std::string& out_;
    bool is_first_ = true;
};

void append_related_images(std::string& out, std::span<const RelatedImage> images) {
    out += '[';
    for (size_t i = 0; i < images.size(); ++i) {
        if (i > 0) out += ',';
        Object image(out);
        image.text("name", images[i].name);
        image.text("image", images[i].image);
        image.end();
    }
    out += ']';
}

void append_icon(std::string& out, const Icon& icon) {
    out += '[';
    Object object(out);
    object.text("base64data", icon.base64.value_or(""));
    object.text("mediatype", icon.media_type);
    object.end();
    out += ']';
}

} // namespace

std::string csv_document(const Bundle& bundle, const Property& metadata, const Package& package) {
    Arena arena;
    // Metadata as Go decodes and encodes it: known fields under their names, sorted, without empty ones.
    const Value value = metadata.value ? normalised(*metadata.value, arena) : Value::of_null();
    const Value fields = go::recode(value, go::type_named("property.CSVMetadata"), go::Route::map, arena);
    const auto text_of = [&](std::string_view field) {
        const Value* const text = fields.find(field);
        return text ? text->string_or_empty() : std::string_view();
    };
    std::string out;
    Object csv(out);
    csv.text("kind", "ClusterServiceVersion");
    csv.text("apiVersion", "operators.coreos.com/v1alpha1");

    Object meta(csv.key("metadata"));
    meta.text("name", bundle.name);
    meta.copy(fields, "labels");
    meta.copy(fields, "annotations");
    meta.end();

    Object spec(csv.key("spec"));
    spec.json("install", R"({"strategy":"deployment","spec":{"deployments":null}})");
    const auto property = package_property(bundle);
    const auto version = semver::Version::parse(property ? property->version.text : std::string_view());
    spec.text("version", version ? version->to_string() : std::string());
    spec.copy(fields, "maturity");
    spec.copy(fields, "crdDescriptions", "customresourcedefinitions");
    spec.copy(fields, "apiServiceDefinitions", "apiservicedefinitions");
    spec.copy(fields, "nativeAPIs");
    spec.copy(fields, "minKubeVersion");
    spec.text("displayName", text_of("displayName"));
    const std::string_view description = text_of("description");
    spec.text_unless_empty("description", description.empty() ? package.description.text : description);
    spec.copy(fields, "keywords");
    spec.copy(fields, "maintainers");
    spec.copy(fields, "provider");
    spec.copy(fields, "links");
    if (package.icon) append_icon(spec.key("icon"), *package.icon);
    spec.copy(fields, "installModes");
    spec.json("cleanup", R"({"enabled":false})");
    if (!bundle.related_images.empty())
        append_related_images(spec.key("relatedImages"), bundle.related_images);
    spec.end();

    csv.json("status", R"({"cleanup":{}})");
    csv.end();
    escape_html_in_json(out);
    return out;
}

} // namespace opcat::serve
