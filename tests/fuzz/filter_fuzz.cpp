// Filtering: what it keeps is valid, and no upgrade path is lost or new. The input decides on a package and a
// selection.
#include "../filter/promises.hpp"
#include "fuzzing.hpp"

using namespace opcat;

FUZZ_TARGET(filter) {
    static ThreadPool pool(1);
    test::Choices choices(input);
    const LoadedCatalog loaded = load_text(test::package_with_odd_edges(choices));
    if (!test::is_valid(loaded, pool)) return;
    test::FilterPromises promises;
    promises.ask_about(loaded, test::some_selection(index_packages(loaded.catalog).front(), choices), pool);
    for (const std::string& sentence : promises.broken) fuzz::require(false, sentence.c_str());
}
