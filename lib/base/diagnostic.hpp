// Source files, places in them, and findings about these places.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

struct Position {
    uint32_t line;   // from 1
    uint32_t column; // from 1, in Unicode code points, as editors count
};

// The bytes of one input, kept as long as anything refers to them. At least `SourceFile::padding` zero bytes
// follow, so that vector code may read past the end.
class SourceFile {
public:
    static constexpr size_t padding = 64;
    // Offsets have 32 bits; readers refuse larger files.
    static constexpr uint64_t max_size = 0xffff'fff0;

    // `path` is the name to show. `bytes` is copied.
    SourceFile(std::string path, std::string_view bytes);
    // Keeps `buffer`, which holds `size` bytes and then the padding, and which must not change any more.
    SourceFile(std::string path, std::shared_ptr<const char[]> buffer, size_t size);

    const std::string& path() const { return path_; }
    std::string_view bytes() const { return {buffer_.get(), size_}; }

    // Line and column of a byte. The first call counts through the file (linear); later calls look at a few
    // KB. Thread-safe.
    Position position(uint32_t offset) const;
    // The line (from 1) without its line break.
    std::string_view line(uint32_t number) const;

private:
    // Counts for all bytes before an offset.
    struct Counts {
        uint32_t line_breaks = 0;
        uint32_t characters = 0;
    };
    static constexpr size_t block = 4096;

    static Counts count(std::string_view text, Counts before);

    // Before each block of `block` bytes.
    const std::vector<Counts>& counts() const;
    Counts counts_before(size_t offset) const;
    // The offset of the line break after a line (from 1); the size of the file for the last line and for
    // lines beyond it.
    size_t end_of_line(uint32_t number) const;

    std::string path_;
    std::shared_ptr<const char[]> buffer_;
    size_t size_;
    mutable std::once_flag counted_;
    mutable std::vector<Counts> counts_;
};

// A range of bytes in a file; `length` 0 is a point. Without a file: made by the program.
struct Location {
    const SourceFile* file = nullptr;
    uint32_t offset = 0;
    uint32_t length = 0;

    explicit operator bool() const { return file != nullptr; }
};

// The text there. `where` must be in a file.
std::string_view text_of(const Location& where);

// Diagnostics are about the user's input: collected, never thrown. Errors of the environment are `Error`.
enum class Severity : uint8_t { error, warning, note };

std::string_view to_string(Severity severity);

struct Note {
    std::string message;
    Location where; // may be nowhere
};

// New text that replaces some bytes of a file.
struct TextEdit {
    Location where; // length 0: the text is inserted
    std::string text;
};

// The effect of a fix on the values that readers of a file see.
enum class FixEffect : uint8_t {
    none,     // readers see the same values
    text,     // each edit makes another text of a value
    key,      // each edit gives a key another name
    less,     // a document or an item of a list is gone
    more,     // a list has one item more
    readable, // a document that could not be read can be read
    metadata, // each edit removes an olm.bundle.object; one of a bundle makes olm.csv.metadata of them
};

// How to change the text of a file so that a finding disappears.
struct Fix {
    std::string title;           // what it does, as an order: "put 1.0 in quotes"
    std::vector<TextEdit> edits; // that do not overlap; empty: there is no fix
    bool safe = true;            // false: the author may have meant something else
    FixEffect effect = FixEffect::none;

    explicit operator bool() const { return !edits.empty(); }
};

// Which other findings of the same catalog are only consequences of a finding.
struct Explains {
    bool blob = false;                 // those about the blob
    Location blob_at = {};             // a place in the blob, if the finding is in another or in none
    bool upgrades = false;             // those about the upgrades in its channel and its package
    std::vector<std::string> packages; // in these packages those of rules that compare blobs

    explicit operator bool() const { return blob || upgrades || !packages.empty(); }
};

struct Diagnostic {
    Severity severity = Severity::error;
    std::string_view rule; // a stable id of static duration, from the table of rules
    std::string message;   // one sentence in lower case without a full stop
    Location where;
    std::vector<Note> notes;
    std::string help;     // what to do about it; may be empty
    Fix fix = {};         // only if it is certain
    size_t count = 1;     // more than 1 if it represents several
    bool is_rest = false; // it stands for findings that were only counted; at the place of the first of them
    Explains explains = {};
    bool hides_others =
        false; // because of it rules were not checked: whatever hides findings, it is reported
    std::string distinction = {}; // from other findings of the rule at this place; empty: there are none
};

// Findings in bounded memory. Of one rule and severity in one file the first `most` are kept in full, and one
// more stands for all the others: "and 999000 more findings of this rule in this file". Texts are cut at
// `longest` bytes. Hostile files have a finding in every few bytes.
class Diagnostics : public std::vector<Diagnostic> {
public:
    static constexpr size_t most = 1000;
    static constexpr size_t longest = 1000;

    using vector::vector;

    void push_back(Diagnostic finding);
    void append(Diagnostics more);

    // The number of findings that were ever added: unlike the size it grows with each of them.
    size_t added() const { return added_; }
    // The number of findings, those that are only counted included.
    size_t total() const;

    // push_back() and append() do this only now and then. O(n log n).
    void bound();

    // These findings, and their copies, keep alive what their places refer to.
    void keep(std::shared_ptr<const void> files) { kept_.push_back(std::move(files)); }

private:
    static constexpr size_t roomy = 4 * most;

    size_t added_ = 0;
    size_t bound_at_ = roomy;
    std::vector<std::shared_ptr<const void>> kept_;
};

// By file name, then position, then severity; findings without a place come first. Stable. Then bounds them.
void sort_by_place(Diagnostics& diagnostics);

bool has_errors(const Diagnostics& diagnostics);

// "FILE:LINE:COLUMN", without control characters; empty without a file.
std::string place_of(const Location& where);

struct DiagnosticStyle {
    bool colour = false;
    unsigned width = 0; // columns at which quoted lines are cut; 0: only very long ones
};

// The text in the manner of compilers: place, severity, message and rule; the line with the range marked;
// notes; help. Ends with a line break.
std::string to_text(const Diagnostic& diagnostic, const DiagnosticStyle& style);

} // namespace opcat
