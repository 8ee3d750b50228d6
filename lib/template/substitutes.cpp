#include "opcat/base/text.hpp"
#include "opcat/base/work.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/semver/release.hpp"
#include "opcat/template/template.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace opcat {
namespace {

struct Substitution {
    Text name; // a reference to the new bundle
    Text base; // the name of the old one
    uint32_t offset = 0;
};

std::string without_base(const Substitution& substitution) {
    return fmt::format("the catalog has no bundle \"{}\"", substitution.base.text);
}

std::optional<semver::VersionRelease> version_of(const Bundle& bundle) {
    const auto property = package_property(bundle);
    if (!property) return std::nullopt;
    auto version = property->release.empty()
                       ? semver::VersionRelease::parse_legacy(property->version)
                       : semver::VersionRelease::parse(property->version, property->release);
    if (!version) return std::nullopt;
    return *std::move(version);
}

void replace_text(Text& text, std::string_view by) {
    text.text = by;
}

std::span<const Text> with(std::span<const Text> texts, std::string_view added, Arena& arena) {
    std::vector<Text> all(texts.begin(), texts.end());
    all.push_back({added, 0});
    return arena.copy(std::span<const Text>(all));
}

std::span<const Text> without(std::span<const Text> texts, std::string_view removed, Arena& arena) {
    std::vector<Text> rest;
    std::copy_if(texts.begin(), texts.end(), std::back_inserter(rest),
                 [&](const Text& text) { return text != removed; });
    return arena.copy(std::span<const Text>(rest));
}

bool contains(std::span<const Text> texts, std::string_view wanted) {
    return std::any_of(texts.begin(), texts.end(), [&](const Text& text) { return text == wanted; });
}

// The new bundle takes over the edges of the old one, and skips it; who led to the old one leads to the new
// one.
void substitute(Channel& channel, std::string_view base, std::string_view substitute, Arena& arena) {
    std::vector<ChannelEntry> entries(channel.entries.begin(), channel.entries.end());
    std::vector<ChannelEntry> added;
    for (size_t i = entries.size(); i-- > 0;) {
        ChannelEntry& entry = entries[i];
        if (entry.name != base) continue;
        ChannelEntry taking_over = entry;
        replace_text(taking_over.name, substitute);
        taking_over.skips = with(entry.skips, base, arena);
        added.push_back(taking_over);
        entry.replaces = entry.skip_range = {};
        entry.skips = {};
    }
    for (ChannelEntry& entry : entries) {
        if (entry.replaces == base) {
            replace_text(entry.replaces, substitute);
            entry.skips = with(entry.skips, base, arena);
        } else if (contains(entry.skips, base)) {
            entry.skips = without(with(entry.skips, substitute, arena), base, arena);
        }
    }
    entries.insert(entries.end(), added.begin(), added.end());
    channel.entries = arena.copy(std::span<const ChannelEntry>(entries));
}

class Substituter {
public:
    Substituter(const TemplateFile& file, LoadedCatalog& result, Validity validity, ThreadPool& pool)
        : file_(file), result_(result), validity_(validity), pool_(pool) {}

    std::vector<Substitution> read() {
        std::vector<Substitution> substitutions;
        static constexpr std::string_view known[] = {"schema", "entries", "substitutions"};
        static constexpr std::string_view of_substitution[] = {"name", "base"};
        file_.fields(result_.diagnostics).refuse_all_but(known, "template", Severity::warning);
        (void)file_.fields(result_.diagnostics)
            .objects<char>(
                "substitutions", "a substitution", file_.arena(),
                [&](const FieldReader& fields, const Value& item) {
                    fields.refuse_all_but(of_substitution, "template", Severity::warning);
                    substitutions.push_back({fields.string("name"), fields.string("base"), item.offset()});
                    check(substitutions.back());
                    return '\0';
                });
        return substitutions;
    }

    // Checks the bases if the bundles stay unknown. Everything else loads, so that no other finding is
    // hidden.
    void check_bases(const std::vector<Substitution>& substitutions) {
        std::vector<std::string_view> names;
        for (const Bundle& bundle : result_.catalog.bundles) names.push_back(bundle.name);
        const std::unordered_set<std::string_view> known(names.begin(), names.end());
        Suggestions suggestions(std::move(names));
        for (const Substitution& substitution : substitutions) {
            if (known.contains(substitution.base.text)) continue;
            result_.oddities.push_back(error("template", {&file_.file(), substitution.base.offset, 1},
                                             without_base(substitution), suggestions.of(substitution.base)));
        }
    }

    bool is_valid_catalog() {
        const Diagnostics found = find_errors(result_.catalog, pool_);
        if (validity_ == Validity::explained)
            result_.diagnostics.insert(result_.diagnostics.end(), found.begin(), found.end());
        return found.empty();
    }

    bool apply(const Substitution& substitution, const Bundle& bundle) {
        // As opm does, the whole catalog is checked after each of them.
        constexpr uint64_t steps_of_blob = 16;
        size_t looked_at = result_.catalog.bundles.size();
        for (const Channel& channel : result_.catalog.channels) looked_at += channel.entries.size();
        work_.take_or_throw(looked_at * steps_of_blob, "checking the catalog after each substitution",
                            "divide the template, or make fewer substitutions");
        if (!check_versions(substitution, bundle)) return false;
        for (Channel& channel : result_.catalog.channels) {
            substitute(channel, substitution.base, bundle.name, file_.arena());
            channel.value = to_value(channel, file_.arena());
        }
        result_.catalog.bundles.push_back(bundle);
        if (is_valid_catalog()) return true;
        add_error(substitution.offset, fmt::format("with {} in place of {} the catalog is no longer valid",
                                                   bundle.name.text, substitution.base.text));
        return false;
    }

private:
    void add_error(uint32_t offset, std::string message) {
        result_.diagnostics.push_back(error("template", {&file_.file(), offset, 1}, std::move(message)));
    }

    void check(const Substitution& substitution) {
        if (substitution.name.empty())
            add_error(substitution.offset, "a substitution needs a name: the bundle image");
        if (substitution.base.empty())
            add_error(substitution.offset, "a substitution needs a base: the name of the bundle to replace");
        if (!substitution.name.empty() && substitution.name == substitution.base.text)
            add_error(substitution.offset, "name and base of a substitution are the same");
    }

    bool check_versions(const Substitution& substitution, const Bundle& bundle) {
        const std::vector<Bundle>& bundles = result_.catalog.bundles;
        const auto base = std::find_if(bundles.begin(), bundles.end(),
                                       [&](const Bundle& b) { return b.name == substitution.base.text; });
        if (base == bundles.end()) {
            add_error(substitution.base.offset, without_base(substitution));
            return false;
        }
        const auto old_version = version_of(*base);
        const auto new_version = version_of(bundle);
        if (!old_version || !new_version) {
            add_error(substitution.offset, fmt::format("bundle {} has no version to compare",
                                                       (old_version ? bundle : *base).name.text));
            return false;
        }
        if (*old_version < *new_version) return true;
        add_error(substitution.offset, fmt::format("bundle {} is not higher than {}, which it is to replace",
                                                   bundle.name.text, base->name.text));
        return false;
    }

    const TemplateFile& file_;
    LoadedCatalog& result_;
    Validity validity_;
    ThreadPool& pool_;
    Work work_;
};

} // namespace

LoadedCatalog render_substitutes(const TemplateFile& file, const LoadBundles& load, Validity validity,
                                 ThreadPool& pool) {
    LoadedCatalog result;
    decode_entries(file, result);
    for (Bundle& bundle : result.catalog.bundles) bundle.keep_unmodified = true;
    Substituter substituter(file, result, validity, pool);
    const std::vector<Substitution> substitutions = substituter.read();
    if (has_errors(result.diagnostics) || !substituter.is_valid_catalog()) return result;
    std::vector<BundleReference> references;
    references.reserve(substitutions.size());
    for (const Substitution& substitution : substitutions)
        references.push_back({substitution.name, {&file.file(), substitution.name.offset, 1}});
    const auto bundles = load_bundles(references, load, result);
    if (!bundles) {
        // One that an earlier substitution brings may be the base of a later one.
        if (substitutions.size() == 1) substituter.check_bases(substitutions);
        result.bundles_unknown = true;
        return result;
    }
    for (size_t i = 0; i < substitutions.size(); ++i)
        if (!substituter.apply(substitutions[i], (*bundles)[i])) break;
    return result;
}

} // namespace opcat
