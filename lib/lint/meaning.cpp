#include "opcat/lint/meaning.hpp"

#include "opcat/catalog/catalog.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/go/fields.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opcat {
namespace {

std::string as_json(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

// The members that count, in the order of their keys.
std::map<std::string_view, Value> members_of(const Value& object) {
    std::map<std::string_view, Value> members;
    for (const Member& member : object.members()) members.insert_or_assign(member.key.string(), member.value);
    return members;
}

class Comparison {
public:
    explicit Comparison(PromisedChanges promised) : left_(promised) {}

    bool same(const Value& before, const Value& after, size_t depth = 0) {
        // Deeper ones are compared as a whole.
        constexpr size_t most = 200;
        if (depth == most) return as_json(before) == as_json(after);
        if (before.is_object() && after.is_object()) return same_objects(before, after, depth);
        if (before.is_array() && after.is_array()) return same_lists(before.items(), after.items(), depth);
        const bool is_scalar = !before.is_object() && !before.is_array();
        if (is_scalar && as_json(before) == as_json(after)) return true;
        return is_scalar && after.is_string() && take(left_.texts);
    }

    bool take(size_t& promised) {
        if (promised == 0) return false;
        --promised;
        return true;
    }
    bool take_less() { return take(left_.less); }

private:
    bool same_objects(const Value& before, const Value& after, size_t depth) {
        std::map<std::string_view, Value> old = members_of(before);
        std::vector<Value> renamed;
        for (const auto& [key, value] : members_of(after)) {
            const auto found = old.find(key);
            if (found == old.end()) {
                if (!take(left_.keys)) return false;
                renamed.push_back(value);
                continue;
            }
            if (!same(found->second, value, depth + 1)) return false;
            old.erase(found);
        }
        if (old.size() != renamed.size()) return false;
        // Under which name they are now is not known: their values must all be there.
        std::vector<std::string> values_before;
        std::vector<std::string> values_after;
        values_before.reserve(old.size());
        values_after.reserve(renamed.size());
        for (const auto& [key, value] : old) values_before.push_back(as_json(value));
        for (const Value& value : renamed) values_after.push_back(as_json(value));
        std::sort(values_before.begin(), values_before.end());
        std::sort(values_after.begin(), values_after.end());
        return values_before == values_after;
    }

    // The properties of a bundle with olm.csv.metadata in place of its manifests.
    bool has_metadata_for_objects(std::span<const Value> before, std::span<const Value> after) {
        const auto others_in = [](std::span<const Value> list, size_t& objects, size_t& metadata) {
            std::vector<std::string> others;
            for (const Value& item : list) {
                const std::string_view type =
                    item.is_object() ? field_text(item, "type") : std::string_view();
                if (type == property_type::bundle_object)
                    ++objects;
                else if (type == property_type::csv_metadata)
                    ++metadata;
                else
                    others.push_back(as_json(item));
            }
            return others;
        };
        size_t objects = 0;
        size_t metadata = 0;
        size_t objects_after = 0;
        size_t metadata_after = 0;
        if (others_in(before, objects, metadata) != others_in(after, objects_after, metadata_after) ||
            metadata != 0 || metadata_after != 1 || objects_after != 0 || objects == 0 ||
            objects > left_.metadata)
            return false;
        left_.metadata -= objects;
        return true;
    }

    // An item may be gone or new only where the others stay as they are.
    bool same_lists(std::span<const Value> before, std::span<const Value> after, size_t depth) {
        if (left_.metadata > 0 && has_metadata_for_objects(before, after)) return true;
        if (before.size() == after.size()) {
            for (size_t i = 0; i < before.size(); ++i)
                if (!same(before[i], after[i], depth + 1)) return false;
            return true;
        }
        const bool is_less = before.size() > after.size();
        const std::span<const Value> longer = is_less ? before : after;
        const std::span<const Value> shorter = is_less ? after : before;
        size_t at = 0;
        for (const Value& item : longer) {
            if (at < shorter.size() && as_json(item) == as_json(shorter[at]))
                ++at;
            else if (!take(is_less ? left_.less : left_.more))
                return false;
        }
        return at == shorter.size();
    }

    PromisedChanges left_;
};

struct ReadDocument {
    DocumentRange range;
    std::optional<Value> value;
};

std::vector<ReadDocument> read_documents(const SourceFile& file, Arena& arena, bool& cut_well) {
    Diagnostics problems;
    std::vector<ReadDocument> all;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Diagnostic problem;
        ReadDocument& document = all.emplace_back(ReadDocument{range, std::nullopt});
        document.value = read_document(file, range, arena, problem);
        if (!problem.message.empty()) document.value.reset();
    }
    cut_well = problems.empty();
    return all;
}

bool removes(const std::vector<const TextEdit*>& edits, const ReadDocument& document) {
    const uint32_t begin = document.value ? document.value->offset() : document.range.begin;
    const auto after = std::partition_point(
        edits.begin(), edits.end(), [&](const TextEdit* edit) { return edit->where.offset <= begin; });
    if (after == edits.begin()) return false;
    const TextEdit& edit = **std::prev(after);
    return edit.text.empty() && edit.where.offset + edit.where.length >= document.range.end;
}

std::string_view text_in(const SourceFile& file, const DocumentRange& range) {
    return file.bytes().substr(range.begin, range.end - range.begin);
}

bool is_blob(const Value& value) {
    return value.is_object() && !field_text(value, "schema").empty();
}

} // namespace

bool reads_as_blobs(const SourceFile& file) {
    Arena arena;
    bool cut_well = false;
    const std::vector<ReadDocument> documents = read_documents(file, arena, cut_well);
    return cut_well && !documents.empty() &&
           std::all_of(documents.begin(), documents.end(), [](const ReadDocument& document) {
               return document.value && is_blob(*document.value);
           });
}

bool changes_only(const SourceFile& before, const SourceFile& after,
                  const std::vector<const TextEdit*>& edits, PromisedChanges promised) {
    Arena arena;
    bool cut_well = false;
    std::vector<ReadDocument> old = read_documents(before, arena, cut_well);
    const std::vector<ReadDocument> now = read_documents(after, arena, cut_well);
    Comparison comparison(promised);
    bool kept = true;
    std::erase_if(old, [&](const ReadDocument& document) {
        if (!removes(edits, document)) return false;
        kept = kept && comparison.take_less();
        return true;
    });
    if (!kept || old.size() != now.size()) return false;
    for (size_t i = 0; i < old.size(); ++i) {
        if (!old[i].value || text_in(before, old[i].range) == text_in(after, now[i].range)) continue;
        if (!now[i].value || !comparison.same(*old[i].value, *now[i].value)) return false;
    }
    return true;
}

} // namespace opcat
