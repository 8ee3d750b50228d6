#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/bundle_checks/source.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <memory>

namespace opcat::bundle_checks {
namespace {

// The functions of libarchive that we use, by their names without "archive_".
struct Libarchive {
    SharedLibrary library{library::archive};
    decltype(&::archive_entry_free) entry_free = OPCAT_FUNCTION(library, archive_entry_free);
    decltype(&::archive_entry_new) entry_new = OPCAT_FUNCTION(library, archive_entry_new);
    decltype(&::archive_entry_set_filetype) entry_set_filetype =
        OPCAT_FUNCTION(library, archive_entry_set_filetype);
    decltype(&::archive_write_add_filter_gzip) write_add_filter_gzip =
        OPCAT_FUNCTION(library, archive_write_add_filter_gzip);
    decltype(&::archive_write_close) write_close = OPCAT_FUNCTION(library, archive_write_close);
    decltype(&::archive_write_data) write_data = OPCAT_FUNCTION(library, archive_write_data);
    decltype(&::archive_write_free) write_free = OPCAT_FUNCTION(library, archive_write_free);
    decltype(&::archive_write_header) write_header = OPCAT_FUNCTION(library, archive_write_header);
    decltype(&::archive_write_new) write_new = OPCAT_FUNCTION(library, archive_write_new);
    decltype(&::archive_write_open) write_open = OPCAT_FUNCTION(library, archive_write_open);
    decltype(&::archive_write_set_bytes_in_last_block) write_set_bytes_in_last_block =
        OPCAT_FUNCTION(library, archive_write_set_bytes_in_last_block);
    decltype(&::archive_write_set_format_raw) write_set_format_raw =
        OPCAT_FUNCTION(library, archive_write_set_format_raw);
};

// Loads it on the first call.
const Libarchive& libarchive() {
    static const Libarchive functions;
    return functions;
}

la_ssize_t count(archive* /*archive*/, void* total, const void* /*bytes*/, size_t size) {
    *static_cast<uint64_t*>(total) += size;
    return static_cast<la_ssize_t>(size);
}

} // namespace

uint64_t compressed_size(std::string_view bytes) {
    const Libarchive& lib = libarchive();
    const std::unique_ptr<archive, decltype(lib.write_free)> writer(lib.write_new(), lib.write_free);
    const std::unique_ptr<archive_entry, decltype(lib.entry_free)> entry(lib.entry_new(), lib.entry_free);
    uint64_t total = 0;
    const bool good = writer && entry && lib.write_add_filter_gzip(writer.get()) == ARCHIVE_OK &&
                      lib.write_set_format_raw(writer.get()) == ARCHIVE_OK &&
                      lib.write_set_bytes_in_last_block(writer.get(), 1) == ARCHIVE_OK &&
                      lib.write_open(writer.get(), &total, nullptr, count, nullptr) == ARCHIVE_OK;
    if (!good) throw Error("cannot compress a file of the bundle: there is not enough memory");
    lib.entry_set_filetype(entry.get(), AE_IFREG);
    if (lib.write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
        lib.write_data(writer.get(), bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size()) ||
        lib.write_close(writer.get()) != ARCHIVE_OK)
        throw Error("cannot compress a file of the bundle");
    return (total + 2) / 3 * 4; // base64
}

} // namespace opcat::bundle_checks
