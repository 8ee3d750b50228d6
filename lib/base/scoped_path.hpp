// Files and directories that must not outlive what made them, not even when a signal ends the program.
#pragma once

#include <functional>
#include <string>

namespace opcat {

// Something in the file system that is removed, with all that is in it, when the object goes.
//
// All live objects are known to `remove_scoped_paths`.
class ScopedPath {
public:
    // `make` makes the file or directory and returns its path; what it throws is passed on, and nothing is
    // then kept.
    explicit ScopedPath(const std::function<std::string()>& make);
    ~ScopedPath();
    ScopedPath(const ScopedPath&) = delete;
    ScopedPath& operator=(const ScopedPath&) = delete;

    const std::string& path() const { return path_; }
    // It has found its place (it was renamed), and stays.
    void keep();

private:
    std::string path_;
    bool kept_ = false;
};

// Removes what all live objects stand for. For a program that is about to end and whose other threads still
// run: any of them that wants to make or remove a ScopedPath afterwards waits until the end, so none of them
// gets to report that its files have gone.
void remove_scoped_paths();

} // namespace opcat
