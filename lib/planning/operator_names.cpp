#include "opcat/planning/operator_names.hpp"

#include "opcat/base/error.hpp"
#include "opcat/olm/next_steps.hpp"

#include <fmt/core.h>

namespace opcat::planning {

OperatorNames::OperatorNames(const std::deque<PlatformCatalog>& catalogs, const MinorVersion& version,
                             ThreadPool& pool) {
    for (const PlatformCatalog& catalog : catalogs) {
        if (!olmv1::is_same_release(catalog.version, version)) continue;
        const std::vector<std::string_view> names = catalog.index->package_names();
        pool.for_each(names.size(), [&](size_t i) { (void)catalog.index->find(names[i]); });
        for (const std::string_view name : names) append_known_bundles(bundles_, *catalog.index->find(name));
    }
    known_.emplace(bundles_);
}

InstalledOperator OperatorNames::read(std::string_view text, OlmGeneration olm) const {
    InstalledOperator installed;
    installed.given = text;
    installed.olm = olm;
    const auto wrong = [&](std::string_view setting) {
        return RequestError(fmt::format("{}: \"{}\" is not a setting", text, setting),
                            "write NAME[@VERSION][,channel=C][,olm=v1][,namespace=N][,manual]");
    };
    std::string_view name = text.substr(0, text.find(','));
    for (std::string_view rest = text.substr(name.size()); !rest.empty();) {
        rest.remove_prefix(1);
        const std::string_view setting = rest.substr(0, rest.find(','));
        rest.remove_prefix(setting.size());
        const size_t equals = setting.find('=');
        const std::string_view key = setting.substr(0, equals);
        const std::string_view value =
            equals == setting.npos ? std::string_view() : setting.substr(equals + 1);
        if (setting == "manual")
            installed.by_hand = true;
        else if (value.empty())
            throw wrong(setting);
        else if (key == "channel")
            installed.channels.emplace_back(value);
        else if (key == "namespace")
            installed.ns = value;
        else if (const auto named = olm_generation_named(value); key == "olm" && named)
            installed.olm = *named;
        else
            throw wrong(setting);
    }
    if (installed.olm == OlmGeneration::classic && installed.channels.size() > 1)
        throw RequestError(fmt::format("{}: a Subscription has one channel", text));
    installed.given = name;
    try {
        const InstalledName found = known_->read(name, GoneBundle::with_version);
        installed.package = found.package;
        installed.bundle = found.name;
        installed.version = found.version;
    } catch (const RequestError& error) {
        installed.unknown = error.what();
        installed.unknown_hint = error.hint();
    }
    return installed;
}

} // namespace opcat::planning
