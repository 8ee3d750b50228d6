// The pattern that the CustomResourceDefinition of ClusterExtension holds for a version. It has a few slips,
// which are kept: what it lets in decides what can be asked for.
#include "semver/constraint_scanner.hpp"
#include "semver/constraints.hpp"
#include "semver/identifiers.hpp"

#include <algorithm>
#include <optional>

namespace opcat::semver {
namespace {

constexpr size_t longest = 64;

// Where a number without leading zeros, or one of `wildcards`, ends that begins at `at`; `at` if none does.
size_t end_of_number(std::string_view text, size_t at, std::initializer_list<std::string_view> wildcards) {
    if (at == text.size()) return at;
    if (text[at] == '0') return at + 1;
    if (is_digit(text[at])) return std::min(text.size(), text.find_first_not_of("0123456789", at));
    for (const std::string_view wildcard : wildcards)
        if (text.substr(at).starts_with(wildcard)) return at + wildcard.size();
    return at;
}

// The same for one with a dot before it.
size_t end_of_dotted(std::string_view text, size_t at, std::initializer_list<std::string_view> wildcards) {
    if (at == text.size() || text[at] != '.') return at;
    const size_t end = end_of_number(text, at + 1, wildcards);
    return end == at + 1 ? at : end;
}

// Where the version of the first comparison, or of a later one, ends; nothing if none begins at `at`. Minor
// and patch may both be missing, one without the other too: that is how "1.*" comes to be taken.
std::optional<size_t> end_of_version(std::string_view text, size_t at, bool first) {
    if (at < text.size() && text[at] == 'v') ++at;
    const size_t major_end =
        first ? end_of_number(text, at, {"x", "X", "*", "|"}) : end_of_number(text, at, {"x", "X", "*]"});
    if (major_end == at) return std::nullopt;
    if (first) {
        at = end_of_dotted(text, major_end, {"x", "X", "*]"});
        at = end_of_dotted(text, at, {"x", "X", "*"});
    } else {
        // Nothing follows a version with "]", so "*]" is a patch with no minor before it.
        at = text.substr(major_end).starts_with(".*]") ? major_end
                                                       : end_of_dotted(text, major_end, {"x", "X", "*"});
        at = end_of_dotted(text, at, {"x", "X", "*]"});
    }
    return end_of_suffixes(text, at);
}

} // namespace

bool is_admitted_by_cluster_extension(std::string_view text) {
    if (text.size() > longest) return false;
    size_t at = skip_space(text, 0);
    for (bool first = true;; first = false) {
        const std::string_view op = operator_at(text, at);
        if (!is_operator(op)) return false;
        const auto end = end_of_version(text, skip_space(text, at + op.size()), first);
        if (!end) return false;
        at = skip_space(text, *end);
        if (at == text.size()) return true;
        const std::string_view rest = text.substr(at);
        if (rest.starts_with(','))
            at = skip_space(text, at + 1);
        else if (rest.starts_with("||"))
            at = skip_space(text, at + 2);
        else if (at == *end)
            return false;
    }
}

} // namespace opcat::semver
