#include "catalogs.hpp"
#include "opcat/base/base64.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::string max_of(std::string_view properties) {
    Cluster cluster;
    cluster.add("c", bundle_yaml("p", "1.0.0", properties));
    const auto max = max_openshift_version(*cluster.catalogs[0].index->find("p")->bundles[0].bundle);
    return !max ? max.error() : *max ? (*max)->to_string() : "none";
}

std::string property(std::string_view value) {
    return fmt::format("- type: olm.maxOpenShiftVersion\n  value: {}\n", value);
}

std::string annotation(std::string_view properties) {
    return fmt::format("- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.properties: '{}'\n",
                       properties);
}

} // namespace

TEST_CASE("the value is major.minor, as text or as a number") {
    constexpr std::string_view in = "error in bundle p.v1.0.0: error converting to semver for version ";
    CHECK(max_of("") == "none");
    CHECK(max_of(property("\"4.18\"")) == "4.18");
    CHECK(max_of(property("4.18")) == "4.18");
    CHECK(max_of(property("\"v4.18\"")) == std::string(in) + "\"v4.18\": invalid version format");
    CHECK(max_of(property("\"4.18.0\"")) == std::string(in) + "\"4.18.0\": invalid version format");
    CHECK(max_of(property("\"four.x\"")) ==
          std::string(in) + "\"four.x\": Invalid character(s) found in major number \"0four\"");
    CHECK(max_of(property("5")) ==
          std::string(in) + "5: invalid semver format \"5\": expected <major>.<minor>");
    CHECK(max_of(property("true")) ==
          std::string(in) + "true: invalid type bool for olm.maxOpenshiftVersion: true");
    CHECK(max_of(property("[1]")) ==
          std::string(in) + "[1]: invalid type []interface {} for olm.maxOpenshiftVersion: [1]");
    CHECK(max_of(property("\"4.18\"") + property("\"4.19\"")) ==
          "error in bundle p.v1.0.0: more than one olm.maxOpenShiftVersion found in bundle");
}

TEST_CASE("a number counts only in the digits of major.minor") {
    // In an annotation numbers keep their spelling.
    const auto of_number = [](std::string_view text) {
        return max_of(
            annotation(fmt::format(R"([{{"type": "olm.maxOpenShiftVersion", "value": {}}}])", text)));
    };
    for (const std::string_view good : {"4.18", "4.0", "14.10"}) CHECK(of_number(good) == good);
    for (const std::string_view bad : {"4", "0.5", "-4.1", "4.1e1", "4.01"}) {
        CAPTURE(bad);
        CHECK(of_number(bad) ==
              fmt::format("error in bundle p.v1.0.0: error converting to semver for version {0}: "
                          "invalid semver format \"{0}\": expected <major>.<minor>",
                          bad));
    }
}

TEST_CASE("the annotation olm.properties of the CSV is used if there is no property") {
    const std::string of_csv = annotation(R"([{"type": "olm.maxOpenShiftVersion", "value": "4.17"}])");
    CHECK(max_of(of_csv) == "4.17");
    CHECK(max_of("- {type: without-value}\n" + of_csv) == "4.17");
    CHECK(max_of(annotation(R"([{"type": "olm.maxOpenShiftVersion", "value": 4.10}])")) == "4.10");
    // Go decodes the text in its order.
    CHECK(max_of(annotation(
              R"([{"type": "x", "Type": "olm.maxOpenShiftVersion", "value": "4.16", "Value": "4.17"}])")) ==
          "4.17");
    CHECK(max_of(of_csv + property("\"4.18\"")) == "4.18");
    // Without olm.csv.metadata it is that of the CSV itself, wherever that comes among the manifests.
    const auto object = [](std::string_view kind, std::string_view max) {
        return fmt::format(
            "- type: olm.bundle.object\n  value: {{data: {}}}\n",
            encode_base64(fmt::format(
                R"({{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "{}", "metadata": {{"name": "p", )"
                R"("annotations": {{"olm.properties": "[{{\"type\":\"olm.maxOpenShiftVersion\",\"value\":\"{}\"}}]"}}}}}})",
                kind, max)));
    };
    CHECK(max_of(object("ConfigMap", "4.15") + object("ClusterServiceVersion", "4.16")) == "4.16");
    CHECK(max_of(object("ConfigMap", "4.15")) == "none");
    CHECK(max_of(annotation("[]")) == "none");
    for (const std::string_view bad : {"[] 1", "{}", "7"}) {
        CAPTURE(bad);
        CHECK(max_of(annotation(bad)) == "error in bundle p.v1.0.0: could not convert olm.properties: failed "
                                         "to unmarshal properties annotation: it "
                                         "is not a list of properties");
    }
    CHECK(max_of(annotation("{"))
              .starts_with("error in bundle p.v1.0.0: could not convert olm.properties: failed to "
                           "unmarshal properties annotation: "));
}

TEST_CASE("on a cluster OLM classic keeps the properties in an annotation of the CSV") {
    const auto of_csv = [](std::string_view text) {
        const auto max = max_openshift_version(text, "p.v1");
        return !max ? max.error() : *max ? (*max)->to_string() : "none";
    };
    CHECK(of_csv("") == "none");
    CHECK(of_csv(R"({"properties": [{"type": "olm.maxOpenShiftVersion", "value": "4.19"}]})") == "4.19");
    CHECK(of_csv(R"({"properties": [{"type": "olm.package", "value": {}}]})") == "none");
    CHECK(of_csv("{}").starts_with("error in bundle p.v1: could not convert olm.properties: "));
}

TEST_CASE("OpenShift 4.23 and 5.0 are one release") {
    const MinorVersion versions[] = {{4, 21}, {4, 22}, {4, 23}, {5, 0}, {5, 1}, {5, 2}};
    const char* const next[] = {"4.22", "4.23", "5.1", "5.1", "5.2", "5.3"};
    // For each version of a cluster (the rows), whether a maximum (the columns) allows the next one.
    const char* const allowed[] = {".yyyyy", "..yyyy", "....yy", "....yy", ".....y", "......"};
    for (size_t cluster = 0; cluster < std::size(versions); ++cluster) {
        CAPTURE(versions[cluster].to_string());
        CHECK(next_version(versions[cluster]).to_string() == next[cluster]);
        for (size_t max = 0; max < std::size(versions); ++max) {
            CAPTURE(versions[max].to_string());
            CHECK(allows(versions[max], next_version(versions[cluster])) == (allowed[cluster][max] == 'y'));
        }
    }
}

TEST_CASE("a cluster's version has a minor version") {
    CHECK(minor_version_of_cluster("4.18")->to_string() == "4.18");
    CHECK(minor_version_of_cluster("4").error() == "the minor version is missing");
}
