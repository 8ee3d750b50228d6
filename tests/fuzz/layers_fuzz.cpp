// Layers: nothing is ever written outside the directory that they are unpacked to. "NEXT" separates
// layers.
#include "fuzzing.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/unpack.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

bool is_below(const fs::path& path, const fs::path& root) {
    return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

} // namespace

FUZZ_TARGET(layers) {
    static const TemporaryDirectory directory(fs::temp_directory_path());
    constexpr std::string_view next = "NEXT";
    const fs::path into = directory.path() / "into";
    fs::remove_all(into);
    fs::create_directory(into);
    std::vector<image::LayerFile> layers;
    for (std::string_view text = input; layers.size() < 8;) {
        const size_t end = std::min(text.find(next), text.size());
        const fs::path path = directory.path() / std::to_string(layers.size());
        std::ofstream(path, std::ios::binary) << text.substr(0, end);
        layers.push_back({path, "a layer"});
        if (end == text.size()) break;
        text.remove_prefix(end + next.size());
    }
    try {
        unpack(layers, {"configs", "manifests"}, uint64_t{1} << 20, into);
    } catch (const Error& error) {
        fuzz::require(*error.what() != '\0', "there is a reason");
        return;
    }
    const fs::path root = fs::canonical(into / "root");
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        std::error_code dangling;
        const fs::path real = fs::canonical(entry.path(), dangling);
        fuzz::require(dangling || is_below(real, root), "links stay in the root");
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(into))
        fuzz::require(entry.path().filename() == "root", "nothing is left next to the root");
}
