// What a composite catalog was made of, to make the same one again.
#pragma once

#include "support/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct Pin {
    std::string name;    // of the reference
    std::string image;   // as it stands in the configuration
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

} // namespace opcat
