// Where the registry of a CatalogSource is reached, and what kubectl prints about it.
// test_unpullable_catalogs.py does the rest.
#include "opcat/base/error.hpp"
#include "opcat/cluster/port_forward.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

using namespace opcat;
using namespace opcat::cluster;

namespace {

Object source(const std::string& address,
              const std::string& spec = R"({"image": "registry.example/people:v1"})") {
    return kube::parse_object(R"({"metadata": {"name": "people", "namespace": "olm"}, "spec": )" + spec +
                                  R"(, "status": {"connectionState": {"address": ")" + address + R"("}}})",
                              "a test");
}

Object pod(const std::string& name, const std::string& catalog, const std::string& phase) {
    return kube::parse_object(R"({"metadata": {"name": ")" + name +
                                  R"(", "namespace": "olm", "labels": {"olm.catalogSource": ")" + catalog +
                                  R"("}}, "status": {"phase": ")" + phase + R"("}})",
                              "a test");
}

std::string target(const Object& catalog, const std::vector<Object>& pods = {}) {
    try {
        const std::optional<ForwardTarget> found = registry_of(catalog, pods);
        return found ? found->ns + " " + found->resource + " " + found->port : "none";
    } catch (const Error& error) {
        return error.what();
    }
}

// What comes of a kubectl that does this.
std::string forwarded(const std::string& script) {
    const std::filesystem::path program = std::filesystem::temp_directory_path() / "opcat-test-kubectl";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    std::string result;
    try {
        result = PortForward(Kubectl({.program = program.string(), .call_timeout = std::chrono::seconds(10)}),
                             {"olm", "pod/people-x", "50051"})
                     .port();
    } catch (const Error& error) {
        result = error.what();
    }
    std::filesystem::remove(program);
    return result;
}

} // namespace

TEST_CASE("a registry is reached at a pod that runs, or else at its Service") {
    const Object catalog = source("people.olm.svc:50051");
    CHECK(target(catalog) == "olm service/people 50051");
    CHECK(target(catalog, {pod("a", "other", "Running"), pod("b", "people", "Pending"),
                           pod("c", "people", "Running")}) == "olm pod/c 50051");
    CHECK(target(source("people.olm.svc.cluster.local:7")) == "olm service/people 7");
    // A server of somebody else, whatever is labelled so.
    CHECK(target(source("local.shop.svc:50051", R"({"address": "local.shop.svc:50051"})"),
                 {pod("c", "people", "Running")}) == "shop service/local 50051");
}

TEST_CASE("an address that is not in the cluster is not reached, and becomes no argument") {
    for (const char* const address : {"registry.example:50051", "people.olm.svc", "people.olm.svcx:50051",
                                      "people.olm.svc:port", "people.olm.svc:123456", ":50051", ""})
        CHECK_MESSAGE(target(source(address)) == "none", address);
    CHECK(target(source("people.--kubeconfig=x.svc:1")).find("namespace") != std::string::npos);
    CHECK(target(source("pe/ople.olm.svc:1")).find("services") != std::string::npos);
}

TEST_CASE("kubectl's own words say why there is no port") {
    CHECK(forwarded("echo 'Forwarding from 127.0.0.1:4711 -> 50051'; exec sleep 60") == "4711");
    CHECK(forwarded("echo 'error: no such pod' >&2; exit 1") ==
          "cannot forward a port to pod/people-x in namespace olm: no such pod");
    CHECK(forwarded("echo surprise") ==
          "cannot forward a port to pod/people-x in namespace olm: kubectl printed \"surprise\"");
}
