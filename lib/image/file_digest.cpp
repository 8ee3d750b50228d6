#include "image/file_digest.hpp"

#include "support/digest.hpp"
#include "support/error.hpp"
#include "support/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace opcat::image {

std::string file_digest(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    std::vector<char> buffer(1 << 20);
    Sha256 hash;
    ssize_t n = descriptor < 0 ? -1 : 1;
    while (n > 0) {
        n = ::read(descriptor, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            hash.update({buffer.data(), static_cast<size_t>(n)});
    }
    const int failed = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (n < 0) throw Error(fmt::format("cannot read {}: {}", file.string(), system_message(failed)));
    return "sha256:" + hash.finish_hex();
}

} // namespace opcat::image
