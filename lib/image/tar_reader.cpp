#include "opcat/image/tar_reader.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/libarchive.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/gzip_reader.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <locale.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <exception>
#include <optional>

namespace opcat::image {
namespace {

constexpr size_t read_size = size_t{256} << 10;

// libarchive hands out names in the encoding of the locale. They are UTF-8, whatever the user's locale is.
class Utf8Locale {
public:
    Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
        if (locale_) before_ = ::uselocale(locale_);
    }
    ~Utf8Locale() {
        if (!locale_) return;
        ::uselocale(before_);
        ::freelocale(locale_);
    }
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;

private:
    locale_t locale_;
    locale_t before_ = nullptr;
};

class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path& path)
        : path_(path.string()),
          descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
        if (descriptor_ < 0) fail();
    }
    ~OutputFile() { ::close(descriptor_); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes, uint64_t offset) const {
        while (!bytes.empty()) {
            const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) fail();
            bytes.remove_prefix(static_cast<size_t>(n));
            offset += static_cast<uint64_t>(n);
        }
    }
    void set_size(uint64_t size) const {
        if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail();
    }

private:
    [[noreturn]] void fail() const {
        throw Error(fmt::format("cannot write {}: {}", path_, system_message(errno)));
    }
    std::string path_;
    int descriptor_;
};

TarEntry::Kind kind_of(archive_entry* entry) {
    if (libarchive().entry_hardlink(entry)) return TarEntry::Kind::hard_link;
    switch (libarchive().entry_filetype(entry)) {
    case AE_IFREG:
        return TarEntry::Kind::file;
    case AE_IFDIR:
        return TarEntry::Kind::directory;
    case AE_IFLNK:
        return TarEntry::Kind::symlink;
    default:
        return TarEntry::Kind::other;
    }
}

} // namespace

struct TarReader::Archive {
    archive* handle = libarchive().read_new();
    archive_entry* entry = nullptr;
    Utf8Locale locale;
    std::optional<GzipReader> gzip; // what is compressed otherwise, libarchive reads itself
    std::exception_ptr thrown;      // while libarchive was reading: exceptions must not pass through it
    Archive() = default;
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;
    ~Archive() { libarchive().read_free(handle); }

    static la_ssize_t read(archive*, void* self, const void** bytes) {
        auto& own = *static_cast<Archive*>(self);
        try {
            const std::string_view next = own.gzip->next();
            *bytes = next.data();
            return static_cast<la_ssize_t>(next.size());
        } catch (...) {
            own.thrown = std::current_exception();
            return ARCHIVE_FATAL;
        }
    }
};

TarReader::TarReader(const std::filesystem::path& file, UnpackBudget& budget)
    : budget_(budget), packed_before_(budget.packed_left), archive_(std::make_unique<Archive>()) {
    archive* const handle = archive_->handle;
    if (!handle) throw std::bad_alloc();
    libarchive().read_support_format_tar(handle);
    libarchive().read_support_format_empty(handle);
    int status = ARCHIVE_OK;
    if (GzipReader::is_gzip(file)) {
        archive_->gzip.emplace(file);
        status = libarchive().read_open(handle, archive_.get(), nullptr, &Archive::read, nullptr);
    } else {
        libarchive().read_support_filter_zstd(handle);
        status = libarchive().read_open_filename(handle, file.c_str(), read_size);
    }
    if (status != ARCHIVE_OK) fail("it is not an archive that can be read");
}

TarReader::~TarReader() = default;

void TarReader::fail(std::string_view doing) const {
    if (archive_->thrown) std::rethrow_exception(archive_->thrown);
    const char* const reason = libarchive().error_string(archive_->handle);
    throw Error(fmt::format("{}: {}", doing, reason ? printable(reason) : "it is damaged"));
}

void TarReader::charge() {
    const auto used =
        static_cast<uint64_t>(std::max<int64_t>(0, libarchive().filter_bytes(archive_->handle, 0)));
    if (used > packed_before_) too_large();
    budget_.packed_left = packed_before_ - used;
}

bool TarReader::next_block(const char*& bytes, size_t& size, uint64_t& offset) {
    const void* data = nullptr;
    int64_t at = 0;
    size = 0;
    int status = ARCHIVE_RETRY;
    while (status == ARCHIVE_RETRY)
        status = libarchive().read_data_block(archive_->handle, &data, &size, &at);
    if (status == ARCHIVE_EOF) return false;
    if (status < ARCHIVE_WARN) fail("an entry cannot be read");
    charge();
    bytes = static_cast<const char*>(data);
    offset = static_cast<uint64_t>(std::max<int64_t>(0, at));
    return true;
}

// Not libarchive's own skipping, which would read a bomb to its end in one call.
void TarReader::skip() {
    const char* bytes = nullptr;
    size_t size = 0;
    uint64_t offset = 0;
    while (next_block(bytes, size, offset)) {
    }
    data_pending_ = false;
}

bool TarReader::next(TarEntry& entry) {
    if (data_pending_) skip();
    int status = ARCHIVE_RETRY;
    while (status == ARCHIVE_RETRY)
        status = libarchive().read_next_header(archive_->handle, &archive_->entry);
    if (status == ARCHIVE_EOF) {
        if (archive_->gzip) read_to_end();
        return false;
    }
    if (status < ARCHIVE_WARN) fail("it is not a tar archive that can be read");
    charge();
    if (budget_.entries_left-- == 0)
        throw Error(fmt::format("the layers have more than {} entries", UnpackBudget::most_entries));
    const char* const path = libarchive().entry_pathname(archive_->entry);
    if (!path) throw Error("an entry has no name that can be read");
    entry.path = path;
    entry.kind = kind_of(archive_->entry);
    const char* const target =
        entry.kind == TarEntry::Kind::hard_link ? libarchive().entry_hardlink(archive_->entry)
        : entry.kind == TarEntry::Kind::symlink ? libarchive().entry_symlink(archive_->entry)
                                                : "";
    if (!target) throw Error(fmt::format("the link \"{}\" leads nowhere", printable(path)));
    entry.target = target;
    data_pending_ = true;
    return true;
}

// A damaged end of a layer is an error to container engines, even after the end of the archive in it.
void TarReader::read_to_end() {
    for (std::string_view bytes; !(bytes = archive_->gzip->next()).empty();) {
        if (bytes.size() > budget_.packed_left) too_large();
        budget_.packed_left -= bytes.size();
    }
}

void TarReader::too_large() const {
    throw Error(fmt::format("it unpacks to more than the limit of {} bytes", budget_.limit),
                "if that size is expected, raise the limit");
}

void TarReader::extract(const std::filesystem::path& to) {
    const auto said = static_cast<uint64_t>(std::max<int64_t>(0, libarchive().entry_size(archive_->entry)));
    const auto check = [&](uint64_t size) {
        if (size > budget_.files_left)
            throw Error(fmt::format("its files have more than the limit of {} bytes", budget_.limit),
                        "if that size is expected, raise the limit");
    };
    check(said);
    const OutputFile file(to);
    const char* bytes = nullptr;
    size_t size = 0;
    uint64_t offset = 0;
    uint64_t end = said;
    while (next_block(bytes, size, offset)) {
        if (offset > UINT64_MAX - size) fail("an entry cannot be read");
        end = std::max(end, offset + size);
        check(end);
        file.write({bytes, size}, offset);
    }
    file.set_size(end);
    budget_.files_left -= end;
    data_pending_ = false;
}

} // namespace opcat::image
