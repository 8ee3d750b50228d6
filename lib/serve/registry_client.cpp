#include "opcat/serve/registry_client.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/serve/grpc_client.hpp"
#include "opcat/serve/protobuf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace opcat::serve {
namespace {

using protobuf::Field;
using protobuf::Reader;

// Calls `take` for all fields of a message. Throws Error if it cannot be read.
template <typename Take>
void each_field(std::string_view message, const Take& take) {
    Reader reader(message);
    while (const auto field = reader.next()) take(*field);
    if (reader.failed()) throw Error("the server sends a message that is not one of an Operator Registry");
}

// Messages of strings: the field of this number, the last one if it is repeated.
std::string_view text_in(std::string_view message, uint32_t number) {
    std::string_view text;
    each_field(message, [&](const Field& field) {
        if (field.number == number) text = field.bytes;
    });
    return text;
}

std::string json(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

// The members of an object of JSON, without those that are empty.
class ObjectText {
public:
    ObjectText& add(std::string_view key, std::string_view text) {
        return text.empty() ? *this : add_json(key, json(text));
    }
    ObjectText& add_json(std::string_view key, std::string_view value) {
        text_ += fmt::format("{}{}:{}", text_.empty() ? "" : ",", json(key), value);
        return *this;
    }
    std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

std::string list_text(const std::vector<std::string>& values) {
    std::string text = "[";
    for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + value;
    return text + "]";
}

// Values come as text, which must not be more than a value.
class JsonText {
public:
    // Throws Error.
    JsonText(std::string_view text, std::string_view bundle) : file_({}, text) {
        Diagnostic problem;
        uint32_t end = 0;
        const auto read = read_json(file_, 0, arena_, end, problem);
        if (!read || skip_json_space(file_, end) != text.size())
            throw Error(fmt::format(
                "the server sends a bundle {} with a property or dependency that is not JSON", json(bundle)));
        value_ = *read;
    }
    const Value& value() const { return value_; }
    // With ordered keys, so that equal values are equal texts.
    std::string compact() {
        std::string out;
        append_compact_json(out, normalised(value_, arena_));
        return out;
    }

private:
    SourceFile file_;
    Arena arena_;
    Value value_;
};

std::string property_text(std::string_view type, std::string_view value) {
    return ObjectText().add_json("type", json(type)).add_json("value", value).text();
}

// An entry of "entries" of olm.deprecations.
std::string deprecation_text(std::string_view schema, std::string_view name, std::string_view deprecation) {
    const std::string reference = ObjectText().add("schema", schema).add("name", name).text();
    return ObjectText()
        .add_json("reference", reference)
        .add_json("message", json(text_in(deprecation, 1)))
        .text();
}

// Group, version and kind of an Api, as the value of a property.
std::string api_text(std::string_view api) {
    return ObjectText()
        .add_json("group", json(text_in(api, 1)))
        .add_json("kind", json(text_in(api, 3)))
        .add_json("version", json(text_in(api, 2)))
        .text();
}

// The fields of a Bundle that the file-based format has, too.
struct BundleFields {
    std::string_view name, package, channel, image, version, skip_range, replaces;
    std::vector<std::string_view> objects, provided, required, dependencies, properties, skips;
    std::optional<std::string_view> deprecation;
};

BundleFields read_bundle(std::string_view message) {
    BundleFields bundle;
    each_field(message, [&](const Field& field) {
        const std::string_view bytes = field.bytes;
        switch (field.number) {
        case 1:
            bundle.name = bytes;
            break;
        case 2:
            bundle.package = bytes;
            break;
        case 3:
            bundle.channel = bytes;
            break;
        case 5:
            bundle.objects.push_back(bytes);
            break;
        case 6:
            bundle.image = bytes;
            break;
        case 7:
            bundle.provided.push_back(bytes);
            break;
        case 8:
            bundle.required.push_back(bytes);
            break;
        case 9:
            bundle.version = bytes;
            break;
        case 10:
            bundle.skip_range = bytes;
            break;
        case 11:
            bundle.dependencies.push_back(bytes);
            break;
        case 12:
            bundle.properties.push_back(bytes);
            break;
        case 13:
            bundle.replaces = bytes;
            break;
        case 14:
            bundle.skips.push_back(bytes);
            break;
        case 15:
            bundle.deprecation = bytes;
            break;
        default:
            break;
        }
    });
    if (bundle.name.empty() || bundle.package.empty() || bundle.channel.empty())
        throw Error("the server sends a bundle without a name, a package or a channel");
    return bundle;
}

// The properties that OLM makes of a bundle's fields. Registries of the file-based format send requirements
// as properties and as dependencies; older ones send only the one or the other.
std::vector<std::string> properties_of(const BundleFields& bundle) {
    std::vector<std::string> properties;
    std::set<std::string> known;
    std::set<std::string, std::less<>> types;
    const auto add = [&](std::string_view type, const std::string& value) {
        std::string text = property_text(type, value);
        types.emplace(type);
        if (known.insert(text).second) properties.push_back(std::move(text));
    };
    for (const std::string_view property : bundle.properties)
        add(text_in(property, 1), JsonText(text_in(property, 2), bundle.name).compact());
    if (bundle.properties.empty())
        for (const std::string_view api : bundle.provided) add(property_type::gvk, api_text(api));
    if (!types.contains(property_type::package))
        add(property_type::package, ObjectText()
                                        .add_json("packageName", json(bundle.package))
                                        .add_json("version", json(bundle.version))
                                        .text());
    if (bundle.dependencies.empty())
        for (const std::string_view api : bundle.required) add(property_type::gvk_required, api_text(api));
    for (const std::string_view dependency : bundle.dependencies) {
        const std::string_view type = text_in(dependency, 1);
        JsonText text(text_in(dependency, 2), bundle.name);
        if (type == property_type::gvk)
            add(property_type::gvk_required, text.compact());
        else if (type == property_type::package)
            add(property_type::package_required,
                ObjectText()
                    .add_json("packageName", json(field_text(text.value(), "packageName")))
                    .add_json("versionRange", json(field_text(text.value(), "version")))
                    .text());
        else if (type == property_type::label)
            add(property_type::label_required, text.compact());
        else if (type == property_type::constraint)
            add(property_type::constraint, text.compact());
    }
    return properties;
}

// Puts together what the calls return.
class RegistryReader {
public:
    explicit RegistryReader(const RegistryQuestion& question)
        : question_(question), deadline_(GrpcClient::Clock::now() + question.timeout) {}

    std::string read() {
        ClientCall bundles{.path = "/api.Registry/ListBundles",
                           .request = {},
                           .take = [&](std::string_view message) { add_bundle(message); }};
        make({&bundles, 1}, registry_limits::answers);
        std::vector<ClientCall> calls;
        for (const auto& [name, package] : packages_) {
            std::string request;
            protobuf::append_string(request, 1, name);
            calls.push_back(
                {.path = "/api.Registry/GetPackage",
                 .request = std::move(request),
                 .take = [this, &name = name](std::string_view message) { add_package(name, message); }});
        }
        make_side_by_side(calls);
        return text();
    }

private:
    struct Package {
        std::string default_channel;
        std::map<std::string, std::vector<std::string>> entries; // of olm.channel, by the channel
        std::map<std::string, std::string> bundles;              // olm.bundle, by name
        std::vector<std::string> deprecations;                   // entries of olm.deprecations
    };

    // On a connection of their own.
    void make(std::span<ClientCall> calls, size_t most_bytes) const {
        std::string problem;
        ClientConnection connection(question_.endpoint, std::nullopt, question_.silence, problem);
        if (!problem.empty()) throw Error(problem);
        GrpcClient client(connection, question_.endpoint, false,
                          {.message = registry_limits::message, .answers = most_bytes});
        problem = client.run(calls, deadline_, question_.silence);
        for (const ClientCall& call : calls)
            if (!call.status.empty() && call.status != "0")
                throw Error(
                    fmt::format("{} ended with status {}: {}", call.path, call.status, call.status_message));
        if (!problem.empty()) throw Error(problem);
    }

    // A server takes about a hundred calls on a connection at once, and from a distance each round takes
    // long.
    void make_side_by_side(std::span<ClientCall> calls) const {
        constexpr size_t calls_at_once = 100;
        constexpr size_t most = 16;
        const size_t count = std::min((calls.size() + calls_at_once - 1) / calls_at_once, most);
        std::vector<std::exception_ptr> failures(count);
        const auto make_part = [&](size_t i) {
            const size_t begin = calls.size() * i / count;
            const size_t end = calls.size() * (i + 1) / count;
            try {
                make(calls.subspan(begin, end - begin), registry_limits::answers / most);
            } catch (...) {
                failures[i] = std::current_exception();
            }
        };
        std::vector<std::thread> threads;
        for (size_t i = 1; i < count; ++i)
            threads.push_back(start_thread("asks a registry", [&, i] { make_part(i); }));
        if (count > 0) make_part(0);
        for (std::thread& thread : threads) thread.join();
        for (const std::exception_ptr& failure : failures)
            if (failure) std::rethrow_exception(failure);
    }

    void add_bundle(std::string_view message) {
        if (++entries_ > registry_limits::entries)
            throw Error(
                fmt::format("the server sends more than {} bundles [limit]", registry_limits::entries));
        const BundleFields bundle = read_bundle(message);
        Package& package = packages_[std::string(bundle.package)];
        std::vector<std::string> skips;
        for (const std::string_view skip : bundle.skips) skips.push_back(json(skip));
        ObjectText entry;
        entry.add("name", bundle.name).add("replaces", bundle.replaces).add("skipRange", bundle.skip_range);
        if (!skips.empty()) entry.add_json("skips", list_text(skips));
        package.entries[std::string(bundle.channel)].push_back(entry.text());
        std::string& text = package.bundles[std::string(bundle.name)];
        if (!text.empty()) return; // known from another channel
        std::vector<std::string> properties = properties_of(bundle);
        if (bundle.image.empty())
            for (const std::string_view object : bundle.objects)
                properties.push_back(
                    property_text(property_type::bundle_object,
                                  ObjectText().add_json("data", json(encode_base64(object))).text()));
        text = ObjectText()
                   .add("schema", schema::bundle)
                   .add("name", bundle.name)
                   .add("package", bundle.package)
                   .add("image", bundle.image)
                   .add_json("properties", list_text(properties))
                   .text();
        if (bundle.deprecation)
            package.deprecations.push_back(
                deprecation_text(schema::bundle, bundle.name, *bundle.deprecation));
    }

    void add_package(const std::string& name, std::string_view message) {
        Package& package = packages_.at(name);
        each_field(message, [&](const Field& field) {
            if (field.number == 3) package.default_channel = field.bytes;
            if (field.number == 4)
                package.deprecations.push_back(deprecation_text(schema::package, {}, field.bytes));
            if (field.number != 2) return;
            each_field(field.bytes, [&](const Field& part) {
                if (part.number == 3)
                    package.deprecations.push_back(
                        deprecation_text(schema::channel, text_in(field.bytes, 1), part.bytes));
            });
        });
    }

    std::string text() const {
        std::string all;
        for (const auto& [name, package] : packages_) {
            all += ObjectText()
                       .add("schema", schema::package)
                       .add("name", name)
                       .add("defaultChannel", package.default_channel)
                       .text() +
                   "\n";
            for (const auto& [channel, entries] : package.entries)
                all += ObjectText()
                           .add("schema", schema::channel)
                           .add("name", channel)
                           .add("package", name)
                           .add_json("entries", list_text(entries))
                           .text() +
                       "\n";
            for (const auto& [bundle, blob] : package.bundles) all += blob + "\n";
            if (!package.deprecations.empty())
                all += ObjectText()
                           .add("schema", schema::deprecations)
                           .add("package", name)
                           .add_json("entries", list_text(package.deprecations))
                           .text() +
                       "\n";
        }
        return all;
    }

    const RegistryQuestion& question_;
    GrpcClient::Clock::time_point deadline_;
    size_t entries_ = 0;
    std::map<std::string, Package> packages_;
};

} // namespace

std::string read_registry(const RegistryQuestion& question) {
    return RegistryReader(question).read();
}

} // namespace opcat::serve
