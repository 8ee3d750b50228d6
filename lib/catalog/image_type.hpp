// What an image file is, by its content.
#pragma once

#include <string_view>

namespace opcat {

// The media type ("image/png"): raster formats by their first bytes, SVG as XML whose root element is svg.
// Empty if the bytes are none of them.
std::string_view image_media_type(std::string_view bytes);

} // namespace opcat
