// Standard output: data only, in large pieces.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// The reader of our output has ended (`| head`). Not a failure: the program ends quietly.
struct ClosedPipe {};

// A file descriptor with a buffer. Throws Error if writing fails, ClosedPipe if the reader has ended.
class Output {
public:
    explicit Output(int descriptor) : descriptor_(descriptor) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view bytes);
    // To be called once at the end: the destructor does not write the rest of the buffer, because it could
    // not report a failure.
    void flush();
    // Returns true if writing has failed: the reason was thrown.
    bool has_failed() const { return has_failed_; }

private:
    static constexpr size_t buffer_size = size_t{256} * 1024;
    void write_through(std::string_view bytes);

    int descriptor_;
    bool has_failed_ = false;
    bool is_large_ = false; // more was written than fits into a pipe
    std::string buffer_;
};

// The YAML of a report, which are made as JSON. `json` is one valid JSON value. Keys come out sorted, as
// everywhere in YAML that opcat writes.
std::string json_as_yaml(std::string_view json);

} // namespace opcat
