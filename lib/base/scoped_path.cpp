#include "base/scoped_path.hpp"

#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

namespace opcat {
namespace fs = std::filesystem;
namespace {

// The one place where the library knows something about the whole process: a signal does too.
struct Live {
    std::mutex mutex;
    std::vector<std::string> paths;
};

Live& live() {
    static Live* const all = new Live; // never destroyed: threads may still run when statics are
    return *all;
}

void remove(const std::string& path) {
    // What failed for a moment may work now; beyond that nothing can be done, and nobody is there to be told.
    for (int attempts = 0; attempts < 2; ++attempts) {
        std::error_code failed;
        fs::remove_all(path, failed);
        if (!failed) return;
    }
}

void forget(const std::string& path) {
    const std::lock_guard lock(live().mutex);
    std::erase(live().paths, path);
}

} // namespace

ScopedPath::ScopedPath(const std::function<std::string()>& make) {
    // Under the lock: no signal finds it made and not yet known.
    const std::lock_guard lock(live().mutex);
    live().paths.reserve(live().paths.size() + 1);
    path_ = make();
    live().paths.push_back(path_);
}

ScopedPath::~ScopedPath() {
    if (!kept_) remove(path_);
    forget(path_);
}

void ScopedPath::keep() {
    kept_ = true;
}

void remove_scoped_paths() {
    live().mutex.lock(); // and never unlocked
    for (const std::string& path : live().paths) {
        // Other threads may be putting files into it. Under another name they cannot, and it goes as a whole.
        const std::string gone = path + ".gone";
        std::error_code failed;
        fs::rename(path, gone, failed);
        remove(failed ? path : gone);
    }
}

} // namespace opcat
