// The libraries that this binary runs with.
#pragma once

#include <string>
#include <vector>

namespace opcat {

struct Library {
    std::string name;    // as the library is called by its authors
    std::string version; // of what is loaded now; for libraries that are all headers, of what was compiled in
};

// Sorted by name.
std::vector<Library> libraries();

} // namespace opcat
