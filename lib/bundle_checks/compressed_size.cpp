#include "opcat/base/error.hpp"
#include "opcat/base/libarchive.hpp"
#include "opcat/bundle_checks/source.hpp"

#include <memory>

namespace opcat::bundle_checks {
namespace {

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
