#include "image/partial_file.hpp"

#include "base/error.hpp"
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

namespace opcat::image {
namespace {

[[noreturn]] void fail(const std::string& path) {
    throw Error(fmt::format("cannot write {}: {}", path, system_message(errno)));
}

} // namespace

PartialFile::PartialFile(const std::filesystem::path& directory, const Descriptor& expected,
                         std::function<void(uint64_t)> on_bytes)
    : expected_(expected), on_bytes_(std::move(on_bytes)), scoped_path_([&] {
          std::string pattern = (directory / "XXXXXX").string();
          descriptor_ = ::mkostemp(pattern.data(), O_CLOEXEC);
          if (descriptor_ < 0) fail(pattern);
          return pattern;
      }) {}

PartialFile::~PartialFile() {
    ::close(descriptor_);
}

void PartialFile::write(std::string_view bytes) {
    if (bytes.size() > expected_.size - size_)
        throw Error(
            fmt::format("there is more of it than the {} bytes that the manifest says", expected_.size));
    hash_.update(bytes);
    size_ += bytes.size();
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(scoped_path_.path());
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    if (on_bytes_) on_bytes_(size_);
}

void PartialFile::restart() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail(scoped_path_.path());
    hash_ = Sha256();
    size_ = 0;
    checked_ = false;
    if (on_bytes_) on_bytes_(0);
}

void PartialFile::check() {
    if (checked_) return;
    if (size_ != expected_.size)
        throw Error(fmt::format("it has {} bytes, but the manifest says {}", size_, expected_.size));
    const std::string digest = "sha256:" + hash_.finish_hex();
    if (digest != expected_.digest)
        throw Error(fmt::format("its digest is {}, but the manifest says {}", digest, expected_.digest));
    checked_ = true;
}

void PartialFile::finish(const std::filesystem::path& place) {
    check();
    if (::rename(scoped_path_.path().c_str(), place.c_str()) != 0) fail(place.string());
    scoped_path_.keep();
}

} // namespace opcat::image
