#include "opcat/policy/selection.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace opcat::policy {
namespace {

using Names = std::vector<std::string>;

std::string nearest(const std::string& name, const Names& known) {
    return did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
}

void append(Names& all, const Names& more) {
    all.insert(all.end(), more.begin(), more.end());
}

// The two sides of a change, or the repository alone.
class Sides {
public:
    Sides(const Repository& repository, const Repository* base) : sides_{&repository} {
        if (base) sides_.push_back(base);
    }

    void require_operator(const std::string& name) const {
        if (any([&](const Repository& side) { return side.find_operator(name) != nullptr; })) return;
        Names known;
        for (const Repository* const side : sides_)
            for (const std::string& one : side->operators())
                if (side->find_operator(one)) known.push_back(one);
        throw RequestError(fmt::format("the repository has no operator {}", go_quote(name)),
                           nearest(name, known));
    }

    void require_bundle(const std::string& owner, const std::string& name) const {
        Names known;
        for (const Repository* const side : sides_)
            if (const Operator* const found = side->find_operator(owner))
                for (const OperatorBundle& bundle : found->bundles()) known.push_back(bundle.directory());
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw RequestError(fmt::format("the operator {} has no bundle {}", owner, go_quote(name)),
                               nearest(name, known));
    }

    void require_catalog(const std::string& name) const {
        const size_t slash = name.find('/');
        if (slash == std::string::npos)
            throw RequestError(fmt::format("{} is not a catalog and an operator in it", go_quote(name)),
                               "write both: --affected-catalog v4.18/gizmo");
        const std::string catalog = name.substr(0, slash);
        const std::string owner = name.substr(slash + 1);
        if (any([&](const Repository& side) { return side.find_catalog(catalog, owner) != nullptr; })) return;
        Names known;
        for (const Repository* const side : sides_) append(known, side->catalog_operators());
        throw RequestError(
            fmt::format("the repository has no {} in a catalog {}", go_quote(owner), go_quote(catalog)),
            nearest(name, known));
    }

private:
    template <class Holds>
    bool any(const Holds& holds) const {
        return std::any_of(sides_.begin(), sides_.end(),
                           [&](const Repository* side) { return holds(*side); });
    }

    std::vector<const Repository*> sides_;
};

} // namespace

std::optional<RequestError> unknown_name_in(const StaticRequest& request, const Repository& repository,
                                            const Repository* base) {
    const Sides sides(repository, base);
    try {
        if (!request.operator_name.empty()) sides.require_operator(request.operator_name);
        for (const std::string& bundle : request.bundles) sides.require_bundle(request.operator_name, bundle);
        for (const std::string& catalog : request.catalogs) sides.require_catalog(catalog);
    } catch (const RequestError& error) {
        return error;
    }
    return std::nullopt;
}

void require_static_tests(const std::vector<std::string>& names, std::span<const Pipeline> policies) {
    Names known;
    for (const Pipeline policy : policies)
        for (const CheckInfo& info : checks_of(policy))
            if (info.task == static_tests_task) known.emplace_back(info.name);
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string near = nearest(name, known);
        throw RequestError(fmt::format("no static test of the policy has the name {}", go_quote(name)),
                           near.empty() ? "`opcat config show --policy POLICY` lists them" : near);
    }
}

} // namespace opcat::policy
