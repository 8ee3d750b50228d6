// Objects, pods and webhooks. Covers lib/admission.
#include "opcat/admission/admission.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

struct ObjectCase {
    const char* object; // JSON
    const char* words;  // in the API server's message; empty: it accepts the object
};

void check_words(const std::string& message, const char* words) {
    if (*words == '\0')
        CHECK(message == "");
    else
        CHECK_MESSAGE(message.find(words) != message.npos, message << " lacks " << words);
}

void check_object(const ObjectCase& c) {
    CAPTURE(c.object);
    const kube::Object object = kube::parse_object(c.object, "the object");
    check_words(admission::refusal_message(object, admission::refusals(object)), c.words);
}

} // namespace

TEST_CASE("names and labels of objects are refused as their kinds demand") {
    const ObjectCase cases[] = {
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a.b-c"}})", ""},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Bad_CM"}})",
         R"(ConfigMap "Bad_CM" is invalid: metadata.name: Invalid value: "Bad_CM": a lowercase RFC 1123 subdomain)"},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})",
         "metadata.name: Required value: name or generateName is required"},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}})", ""},
        {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a.b"},"spec":{"ports":[{"port":1}]}})",
         "a DNS-1035 label must consist of"},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"Role:a_b"}})", ""},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"a/b"}})",
         R"(Role.rbac.authorization.k8s.io "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/')"},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"a b"}}})",
         R"(metadata.labels: Invalid value: "a b": a valid label must)"},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{"a b":""}}})",
         "metadata.annotations: Invalid value"},
        {R"({"apiVersion":"example.com/v1","kind":"Gizmo","metadata":{"name":"A"}})",
         R"(Gizmo.example.com "A")"},
        // A kind of another group is not Kubernetes' own.
        {R"({"apiVersion":"serving.knative.dev/v1","kind":"Service","metadata":{"name":"a.b"}})", ""},
    };
    for (const ObjectCase& c : cases) check_object(c);
}

TEST_CASE("fields of objects are refused in the API server's words") {
    const ObjectCase cases[] = {
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":1}})",
         "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: data.a must be a string"},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a b":""}})",
         "data[a b]: Invalid value: \"a b\": a valid config key must consist of"},
        {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"..a":""}})",
         "must not start with"},
        {R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"type":"kubernetes.io/tls"})",
         "[data[tls.crt]: Required value, data[tls.key]: Required value]"},
        {R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"a":"b"}})", ""},
        {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{}})",
         "spec.ports: Required value"},
        {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"clusterIP":"None"}})", ""},
        {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":1},{"port":2}]}})",
         "spec.ports[0].name: Required value"},
        {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":70000}]}})",
         "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"},
        {R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"}})", ""},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"},
             "rules":[{"apiGroups":[""],"verbs":["get"]}]})",
         R"(ClusterRole.rbac.authorization.k8s.io "a" is invalid: rules[0].resources: Required value: resource rules must supply at least one resource)"},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"a"},
             "rules":[{"nonResourceURLs":["/x"],"verbs":["get"]}]})",
         R"(rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs)"},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"},
             "rules":[{"nonResourceURLs":["/x"],"verbs":["get"]}]})",
         ""},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"a"},
             "roleRef":{"kind":"Group","name":"b"}})",
         R"(roleRef.kind: Unsupported value: "Group": supported values: "Role", "ClusterRole")"},
        {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"a"},
             "roleRef":{"kind":"ClusterRole","name":"b"},"subjects":[{"kind":"ServiceAccount","name":"c"}]})",
         "subjects[0].namespace: Required value"},
        {R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"a"},
             "spec":{"minAvailable":1,"maxUnavailable":1}})",
         "minAvailable and maxUnavailable cannot be both set"},
        {R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"a"},
             "spec":{"minAvailable":"200%"}})",
         "must not be greater than 100%"},
        {R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"a"},"value":2000000000})",
         "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"},
        {R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"system-x"},"value":1})",
         "prefix are reserved for system use only"},
        {R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"a"},
             "spec":{"podSelector":{},"policyTypes":["In"],"ingress":[{"from":[{}],"ports":[{"port":0}]}]}})",
         "[spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, "
         "spec.ingress[0].from[0]: Required value: must specify a peer, spec.policyTypes[0]: Unsupported "
         "value"},
    };
    for (const ObjectCase& c : cases) check_object(c);
}

TEST_CASE("deployments are refused in the API server's words") {
    // The pod's labels, then its spec.
    const auto pod = [](const std::string& spec) {
        return R"({"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":)" +
               spec + "}}";
    };
    const auto container = [&](const std::string& fields) {
        return pod(R"({"containers":[{"name":"m","image":"i")" + fields + "}]}");
    };
    const auto with = [&](const std::string& fields) {
        return pod(R"({"containers":[{"name":"m","image":"i"}],)" + fields + "}");
    };
    const auto strategy = [&](const std::string& rolling) {
        return R"({"strategy":{"rollingUpdate":)" + rolling + "}," + container("").substr(1);
    };
    const std::pair<std::string, const char*> cases[] = {
        {container(""), ""},
        {R"({"selector":{"matchLabels":{"app":"one"}},"template":{"metadata":{"labels":{"app":"two"}},
             "spec":{"containers":[{"name":"m","image":"i"}]}}})",
         R"(Deployment.apps "mm" is invalid: spec.template.metadata.labels: Invalid value: {"app":"two"}: `selector` does not match template `labels`)"},
        {R"({"template":{"metadata":{"labels":{"app":"two"}},"spec":{"containers":[{"name":"m","image":"i"}]}}})",
         "spec.selector: Required value"},
        {R"({"selector":{},"template":{"spec":{"containers":[{"name":"m","image":"i"}]}}})",
         "empty selector is invalid for deployment"},
        {pod("{}"), "spec.template.spec.containers: Required value"},
        {pod(R"({"containers":[{"name":"m","image":"i"}],"restartPolicy":"Never"})"),
         R"(spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always")"},
        {pod(R"({"containers":[{"name":"m","image":"i"},{"name":"m","image":"i"}]})"),
         R"(spec.template.spec.containers[1].name: Duplicate value: "m")"},
        {pod(R"({"containers":[{"name":"M_","image":" i"}]})"),
         "must not have leading or trailing whitespace"},
        {container(R"(,"env":[{"name":"A=B","value":"x"}])"),
         "spec.template.spec.containers[0].env[0].name: Invalid value: \"A=B\": a valid environment variable "
         "name"},
        {container(R"(,"env":[{"name":"A","value":"x","valueFrom":{"fieldRef":{"fieldPath":"a"}}}])"),
         "may not be specified when `value` is not empty"},
        {container(R"(,"ports":[{"name":"a-very-long-port-name","containerPort":80}])"),
         "must be no more than 15 characters"},
        {container(R"(,"volumeMounts":[{"name":"v","mountPath":"/v"}])"),
         R"(spec.template.spec.containers[0].volumeMounts[0].name: Not found: "v")"},
        {container(R"(,"resources":{"requests":{"cpu":"200m"},"limits":{"cpu":"0.1"}})"),
         "must be less than or equal to cpu limit of 0.1"},
        {container(R"(,"resources":{"requests":{"memory":"64Mi"},"limits":{"memory":"1Gi"}})"), ""},
        {container(R"(,"livenessProbe":{})"), "must specify a handler type"},
        {container(R"(,"livenessProbe":{"httpGet":{"path":"/","port":"http"}})"), ""},
        {pod(R"({"containers":[{"name":"m","image":"i"}],"serviceAccountName":"Bad_SA"})"),
         "spec.template.spec.serviceAccountName: Invalid value: \"Bad_SA\""},
        {pod(R"({"containers":[{"name":"m","image":"i"}],"volumes":[{"name":"v","secret":{}}]})"),
         "spec.template.spec.volumes[0].secret.secretName: Required value"},
        {pod(R"({"containers":[{"name":"m","image":"i"}],"tolerations":[{"operator":"Equal"}]})"),
         "operator must be Exists when `key` is empty"},
        {strategy(R"({"maxSurge":0,"maxUnavailable":"0%"})"),
         R"(spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0)"},
        {strategy(R"({"maxSurge":0})"), ""},
        {strategy(R"({"maxSurge":"120%","maxUnavailable":"0%"})"), ""},
        {strategy(R"({"maxUnavailable":"110%"})"), "must not be greater than 100%"},
        {with("\"dnsPolicy\":\"None\""),
         "dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
        {with(R"("dnsPolicy":"None","dnsConfig":{"searches":["a"]})"), "at least one DNS nameserver"},
        {with(R"("dnsPolicy":"None","dnsConfig":{"nameservers":["10.0.0.1"]})"), ""},
        {with(R"("securityContext":{"seccompProfile":{"type":"Localhost"}})"),
         "spec.template.spec.securityContext.seccompProfile.localhostProfile: Required value: must be set "
         "when "
         "seccomp type is Localhost"},
        {with(R"("securityContext":{"seccompProfile":{"type":"RuntimeDefault"},"runAsUser":-1})"),
         "securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"},
        {container(R"(,"securityContext":{"privileged":true,"allowPrivilegeEscalation":false})"),
         "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"},
        {pod(R"({"hostNetwork":true,"containers":[{"name":"m","image":"i","ports":[{"containerPort":80,"hostPort":81}]}]})"),
         "ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"},
        {with(
             R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}})"),
         "must have at least one node selector term"},
        {with(R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
             {"weight":101,"preference":{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}}]}})"),
         "preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the "
         "range "
         "1-100"},
        {with(
             R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{}}]}})"),
         "podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can "
         "not "
         "be empty"},
        {with(R"("topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"z","whenUnsatisfiable":"Never"}])"),
         R"(whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway")"},
    };
    const kube::Object name = kube::parse_object(R"({"name":"mm"})", "the name");
    for (const auto& [text, words] : cases) {
        CAPTURE(text);
        const kube::Object spec = kube::parse_object(text, "the spec");
        const auto refusals = admission::deployment_refusals(name.at("name"), {}, spec);
        check_words(refusals.empty() ? "" : admission::invalid_message("Deployment.apps", "mm", refusals),
                    words);
    }
}

TEST_CASE("webhooks are refused in the API server's words") {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"generateName":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"]})", ""},
        {R"({"generateName":"a","sideEffects":"None","admissionReviewVersions":["v1"]})",
         R"(webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots)"},
        {R"({"generateName":"a.b.c","sideEffects":"Some","admissionReviewVersions":["v1"]})",
         R"(webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun")"},
        {R"({"generateName":"a.b.c","sideEffects":"None","admissionReviewVersions":["v2"]})",
         "must include at least one of v1, v1beta1"},
        {R"({"generateName":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"timeoutSeconds":31})",
         "the timeout value must be between 1 and 30 seconds"},
        {R"({"generateName":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"rules":[{}]})",
         "webhooks[0].rules[0].operations: Required value"},
        {R"({"generateName":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],
             "rules":[{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["*","pods"]}]})",
         "if '*' is present, must not specify other resources without subresources"},
    };
    for (const auto& [text, words] : cases) {
        CAPTURE(text);
        const kube::Object webhook = kube::parse_object(text, "the webhook");
        const auto refusals = admission::webhook_refusals(webhook, webhook.text("generateName"));
        check_words(refusals.empty() ? "" : admission::invalid_message("X", "x", refusals), words);
    }
}
