// The places where images are.
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/image/name.hpp"
#include "opcat/image/options.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

// Which attachments of images are copied: signatures are tags sha256-….sig of cosign, and referrers of the
// types of signatures.
enum class Attachments : uint8_t { all, signatures, none };

// Opens images by name, for reading and writing. Keeps connections, logins and what it knows about
// registries. Thread-safe; readers and writers must not outlive it.
class ImageStores {
public:
    explicit ImageStores(Options options);
    ~ImageStores();
    ImageStores(const ImageStores&) = delete;
    ImageStores& operator=(const ImageStores&) = delete;

    const Options& options() const;
    // Throw Error with a reason that does not name the image. Mirrors of registries are only used for
    // reading.
    // Of an image that the policy of signatures accepts.
    std::unique_ptr<ImageReader> reader(const Name& name);
    // Of what is attached to an image: it is not verified itself.
    std::unique_ptr<ImageReader> attachment(const Name& name);
    // Throws Error if the policy of signatures does not accept images in this directory.
    void check_directory(const std::string& directory);
    std::unique_ptr<ImageWriter> writer(const Name& name);
    // What is at the place to which `writer` writes; not verified.
    std::unique_ptr<ImageReader> target(const Name& name);
    // What is attached to an image, its platforms, and what is attached: in the same repository. Of a
    // registry only. Throws Error.
    struct Attached {
        std::vector<Name> names;
        bool is_complete = true; // else the registry does not let this account look for all
    };
    Attached attachments(const Name& image, Attachments wanted);
    // The images in a repository that tags name which `is_known` does not accept: digest to tag. Nothing if
    // the registry does not list all tags. Throws Error.
    std::optional<std::map<std::string, std::string>>
    named_by_others(const PullSpec& repository, const std::function<bool(std::string_view)>& is_known);
    // Removes an image from its registry; false if it does not exist.
    bool remove(const PullSpec& repository, const std::string& digest);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat::image
