#include "resolve/v1/deprecation.hpp"

#include <algorithm>

namespace opcat::olmv1 {

std::optional<DeprecationNotice> deprecation_notice(const Request& request, const Choice& choice) {
    if (!choice.deprecations) return std::nullopt;
    DeprecationNotice notice;
    notice.catalog = choice.deprecations_of->name;
    notice.entries = choice.deprecations->entries.size();
    for (const DeprecationEntry& entry : choice.deprecations->entries) {
        const auto is_requested = [&] {
            return request.channels.empty() || std::find(request.channels.begin(), request.channels.end(),
                                                         entry.name.text) != request.channels.end();
        };
        if (entry.schema == schema::package) notice.package = entry.message.text;
        if (entry.schema == schema::channel && is_requested())
            notice.channels[entry.name.text] = entry.message.text;
        if (entry.schema == schema::bundle && entry.name == choice.bundle->name())
            notice.bundle = entry.message.text;
        if (entry.schema == schema::bundle && request.installed && entry.name == request.installed->name)
            notice.installed = entry.message.text;
    }
    return notice;
}

} // namespace opcat::olmv1
