// The upgrade graph against the resolvers of both OLMs. The input decides what is in a package that breaks
// all rules.
#include "../catalog/catalog_text.hpp"
#include "../olm/agreement.hpp"
#include "../olm/odd_package.hpp"
#include "fuzzing.hpp"

using namespace opcat;

FUZZ_TARGET(upgrades) {
    static ThreadPool pool(1);
    test::Choices choices(input);
    const std::string yaml = test::OddPackage(choices).yaml();
    test::GraphAgainstResolvers comparison;
    comparison.ask_about(load_text(yaml), pool);
    for (const std::string& sentence : comparison.disagreements) fuzz::require(false, sentence.c_str());
}
