// An operator's requirements on others, as tests of entries.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/cel/program.hpp"
#include "opcat/resolve/classic/snapshot.hpp"
#include "opcat/semver/blang_range.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace opcat::classic {

struct Predicate {
    enum class Kind : uint8_t { api, package, label, all, any, none, cel };
    Kind kind = Kind::all;
    Gvk gvk;
    std::string_view package;
    std::optional<semver::BlangRange> range;
    std::string_view label;
    std::optional<cel::Program> program;
    std::string text; // as OLM words it
    std::vector<Predicate> members;
};

// A property that is a requirement.
struct Requirement {
    const EntryProperty* property = nullptr;
    Predicate predicate;
    std::string failure_message; // of an olm.constraint: its author's words, unless OLM's contain them
};

// A property that is meant to be a requirement and is not valid.
struct BadRequirement {
    std::string message; // OLM's
    const EntryProperty* property = nullptr;
};

// The expression of a constraint; or why it is not valid, in OLM's words.
Result<cel::Program, std::string> compile_rule(std::string_view rule);

// Returns true if properties of this type are requirements.
bool is_requirement(std::string_view type);
// The requirement of a property, or why it is not valid, in OLM's words; nothing if it is not a requirement.
std::optional<Result<Requirement, std::string>> requirement_of(const EntryProperty& property);

// The requirements of an entry, in the order of its properties; or the first one that is not valid.
Result<std::vector<Requirement>, BadRequirement> requirements_of(const Facts& facts);

// Tests entries, with a common limit on the cost of evaluating expressions.
class Tester {
public:
    bool holds(const Predicate& predicate, const Entry& entry);
    bool gave_up() const { return gave_up_; }

private:
    bool holds(const cel::Program& program, const Entry& entry);

    static constexpr uint64_t max_cost_of_one = 1'000'000;
    uint64_t left_ = 500'000'000;
    bool gave_up_ = false;
    std::unordered_map<const Facts*, cel::Value> values_;
};

// In bytes of JSON: the resolver's limit, which the documentation guarantees.
constexpr size_t max_constraint_size = 131'072;
constexpr size_t documented_constraint_size = 65'536;
size_t constraint_size(const EntryProperty& property);

} // namespace opcat::classic
