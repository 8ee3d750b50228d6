// Pull specs for bundles that are rendered from directories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct BundleNames {
    std::string_view package, name, version;
};

// A pull spec in which {{.Package}}, {{.Name}} and {{.Version}} stand for the bundle's own. As in Go's
// text/template blanks may stand inside the braces, and "{{- " and " -}}" trim the white space outside;
// nothing else of Go's language is known.
class ImageTemplate {
public:
    // Throws UsageError for an action that is none of the three.
    static ImageTemplate parse(std::string_view text);

    std::string expand(const BundleNames& names) const;

private:
    struct Part {
        std::string literal; // then
        std::string_view BundleNames::*field = nullptr;
    };
    std::vector<Part> parts_;
};

} // namespace opcat
