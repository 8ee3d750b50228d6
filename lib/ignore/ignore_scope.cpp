#include "ignore/ignore_scope.hpp"

#include <cassert>
#include <utility>

namespace opcat {

void IgnoreScope::set_rules(IgnoreRules rules) {
    assert(!has_rules_);
    layers_.insert(layers_.begin() + static_cast<std::ptrdiff_t>(own_position_),
                   {std::make_shared<const IgnoreRules>(std::move(rules)), depth_});
    has_rules_ = true;
}

IgnoreScope IgnoreScope::enter(std::string_view name) const {
    IgnoreScope inner = *this;
    ++inner.depth_;
    if (has_rules_ && name > ignore_file_name) ++inner.own_position_;
    inner.has_rules_ = false;
    return inner;
}

bool IgnoreScope::is_ignored(std::span<const std::string_view> path, uint64_t& steps) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
        const auto verdict = layer->rules->verdict(path.subspan(layer->depth), steps);
        if (verdict != IgnoreRules::Verdict::none) return verdict == IgnoreRules::Verdict::ignored;
    }
    return false;
}

} // namespace opcat
