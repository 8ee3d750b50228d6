// Files of catalogs, formatted: formatted text has the same values, and does not change when it
// is formatted again.
#include "fuzzing.hpp"
#include "opcat/authoring/format.hpp"
#include "opcat/base/error.hpp"

using namespace opcat;

FUZZ_TARGET(format) {
    try {
        const SourceFile file("file", input);
        const FormattedText once = format_file(file);
        if (!once.problems.empty()) return;
        const SourceFile written("file", once.text);
        const FormattedText twice = format_file(written);
        fuzz::require(twice.problems.empty() && !twice.changed, "formatting twice is formatting once");
    } catch (const Error&) {
        fuzz::require(false, "what is written reads back");
    }
}
