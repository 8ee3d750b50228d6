#include "opcat/resolve/v1/max_openshift.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::olmv1 {
namespace {

constexpr std::string_view property_name = property_type::max_openshift_version;

using MaxVersion = Result<MinorVersion, std::string>;

std::string as_json(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

// "major.minor" and nothing else, in the digits of a number.
bool is_plain_minor_version(std::string_view text) {
    const size_t dot = text.find('.');
    if (dot == text.npos) return false;
    const std::string_view major = text.substr(0, dot);
    const std::string_view minor = text.substr(dot + 1);
    return semver::is_all_digits(major) && !major.empty() && major[0] != '0' &&
           semver::is_all_digits(minor) && !minor.empty() && !semver::has_leading_zero(minor);
}

MaxVersion parse_max(std::string_view text) {
    if (text.starts_with('v') || std::count(text.begin(), text.end(), '.') != 1)
        return std::string("invalid version format");
    const auto version = semver::Version::parse_tolerant(text);
    if (!version) return version.error().message;
    return MinorVersion{version->major, version->minor};
}

// A number in the text of an annotation keeps its spelling. In a property it was converted to a double on its
// way into the catalog, where 4.10 became 4.1; that is what OLM sees.
std::string number_text(const SourceFile* file, const Value& value) {
    if (!file) return as_json(value);
    const std::string_view rest =
        file->bytes().substr(std::min<size_t>(value.offset(), file->bytes().size()));
    return std::string(rest.substr(0, rest.find_first_not_of("+-.0123456789eE")));
}

MaxVersion read_max(const SourceFile* file, const Value* value) {
    const auto fail = [](std::string_view written, std::string_view why) -> MaxVersion {
        return fmt::format("error converting to semver for version {}: {}", written, why);
    };
    if (!value) return fail("", "unexpected end of JSON input");
    std::string text;
    if (value->is_number()) {
        text = number_text(file, *value);
        if (!is_plain_minor_version(text))
            return fail(text,
                        fmt::format("invalid semver format {}: expected <major>.<minor>", go_quote(text)));
    } else if (value->is_string()) {
        text = value->string();
    } else {
        const std::string_view type = value->is_null()      ? "<nil>"
                                      : value->is_boolean() ? "bool"
                                      : value->is_array()   ? "[]interface {}"
                                                            : "map[string]interface {}";
        const std::string written = as_json(*value);
        return fail(written, fmt::format("invalid type {} for olm.maxOpenshiftVersion: {}", type, written));
    }
    auto max = parse_max(text);
    return max ? max : fail(as_json(*value), max.error());
}

// All values of the property, in order, in a list of properties as the annotation of a CSV has it.
class Collector {
public:
    // `file` is what the value was read from, if it still counts how a number was written.
    void add(const SourceFile* file, const Value* value) {
        if (++count_ > 1) {
            if (error_.empty()) error_ = fmt::format("more than one {} found in bundle", property_name);
            return;
        }
        auto max = read_max(file, value);
        if (max)
            max_ = *max;
        else
            error_ = max.error();
    }
    bool found_any() const { return count_ > 0; }

    // The list itself, or with `member` that member of an object.
    void read_annotation(std::string_view text, std::string_view member = {}) {
        if (text.empty()) return;
        const SourceFile file("olm.properties", text);
        Arena arena;
        Diagnostic problem;
        uint32_t end = 0;
        const auto whole = read_json(file, 0, arena, end, problem);
        const Value* const list = !whole           ? nullptr
                                  : member.empty() ? &*whole
                                                   : find_field(*whole, member, go::Route::text);
        const bool is_list = list && list->is_array() && skip_json_space(file, end) == file.bytes().size();
        if (!is_list) {
            error_ =
                fmt::format("could not convert olm.properties: failed to unmarshal properties annotation: {}",
                            whole ? "it is not a list of properties" : problem.message);
            return;
        }
        for (const Value& item : list->items()) {
            if (field_text(item, "type", go::Route::text) == property_name)
                add(&file, find_field(item, "value", go::Route::text));
        }
    }

    MaxOpenShift result(std::string_view bundle) const {
        if (!error_.empty()) return fmt::format("error in bundle {}: {}", bundle, error_);
        return max_;
    }

private:
    size_t count_ = 0;
    std::optional<MinorVersion> max_;
    std::string error_;
};

std::string_view annotation_in(const Value* csv, go::Route route) {
    const Value* const annotations = csv ? find_field(*csv, "annotations", route) : nullptr;
    const Value* const properties = annotations ? annotations->find("olm.properties") : nullptr;
    return properties ? properties->string_or_empty() : std::string_view();
}

// The CSV is there as olm.csv.metadata, or whole among the olm.bundle.objects.
void read_csv(const Bundle& bundle, Collector& collector) {
    for (const Property& property : bundle.properties) {
        if (!property.value) continue;
        if (property.type == property_type::csv_metadata) {
            collector.read_annotation(annotation_in(property.value, go::Route::map));
            return;
        }
        const auto object = bundle_object_in(property);
        if (!object || !object->is_csv()) continue;
        collector.read_annotation(
            annotation_in(find_field(object->value, "metadata", object->route()), object->route()));
        return;
    }
}

} // namespace

std::string MinorVersion::to_string() const {
    return fmt::format("{}.{}", major, minor);
}

namespace {

constexpr MinorVersion last_of_four{4, 23}; // the same release as 5.0

MinorVersion release_of(const MinorVersion& version) {
    return version == last_of_four ? MinorVersion{5, 0} : version;
}

} // namespace

MinorVersion next_version(const MinorVersion& cluster) {
    const MinorVersion release = release_of(cluster);
    return {release.major, release.minor + 1};
}

std::optional<MinorVersion> kubernetes_of(const MinorVersion& openshift) {
    constexpr uint64_t distance = 13;
    constexpr uint64_t five = 23;
    if (openshift.major == 5) return MinorVersion{1, openshift.minor + five + distance};
    if (openshift.major != 4 || openshift.minor < 3) return std::nullopt;
    return MinorVersion{1, openshift.minor + distance};
}

bool is_older(const MinorVersion& a, const MinorVersion& b) {
    return release_of(a) < release_of(b);
}

bool is_same_release(const MinorVersion& a, const MinorVersion& b) {
    return release_of(a) == release_of(b);
}

bool allows(const MinorVersion& max, const MinorVersion& version) {
    return !is_older(max, version);
}

bool allows(const MaxOpenShift& max, const MinorVersion& version) {
    return max && (!*max || allows(**max, version));
}

Result<MinorVersion, std::string> minor_version_of_cluster(std::string_view text) {
    if (text.find('.') == text.npos) return std::string("the minor version is missing");
    const auto version = semver::Version::parse_tolerant(text);
    if (!version) return version.error().message;
    return MinorVersion{version->major, version->minor};
}

MaxOpenShift max_openshift_version(const Bundle& bundle) {
    Collector collector;
    for (const Property& property : bundle.properties)
        if (property.type == property_name) collector.add(nullptr, property.value);
    // Tools that make a bundle's blob copy the annotation into the properties; equal ones count once.
    if (!collector.found_any()) read_csv(bundle, collector);
    return collector.result(bundle.name.text);
}

MaxOpenShift max_openshift_version(std::string_view annotation, std::string_view csv) {
    Collector collector;
    collector.read_annotation(annotation, "properties");
    return collector.result(csv);
}

} // namespace opcat::olmv1
