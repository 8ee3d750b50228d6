#include "catalog/catalog.hpp"

#include <algorithm>
#include <iterator>

namespace opcat {

Location Blob::at(const Text& text) const {
    if (!file) return {};
    const std::string_view rest = file->bytes().substr(std::min<size_t>(text.offset, file->bytes().size()));
    const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
    const bool as_it_is = !text.empty() && rest.substr(quoted ? 1 : 0).starts_with(text.text);
    if (!as_it_is) return {file, text.offset, 1};
    return {file, text.offset + (quoted ? 1 : 0), static_cast<uint32_t>(text.text.size())};
}

void append(Catalog& into, Catalog&& from) {
    const auto move_all = [](auto& to, auto& items) {
        if (to.empty())
            to = std::move(items);
        else
            to.insert(to.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    };
    move_all(into.packages, from.packages);
    move_all(into.channels, from.channels);
    move_all(into.bundles, from.bundles);
    move_all(into.deprecations, from.deprecations);
    move_all(into.others, from.others);
    move_all(into.storage, from.storage);
}

} // namespace opcat
