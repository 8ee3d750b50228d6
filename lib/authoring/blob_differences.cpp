#include "opcat/authoring/blob_differences.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <variant>

namespace opcat {
namespace {

LoadedCatalog load(std::string_view text, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>("", text));
    return load_catalog(std::move(files), pool);
}

constexpr const char* kind_names[] = {"package", "channel", "bundle", "deprecations of", "blob"};

const Value& value_of(const AnyBlob& blob) {
    return std::visit([](const auto* one) -> const Value& { return one->value; }, blob);
}

std::string text_of(const Value& value) {
    std::string text;
    append_compact_json(text, value);
    return text;
}

// Each member of an object as text.
std::map<std::string_view, std::string> members_of(const Value& object) {
    std::map<std::string_view, std::string> members;
    if (object.is_object())
        for (const Member& member : object.members())
            members[member.key.string_or_empty()] = text_of(member.value);
    return members;
}

std::vector<std::string_view> fields_that_differ(const Value& there, const Value& wanted) {
    const auto a = members_of(there);
    const auto b = members_of(wanted);
    std::vector<std::string_view> fields;
    for (const auto& [name, text] : a)
        if (const auto other = b.find(name); other == b.end() || other->second != text)
            fields.push_back(name);
    for (const auto& [name, text] : b)
        if (!a.contains(name)) fields.push_back(name);
    return fields;
}

// Fields with the values that they have and are to have; of long ones only the names.
void compare_fields(const Value& there, const Value& wanted, const std::string& name,
                    std::string_view skipped, std::vector<std::string>& out) {
    constexpr size_t longest = 120;
    std::vector<std::string_view> long_ones;
    for (const std::string_view field : fields_that_differ(there, wanted)) {
        if (field == skipped) continue;
        const auto shown = [&](const Value& object) {
            const Value* const found = object.find(field);
            return found ? text_of(*found) : std::string("not there");
        };
        const std::string before = shown(there);
        const std::string after = shown(wanted);
        if (before.size() + after.size() > longest)
            long_ones.push_back(field);
        else
            out.push_back(fmt::format("{}: {} is {}, rendered {}", name, field, before, after));
    }
    if (!long_ones.empty())
        out.push_back(fmt::format("{}: {} {}", name, listed(long_ones, 10),
                                  long_ones.size() == 1 ? "differs" : "differ"));
}

// The items of a list of named objects, by name.
using Named = std::map<std::string, const Value*>;

void compare_items(const Named& there, const Named& wanted, std::string_view before,
                   std::vector<std::string>& out) {
    for (const auto& [name, value] : wanted) {
        const auto old = there.find(name);
        if (old == there.end()) {
            out.push_back(fmt::format("{}{} is missing", before, name));
            continue;
        }
        compare_fields(*old->second, *value, fmt::format("{}{}", before, name), {}, out);
    }
    for (const auto& [name, value] : there)
        if (!wanted.contains(name)) out.push_back(fmt::format("{}{}{}", before, name, was_not_rendered));
}

Named entries_of(const Value& blob) {
    Named named;
    const Value* const list = blob.find("entries");
    if (!list || !list->is_array()) return named;
    for (const Value& item : list->items()) {
        if (!item.is_object()) continue;
        const Value* name = item.find("name");
        if (const Value* const reference = item.find("reference")) {
            name = reference->find("name");
            if (!name) name = reference->find("schema");
        }
        named.emplace(name ? name->string_or_empty() : "", &item);
    }
    return named;
}

class Comparison {
public:
    std::vector<std::string> run(const Catalog& there, const Catalog& wanted) {
        const auto old = by_name(there);
        const auto now = by_name(wanted);
        for (const auto& [key, value] : now) {
            const auto found = old.find(key);
            if (found == old.end())
                out_.push_back(fmt::format("{} is missing", name_of(key)));
            else
                compare(key, *found->second, *value);
        }
        for (const auto& [key, value] : old)
            if (!now.contains(key)) out_.push_back(fmt::format("{}{}", name_of(key), was_not_rendered));
        return std::move(out_);
    }

private:
    // The last one tells blobs of one name apart.
    using Key = std::tuple<BlobKind, std::string_view, std::string_view, size_t>;

    static std::map<Key, const Value*> by_name(const Catalog& catalog) {
        std::map<Key, const Value*> all;
        for (const AnyBlob& blob : blobs_of(catalog)) {
            const BlobKey key = key_of(blob);
            size_t same = 0;
            while (!all.emplace(Key{key.kind, key.package, key.name, same}, &value_of(blob)).second) ++same;
        }
        return all;
    }

    static std::string name_of(const Key& key) {
        const auto& [kind, package, name, same] = key;
        return fmt::format("{} {}", kind_names[static_cast<size_t>(kind)],
                           kind == BlobKind::deprecations || name.empty() ? package : name);
    }

    void compare(const Key& key, const Value& there, const Value& wanted) {
        const std::string name = name_of(key);
        const size_t before = out_.size();
        compare_items(entries_of(there), entries_of(wanted), name + ": entry ", out_);
        // Their order, or what they are not named by, is said as the difference of the field.
        compare_fields(there, wanted, name, out_.size() > before ? "entries" : "", out_);
    }

    std::vector<std::string> out_;
};

} // namespace

std::vector<std::string> differences_between(std::string_view there, std::string_view wanted,
                                             ThreadPool& pool) {
    const LoadedCatalog old = load(there, pool);
    if (has_errors(old.diagnostics)) return {std::string(was_not_read)};
    const LoadedCatalog now = load(wanted, pool);
    auto differences = Comparison().run(old.catalog, now.catalog);
    if (differences.empty()) differences.emplace_back("the blobs are the same, but their texts differ");
    return differences;
}

} // namespace opcat
