// The examples in alm-examples, as the API server would judge them: against the schema of their
// CustomResourceDefinition.
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/bundle_checks/examples.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/kube/crd.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

constexpr size_t most_of_one = 10; // violations of an example

class ExampleCheck {
public:
    ExampleCheck(const Source& bundle, Location where, Diagnostics& out) : where_(where), out_(out) {
        for (const kube::Object& crd : bundle.crds)
            for (const auto& [name, version] : kube::versions_of(crd))
                versions_.try_emplace({crd.text("spec", "group"), name, crd.text("spec", "names", "kind")},
                                      version);
    }

    void check(const Fields& example) {
        const Api api = api_of(example);
        const auto version = versions_.find(api);
        if (version == versions_.end()) return;
        if (!version->second.served)
            warn(fmt::format("the example of {} is of a version that is not served", api.describe()),
                 "write an example of a served version: consoles offer it to users");
        check_values(example, api, version->second.schema);
    }

private:
    void check_values(const Fields& example, const Api& api, const Fields& schema) {
        if (!schema) return;
        Arena arena;
        const auto completed = kube::with_defaults(example.value(), schema.value(), arena, work_);
        const auto violations =
            completed ? kube::violations(*completed, schema.value(), work_, most_of_one) : std::nullopt;
        const auto pruned = violations
                                ? kube::pruned_fields(example.value(), schema.value(), work_, most_of_one)
                                : std::nullopt;
        if (!pruned) return leave_out(api);
        for (const kube::SchemaViolation& violation : *violations)
            warn(fmt::format("the API server refuses the example of {}: {} {}", api.describe(),
                             violation.path.empty() ? "it" : violation.path, violation.what),
                 "correct the example, or the schema");
        for (const std::string& field : *pruned)
            warn(fmt::format("the API server drops {} of the example of {}: the schema does not have it",
                             field, api.describe()),
                 "correct the name of the field, or add it to the schema");
    }

    // Reports once that examples are left out, for the first one.
    void leave_out(const Api& api) {
        if (left_out_++ > 0) return;
        out_.push_back(error("limit", where_,
                             fmt::format("the example of {} is not checked against its schema, and perhaps "
                                         "others: it would take too many steps",
                                         api.describe()),
                             "remove examples, or items from their lists"));
    }

    void warn(std::string message, std::string help) {
        out_.push_back(warning("csv-example-schema", where_, std::move(message), std::move(help)));
    }

    Location where_;
    Diagnostics& out_;
    std::map<Api, kube::CrdVersion> versions_;
    Work work_;
    size_t left_out_ = 0;
};

} // namespace

void check_example_schemas(const Source& bundle, Diagnostics& out) {
    Diagnostics reported; // by check_examples
    const auto examples = read_examples(bundle, reported);
    if (!examples) return;
    ExampleCheck check(bundle, examples->where, out);
    for (const Fields example : examples->list.items()) check.check(example);
}

} // namespace opcat::bundle_checks
