// Reads the name of an installed bundle for all commands: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION.
#pragma once

#include "opcat/semver/release.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

// A bundle that the text may name.
struct KnownBundle {
    std::string_view package;
    std::string_view name;
    std::optional<semver::VersionRelease> version; // nothing: unknown, or not valid
    bool is_in_catalog = true;                     // false: only channel entries name it
};

struct InstalledName {
    const KnownBundle* bundle = nullptr;           // nullptr: not one of the known bundles
    std::string_view package;                      // empty: not known
    std::string_view name;                         // of the bundle; empty: only the version is known
    std::optional<semver::VersionRelease> version; // nothing: as `bundle`
};

// The names that are accepted for a bundle that is no longer in the catalog.
enum class GoneBundle : uint8_t {
    refused,
    with_name,    // BUNDLE@VERSION
    with_version, // also VERSION and PACKAGE@VERSION
};

// The bundles that texts may name. Refers to them. Near-linear to make; a name of one of them is then found
// in logarithmic time.
class KnownBundles {
public:
    explicit KnownBundles(std::span<const KnownBundle> bundles);

    // The result refers to the text and the bundles. Versions are accepted as people write them: "v1.2" is
    // 1.2.0. Throws RequestError, with the nearest names or the missing part, if the text names neither a
    // known bundle nor a known package, contradicts the catalog, or is ambiguous.
    InstalledName read(std::string_view text, GoneBundle gone) const;

    std::span<const KnownBundle> all;
    std::unordered_map<std::string_view, std::vector<const KnownBundle*>> by_name; // in their order
    std::map<semver::VersionRelease, std::vector<const KnownBundle*>> by_version;  // in their order
    std::set<std::string_view> packages;
};

// The same for a single text.
InstalledName read_installed_name(std::string_view text, std::span<const KnownBundle> bundles,
                                  GoneBundle gone);

// "1.2.3" of "foo.v1.2.3", the usual form of bundle names; empty for names of another form.
std::string_view version_in_name(std::string_view bundle);

} // namespace opcat
