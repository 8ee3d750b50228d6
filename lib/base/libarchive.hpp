// libarchive, which is loaded when it is first used (shared_library.hpp).
#pragma once

#include "opcat/base/shared_library.hpp"

#include <archive.h>
#include <archive_entry.h>

namespace opcat {

// The functions that we use, by their names without "archive_".
struct Libarchive {
    SharedLibrary library{library::archive};
    decltype(&::archive_entry_filetype) entry_filetype = OPCAT_FUNCTION(library, archive_entry_filetype);
    decltype(&::archive_entry_free) entry_free = OPCAT_FUNCTION(library, archive_entry_free);
    decltype(&::archive_entry_hardlink) entry_hardlink = OPCAT_FUNCTION(library, archive_entry_hardlink);
    decltype(&::archive_entry_new) entry_new = OPCAT_FUNCTION(library, archive_entry_new);
    decltype(&::archive_entry_pathname) entry_pathname = OPCAT_FUNCTION(library, archive_entry_pathname);
    decltype(&::archive_entry_set_filetype) entry_set_filetype =
        OPCAT_FUNCTION(library, archive_entry_set_filetype);
    decltype(&::archive_entry_size) entry_size = OPCAT_FUNCTION(library, archive_entry_size);
    decltype(&::archive_entry_symlink) entry_symlink = OPCAT_FUNCTION(library, archive_entry_symlink);
    decltype(&::archive_error_string) error_string = OPCAT_FUNCTION(library, archive_error_string);
    decltype(&::archive_filter_bytes) filter_bytes = OPCAT_FUNCTION(library, archive_filter_bytes);
    decltype(&::archive_read_data) read_data = OPCAT_FUNCTION(library, archive_read_data);
    decltype(&::archive_read_data_block) read_data_block = OPCAT_FUNCTION(library, archive_read_data_block);
    decltype(&::archive_read_free) read_free = OPCAT_FUNCTION(library, archive_read_free);
    decltype(&::archive_read_new) read_new = OPCAT_FUNCTION(library, archive_read_new);
    decltype(&::archive_read_next_header) read_next_header =
        OPCAT_FUNCTION(library, archive_read_next_header);
    decltype(&::archive_read_open) read_open = OPCAT_FUNCTION(library, archive_read_open);
    decltype(&::archive_read_open_filename) read_open_filename =
        OPCAT_FUNCTION(library, archive_read_open_filename);
    decltype(&::archive_read_support_filter_gzip) read_support_filter_gzip =
        OPCAT_FUNCTION(library, archive_read_support_filter_gzip);
    decltype(&::archive_read_support_filter_zstd) read_support_filter_zstd =
        OPCAT_FUNCTION(library, archive_read_support_filter_zstd);
    decltype(&::archive_read_support_format_empty) read_support_format_empty =
        OPCAT_FUNCTION(library, archive_read_support_format_empty);
    decltype(&::archive_read_support_format_raw) read_support_format_raw =
        OPCAT_FUNCTION(library, archive_read_support_format_raw);
    decltype(&::archive_read_support_format_tar) read_support_format_tar =
        OPCAT_FUNCTION(library, archive_read_support_format_tar);
    decltype(&::archive_write_add_filter_gzip) write_add_filter_gzip =
        OPCAT_FUNCTION(library, archive_write_add_filter_gzip);
    decltype(&::archive_write_add_filter_zstd) write_add_filter_zstd =
        OPCAT_FUNCTION(library, archive_write_add_filter_zstd);
    decltype(&::archive_write_close) write_close = OPCAT_FUNCTION(library, archive_write_close);
    decltype(&::archive_write_data) write_data = OPCAT_FUNCTION(library, archive_write_data);
    decltype(&::archive_write_free) write_free = OPCAT_FUNCTION(library, archive_write_free);
    decltype(&::archive_write_header) write_header = OPCAT_FUNCTION(library, archive_write_header);
    decltype(&::archive_write_new) write_new = OPCAT_FUNCTION(library, archive_write_new);
    decltype(&::archive_write_open) write_open = OPCAT_FUNCTION(library, archive_write_open);
    decltype(&::archive_write_set_bytes_in_last_block) write_set_bytes_in_last_block =
        OPCAT_FUNCTION(library, archive_write_set_bytes_in_last_block);
    decltype(&::archive_write_set_filter_option) write_set_filter_option =
        OPCAT_FUNCTION(library, archive_write_set_filter_option);
    decltype(&::archive_write_set_format_raw) write_set_format_raw =
        OPCAT_FUNCTION(library, archive_write_set_format_raw);
};

// Loads it on the first call. Throws Error if it is not installed.
inline const Libarchive& libarchive() {
    static const Libarchive functions;
    return functions;
}

} // namespace opcat
