#include "opcat/catalog/write.hpp"

#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/go_sort.hpp"
#include "opcat/catalog/members.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

namespace opcat {
namespace {

// Objects by the tables of their fields.
class Encoder {
public:
    explicit Encoder(Arena& arena, bool for_json = false) : arena_(arena), for_json_(for_json) {}

    template <class Object>
    Value encode(const Object& object) const {
        std::array<Member, std::tuple_size_v<decltype(Members<Object>::list)>> members;
        size_t count = 0;
        for_each_member<Object>([&](const go::Field& field, auto member) {
            if (field.written == go::Written::never) return;
            if (field.written == go::Written::unless_empty && is_empty(object, member)) return;
            members[count++] = {Value::of(field.name), value_of(object, member)};
        });
        return Value::of(
            std::span<const Member>(arena_.copy(std::span<const Member>(members.data(), count))));
    }

private:
    template <class Object, class Member>
    static bool is_empty(const Object& object, Member member) {
        if constexpr (requires { (object.*member).empty(); }) return (object.*member).empty();
        if constexpr (requires { (object.*member).has_value(); }) return !(object.*member).has_value();
        return false;
    }

    template <class Object, class Member>
    Value value_of(const Object& object, Member member) const {
        return encoded(object.*member);
    }
    template <class Object>
    Value value_of(const Object&, SchemaName) const {
        return Value::of(Members<Object>::type.title);
    }
    template <class Object, class Item>
    Value value_of(const Object& object, const NullableList<Object, Item>& list) const {
        return object.*list.is_there ? encoded(object.*list.items) : Value::of_null();
    }
    template <class Object, class Base>
    Value value_of(const Object& object, Inherited<Base>) const {
        return encode(static_cast<const Base&>(object));
    }
    Value value_of(const Property& property, const Value* Property::*) const {
        if (for_json_ && !property.json.empty()) return Value::of_json(property.json);
        return normalised(property.value ? *property.value : Value::of_null(), arena_);
    }

    static Value encoded(std::string_view text) { return Value::of(text); }
    static Value encoded(const std::optional<std::string_view>& text) {
        return text ? Value::of(*text) : Value::of_null();
    }
    Value encoded(const Text& text) const { return encoded(text.text); }
    template <class Part>
    Value encoded(const std::optional<Part>& part) const {
        return encode(*part);
    }
    template <class Item>
    Value encoded(std::span<const Item> items) const {
        std::vector<Value> values;
        values.reserve(items.size());
        for (const Item& item : items) {
            if constexpr (std::is_same_v<Item, Text>)
                values.push_back(encoded(item));
            else
                values.push_back(encode(item));
        }
        return Value::of(std::span<const Value>(arena_.copy(std::span<const Value>(values))));
    }

    Arena& arena_;
    bool for_json_;
};

bool carries_manifests(const Property& property) {
    return property.type == property_type::bundle_object || property.type == property_type::csv_metadata;
}

} // namespace

Value to_value(const Package& package, Arena& arena) {
    return Encoder(arena).encode(package);
}

Value to_value(const Channel& channel, Arena& arena) {
    return Encoder(arena).encode(channel);
}

Value to_value(const Bundle& bundle, Arena& arena, bool for_json) {
    const Encoder encoder(arena, for_json);
    if (bundle.keep_unmodified) return encoder.encode(bundle);
    std::vector<Property> properties(bundle.properties.begin(), bundle.properties.end());
    std::stable_partition(properties.begin(), properties.end(),
                          [](const Property& p) { return !carries_manifests(p); });
    std::vector<RelatedImage> images(bundle.related_images.begin(), bundle.related_images.end());
    go_sort(std::span<RelatedImage>(images),
            [](const RelatedImage& a, const RelatedImage& b) { return a.image.text < b.image.text; });
    Bundle sorted = bundle;
    sorted.properties = properties;
    sorted.related_images = images;
    return encoder.encode(sorted);
}

Value to_value(const Deprecations& deprecations, Arena& arena) {
    return Encoder(arena).encode(deprecations);
}

Value to_value(const OtherBlob& blob, Arena& arena) {
    return normalised(blob.value, arena);
}

BlobKey key_of(const AnyBlob& blob) {
    const auto kind = static_cast<BlobKind>(blob.index());
    return std::visit(
        [kind](const auto* b) -> BlobKey {
            using Type = std::remove_cvref_t<decltype(*b)>;
            if constexpr (std::is_same_v<Type, Package>) return {kind, b->name, b->name};
            if constexpr (std::is_same_v<Type, OtherBlob>) return {kind, b->package, b->schema};
            return {kind, b->package, b->name};
        },
        blob);
}

std::vector<PackageOrder> order_of(const std::vector<BlobKey>& keys) {
    constexpr size_t kinds = std::variant_size_v<AnyBlob>;
    std::map<std::string_view, std::array<std::vector<size_t>, kinds>> packages;
    for (size_t i = 0; i < keys.size(); ++i)
        packages[keys[i].package][static_cast<size_t>(keys[i].kind)].push_back(i);

    const auto by_name = [&](size_t a, size_t b) { return keys[a].name < keys[b].name; };
    std::vector<PackageOrder> result;
    for (auto& [name, of_kind] : packages) {
        if (name.empty()) continue;
        auto& [own, channels, bundles, deprecations, others] = of_kind;
        // If several have one name, opm's order is visible.
        go_sort(std::span(channels), by_name);
        go_sort(std::span(bundles), by_name);
        std::stable_sort(others.begin(), others.end(), by_name);
        PackageOrder order{name, {}};
        for (const auto* some : {&own, &channels, &bundles, &others, &deprecations})
            order.blobs.insert(order.blobs.end(), some->begin(), some->end());
        result.push_back(std::move(order));
    }
    if (const auto free = packages.find({}); free != packages.end())
        if (auto& others = free->second[static_cast<size_t>(BlobKind::other)]; !others.empty())
            result.push_back({{}, std::move(others)});
    return result;
}

bool is_dropped(const AnyBlob& blob) {
    const BlobKey key = key_of(blob);
    return key.package.empty() && key.kind != BlobKind::other;
}

std::vector<AnyBlob> blobs_of(const Catalog& catalog) {
    std::vector<AnyBlob> all;
    const auto add = [&](const auto& blobs) {
        for (const auto& blob : blobs) all.emplace_back(&blob);
    };
    for_each_schema(catalog, [&](const auto& blobs, const go::Type&) { add(blobs); });
    add(catalog.others);
    return all;
}

std::vector<PackageBlobs> by_package(const Catalog& catalog) {
    const std::vector<AnyBlob> all = blobs_of(catalog);
    std::vector<BlobKey> keys;
    keys.reserve(all.size());
    for (const AnyBlob& blob : all) keys.push_back(key_of(blob));
    std::vector<PackageBlobs> result;
    for (const PackageOrder& order : order_of(keys)) {
        PackageBlobs& package = result.emplace_back(PackageBlobs{order.package, {}});
        for (const size_t i : order.blobs) package.blobs.push_back(all[i]);
    }
    return result;
}

namespace {

std::string_view name_of(const AnyBlob& blob) {
    return std::visit([](const auto* b) { return b->name.text; }, blob);
}

} // namespace

void append_blob(std::string& out, const AnyBlob& blob, Format format) {
    Arena arena;
    const auto* const bundle = std::get_if<const Bundle*>(&blob);
    const Value value = bundle ? to_value(**bundle, arena, format == Format::json)
                               : std::visit([&arena](const auto* b) { return to_value(*b, arena); }, blob);
    if (format == Format::json) {
        append_json(out, value);
        return;
    }
    out += "---\n";
    if (const Value* const unwritable = append_yaml(out, value)) {
        throw UnwritableYaml(
            fmt::format("cannot write {} as YAML: a string has a control character or is a key of "
                        "more than 1024 characters ({} bytes long)",
                        name_of(blob).empty() ? "a blob" : name_of(blob), unwritable->string().size()));
    }
}

namespace {

// The approximate amount of text that one thread formats at a time, and how many of these each thread formats
// in a round.
constexpr size_t piece_bytes = size_t{128} * 1024;
constexpr size_t pieces_per_thread = 4;
// Growing into untouched memory costs nothing; moving into a larger block costs a page fault for each page,
// every time.
constexpr size_t text_capacity = 8 * piece_bytes;

struct Piece {
    std::string_view package;
    std::span<const AnyBlob> blobs;
};

// The pieces of a round, and their texts, whose memory is reused.
struct Round {
    std::vector<Piece> pieces;
    std::vector<std::string> texts;
};

} // namespace

void write_catalog(const Catalog& catalog, Format format, ThreadPool& pool, const TextSink& sink) {
    Round next{{}, std::vector<std::string>(pieces_per_thread * pool.threads())};
    Round formatted = next;
    // The size of a blob is known once it is written.
    size_t blobs_written = 1;
    size_t bytes_written = piece_bytes / 4;
    const auto pass_on = [&](Round& round) {
        for (size_t i = 0; i < round.pieces.size(); ++i) {
            sink(round.pieces[i].package, round.texts[i]);
            blobs_written += round.pieces[i].blobs.size();
            bytes_written += round.texts[i].size();
        }
        round.pieces.clear();
    };
    const auto format_piece = [&](const Piece& piece, std::string& text) {
        text.clear();
        text.reserve(text_capacity);
        for (const AnyBlob& blob : piece.blobs) append_blob(text, blob, format);
    };
    // One thread passes on the texts of the round before, which may wait for the reader of a pipe, while the
    // others go on.
    const auto format_next = [&] {
        pool.for_each(1 + next.pieces.size(), [&](size_t i) {
            if (i == 0)
                pass_on(formatted);
            else
                format_piece(next.pieces[i - 1], next.texts[i - 1]);
        });
        std::swap(next, formatted);
    };
    const std::vector<PackageBlobs> packages = by_package(catalog);
    for (const PackageBlobs& package : packages) {
        const std::span<const AnyBlob> blobs = package.blobs;
        for (size_t at = 0; at < blobs.size();) {
            const size_t blobs_per_piece = std::max<size_t>(1, piece_bytes * blobs_written / bytes_written);
            next.pieces.push_back(
                {package.package, blobs.subspan(at, std::min(blobs_per_piece, blobs.size() - at))});
            at += next.pieces.back().blobs.size();
            if (next.pieces.size() == next.texts.size()) format_next();
        }
    }
    format_next();
    pass_on(formatted);
}

namespace fs = std::filesystem;

void check_is_path_element(std::string_view kind, std::string_view name) {
    const bool is_element =
        name != "." && name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
    if (!is_element)
        throw Error(fmt::format("cannot write {} {} to a {} of its name: the name is not a single element of "
                                "a path",
                                kind, go_quote(name), kind == "package" ? "directory" : "file"),
                    fmt::format("rename the {}, or write one stream instead of a directory", kind));
}

namespace {

void write_package(const fs::path& root, std::string_view package, Format format, std::string_view text) {
    const fs::path directory = root / package;
    make_directories(directory);
    write_file(directory / (format == Format::json ? "catalog.json" : "catalog.yaml"), text);
}

} // namespace

void write_catalog_directory(const Catalog& catalog, Format format, const fs::path& root, ThreadPool& pool) {
    std::error_code failed;
    if (fs::exists(root, failed) && !fs::is_empty(root, failed))
        throw Error(
            "cannot write to " + root.string() + ": it is not an empty directory",
            "the existing files would become part of the catalog: remove them first, or write elsewhere");
    for (const PackageBlobs& package : by_package(catalog)) check_is_path_element("package", package.package);
    StagedDirectory staged(root);
    std::string_view current;
    std::string text;
    write_catalog(catalog, format, pool, [&](std::string_view package, std::string_view piece) {
        if (package != current && !text.empty()) {
            write_package(staged.path(), current, format, text);
            text.clear();
        }
        current = package;
        text += piece;
    });
    if (!text.empty()) write_package(staged.path(), current, format, text);
    staged.commit();
}

} // namespace opcat
