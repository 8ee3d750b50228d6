// Which members of our structs the fields of the format are. The fields themselves, with their Go types,
// order and meaning, are in go/types/catalog.hpp; decode.cpp and write.cpp go through both.
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/go/types/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace opcat {

// The constant that says what a blob is: the title of its type.
struct SchemaName {};

// A list that is written as null unless the field was there.
template <class Object, class Item>
struct NullableList {
    std::span<const Item> Object::*items;
    bool Object::*is_there;
};
template <class Object, class Item>
NullableList(std::span<const Item> Object::*, bool Object::*) -> NullableList<Object, Item>;

// An object whose fields are those of a base class.
template <class Base>
struct Inherited {};

// For each struct: the table of its fields, and its members in the order of the table.
template <class Object>
struct Members;

template <>
struct Members<Icon> {
    static constexpr const auto& type = go::types::icon;
    static constexpr auto list = std::tuple{&Icon::base64, &Icon::media_type};
};

template <>
struct Members<Property> {
    static constexpr const auto& type = go::types::property;
    static constexpr auto list = std::tuple{&Property::type, &Property::value};
};

template <>
struct Members<Package> {
    static constexpr const auto& type = go::types::package;
    static constexpr auto list =
        std::tuple{SchemaName{},          &Package::name,       &Package::default_channel, &Package::icon,
                   &Package::description, &Package::properties, &Package::package};
};

template <>
struct Members<ChannelEntry> {
    static constexpr const auto& type = go::types::channel_entry;
    static constexpr auto list = std::tuple{&ChannelEntry::name, &ChannelEntry::replaces,
                                            &ChannelEntry::skips, &ChannelEntry::skip_range};
};

template <>
struct Members<Channel> {
    static constexpr const auto& type = go::types::channel;
    static constexpr auto list =
        std::tuple{SchemaName{}, &Channel::name, &Channel::package,
                   NullableList{&Channel::entries, &Channel::has_entries}, &Channel::properties};
};

template <>
struct Members<RelatedImage> {
    static constexpr const auto& type = go::types::blob_related_image;
    static constexpr auto list = std::tuple{&RelatedImage::name, &RelatedImage::image};
};

template <>
struct Members<Bundle> {
    static constexpr const auto& type = go::types::bundle;
    static constexpr auto list = std::tuple{SchemaName{},   &Bundle::name,       &Bundle::package,
                                            &Bundle::image, &Bundle::properties, &Bundle::related_images};
};

template <>
struct Members<DeprecatedReference> {
    static constexpr const auto& type = go::types::deprecated_reference;
    static constexpr auto list = std::tuple{&DeprecatedReference::schema, &DeprecatedReference::name};
};

template <>
struct Members<DeprecationEntry> {
    static constexpr const auto& type = go::types::deprecation_entry;
    static constexpr auto list = std::tuple{Inherited<DeprecatedReference>{}, &DeprecationEntry::message};
};

template <>
struct Members<Deprecations> {
    static constexpr const auto& type = go::types::deprecations;
    static constexpr auto list = std::tuple{SchemaName{}, &Deprecations::package, &Deprecations::name,
                                            NullableList{&Deprecations::entries, &Deprecations::has_entries}};
};

static_assert(go::types::package.title == schema::package && go::types::channel.title == schema::channel &&
              go::types::bundle.title == schema::bundle &&
              go::types::deprecations.title == schema::deprecations);

// The kind of Go type that each kind of member is for.
constexpr go::Type::Kind kind_for(SchemaName) {
    return go::Type::Kind::string;
}
template <class Object>
constexpr go::Type::Kind kind_for(Text Object::*) {
    return go::Type::Kind::string;
}
template <class Object>
constexpr go::Type::Kind kind_for(std::string_view Object::*) {
    return go::Type::Kind::string;
}
template <class Object>
constexpr go::Type::Kind kind_for(const Value* Object::*) {
    return go::Type::Kind::any;
}
template <class Object, class Item>
constexpr go::Type::Kind kind_for(std::span<const Item> Object::*) {
    return go::Type::Kind::list;
}
template <class Object, class Item>
constexpr go::Type::Kind kind_for(NullableList<Object, Item>) {
    return go::Type::Kind::list;
}
template <class Object, class Part>
constexpr go::Type::Kind kind_for(std::optional<Part> Object::*) {
    return std::is_same_v<Part, std::string_view> ? go::Type::Kind::base64 : go::Type::Kind::structure;
}
template <class Base>
constexpr go::Type::Kind kind_for(Inherited<Base>) {
    return go::Type::Kind::structure;
}

// Returns true if there is a member of the right kind for each field.
template <class Object>
consteval bool fits_table() {
    return std::apply(
        [](auto... member) {
            const go::Type::Kind kinds[] = {kind_for(member)...};
            const std::span<const go::Field> fields = Members<Object>::type.fields;
            return std::equal(std::begin(kinds), std::end(kinds), fields.begin(), fields.end(),
                              [](go::Type::Kind kind, const go::Field& f) { return kind == f.type->kind; });
        },
        Members<Object>::list);
}

// Calls `visit(field, member)` for each field of the table.
template <class Object, class Visit>
constexpr void for_each_member(Visit visit) {
    static_assert(fits_table<Object>());
    std::apply(
        [&](const auto&... member) {
            size_t i = 0;
            (visit(Members<Object>::type.fields[i++], member), ...);
        },
        Members<Object>::list);
}

// The Go type of the blobs of a schema, whose title it is; nullptr for schemas of others.
constexpr const go::Type* type_of_schema(std::string_view schema) {
    constexpr const go::Type* types[] = {&Members<Package>::type, &Members<Channel>::type,
                                         &Members<Bundle>::type, &Members<Deprecations>::type};
    for (const go::Type* type : types)
        if (type->title == schema) return type;
    return nullptr;
}

// Calls `visit(blobs, type)` for each schema: with the blobs of a catalog or of a package, and their Go type.
template <class Blobs, class Visit>
void for_each_schema(Blobs& of, Visit visit) {
    visit(of.packages, Members<Package>::type);
    visit(of.channels, Members<Channel>::type);
    visit(of.bundles, Members<Bundle>::type);
    visit(of.deprecations, Members<Deprecations>::type);
}

} // namespace opcat
