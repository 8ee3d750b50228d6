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

} // namespace opcat::serve
