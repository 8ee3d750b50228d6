// The contents of a composite catalog (docs/authoring.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct ComposeReference {
    Text name;  // of its directory
    Text image; // or anything else that can be rendered
};

// Refers to the file and the arena that it was read with.
struct ComposeConfig {
    Text name; // of the directory to make
    Text repo; // of the image to build from it; may be empty
    Text tag;  // of that image; may be empty
    std::vector<ComposeReference> references;
};

// Nothing if there are errors. Names are single path elements, those of references are unique; unknown fields
// are errors.
std::optional<ComposeConfig> read_compose_config(const SourceFile& file, Arena& arena,
                                                 Diagnostics& diagnostics);

struct ComposeSource {
    const ComposeReference* reference = nullptr;
    const Catalog* catalog = nullptr;
};

// An error for each package that several references contribute, which names them all. `config` is the file
// with the references.
Diagnostics check_sources(std::span<const ComposeSource> sources, const SourceFile& config);

// The lock of a composite catalog pins each reference: what is pulled for it, and what has changed since.
struct Pin {
    std::string name;    // of the reference
    std::string image;   // as in the configuration
    std::string digest;  // of the image; empty: it is not in a registry
    std::string content; // digest of the catalog.yaml that was made from it

    friend bool operator==(const Pin&, const Pin&) = default;
};

struct ComposeLock {
    std::vector<Pin> pins;    // by name
    std::string catalog = {}; // its name, which is that of its directory; empty: the lock does not say it

    // nullptr: there is none.
    const Pin* find(std::string_view name) const;
    // Returns true if what it pins is in the directory of this catalog.
    bool is_of(std::string_view name) const { return catalog.empty() || catalog == name; }
    friend bool operator==(const ComposeLock&, const ComposeLock&) = default;
};

// Nothing if there are errors.
std::optional<ComposeLock> read_compose_lock(const SourceFile& file, Diagnostics& diagnostics);
std::string to_text(const ComposeLock& lock);

struct ComposeStep {
    enum class Change : uint8_t {
        none,  // as it is in the lock
        added, // the lock has no such reference, or one of another image
        held,  // the tag has moved, and the lock keeps the old image
        moved, // the tag has moved, and the reference with it
    };
    const ComposeReference* reference = nullptr;
    std::string digest; // to take; empty: it is not in a registry
    Change change = Change::none;
    bool up_to_date = false; // its catalog is up to date: nothing needs to be pulled
};

struct ComposePlan {
    std::vector<ComposeStep> steps;   // in the order of the references
    std::vector<std::string> removed; // names that only the lock contains
};

struct ComposeState {
    ComposeLock lock; // with an empty digest for each that has none
    // The current digest of each reference, in their order; empty: it is not in a registry.
    std::vector<std::string> digests;
    // Digests of the existing catalog.yaml files, in the order of the references; empty: it does not exist.
    std::vector<std::string> contents;
};

// `update` says by name whether a reference moves with its tag.
ComposePlan plan_compose(const ComposeConfig& config, const ComposeState& state,
                         const std::function<bool(std::string_view name)>& update);

// A sentence for each change that the plan makes to the lock, or would have to make if it followed all tags.
std::vector<std::string> describe_changes(const ComposePlan& plan);

} // namespace opcat
