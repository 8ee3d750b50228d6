// Images that must not be mirrored: mirror.blockedImages of an ImageSetConfiguration.
#pragma once

#include "opcat/catalog/catalog.hpp"
#include "opcat/mirror/plan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace opcat {

// Why the text is not a regular expression; empty if it is one.
std::string mistake_in_expression(const std::string& text);

// A bundle that needs a blocked image.
struct BlockedBundle {
    const Bundle* bundle = nullptr;
    std::string image; // the first of them
};

class BlockedImages {
public:
    // Throws RequestError for a text that is not a regular expression.
    explicit BlockedImages(const std::vector<std::string>& expressions);
    ~BlockedImages();

    bool empty() const { return expressions_.empty(); }
    // Returns true if an expression is found in the image's name, or in its name in the mirror below
    // `prefix`.
    bool has(const PullSpec& source, const MirrorName& target, const std::string& prefix) const;
    // In the order of the catalog.
    std::vector<BlockedBundle> bundles_in(const Catalog& catalog, const std::string& prefix) const;

private:
    std::vector<std::unique_ptr<re2::RE2>> expressions_;
};

// The catalog, in which these bundles are deprecated with a message that names the image. Those that are
// deprecated already stay as they are.
Catalog with_marks(const Catalog& catalog, const std::vector<BlockedBundle>& blocked);

} // namespace opcat
