// Which paths of an image are wanted.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

// A path as a label or a user gives it ("/configs/", "configs", "/a/../b"), within the root: "configs", "b";
// the root is "".
std::string path_in_image(std::string_view text);

class PathFilter {
public:
    // Normalised paths; each stands for itself and all below. The root wants everything.
    explicit PathFilter(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

    void add(const std::string& path) { wanted_.insert(path); }

    bool wants(std::string_view path) const;
    // Whether something wanted may lie below the path.
    bool leads_to_wanted(const std::string& path) const;

private:
    std::set<std::string, std::less<>> wanted_;
};

} // namespace opcat::image
