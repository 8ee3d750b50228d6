// Covers lib/cluster/status_report.cpp; tests/cluster has the command.
#include "opcat/cluster/status_report.hpp"

#include <doctest/doctest.h>

using namespace opcat::cluster;

TEST_CASE("an operator is a row, and what does not fit follows") {
    OperatorState state;
    state.package = "shop";
    state.ns = "ns";
    state.olm = Olm::v1;
    state.health = Health::failing;
    state.reason = "Failed\x1b";
    state.range = ">=1";
    CHECK(operators_as_rows(std::span(&state, 1)) ==
          "PACKAGE\tNAMESPACE\tOLM\tVERSION\tCHANNEL\tCATALOG\tSTATE\n"
          "shop\tns\tv1\t-\tversion >=1\t-\tFailed\\x1b\n");
    state.cause = "first\nsecond";
    CHECK(details_of(state).starts_with("\nns/shop:\n  first\n      second\n"));
}

TEST_CASE("a catalog that is not ready names what it holds up") {
    CatalogState catalog;
    catalog.name = "c";
    catalog.olm = Olm::v1;
    catalog.word = "Retrying";
    catalog.cause = "no route";
    CatalogOutage outage;
    outage.catalog = &catalog;
    outage.operators = {"ns/shop", "etcd"};
    CHECK(outage_as_text(outage) ==
          "\ncatalog c is not ready (Retrying): no route\n  holds up ns/shop, etcd\n");
}

TEST_CASE("a state has a step, and advice if something is to be done") {
    OperatorState state;
    state.package = "shop";
    state.ns = "ns";
    state.olm = Olm::classic;
    state.installed = "shop.v1";
    state.health = Health::ready;
    CHECK(step_of(state) == "shop.v1: Succeeded, waiting to see whether it lasts");
    CHECK(advice_for(state).empty());
    state.health = Health::waits;
    state.reason = "needs-approval";
    state.cause = "waits for approval";
    CHECK(step_of(state) == "waits for approval");
    CHECK(advice_for(state) == "opcat approve shop -n ns");
    state.olm = Olm::v1;
    CHECK(advice_for(state).empty());
}
