// Tags of images that become digests.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace opcat {

// "sha256:…" by pull specs with tags.
using ImageDigests = std::map<std::string, std::string, std::less<>>;

// NAME@DIGEST; nothing for an image that has a digest already, or whose digest is not known.
std::optional<std::string> pinned(const std::string& image, const ImageDigests& digests);

// Pins the images that are written at these places; nothing if no digest is known.
Fix pin_images(std::span<const Location> places, const ImageDigests& digests);

} // namespace opcat
