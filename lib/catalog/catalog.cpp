#include "catalog/catalog.hpp"

#include <iterator>

namespace opcat {

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
