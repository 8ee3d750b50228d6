#include "opcat/lint/pinning.hpp"

#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <set>
#include <utility>

namespace opcat {

std::optional<std::string> pinned(const std::string& image, const ImageDigests& digests) {
    const auto known = digests.find(image);
    const auto spec = PullSpec::parse(image);
    if (known == digests.end() || !spec || !spec->digest().empty()) return std::nullopt;
    return spec->name() + "@" + known->second;
}

Fix pin_images(std::span<const Location> places, const ImageDigests& digests) {
    Fix fix{.title = {}, .edits = {}, .safe = true, .effect = FixEffect::text};
    std::set<std::pair<const SourceFile*, uint32_t>> seen;
    for (const Location& where : places) {
        if (!where || !seen.emplace(where.file, where.offset).second) continue;
        if (auto image = pinned(std::string(text_of(where)), digests))
            fix.edits.push_back({where, *std::move(image)});
    }
    if (fix.edits.empty()) return {};
    fix.title = fmt::format("pin {} to {}", counted(fix.edits.size(), "image"),
                            fix.edits.size() == 1 ? "its digest" : "their digests");
    return fix;
}

} // namespace opcat
