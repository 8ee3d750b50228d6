// Comments that suppress findings: "# opcat: ignore[RULE, RULE] reason". At the end of a line it applies to
// that line; on a line of its own to the field or list item that begins on the next line, and above a blob or
// on the separator before it to the whole blob.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace opcat {

class Suppressions {
public:
    // The suppressions among the remarks (find_remarks of document/source_details.hpp), whose files must
    // outlive the object. `own_rules`: names of rules that are not in the table.
    Suppressions(const std::vector<Location>& remarks, std::vector<std::string_view> own_rules);

    bool empty() const { return all_.empty() && problems_.empty(); }

    // Returns true if a comment suppresses the finding; records that the comment was used.
    bool suppress(const Diagnostic& finding);

    // Mistakes in the comments, findings of rule "suppression": unknown words, rules that do not exist, and
    // rules, if `is_checked`, that suppressed nothing. To be called last.
    Diagnostics findings(const std::function<bool(std::string_view rule, const Location&)>& is_checked) const;

private:
    struct Suppressed {
        std::string_view rule; // as it is written
        Location where;
    };
    struct Suppression {
        Location comment;
        uint32_t begin; // of what it is for
        uint32_t end;
        std::vector<Suppressed> rules;
    };

    void read(const Location& comment);

    static constexpr size_t none = ~size_t{0};
    // A suppression between two places of a file.
    struct Span {
        const SourceFile* file;
        uint32_t begin;
        uint32_t end;
        size_t around = none;                    // the last span before it that ends after it begins
        std::map<std::string_view, bool> used{}; // by rule

        // Outer ones first.
        auto order() const { return std::tuple(file, begin, ~end); }
    };

    void find_spans();
    size_t span_of(const Suppression& suppression) const;

    std::vector<std::string_view> own_rules_;
    std::vector<Suppression> all_;
    std::vector<Span> spans_; // by file and beginning
    Diagnostics problems_;
};

} // namespace opcat
