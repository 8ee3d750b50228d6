// The upgrade graph against the resolvers of both OLMs. The input decides what is in a package that breaks
// all rules.
#include "../catalog/catalog_text.hpp"
#include "../olm/agreement.hpp"
#include "../olm/odd_package.hpp"
#include "fuzzing.hpp"

using namespace opcat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static ThreadPool pool(1);
    test::Choices choices(fuzz::text_of(data, size));
    const std::string yaml = test::OddPackage(choices).yaml();
    test::GraphAgainstResolvers comparison;
    comparison.ask_about(load_text(yaml), pool);
    for (const std::string& sentence : comparison.disagreements) fuzz::require(false, sentence.c_str());
    return 0;
}
