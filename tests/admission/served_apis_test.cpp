#include "opcat/admission/served_apis.hpp"

#include <doctest/doctest.h>

using opcat::admission::ServedApis;

TEST_CASE("releases of Kubernetes serve what they have not removed") {
    struct ApiCase {
        const char* version;
        const char* kind;
        uint64_t first, last; // 1.MINOR that serves it, of those that are asked
    };
    const ApiCase cases[] = {
        {"v1", "ConfigMap", 20, 36},
        {"v1", "Nothing", 0, 0},
        {"policy/v1", "PodDisruptionBudget", 21, 36},
        {"policy/v1beta1", "PodDisruptionBudget", 20, 24},
        {"apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", 20, 21},
        {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 30, 36},
        {"autoscaling/v2beta2", "HorizontalPodAutoscaler", 20, 25},
        {"monitoring.coreos.com/v1", "ServiceMonitor", 0, 0},
    };
    for (const ApiCase& c : cases)
        for (uint64_t minor = 20; minor <= 36; ++minor) {
            CAPTURE(c.version);
            CAPTURE(minor);
            CHECK(ServedApis(minor).serves(c.version, c.kind) == (c.first <= minor && minor <= c.last));
        }
}

TEST_CASE("a cluster serves the kinds of its versions, and what is added") {
    ServedApis served(std::set<std::string>{"v1", "example.com/v1"});
    CHECK(served.serves("v1", "ConfigMap"));
    CHECK_FALSE(served.serves("v1", "Nothing"));
    CHECK(served.serves("example.com/v1", "Anything"));
    CHECK_FALSE(served.serves("example.com/v2", "Gizmo"));
    served.add("example.com", "v2", "Gizmo");
    CHECK(served.serves("example.com/v2", "Gizmo"));
}
