#include "terminal/output.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/document/json_reader.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <unistd.h>

#include <cerrno>

namespace opcat {

void Output::write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > buffer_size) flush();
    if (bytes.size() >= buffer_size)
        write_through(bytes);
    else
        buffer_ += bytes;
}

void Output::flush() {
    write_through(buffer_);
    buffer_.clear();
}

void Output::write_through(std::string_view bytes) {
    if (!is_large_ && bytes.size() >= buffer_size / 2) {
        is_large_ = true;
        enlarge_pipe(descriptor_);
    }
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EPIPE) throw ClosedPipe();
        has_failed_ = n < 0;
        if (has_failed_) throw Error("cannot write to standard output: " + system_message(errno));
        bytes.remove_prefix(static_cast<size_t>(n));
    }
}

std::string json_as_yaml(std::string_view json) {
    const SourceFile file("report", json);
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    std::string text;
    if (const auto value = read_json(file, 0, arena, end, problem)) append_yaml(text, *value);
    return text;
}

} // namespace opcat
