// A catalog of one file whose text is in the test.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

// The path is what findings name.
inline LoadedCatalog load_text(std::string_view text, std::string path = "catalog.yaml",
                               unsigned threads = 1) {
    ThreadPool pool(threads);
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::make_unique<SourceFile>(std::move(path), text));
    return load_catalog(std::move(files), pool);
}

} // namespace opcat
