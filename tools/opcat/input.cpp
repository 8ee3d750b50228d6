#include "input.hpp"

#include "base/error.hpp"
#include "base/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace opcat {
namespace {

std::unique_ptr<SourceFile> read_standard_input() {
    // Nobody else would say that the program waits.
    if (::isatty(0)) std::fputs("reading standard input; end it with Ctrl-D on a line of its own\n", stderr);
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

} // namespace opcat
