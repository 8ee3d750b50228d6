#include "opcat/catalog/installed_name.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace opcat {
namespace {

using semver::Version;
using semver::VersionRelease;

// "foo" of "foo.v1.2.3" and "foo-1.2.3": the common part of an operator's bundle names. Empty without a
// number.
std::string_view stem_of(std::string_view name) {
    for (size_t i = 1; i + 1 < name.size(); ++i) {
        if (name[i] != '.' && name[i] != '-') continue;
        const size_t digit = name[i + 1] == 'v' ? i + 2 : i + 1;
        if (digit < name.size() && is_digit(name[digit])) return name.substr(0, i);
    }
    return {};
}

std::optional<VersionRelease> read_version(std::string_view text) {
    auto version = VersionRelease::parse_legacy(text);
    if (!version) {
        const auto tolerant = Version::parse_tolerant(text);
        if (!tolerant) return std::nullopt;
        version = VersionRelease::parse_legacy(tolerant->to_string());
    }
    if (!version) return std::nullopt;
    return *std::move(version);
}

class Reader {
public:
    Reader(std::string_view text, const KnownBundles& known, GoneBundle gone)
        : text_(text), known_(known), bundles_(known.all), packages_(known.packages), gone_(gone) {}

    InstalledName read() {
        const size_t at = text_.find('@');
        if (at == text_.npos) return read_without_at();
        name_ = text_.substr(0, at);
        version_text_ = text_.substr(at + 1);
        if (name_.empty() || version_text_.empty())
            throw RequestError(fmt::format("\"{}\" lacks {}", text_,
                                           name_.empty() ? "a name before the @" : "a version after the @"),
                               "write BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION");
        version_ = read_version(version_text_);
        if (!version_)
            throw RequestError(fmt::format("\"{}\" in {} is not a version: {}", version_text_, text_,
                                           Version::parse(version_text_).error().message),
                               "write NAME@VERSION, with a version such as 1.2.3");
        return read_with_version();
    }

private:
    std::span<const KnownBundle* const> bundles_called(std::string_view name) const {
        const auto found = known_.by_name.find(name);
        if (found == known_.by_name.end()) return {};
        return found->second;
    }

    InstalledName read_without_at() {
        name_ = text_;
        const KnownBundle* named = nullptr;
        for (const KnownBundle* const bundle : bundles_called(text_))
            if (!named || (bundle->is_in_catalog && !named->is_in_catalog)) named = bundle;
        if (named) {
            const bool is_told = named->version || named->is_in_catalog;
            if (gone_ == GoneBundle::with_name && !is_told) throw_gone();
            return {named, named->package, named->name, named->version};
        }
        if (packages_.contains(text_))
            throw RequestError(fmt::format("{} is a package, not the version of it that is installed", text_),
                               fmt::format("write {}@VERSION, or name a bundle", text_));
        version_ = read_version(text_);
        if (!version_) throw_unknown();
        name_ = {};
        version_text_ = text_;
        return by_version();
    }

    InstalledName read_with_version() {
        const KnownBundle* contradicted = nullptr;
        for (const KnownBundle* const bundle : bundles_called(name_)) {
            if (!bundle->is_in_catalog || !bundle->version || *bundle->version == *version_)
                return {bundle, bundle->package, bundle->name, version_};
            contradicted = bundle;
        }
        if (packages_.contains(name_)) return by_version();
        if (contradicted)
            throw RequestError(
                fmt::format("bundle {} has version {} in the catalog, not {}", name_,
                            contradicted->version->to_legacy_string(), version_text_),
                fmt::format("leave out @{}, or name the bundle of that version", version_text_));
        if (gone_ == GoneBundle::refused || !may_be_gone_bundle()) throw_unknown();
        return {nullptr, sole_package(), name_, version_};
    }

    // VERSION, or PACKAGE@VERSION with `name_` as the package.
    InstalledName by_version() const {
        const KnownBundle* best = nullptr;
        const KnownBundle* other = nullptr; // equally good, but another bundle
        int best_rank = 0;
        const auto of_version = known_.by_version.find(*version_);
        const std::span<const KnownBundle* const> equal = of_version == known_.by_version.end()
                                                              ? std::span<const KnownBundle* const>()
                                                              : of_version->second;
        for (const KnownBundle* const bundle : equal) {
            if (!name_.empty() && bundle->package != name_) continue;
            // Versions that differ in their build metadata only are equal.
            const bool same = bundle->version->to_legacy_string() == version_->to_legacy_string();
            const int rank = (bundle->is_in_catalog ? 3 : 1) + (same ? 1 : 0);
            if (rank > best_rank) {
                best = bundle;
                other = nullptr;
                best_rank = rank;
            } else if (rank == best_rank &&
                       (bundle->name != best->name || bundle->package != best->package)) {
                other = bundle;
            }
        }
        if (other)
            throw RequestError(
                fmt::format("several bundles have version {}, such as {} and {}", version_text_, best->name,
                            other->name),
                other->package == best->package
                    ? std::string("name the bundle")
                    : fmt::format("name the bundle, or the package: {}@{}", best->package, version_text_));
        if (best) return {best, best->package, best->name, best->version};
        const std::string_view package = name_.empty() ? sole_package() : name_;
        if (gone_ == GoneBundle::with_version) return {nullptr, package, {}, version_};
        std::set<std::string> versions;
        for (const KnownBundle& bundle : bundles_)
            if (bundle.version && bundle.is_in_catalog && (package.empty() || bundle.package == package))
                versions.insert(bundle.version->to_legacy_string());
        throw RequestError(
            package.empty() ? fmt::format("the catalog has no bundle of version {}", version_text_)
                            : fmt::format("package {} has no bundle of version {}", package, version_text_),
            gone_ == GoneBundle::with_name
                ? fmt::format("if the bundle is no longer in the catalog, give its name, too: "
                              "BUNDLE@{}",
                              version_text_)
                : did_you_mean(version_text_,
                               std::vector<std::string_view>(versions.begin(), versions.end())));
    }

    // A name with a number that other bundles or a package of the catalog share, or that is not a misspelling
    // of such a name.
    bool may_be_gone_bundle() const {
        if (bundles_.empty()) return true;
        const std::string_view stem = stem_of(name_);
        if (stem.empty()) return false;
        // "foo.v1.0.O" is not the name of a version that was there once.
        if (const std::string_view named = version_in_name(name_); !named.empty() && !Version::parse(named)) {
            std::vector<std::string_view> names;
            for (const KnownBundle& bundle : bundles_) names.push_back(bundle.name);
            if (!nearest_names(name_, names).empty()) return false;
        }
        std::set<std::string_view> stems = packages_;
        for (const KnownBundle& bundle : bundles_)
            stems.insert(stem_of(bundle.name).empty() ? bundle.name : stem_of(bundle.name));
        return stems.contains(stem) ||
               nearest_names(stem, std::vector<std::string_view>(stems.begin(), stems.end())).empty();
    }

    std::string_view sole_package() const {
        return packages_.size() == 1 ? *packages_.begin() : std::string_view();
    }

    [[noreturn]] void throw_gone() const {
        const std::string_view named = version_in_name(name_);
        throw RequestError(
            fmt::format("{} is no longer in the catalog, so that its version is not known", name_),
            fmt::format("give its version, too: {}@{}", name_, Version::parse(named) ? named : "VERSION"));
    }

    // The suggestion if no bundle and no package has this name: if the catalog does not have the version, the
    // bundle's version is missing, and not another bundle meant.
    std::string hint() const {
        std::vector<std::string_view> names(packages_.begin(), packages_.end());
        const std::string_view named = version_in_name(name_);
        const auto version = read_version(named);
        const bool is_known_version = version && known_.by_version.contains(*version);
        for (const KnownBundle& bundle : bundles_) names.push_back(bundle.name);
        std::string near = did_you_mean(name_, names);
        const bool is_gone = Version::parse(named) && !is_known_version && may_be_gone_bundle();
        if (gone_ == GoneBundle::refused) {
            if (!is_gone && !near.empty()) return near;
            return "only a catalog that has the bundle can answer this, such as the one that it was "
                   "installed "
                   "from";
        }
        if (!version_ && (is_gone || near.empty()))
            return fmt::format("if the bundle is no longer in the catalog, give its version, too: {}@{}",
                               is_gone ? name_ : "BUNDLE", is_gone ? named : "VERSION");
        return near.empty() ? fmt::format("write PACKAGE@{} or the whole name of a bundle", version_text_)
                            : near;
    }

    [[noreturn]] void throw_unknown() const {
        const std::string_view package = sole_package();
        if (version_ && !may_be_gone_bundle())
            throw RequestError(
                package.empty()
                    ? fmt::format("{} is neither a bundle nor a package of the catalog", name_)
                    : fmt::format("{} is neither a bundle of package {} nor that package", name_, package),
                hint());
        throw RequestError(package.empty() ? fmt::format("the catalog has no bundle {}", name_)
                                           : fmt::format("package {} has no bundle {}", package, name_),
                           hint());
    }

    std::string_view text_;
    const KnownBundles& known_;
    std::span<const KnownBundle> bundles_;
    const std::set<std::string_view>& packages_;
    GoneBundle gone_;
    std::string_view name_, version_text_;
    std::optional<VersionRelease> version_;
};

} // namespace

KnownBundles::KnownBundles(std::span<const KnownBundle> bundles) : all(bundles) {
    for (const KnownBundle& bundle : bundles) {
        packages.insert(bundle.package);
        by_name[bundle.name].push_back(&bundle);
        if (bundle.version) by_version[*bundle.version].push_back(&bundle);
    }
}

InstalledName KnownBundles::read(std::string_view text, GoneBundle gone) const {
    return Reader(text, *this, gone).read();
}

InstalledName read_installed_name(std::string_view text, std::span<const KnownBundle> bundles,
                                  GoneBundle gone) {
    return KnownBundles(bundles).read(text, gone);
}

std::string_view version_in_name(std::string_view bundle) {
    const size_t v = bundle.find(".v");
    return v == bundle.npos ? std::string_view() : bundle.substr(v + 2);
}

} // namespace opcat
