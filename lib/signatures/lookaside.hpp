// Where signatures of images in registries are stored: containers-registries.d(5).
#pragma once

#include "opcat/base/pull_spec.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace opcat::signatures {

class SignatureStores {
public:
    // From the *.yaml of a directory, which need not exist. `usual` is the URL where the directory names
    // none. Throws Error with the file and the line.
    SignatureStores(const std::filesystem::path& directory, std::string usual);

    // The URL of the signatures of an image, without the "/signature-1" and so on. Of a repository and the
    // digest of a manifest.
    std::string lookaside(const PullSpec& image, const std::string& digest) const;
    // Whether they are also attached to the image, as cosign does it.
    bool are_attached(const PullSpec& image) const;

private:
    struct Settings {
        std::string lookaside; // empty: not set
        std::optional<bool> are_attached;
    };
    struct Reader;
    // Those for the image, the narrowest scope first, and the general ones.
    std::vector<const Settings*> settings_for(const PullSpec& image) const;

    std::map<std::string, Settings> by_scope_;
    std::optional<Settings> general_;
    std::string usual_;
};

} // namespace opcat::signatures
