#include "catalogs.hpp"
#include "opcat/resolve/v1/cluster_extension.hpp"

#include <string>

using namespace opcat;
using namespace opcat::olmv1;

namespace {

std::vector<std::string> refused(const std::string& manifest, const OlmRelease& release = {}) {
    const SourceFile file("ext.yaml", manifest);
    Diagnostics problems;
    std::vector<std::string> messages;
    for (const ClusterExtension& extension : read_cluster_extensions(file, release, problems))
        for (const Diagnostic& finding : extension.findings) {
            CHECK(extension.is_refused() != (finding.severity == Severity::warning));
            const Position at = file.position(finding.where.offset);
            messages.push_back(fmt::format("{}:{}: {}", at.line, at.column, finding.message));
        }
    for (const Diagnostic& problem : problems) messages.push_back(problem.message);
    return messages;
}

std::string wrong_type(std::string_view place, std::string_view field, std::string_view found,
                       std::string_view type) {
    return fmt::format("{0}: {1}: Invalid value: \"{2}\": {1} in body must be of type {3}: \"{2}\"", place,
                       field, found, type);
}

constexpr std::string_view good = "apiVersion: olm.operatorframework.io/v1\n" // 1
                                  "kind: ClusterExtension\n"                  // 2
                                  "metadata: {name: gizmo}\n"                 // 3
                                  "spec:\n"                                   // 4
                                  "  namespace: gizmo-system\n"               // 5
                                  "  serviceAccount: {name: installer}\n"     // 6
                                  "  source:\n"                               // 7
                                  "    sourceType: Catalog\n"                 // 8
                                  "    catalog:\n"                            // 9
                                  "      packageName: gizmo-operator\n";      // 10

std::string with(std::string_view more) {
    return std::string(good) + std::string(more);
}

std::string changed(std::string_view from, std::string_view to) {
    std::string text(good);
    const size_t at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a manifest that the API server accepts becomes a request") {
    const SourceFile file(
        "ext.yaml",
        with("      version: '>=1.0.0 <2.0.0'\n"
             "      channels: [stable, fast]\n"
             "      upgradeConstraintPolicy: SelfCertified\n"
             "      selector:\n"
             "        matchLabels: {env: prod}\n"
             "        matchExpressions:\n"
             "        - {key: tier, operator: NotIn, values: [test]}\n"
             "status: {install: {bundle: {name: gizmo-operator.v1.0.0, version: 1.0.0, release: \"3\"}}}\n"
             "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: gizmo-system}\n"));
    Diagnostics problems;
    const auto extensions = read_cluster_extensions(file, {}, problems);
    CHECK(problems.empty());
    REQUIRE(extensions.size() == 1);
    CHECK(extensions[0].name == "gizmo");
    CHECK(extensions[0].findings.empty());
    const Request& request = extensions[0].request;
    CHECK(request.package == "gizmo-operator");
    CHECK(request.version == ">=1.0.0 <2.0.0");
    CHECK(request.channels == std::vector<std::string>{"stable", "fast"});
    CHECK(request.policy == Policy::self_certified);
    REQUIRE(request.selector);
    CHECK(request.selector->match_labels.at("env") == "prod");
    CHECK(request.selector->match_expressions[0].values[0] == "test");
    REQUIRE(request.installed);
    CHECK(request.installed->version == "1.0.0");
    CHECK(request.installed->release == "3");
}

TEST_CASE("several manifests are read one by one, whatever is between them") {
    const SourceFile file("ext.yaml", with("---\nkind: Namespace\n---\na: *b\n---\n") + std::string(good));
    Diagnostics problems;
    CHECK(read_cluster_extensions(file, {}, problems).size() == 2);
    CHECK(problems.size() == 1);
}

TEST_CASE("of two that contradict one another, it is not known which the cluster has") {
    const std::string older(good);
    const std::string newer = older + "status: {install: {bundle: {name: gizmo.v2, version: 2.0.0}}}\n";
    const SourceFile file("ext.yaml", older + "---\n" + older + "---\n" + newer);
    Diagnostics problems;
    const auto extensions = read_cluster_extensions(file, {}, problems);
    REQUIRE(extensions.size() == 3);
    CHECK_FALSE(extensions[1].is_refused()); // the same object
    REQUIRE(extensions[2].is_refused());
    CHECK(extensions[2].findings[0].message == "ClusterExtension gizmo is given twice, with different "
                                               "content: which one the cluster has is not known");
}

TEST_CASE("what kubectl lists is read, too") {
    const SourceFile file("list.json", R"({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}},
        {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "one"}},
        {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "two"}}]})");
    Diagnostics problems;
    const auto extensions = read_cluster_extensions(file, {}, problems);
    REQUIRE(extensions.size() == 2);
    CHECK(extensions[1].name == "two");
}

TEST_CASE("mistakes that the API server refuses are found with their places") {
    struct Case {
        std::string manifest;
        std::string message;
    };
    const std::string subdomain =
        "must be a valid DNS1123 subdomain. It must contain only lowercase alphanumeric "
        "characters, hyphens (-) or periods (.), start and end with an alphanumeric character, "
        "and be no longer than 253 characters";
    const Case cases[] = {
        {std::string(good.substr(0, good.find("spec:"))), "1:1: the ClusterExtension has no spec"},
        {with("      version: '1.2.3 - 1.3.0'\n"),
         "11:16: spec.source.catalog.version: Invalid value: \"1.2.3 - 1.3.0\": invalid version expression"},
        {with("      version: ''\n"),
         "11:16: spec.source.catalog.version: Invalid value: \"\": invalid version expression"},
        {with("      version: '>=" + std::string(63, '1') + "'\n"),
         "11:16: spec.source.catalog.version: Too long: may not be more than 64 bytes"},
        {with("      version: 1.5\n"),
         "11:16: spec.source.catalog.version: Invalid value: \"number\": "
         "spec.source.catalog.version in body must be of type string: \"number\""},
        {with("      channels: [Stable]\n"),
         "11:18: spec.source.catalog.channels[0]: Invalid value: \"Stable\": channels "
         "entries must be valid DNS1123 subdomains"},
        {with("      upgradeConstraintPolicy: selfCertified\n"),
         "11:32: spec.source.catalog.upgradeConstraintPolicy: Unsupported value: \"selfCertified\": "
         "supported values: "
         "\"CatalogProvided\", \"SelfCertified\""},
        {with("      chanels: [a]\n"), "11:7: unknown field \"spec.source.catalog.chanels\": with OLM v1 "
                                       "1.11 (standard feature set) the API "
                                       "server drops it, and kubectl refuses it"},
        {changed("packageName: gizmo-operator", "packageName: Gizmo"),
         "10:20: spec.source.catalog.packageName: Invalid value: \"Gizmo\": packageName " + subdomain},
        {changed("      packageName: gizmo-operator\n", "      channels: []\n"),
         "10:7: spec.source.catalog.packageName: Required value"},
        {changed("namespace: gizmo-system", "namespace: gizmo.system"),
         "5:14: spec.namespace: Invalid value: \"gizmo.system\": namespace must be a valid DNS1123 label"},
        {changed("  namespace: gizmo-system\n", ""), "5:3: spec.namespace: Required value"},
        {changed("{name: installer}", "{name: in_staller}"),
         "6:26: spec.serviceAccount.name: Invalid value: \"in_staller\": name " + subdomain},
        {changed("{name: installer}", "{}"),
         "6:19: spec.serviceAccount: Invalid value: 0: spec.serviceAccount in body should have at least 1 "
         "properties"},
        {changed("name: gizmo}", "nam: gizmo, name: g}"),
         "3:12: unknown field \"metadata.nam\": with OLM v1 1.11 (standard feature set) the API server drops "
         "it, and kubectl refuses it"},
        {changed("name: gizmo}", "labels: {}}"), "3:11: metadata.name: Required value"},
        {changed("sourceType: Catalog", "sourceType: Image"),
         "8:17: spec.source.sourceType: Unsupported value: \"Image\": supported values: \"Catalog\""},
        {changed("olm.operatorframework.io/v1\n", "olm.operatorframework.io/v1alpha1\n"),
         "1:13: no matches for kind \"ClusterExtension\" in version \"olm.operatorframework.io/v1alpha1\""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.manifest);
        const auto messages = refused(c.manifest);
        REQUIRE(messages.size() == 1);
        CHECK(messages[0] == c.message);
    }
}

TEST_CASE("each release and feature set has a schema of its own") {
    const auto dropped = [](std::string_view field, std::string_view olm) {
        return fmt::format("unknown field \"{}\": with {} the API server drops it, and kubectl refuses it",
                           field, olm);
    };
    const std::string config = "  config: {configType: Inline, inline: {watchNamespace: shop}}\n";
    const std::string empty = "  config: {configType: Inline, inline: {}}\n";
    const std::string deadline = "  progressDeadlineMinutes: ";
    const std::string in_body = "spec.progressDeadlineMinutes in body ";
    const std::string invalid = "spec.progressDeadlineMinutes: Invalid value: ";
    const std::string no_account = changed("  serviceAccount: {name: installer}\n", "");
    const struct {
        const char* release;
        const char* set;
        std::string manifest;
        std::string finding; // empty: none
    } cases[] = {
        {"1.11", "standard", with(config), dropped("spec.config", "OLM v1 1.11 (standard feature set)")},
        {"1.11", "experimental", with(config), ""},
        {"1.8", "standard", with(config), ""},
        {"1.7", "standard", with(config), dropped("spec.config", "OLM v1 1.7 (standard feature set)")},
        {"1.5", "experimental", with(config), ""},
        {"1.4", "experimental", with(config),
         dropped("spec.config", "OLM v1 1.4 (experimental feature set)")},
        {"1.7", "experimental", with(empty), ""},
        {"1.8", "experimental", with(empty),
         "spec.config.inline: Invalid value: 0: spec.config.inline in body should have at least 1 "
         "properties"},
        {"1.11", "experimental", with("  config: {configType: Inline}\n"),
         "spec.config: Invalid value: \"object\": inline is required when configType is Inline, and "
         "forbidden "
         "otherwise"},
        {"1.11", "experimental", with("  config: {inline: {a: b}}\n"),
         "spec.config.configType: Required value"},
        {"1.11", "experimental", with("  config: {configType: File, inline: {a: b}}\n"),
         "spec.config.configType: Unsupported value: \"File\": supported values: \"Inline\""},
        {"1.11", "experimental", with("  config: {configType: Inline, inline: 7}\n"),
         "spec.config.inline: Invalid value: \"integer\": spec.config.inline in body must be of type object: "
         "\"integer\""},
        {"1.11", "standard", with(deadline + "20\n"),
         dropped("spec.progressDeadlineMinutes", "OLM v1 1.11 (standard feature set)")},
        {"1.7", "experimental", with(deadline + "20\n"),
         dropped("spec.progressDeadlineMinutes", "OLM v1 1.7 (experimental feature set)")},
        {"1.8", "experimental", with(deadline + "10\n"), ""},
        {"1.11", "experimental", with(deadline + "720\n"), ""},
        {"1.11", "experimental", with(deadline + "9\n"),
         invalid + "9: " + in_body + "should be greater than or equal to 10"},
        {"1.11", "experimental", with(deadline + "721\n"),
         invalid + "721: " + in_body + "should be less than or equal to 720"},
        {"1.11", "experimental", with(deadline + "10.5\n"),
         invalid + "\"number\": " + in_body + "must be of type integer: \"number\""},
        {"1.11", "experimental", with(deadline + "'20'\n"),
         invalid + "\"string\": " + in_body + "must be of type integer: \"string\""},
        {"1.10", "standard", no_account, "spec.serviceAccount: Required value"},
        {"1.11", "standard", no_account, ""},
        {"1.11", "standard", changed("{name: installer}", "{name: ''}"),
         "spec.serviceAccount.name: Invalid value: \"\": spec.serviceAccount.name in body should be at least "
         "1 "
         "chars long"},
        {"1.10", "standard", changed("{name: installer}", "{}"), "spec.serviceAccount.name: Required value"},
        {"1.11", "standard", changed("name: gizmo}", "generateName: gizmo-}"), ""},
    };
    for (const auto& one : cases) {
        CAPTURE(one.release);
        CAPTURE(one.set);
        CAPTURE(one.manifest);
        const auto found = refused(one.manifest, OlmRelease::named(one.release, one.set));
        REQUIRE(found.size() == (one.finding.empty() ? 0 : 1));
        if (!found.empty()) CHECK(found[0].ends_with(one.finding));
    }
}

TEST_CASE("what is not a ClusterExtension is ignored, and a damaged one is refused at each damage") {
    struct {
        std::string_view manifest;
        std::vector<std::string> messages;
    } const cases[] = {
        {"", {}},
        {"---\n---\n", {}},
        {"[]", {}},
        {"kind: ClusterExtension", {}},
        {"a: [", {"while parsing a flow node: did not find expected node content"}},
        {"{\"kind\": 1}", {}},
        {"apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\n",
         {"1:1: metadata: Required value"}},
        {"apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nspec: 1\nmetadata: []\n",
         {wrong_type("4:11", "metadata", "array", "object"), wrong_type("3:7", "spec", "integer", "object")}},
        {"apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nspec: {source: {catalog: "
         "{selector: {matchLabels: [], matchExpressions: [1, {values: [1]}]}, channels: [1, {}]}}}\n",
         {"1:1: metadata: Required value", "3:7: spec.namespace: Required value",
          "3:16: spec.source.sourceType: Required value",
          "3:26: spec.source.catalog.packageName: Required value",
          wrong_type("3:105", "spec.source.catalog.channels[0]", "integer", "string"),
          wrong_type("3:108", "spec.source.catalog.channels[1]", "object", "string"),
          wrong_type("3:51", "spec.source.catalog.selector.matchLabels", "array", "object"),
          wrong_type("3:74", "spec.source.catalog.selector.matchExpressions[0]", "integer", "object"),
          "3:77: spec.source.catalog.selector.matchExpressions[1].key: Required value",
          "3:77: spec.source.catalog.selector.matchExpressions[1].operator: Required value",
          wrong_type("3:87", "spec.source.catalog.selector.matchExpressions[1].values", "integer",
                     "string")}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.manifest);
        CHECK(refused(std::string(c.manifest)) == c.messages);
    }
}

TEST_CASE("limits, what else is required, and help") {
    const auto channels = [](int count) {
        std::string list;
        for (int i = 0; i < count; ++i) list += fmt::format("{}c{}", i > 0 ? ", " : "", i);
        return with(fmt::format("      channels: [{}]\n", list));
    };
    const auto found = [](const std::string& manifest) {
        const SourceFile file("ext.yaml", manifest);
        Diagnostics problems;
        std::string text;
        for (const ClusterExtension& extension : read_cluster_extensions(file, {}, problems))
            for (const Diagnostic& finding : extension.findings)
                text +=
                    fmt::format("{}{}\n", finding.message, finding.help.empty() ? "" : " - " + finding.help);
        CHECK(problems.empty());
        return text;
    };
    const struct {
        std::string manifest, findings;
    } cases[] = {
        {channels(256), ""},
        {channels(257), "spec.source.catalog.channels: Too many: 257: must have at most 256 items\n"},
        {with("      channels: [4]\n"), "spec.source.catalog.channels[0]: Invalid value: \"integer\": "
                                        "spec.source.catalog.channels[0] in body must be of "
                                        "type string: \"integer\" - write it in quotes\n"},
        {with("      channels: [4, a, 5]\n"), "spec.source.catalog.channels[0]: Invalid value: \"integer\": "
                                              "spec.source.catalog.channels[0] in body "
                                              "must be of type string: \"integer\" - write it in quotes\n"
                                              "spec.source.catalog.channels[2]: Invalid value: \"integer\": "
                                              "spec.source.catalog.channels[2] in body "
                                              "must be of type string: \"integer\" - write it in quotes\n"},
        {with("      version: 1.5\n"), "spec.source.catalog.version: Invalid value: \"number\": "
                                       "spec.source.catalog.version in body must be of type "
                                       "string: \"number\" - write it in quotes\n"},
        {with("      version: [1.5]\n"), "spec.source.catalog.version: Invalid value: \"array\": "
                                         "spec.source.catalog.version in body must be of type "
                                         "string: \"array\"\n"},
        {with("      selector: 7\n"), "spec.source.catalog.selector: Invalid value: \"integer\": "
                                      "spec.source.catalog.selector in body must be of type "
                                      "object: \"integer\"\n"},
        {with("      version: '>=" + std::string(62, '1') + "'\n"), ""},
        {changed("    catalog:\n      packageName: gizmo-operator\n", ""),
         "spec.source: Invalid value: \"object\": catalog is required when sourceType is Catalog, and "
         "forbidden otherwise\n"},
        {with("  install: {}\n"), "spec.install: Invalid value: \"object\": at least one of [preflight] are "
                                  "required when install is specified\n"},
        {with("  install: {preflight: {crdUpgradeSafety: {enforcement: None}}}\n"), ""},
        {with("  install: {preflight: {crdUpgradeSafety: {enforcement: none}}}\n"),
         "spec.install.preflight.crdUpgradeSafety.enforcement: Unsupported value: \"none\": supported "
         "values: \"None\", \"Strict\" - did you mean None?\n"},
        {with("  install: {preflight: {crdUpgradeSafety: {}}}\n"),
         "spec.install.preflight.crdUpgradeSafety.enforcement: Required value\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.manifest);
        CHECK(found(c.manifest) == c.findings);
    }
    // An installed bundle counts only with its name and version, both texts.
    for (const auto& [bundle, counts] :
         {std::pair("{name: a.v1, version: 1.0.0}", true), std::pair("{name: a.v1}", false),
          std::pair("{version: 1.0.0}", false), std::pair("{name: a.v1, version: 1.5}", false),
          std::pair("{name: 7, version: 1.0.0}", false)}) {
        CAPTURE(bundle);
        const SourceFile file("ext.yaml", with(fmt::format("status: {{install: {{bundle: {}}}}}\n", bundle)));
        Diagnostics problems;
        const auto extensions = read_cluster_extensions(file, {}, problems);
        REQUIRE(extensions.size() == 1);
        CHECK(extensions[0].request.installed.has_value() == counts);
    }
}
