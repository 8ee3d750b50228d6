#include "opcat/catalog/source.hpp"

#include "opcat/base/once.hpp"

#include <utility>

namespace opcat {

struct Source::State {
    State(std::string name_, LoadedCatalog loaded_) : name(std::move(name_)), loaded(std::move(loaded_)) {}

    std::string name;
    LoadedCatalog loaded;
    Once indexed;
    std::vector<PackageIndex> packages;
};

Source::Source(std::string name, LoadedCatalog loaded)
    : state_(std::make_shared<State>(std::move(name), std::move(loaded))) {}

const std::string& Source::name() const {
    return state_->name;
}

const LoadedCatalog& Source::loaded() const {
    return state_->loaded;
}

const std::vector<PackageIndex>& Source::packages() const {
    state_->indexed.run([this] { state_->packages = index_packages(state_->loaded.catalog); });
    return state_->packages;
}

std::shared_ptr<const void> Source::owner() const {
    return state_;
}

LoadedCatalog Source::take() && {
    const std::shared_ptr<State> state = std::move(state_);
    if (state.use_count() == 1) return std::move(state->loaded);
    return state->loaded;
}

} // namespace opcat
