// The .indexignore files that apply in one directory of a walk.
#pragma once

#include "ignore/ignore_rules.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace opcat {

constexpr std::string_view ignore_file_name = ".indexignore";

// A walk makes one for the root, gives it the rules of the root's file if there is one, and then makes the
// scope of each directory from its parent's. A copy costs one pointer per file in force; the rules are
// shared.
//
// Rules of a deeper directory take precedence over those of a higher one. Where the deeper directory's name
// sorts before ".indexignore" it is the other way round, since opm puts patterns in the order in which a
// sorted walk finds them. A directory called .indexignore is a directory like any other.
class IgnoreScope { // as constructed: the scope of the root
public:
    // The rules of this directory's own file. At most once, and before any enter().
    void set_rules(IgnoreRules rules);

    // The scope of a subdirectory.
    IgnoreScope enter(std::string_view name) const;

    // `path` are the components of a file's path from the root of the walk. Adds the number of comparisons
    // made to `steps`.
    bool is_ignored(std::span<const std::string_view> path, uint64_t& steps) const;

private:
    struct Layer {
        std::shared_ptr<const IgnoreRules> rules;
        size_t depth; // components of the path that lead to the rules' directory
    };
    std::vector<Layer> layers_; // the weakest first
    size_t depth_ = 0;
    size_t own_position_ = 0; // in layers_, of this directory's rules, present or not
    bool has_rules_ = false;
};

} // namespace opcat
