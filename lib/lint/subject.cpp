#include "opcat/lint/subject.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/go/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace opcat {
namespace {

std::string_view string_in(const Value& object, std::string_view field) {
    const Value* const value = find_field(object, field);
    return value ? value->string_or_empty() : std::string_view();
}

// Files are compared by address: only grouping matters.
bool is_before(const SourceFile* a_file, uint32_t a, const SourceFile* b_file, uint32_t b) {
    return a_file == b_file ? a < b : std::less<>()(a_file, b_file);
}

// After the last scalar of a blob. The written text is never shorter than the value.
size_t end_of(const Value& blob) {
    const Value* last = &blob;
    while (true) {
        if (last->is_object() && !last->members().empty())
            last = &last->members().back().value;
        else if (last->is_array() && !last->items().empty())
            last = &last->items().back();
        else
            return last->offset() + std::max<size_t>(last->string_or_empty().size(), 1) + 1;
    }
}

} // namespace

void Subjects::add(const LoadedCatalog& loaded) {
    std::vector<SubjectAt> all;
    const auto add_blob = [&](const Blob& blob, std::string_view schema) {
        if (!blob.file) return;
        const std::string_view package = schema == schema::package ? blob.name.text : blob.package.text;
        all.push_back({blob.file,
                       {.package = package, .schema = schema, .name = blob.name.text, .value = &blob.value}});
    };
    for_each_schema(loaded.catalog, [&](const auto& blobs, const go::Type& type) {
        for (const Blob& blob : blobs) add_blob(blob, type.title);
    });
    for (const OtherBlob& other : loaded.catalog.others) add_blob(other, other.schema);
    for (const Blob& blob : loaded.refused) add_blob(blob, string_in(blob.value, "schema"));
    // A template is about its package.
    for (const Package& package : loaded.catalog.packages)
        if (const Value* const source = package.composed_from)
            all.push_back(
                {package.origin.file,
                 {.package = package.name.text, .schema = string_in(*source, "schema"), .value = source}});
    add(all);
}

void Subjects::add(const std::vector<SubjectAt>& objects) {
    for (SubjectAt object : objects) {
        object.subject.catalog = catalogs_;
        all_.push_back(object);
    }
    ++catalogs_;
    std::sort(all_.begin(), all_.end(), [](const SubjectAt& a, const SubjectAt& b) {
        return is_before(a.file, a.subject.value->offset(), b.file, b.subject.value->offset());
    });
}

std::set<std::string_view> Subjects::packages() const {
    std::set<std::string_view> packages;
    for (const SubjectAt& one : all_) packages.insert(one.subject.package);
    packages.erase("");
    return packages;
}

Subject Subjects::of(const Location& where) const {
    const auto after =
        std::upper_bound(all_.begin(), all_.end(), where, [](const Location& place, const SubjectAt& one) {
            return is_before(place.file, place.offset, one.file, one.subject.value->offset());
        });
    if (after == all_.begin() || (after - 1)->file != where.file) return {};
    const Subject& subject = (after - 1)->subject;
    if (where.offset <= end_of(*subject.value)) return subject;
    // A document that does not read at all. Its package is most likely that of its neighbour.
    return {.catalog = subject.catalog, .package = subject.package};
}

namespace {

// The distinguishing part of a list item, independent of its place in the list.
std::string_view name_of_item(const Value& item) {
    if (!item.is_object()) return {};
    for (const std::string_view field : {"name", "type", "image", "schema"})
        if (const std::string_view name = string_in(item, field); !name.empty()) return name;
    if (const Value* const reference = item.find("reference")) {
        const std::string_view name = string_in(*reference, "name");
        return name.empty() ? string_in(*reference, "schema") : name;
    }
    return {};
}

// The last of some parts, which are in the order of the file, that begins at a place or before it; nullptr if
// none does. (What an alias brings in is written elsewhere, and may lead astray: to a name that is as good.)
template <class Parts, class Offset>
const auto* part_at(const Parts& parts, uint32_t place, Offset offset_of) {
    const auto after = std::upper_bound(parts.begin(), parts.end(), place,
                                        [&](uint32_t at, const auto& part) { return at < offset_of(part); });
    return after == parts.begin() ? nullptr : &*(after - 1);
}

} // namespace

FieldPath field_path(const Value& blob, const Location& where) {
    FieldPath path;
    const Value* value = &blob;
    while (true) {
        if (value->is_object()) {
            const Member* const member =
                part_at(value->members(), where.offset, [](const Member& m) { return m.key.offset(); });
            // The place of an object is that of its first key, or of the bracket before it.
            if (!member || (where.offset == value->offset() && where.length <= 1)) return path;
            const std::string key = fmt::format("{}{}", path.field.empty() ? "" : ".", member->key.string());
            path.field += key;
            path.item += key;
            if (member->value.offset() > where.offset) return path;
            value = &member->value;
        } else if (value->is_array()) {
            const Value* const item =
                part_at(value->items(), where.offset, [](const Value& v) { return v.offset(); });
            if (!item) return path;
            path.field += "[]";
            path.item += fmt::format("[{}]", name_of_item(*item));
            value = item;
        } else {
            if (value->is_string()) path.text = value->string();
            return path;
        }
    }
}

namespace {

// The subject of a finding, independent of its line, and of its words where a value says what it is about. At
// a whole object the words say it: "a is missing" and "b is missing" are two mistakes.
std::string identity_of(const Diagnostic& finding, const Subjects& subjects) {
    // By their number: one more is a new finding.
    if (!finding.where || finding.is_rest)
        return fmt::format("{}\n{}\n{}", finding.rule, finding.message, finding.distinction);
    const Subject subject = subjects.of(finding.where);
    if (!subject.value) {
        const uint32_t line = finding.where.file->position(finding.where.offset).line;
        std::string_view text = finding.where.file->line(line);
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        return fmt::format("{}\n{}\n{}", finding.rule, subject.package, text.substr(0, 1000));
    }
    const FieldPath path = field_path(*subject.value, finding.where);
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", finding.rule, subject.package, subject.schema,
                       subject.name, path.item,
                       path.text.empty() ? finding.message : path.text.substr(0, 1000), finding.distinction);
}

} // namespace

std::string Fingerprints::next(const Diagnostic& finding) {
    std::string identity = identity_of(finding, *subjects_);
    if (const size_t number = ++counts_[identity]; number > 1) identity += fmt::format("\n#{}", number);
    return sha256_hex(identity).substr(0, 32);
}

std::vector<std::string> fingerprints(const Diagnostics& findings, const Subjects& subjects) {
    Fingerprints marks(subjects);
    std::vector<std::string> all;
    all.reserve(findings.size());
    for (const Diagnostic& finding : findings) all.push_back(marks.next(finding));
    return all;
}

Diagnostics fold_alike(const Diagnostics& findings, const Subjects& subjects) {
    // The messages of what one rule finds in several ways, as those of policies, say which are alike.
    using Key = std::tuple<std::string_view, Severity, size_t, std::string_view, std::string_view,
                           std::string, std::string_view>;
    std::map<Key, size_t> first;
    Diagnostics folded;
    for (const Diagnostic& finding : findings) {
        const Subject subject =
            finding.severity == Severity::error || finding.is_rest ? Subject() : subjects.of(finding.where);
        if (!subject.value || subject.package.empty()) {
            folded.push_back(finding);
            continue;
        }
        const auto [place, is_new] =
            first.try_emplace({finding.rule, finding.severity, subject.catalog, subject.package,
                               subject.schema, field_path(*subject.value, finding.where).field,
                               finding.distinction.empty() ? std::string_view() : finding.message},
                              folded.size());
        if (is_new)
            folded.push_back(finding);
        else
            folded[place->second].count += finding.count;
    }
    for (Diagnostic& finding : folded)
        if (finding.count > 1 && !finding.is_rest)
            finding.notes.push_back({fmt::format("there {} {} more like this in package \"{}\"",
                                                 finding.count == 2 ? "is" : "are", finding.count - 1,
                                                 subjects.of(finding.where).package),
                                     {}});
    return folded;
}

} // namespace opcat
