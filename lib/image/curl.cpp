#include "image/curl.hpp"

namespace opcat::image {

const Curl& curl() {
    static const Curl functions;
    return functions;
}

} // namespace opcat::image
