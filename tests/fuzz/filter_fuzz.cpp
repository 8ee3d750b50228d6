// Filtering: what it keeps is valid, and no upgrade path is lost or new. The input decides on a package and a
// selection.
#include "../filter/promises.hpp"
#include "fuzzing.hpp"

using namespace opcat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static ThreadPool pool(1);
    test::Choices choices(fuzz::text_of(data, size));
    const LoadedCatalog loaded = load_text(test::package_with_odd_edges(choices));
    if (!test::is_valid(loaded, pool)) return 0;
    test::FilterPromises promises;
    promises.ask_about(loaded, test::some_selection(index_packages(loaded.catalog).front(), choices), pool);
    for (const std::string& sentence : promises.broken) fuzz::require(false, sentence.c_str());
    return 0;
}
