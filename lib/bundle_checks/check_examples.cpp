#include "opcat/bundle_checks/checks.hpp"
#include "opcat/bundle_checks/examples.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/json_reader.hpp"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <set>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

// The APIs that the ClusterServiceVersion owns, and where it says so.
std::map<Api, Location> provided_apis(const Source& bundle, Diagnostics& out) {
    std::map<Api, Location> provided;
    const kube::Object& csv = bundle.csv;
    for (const Fields owned : csv.items("spec", "customresourcedefinitions", "owned")) {
        const std::string_view name = owned.text("name");
        const size_t dot = name.find('.');
        if (dot == name.npos) {
            out.push_back(error("csv-crd-name", place_of(csv, owned, "name"),
                                fmt::format("\"{}\" is not the name of a CustomResourceDefinition", name),
                                "write the plural and the group, such as widgets.example.com"));
            continue;
        }
        provided.try_emplace({name.substr(dot + 1), owned.text("version"), owned.text("kind")},
                             place_of(csv, owned, "name"));
    }
    for (const Fields owned : csv.items("spec", "apiservicedefinitions", "owned"))
        provided.try_emplace({owned.text("group"), owned.text("version"), owned.text("kind")},
                             place_of(csv, owned, "name"));
    return provided;
}

struct ExampleText {
    ExampleText(std::string name, std::string_view bytes) : text(std::move(name), bytes) {}

    Arena arena;
    SourceFile text;
};

// Nothing, and a finding, if the annotation has other content.
std::optional<Value> parse_examples(const Location& where, const SourceFile& text, Arena& arena,
                                    Diagnostics& out) {
    const auto refuse = [&](std::string message) {
        out.push_back(error("csv-examples", where, std::move(message),
                            "write a JSON list of objects, each with apiVersion and kind"));
        return std::nullopt;
    };
    uint32_t end = 0;
    Diagnostic problem;
    const auto value = read_json(text, 0, arena, end, problem);
    if (!value) return refuse(fmt::format("the examples are not JSON: {}", problem.message));
    if (skip_json_space(text, end) < text.bytes().size())
        return refuse("the examples are more than one JSON value");
    if (value->is_null()) return Value::of(std::span<const Value>());
    if (!value->is_array())
        return refuse(fmt::format("the examples are {}, not a list", describe(value->kind())));
    size_t number = 0;
    for (const Fields example : value->items()) {
        ++number;
        if (example.kind().empty()) return refuse(fmt::format("example {} has no kind", number));
    }
    return value;
}

} // namespace

Api api_of(const kube::Fields& object) {
    const std::string_view text = object.text("apiVersion");
    const size_t slash = text.find('/');
    if (slash == text.npos) return {{}, text, object.kind()};
    if (text.find('/', slash + 1) != text.npos) return {{}, {}, object.kind()};
    return {text.substr(0, slash), text.substr(slash + 1), object.kind()};
}

std::optional<Examples> read_examples(const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    const Fields annotations = csv.at("metadata", "annotations");
    const Value* const usual = annotations.value().find("alm-examples");
    const Value* const other = annotations.value().find("olm.examples");
    if (!usual && !other) {
        out.push_back(warning("csv-example-missing", place_of(csv, csv, "metadata", "annotations"),
                              "the ClusterServiceVersion has no examples of its APIs",
                              "write them into the annotation alm-examples, a JSON list of objects"));
        return std::nullopt;
    }
    if (usual && other)
        out.push_back(warning("csv-example-missing", place_of(csv, *other),
                              "the examples in the annotation olm.examples are ignored",
                              "leave only alm-examples"));
    const Value& annotation = usual ? *usual : *other;
    const auto memory =
        std::make_shared<ExampleText>(csv.file->path() + " (alm-examples)", annotation.string_or_empty());
    Examples examples{Value::of(std::span<const Value>()), place_of(csv, annotation), memory};
    if (memory->text.bytes().empty()) return examples;
    const auto list = parse_examples(examples.where, memory->text, memory->arena, out);
    if (!list) return std::nullopt;
    examples.list = *list;
    return examples;
}

void check_examples(const Source& bundle, Diagnostics& out) {
    const auto examples = read_examples(bundle, out);
    if (!examples) return;
    const Location where = examples->where;
    const std::map<Api, Location> provided = provided_apis(bundle, out);
    std::set<Api> shown;
    for (const Fields example : examples->list.items())
        if (const Api api = api_of(example); shown.insert(api).second && !provided.contains(api))
            out.push_back(
                error("csv-examples", where,
                      fmt::format("an example is of {}, which the bundle does not provide", api.describe()),
                      "correct its apiVersion and kind, or remove it"));
    for (const auto& [api, owned_at] : provided)
        if (!shown.contains(api))
            out.push_back(warning("csv-example-missing", owned_at,
                                  fmt::format("there is no example of {}", api.describe()),
                                  "add one to the annotation alm-examples: consoles show it to users"));
}

} // namespace opcat::bundle_checks
