// Standard output: data only, in large pieces.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// Whoever read our output has gone away (`| head`). Not a failure: the program ends quietly.
struct ClosedPipe {};

// A file descriptor written to through a buffer. Throws Error when writing fails, ClosedPipe when nobody
// reads.
class Output {
public:
    explicit Output(int descriptor) : descriptor_(descriptor) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view bytes);
    // To be called once at the end: what is still in the buffer is not written by the destructor, which could
    // not say that it failed.
    void flush();

private:
    static constexpr size_t buffer_size = size_t{256} * 1024;
    void write_through(std::string_view bytes);

    int descriptor_;
    bool is_large_ = false; // more was written than fits into a pipe
    std::string buffer_;
};

// The YAML of a report, which are made as JSON. `json` is one valid JSON value. Keys come out sorted, as
// everywhere in YAML that opcat writes.
std::string json_as_yaml(std::string_view json);

} // namespace opcat
