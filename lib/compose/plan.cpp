#include "opcat/compose/plan.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/value.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <string_view>

namespace opcat {
namespace {

constexpr std::string_view rule = "compose";
constexpr std::array<std::string_view, 4> config_fields{"name", "repo", "tag", "references"};
constexpr std::array<std::string_view, 2> reference_fields{"name", "image"};

// Most people do not see files whose names begin with a dot, and the program uses some itself.
bool is_directory_name(std::string_view name) {
    return !name.starts_with('.') && name.find('/') == name.npos && name.size() < 200 &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

class Reader {
public:
    Reader(const SourceFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

    ComposeConfig read(const Value& root) {
        const FieldReader fields(&file_, root, "the configuration", diagnostics_);
        fields.refuse_all_but(config_fields, rule);
        ComposeConfig config{.name = name(fields, "the configuration"),
                             .repo = fields.string("repo"),
                             .tag = fields.string("tag"),
                             .references = {}};
        if (const Value* const list = fields.array("references"))
            for (const Value& item : list->items()) read_reference(item, config.references);
        if (!has_errors() && config.references.empty())
            add_error(fields.offset(), "the configuration has no references",
                      "add \"references:\" and below it \"- {name: NAME, image: IMAGE}\"");
        check_unique(config.references);
        return config;
    }

    bool has_errors() const { return !diagnostics_.empty(); }

private:
    void add_error(uint32_t offset, std::string message, std::string help = {}) {
        diagnostics_.push_back(error(rule, {&file_, offset, 1}, std::move(message), std::move(help)));
    }

    Text name(const FieldReader& fields, std::string_view what) {
        const Text name = fields.string("name");
        if (name.empty())
            add_error(name.offset, fmt::format("{} needs a name", what), "a directory gets that name");
        else if (!is_directory_name(name))
            add_error(
                name.offset,
                fmt::format("{} has the name \"{}\", which no directory can have here", what, name.text),
                "take a name without \"/\" that does not begin with a dot");
        return name;
    }

    void read_reference(const Value& item, std::vector<ComposeReference>& references) {
        if (!item.is_object())
            return add_error(item.offset(), "a reference must be an object",
                             "write {name: NAME, image: IMAGE}");
        const FieldReader fields(&file_, item, "a reference", diagnostics_);
        fields.refuse_all_but(reference_fields, rule);
        const ComposeReference reference{name(fields, "a reference"), fields.string("image")};
        if (reference.image.empty())
            add_error(reference.image.offset,
                      fmt::format("the reference \"{}\" needs an image", reference.name.text));
        references.push_back(reference);
    }

    void check_unique(const std::vector<ComposeReference>& references) {
        std::map<std::string_view, Text> seen;
        for (const ComposeReference& reference : references) {
            const auto [first, is_new] = seen.emplace(reference.name.text, reference.name);
            if (is_new || reference.name.empty()) continue;
            add_error(reference.name.offset,
                      fmt::format("two references have the name \"{}\"", reference.name.text));
            diagnostics_.back().notes.push_back({"the first one", {&file_, first->second.offset, 1}});
        }
    }

    const SourceFile& file_;
    Diagnostics& diagnostics_;
};

} // namespace

std::optional<ComposeConfig> read_compose_config(const SourceFile& file, Arena& arena,
                                                 Diagnostics& diagnostics) {
    Diagnostics found;
    std::optional<ComposeConfig> config;
    if (const auto root = read_object(file, arena, "a configuration", rule, found))
        config = Reader(file, found).read(*root);
    if (!found.empty()) config.reset();
    sort_by_place(found);
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    return config;
}

namespace {

// The first place where a source mentions a package.
Location first_place(const PackageIndex& package) {
    if (!package.packages.empty()) return package.packages.front()->start();
    if (!package.channels.empty()) return package.channels.front()->start();
    if (!package.bundles.empty()) return package.bundles.front()->start();
    return package.deprecations.empty() ? Location{} : package.deprecations.front()->start();
}

std::string describe(const ComposeReference& reference) {
    return fmt::format("{} ({})", reference.name.text, reference.image.text);
}

} // namespace

Diagnostics check_sources(std::span<const ComposeSource> sources, const SourceFile& config) {
    struct Origin {
        const ComposeReference* reference;
        Location where;
    };
    std::map<std::string_view, std::vector<Origin>> origins;
    for (const ComposeSource& source : sources)
        for (const PackageIndex& package : index_packages(*source.catalog))
            if (!package.name.empty())
                origins[package.name].push_back({source.reference, first_place(package)});

    Diagnostics diagnostics;
    for (const auto& [package, all] : origins) {
        if (all.size() < 2) continue;
        const auto origin_of = [](const Origin& origin) { return describe(*origin.reference); };
        Diagnostic d =
            error("compose", {&config, all.back().reference->name.offset, 1},
                  fmt::format("package \"{}\" comes from {}", package, listed(all, SIZE_MAX, origin_of)),
                  "leave one of the references out, or filter its catalog");
        for (const Origin& origin : all)
            d.notes.push_back({fmt::format("in {} it is", origin.reference->name.text), origin.where});
        diagnostics.push_back(std::move(d));
    }
    sort_by_place(diagnostics);
    return diagnostics;
}

namespace {

constexpr std::string_view lock_schema = "opcat.compose-lock.v1";

bool by_name(const Pin& pin, std::string_view name) {
    return pin.name < name;
}

} // namespace

const Pin* ComposeLock::find(std::string_view name) const {
    const auto found = std::lower_bound(pins.begin(), pins.end(), name, by_name);
    return found != pins.end() && found->name == name ? &*found : nullptr;
}

std::optional<ComposeLock> read_compose_lock(const SourceFile& file, Diagnostics& diagnostics) {
    Arena arena;
    Diagnostics found;
    ComposeLock lock;
    if (const auto root = read_object(file, arena, "a lock", rule, found)) {
        const FieldReader fields(&file, *root, "the lock", found);
        const Text schema = fields.string("schema");
        if (found.empty() && schema != lock_schema)
            found.push_back(error(rule, {&file, schema.offset, 1},
                                  "this is not a lock that this opcat can read: its schema is not " +
                                      std::string(lock_schema),
                                  "remove the file to recreate it"));
        lock.catalog = fields.string("catalog").text;
        if (const Value* const list = fields.array("references")) {
            for (const Value& item : list->items()) {
                const FieldReader pin(&file, item, "a reference of the lock", found);
                const auto text = [&](std::string_view field) { return std::string(pin.string(field).text); };
                lock.pins.push_back({text("name"), text("image"), text("digest"), text("content")});
            }
        }
    }
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    if (!found.empty()) return std::nullopt;
    std::sort(lock.pins.begin(), lock.pins.end(), [](const Pin& a, const Pin& b) { return a.name < b.name; });
    return lock;
}

std::string to_text(const ComposeLock& lock) {
    Arena arena;
    ValueBuilder builder(arena);
    const auto add = [&](std::string_view key, const Value& value) {
        builder.add(Value::of(key));
        builder.add(value);
    };
    builder.open(0);
    if (!lock.catalog.empty()) add("catalog", Value::of(std::string_view(lock.catalog)));
    builder.open(0);
    for (const Pin& pin : lock.pins) {
        builder.open(0);
        add("name", Value::of(std::string_view(pin.name)));
        add("image", Value::of(std::string_view(pin.image)));
        if (!pin.digest.empty()) add("digest", Value::of(std::string_view(pin.digest)));
        add("content", Value::of(std::string_view(pin.content)));
        builder.add(builder.close_object());
    }
    const Value references = builder.close_array();
    add("references", references);
    add("schema", Value::of(lock_schema));
    std::string text = "# What opcat compose has made the catalog of. Keep it with the configuration.\n";
    [[maybe_unused]] const Value* const unwritable = append_yaml(text, builder.close_object());
    assert(!unwritable); // names have no control characters, images come from a document
    return text;
}

namespace {

ComposeStep plan_step(const ComposeReference& reference, const Pin* pin, const std::string& digest,
                      const std::string& content, bool update) {
    ComposeStep step{&reference, digest, ComposeStep::Change::none, false};
    if (!pin || pin->image != reference.image.text) {
        step.change = ComposeStep::Change::added;
        return step;
    }
    if (digest != pin->digest) {
        step.change = update ? ComposeStep::Change::moved : ComposeStep::Change::held;
        if (!update) step.digest = pin->digest;
    }
    step.up_to_date = !step.digest.empty() && step.digest == pin->digest && content == pin->content;
    return step;
}

} // namespace

ComposePlan plan_compose(const ComposeConfig& config, const ComposeState& state,
                         const std::function<bool(std::string_view name)>& update) {
    ComposePlan plan;
    for (size_t i = 0; i < config.references.size(); ++i) {
        const ComposeReference& reference = config.references[i];
        plan.steps.push_back(plan_step(reference, state.lock.find(reference.name), state.digests[i],
                                       state.contents[i], update(reference.name)));
    }
    for (const Pin& pin : state.lock.pins) {
        bool wanted = false;
        for (const ComposeReference& reference : config.references) wanted |= reference.name == pin.name;
        if (!wanted) plan.removed.push_back(pin.name);
    }
    return plan;
}

std::vector<std::string> describe_changes(const ComposePlan& plan) {
    std::vector<std::string> changes;
    for (const ComposeStep& step : plan.steps) {
        const std::string_view name = step.reference->name;
        const std::string_view image = step.reference->image;
        if (step.change == ComposeStep::Change::added)
            changes.push_back(fmt::format("{}: the lock does not have {}", name, image));
        if (step.change == ComposeStep::Change::held || step.change == ComposeStep::Change::moved)
            changes.push_back(fmt::format("{}: {} is another image than the locked one", name, image));
    }
    for (const std::string& name : plan.removed)
        changes.push_back(fmt::format("{}: the lock has it, the configuration does not", name));
    return changes;
}

} // namespace opcat
