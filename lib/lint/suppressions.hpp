// Comments that keep findings from being reported: "# opcat: ignore[RULE, RULE] reason". After something on
// a line, such a comment is for that line; on a line of its own for what begins on the next line (a field,
// an item of a list), and above a blob for all of the blob.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace opcat {

class Suppressions {
public:
    // Those among the remarks (find_remarks of document/source_details.hpp), whose files must live as long.
    explicit Suppressions(const std::vector<Location>& remarks);

    bool empty() const { return all_.empty() && problems_.empty(); }

    // Whether a comment says so, which is remembered.
    bool suppress(const Diagnostic& finding);

    // What is wrong with the comments themselves, findings of rule "suppression": words that are not
    // understood, rules that do not exist, and, of those for which `is_checked`, rules of which nothing was
    // suppressed. To be called last.
    Diagnostics findings(const std::function<bool(std::string_view rule, const Location&)>& is_checked) const;

private:
    struct Suppressed {
        std::string_view rule; // as it is written
        Location where;
        bool used = false;
    };
    struct Suppression {
        Location comment;
        uint32_t begin; // of what it is for
        uint32_t end;
        std::vector<Suppressed> rules;
    };

    void read(const Location& comment);

    std::vector<Suppression> all_;
    Diagnostics problems_;
};

} // namespace opcat
