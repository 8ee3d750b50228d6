// Tar archives byte by byte, to make archives that no honest tool writes.
#pragma once

#include "opcat/base/file.hpp"
#include "opcat/image/tar_writer.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

class TarBuilder {
public:
    TarBuilder& file(std::string_view name, std::string_view content) {
        return entry('0', name, {}, content, content.size());
    }
    TarBuilder& directory(std::string_view name) { return entry('5', name, {}, {}, 0); }
    TarBuilder& symlink(std::string_view name, std::string_view target) {
        return entry('2', name, target, {}, 0);
    }
    TarBuilder& hard_link(std::string_view name, std::string_view target) {
        return entry('1', name, target, {}, 0);
    }
    // `said_size` may be wrong.
    TarBuilder& entry(char type, std::string_view name, std::string_view target, std::string_view content,
                      uint64_t said_size) {
        char header[512] = {};
        name.copy(header, 100);
        std::snprintf(header + 100, 8, "%07o", 0644);
        std::snprintf(header + 108, 8, "%07o", 0);
        std::snprintf(header + 116, 8, "%07o", 0);
        std::snprintf(header + 124, 13, "%011llo", static_cast<unsigned long long>(said_size));
        std::snprintf(header + 136, 12, "%011o", 0);
        header[156] = type;
        target.copy(header + 157, 100);
        std::memcpy(header + 257, "ustar\00000", 8);
        std::memset(header + 148, ' ', 8);
        unsigned sum = 0;
        for (const char c : header) sum += static_cast<unsigned char>(c);
        std::snprintf(header + 148, 8, "%06o", sum);
        bytes_.append(header, sizeof header);
        bytes_ += content;
        bytes_.append((512 - content.size() % 512) % 512, '\0');
        return *this;
    }
    // A header with attributes for the entry after it, each "path=long/name".
    TarBuilder& pax(const std::vector<std::string>& attributes) {
        std::string text;
        for (const std::string& attribute : attributes) {
            size_t length = attribute.size() + 3;
            while (std::to_string(length).size() + attribute.size() + 2 != length) ++length;
            text += std::to_string(length) + ' ' + attribute + '\n';
        }
        return entry('x', "pax", {}, text, text.size());
    }
    std::string bytes() const { return bytes_ + std::string(1024, '\0'); }
    const std::string& unfinished() const { return bytes_; }

private:
    std::string bytes_;
};

inline std::string pack(const std::string& bytes, Packing packing) {
    std::string packed;
    Packer packer(packing, 6, [&](std::string_view piece) { packed += piece; });
    packer.write(bytes);
    packer.finish();
    return packed;
}

inline void put(const std::filesystem::path& path, std::string_view bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string get(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// "No error", or the message of the error.
template <class Action>
std::string error_of(const Action& action) {
    try {
        action();
        return "no error";
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace opcat::image
