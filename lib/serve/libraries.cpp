#include "opcat/serve/libraries.hpp"

namespace opcat::serve {

const Zlib& libz() {
    static const Zlib functions;
    return functions;
}

const EventCore& libevent() {
    static const EventCore functions;
    return functions;
}

const Nghttp2& libnghttp2() {
    static const Nghttp2 functions;
    return functions;
}

nghttp2_nv http2_header(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
        return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); // only read
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

} // namespace opcat::serve
