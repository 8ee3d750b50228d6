// What a composite catalog is made of (docs/authoring.md).
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
    Text name;  // of the directory that it gets
    Text image; // or anything else that can be rendered
};

// Refers to the file and the arena that it was read with.
struct ComposeConfig {
    Text name; // of the directory to make
    Text repo; // of the image to build of it; may be empty
    Text tag;  // of that image; may be empty
    std::vector<ComposeReference> references;
};

// Nothing if there are errors. Names are single elements of a path, those of references are all different;
// unknown fields are errors.
std::optional<ComposeConfig> read_compose_config(const SourceFile& file, Arena& arena,
                                                 Diagnostics& diagnostics);

struct ComposeSource {
    const ComposeReference* reference = nullptr;
    const Catalog* catalog = nullptr;
};

// An error for each package that comes from more than one of them, which names all that it comes from.
// `config` is the file that has the references.
Diagnostics check_sources(std::span<const ComposeSource> sources, const SourceFile& config);

// The lock of a composite catalog pins each reference: what is pulled for it, and what has changed since.
struct Pin {
    std::string name;    // of the reference
    std::string image;   // as it is in the configuration
    std::string digest;  // of what a registry had under that name; empty: it lies in no registry
    std::string content; // digest of the catalog.yaml that was made of it

    friend bool operator==(const Pin&, const Pin&) = default;
};

struct ComposeLock {
    std::vector<Pin> pins; // by name

    // nullptr: there is none.
    const Pin* find(std::string_view name) const;
    friend bool operator==(const ComposeLock&, const ComposeLock&) = default;
};

// Nothing if there are errors.
std::optional<ComposeLock> read_compose_lock(const SourceFile& file, Diagnostics& diagnostics);
std::string to_text(const ComposeLock& lock);

struct ComposeStep {
    enum class Change : uint8_t {
        none,  // as it is in the lock
        added, // the lock has no such reference, or one of another image
        held,  // the tag has moved, and the lock holds what it was
        moved, // the tag has moved, and the reference with it
    };
    const ComposeReference* reference = nullptr;
    std::string digest; // to take; empty: it lies in no registry
    Change change = Change::none;
    bool up_to_date = false; // what is there was made of it: nothing is to be pulled
};

struct ComposePlan {
    std::vector<ComposeStep> steps;   // in the order of the references
    std::vector<std::string> removed; // names that only the lock has
};

struct ComposeState {
    ComposeLock lock; // without pins: there is none
    // What each reference stands for now, in their order; empty: it lies in no registry.
    std::vector<std::string> digests;
    // Digests of the catalog.yaml files that are there, in the order of the references; empty: there is none.
    std::vector<std::string> contents;
};

// `update` says by its name whether a reference shall move with its tag.
ComposePlan plan_compose(const ComposeConfig& config, const ComposeState& state,
                         const std::function<bool(std::string_view name)>& update);

// Each change that the plan would make to the lock, or would have to make if it followed all tags, as a
// sentence.
std::vector<std::string> describe_changes(const ComposePlan& plan);

} // namespace opcat
