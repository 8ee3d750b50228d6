#include "input.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/lifecycle.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace opcat {
namespace {

// What has been read is gone: to the second who asks, it would seem empty.
std::unique_ptr<SourceFile> read_standard_input() {
    static bool is_read = false;
    if (std::exchange(is_read, true))
        throw RequestError("standard input can be read only once", "put one of its contents into a file");
    // Otherwise the program would seem to hang.
    if (::isatty(0))
        (void)std::fputs("reading standard input; end it with Ctrl-D on a line of its own\n", stderr);
    std::string bytes;
    constexpr size_t piece = size_t{64} * 1024;
    for (size_t filled = 0;;) {
        bytes.resize(filled + piece);
        const ssize_t n = ::read(0, bytes.data() + filled, piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw Error("cannot read standard input: " + system_message(errno));
        filled += static_cast<size_t>(n);
        bytes.resize(filled);
        if (n == 0) return std::make_unique<SourceFile>("stdin", bytes);
        if (filled > SourceFile::max_size) throw Error("cannot read standard input: it is larger than 4 GiB");
    }
}

} // namespace

std::unique_ptr<SourceFile> read_input(const std::string& path) {
    if (path == "-") return read_standard_input();
    return read_file(path, path);
}

std::unique_ptr<SourceFile> read_list(const std::string& path) {
    std::error_code ignored;
    if (path == "-" || !std::filesystem::is_directory(path, ignored)) return read_input(path);
    std::vector<std::filesystem::path> pieces;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(path, failed);
         !failed && at != std::filesystem::directory_iterator(); at.increment(failed))
        if (!at->path().filename().string().starts_with('.')) pieces.push_back(at->path());
    if (failed) throw Error(fmt::format("cannot read {}: {}", path, system_message(failed.value())));
    std::sort(pieces.begin(), pieces.end());
    std::string text;
    for (const auto& piece : pieces) text += read_file(piece, piece.string())->bytes();
    return std::make_unique<SourceFile>(path, text);
}

std::vector<std::string_view> entries_of_list(const SourceFile& file) {
    std::vector<std::string_view> all;
    for (std::string_view line : lines_of(file.bytes())) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        line = line.substr(0, std::min(line.find(" #"), line.find("\t#")));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (!line.empty() && line.front() != '#') all.push_back(line);
    }
    return all;
}

namespace {

// Reads a value in quotes, and leaves in `rest` what follows it.
std::string unquote(std::string_view& rest) {
    std::string value;
    rest.remove_prefix(1);
    for (;;) {
        const size_t quote = rest.find('"');
        if (quote == rest.npos) throw RequestError("a list has a quote that is not closed");
        value += rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (!rest.starts_with('"')) break;
        value += '"';
        rest.remove_prefix(1);
    }
    if (!rest.empty() && !rest.starts_with(','))
        throw RequestError("a list has text after a quoted value: a quote inside of quotes is written twice");
    return value;
}

} // namespace

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> values;
    if (text.empty()) return values;
    for (;;) {
        if (text.starts_with('"')) {
            values.push_back(unquote(text));
        } else {
            const std::string_view value = text.substr(0, text.find(','));
            if (value.find('"') != value.npos)
                throw RequestError("a list has a quote within a value: " + go_quote(value),
                                   "put the whole value in quotes, and write the quote inside twice");
            values.emplace_back(value);
            text.remove_prefix(value.size());
        }
        if (text.empty()) return values;
        text.remove_prefix(1);
    }
}

namespace {

// Returns the milliseconds of the unit at the beginning of `rest`, and removes it from there; 0 if there is
// none.
double take_unit(std::string_view& rest) {
    // "ms" before "m".
    constexpr std::pair<std::string_view, double> units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
    for (const auto& [unit, length] : units) {
        if (!rest.starts_with(unit)) continue;
        rest.remove_prefix(unit.size());
        return length;
    }
    return 0;
}

} // namespace

semver::Version read_kubernetes_version(const std::string& text, const std::string& example) {
    const auto version = semver::Version::parse_tolerant(text);
    // "1" would be 1.0, before all APIs, and "25" another Kubernetes.
    if (!version || version->major != 1 || text.find('.') == text.npos)
        throw RequestError(fmt::format("\"{}\" is not a version of Kubernetes", text), "write " + example);
    return *version;
}

std::optional<std::chrono::milliseconds> duration_of(std::string_view text) {
    double total = 0;
    while (!text.empty()) {
        double count = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (error != std::errc() || !(count >= 0)) return std::nullopt;
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        const double unit = take_unit(text);
        if (unit == 0) return std::nullopt;
        total += count * unit;
    }
    constexpr double longest = 1000.0 * 3'600'000;
    if (!(total >= 1 && total <= longest)) return std::nullopt;
    return std::chrono::milliseconds(static_cast<int64_t>(total));
}

std::chrono::year_month_day read_day(std::string_view text) {
    if (text.empty()) return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    if (const auto date = read_date(text)) return *date;
    throw RequestError(fmt::format("\"{}\" is not a day", text), "write it as 2026-01-31");
}

} // namespace opcat
