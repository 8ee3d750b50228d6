// The rules of bundles: those that loading a bundle checks (lib/bundle), and those of `opcat bundle validate`
// (lib/bundle_checks).
#include "opcat/lint/rules.hpp"

namespace opcat {

std::span<const Rule> bundle_rules() {
    using enum Severity;
    static constexpr Rule table[] = {
        // Loading: lib/bundle
        {"bundle-file", warning, "every file of a bundle is read",
         "opm passes over manifests that it cannot decode, over all but the first document of a file, and "
         "over "
         "annotations of another form, and says nothing: the operator is then installed without them.",
         "manifests/service.yaml\n  kind Service", "Correct the file at the mark, or remove it."},
        {"bundle-csv", error, "a bundle has a ClusterServiceVersion",
         "It holds the name, the version and nearly all else that OLM knows of an operator.",
         "manifests/\n  widgets.example.com.crd.yaml",
         "Add the manifest. If it is there, a warning says why it was skipped."},
        {"bundle-crd", error, "the CustomResourceDefinitions that a bundle owns are among its manifests",
         "OLM creates them when it installs the operator. They are compared by name, version and kind.",
         "spec:\n  customresourcedefinitions:\n    owned:\n    - {name: widgets.example.com, version: v1, "
         "kind: "
         "Widget}",
         "Add the manifest, or correct the ClusterServiceVersion."},
        {"bundle-metadata", error, "a bundle's annotations name its package",
         "Without a file of annotations opm fails. With one that names no package, it renders nothing.",
         "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1",
         "Write operators.operatorframework.io.bundle.package.v1 into metadata/annotations.yaml."},
        {"bundle-property", error, "the properties of a bundle have the form of their type",
         "They are in metadata/properties.yaml, metadata/dependencies.yaml and the annotation olm.properties "
         "of "
         "the ClusterServiceVersion. An annotation that does not decode is ignored, which is a warning.",
         "properties:\n- type: olm.gvk\n  value: {group: 5}",
         "Give each field the type that its documentation says."},
        // The ClusterServiceVersion
        {"csv-api-version", error, "a ClusterServiceVersion has an apiVersion",
         "A cluster cannot create an object without one.",
         "kind: ClusterServiceVersion\nmetadata:\n  name: gizmo.v1.0.0",
         "Write \"apiVersion: operators.coreos.com/v1alpha1\"."},
        {"csv-name", error, "the name of a ClusterServiceVersion, and of the one that it replaces, is valid",
         "OLM makes names of objects and values of labels of it: up to 63 lower-case letters, digits, '-' "
         "and "
         "'.', "
         "with a letter or digit at both ends of every part.",
         "metadata:\n  name: Gizmo_1.0.0", "Name it PACKAGE.vVERSION, such as gizmo.v1.0.0."},
        {"csv-required-field", error, "a ClusterServiceVersion has what OLM needs to install it",
         "Without a displayName, an install strategy or deployments OLM refuses it or has nothing to "
         "install.",
         "spec:\n  displayName: \"\"\n  install: {}", "Add the field that the message names."},
        {"csv-install-modes", error, "a ClusterServiceVersion supports an install mode",
         "An operator is installed into a namespace only if it supports what the namespace's OperatorGroup "
         "selects. "
         "Without a supported mode it can be installed nowhere.",
         "installModes:\n- {type: OwnNamespace, supported: false}",
         "List OwnNamespace, SingleNamespace, MultiNamespace and AllNamespaces, and support at least one."},
        {"csv-conversion-webhook", error, "an operator with a conversion webhook supports AllNamespaces only",
         "A CustomResourceDefinition is there once in a cluster, and so is the webhook that converts its "
         "objects: a "
         "second installation of the operator would take it over.",
         "installModes:\n- {type: OwnNamespace, supported: true}\nwebhookdefinitions:\n- type: "
         "ConversionWebhook\n  "
         "conversionCRDs: [gizmos.example.com]",
         "Support AllNamespaces, and set \"supported: false\" for all others."},
        {"csv-min-kube-version", error, "spec.minKubeVersion is a version",
         "OLM compares it with the version of the cluster, and does not install the operator if it cannot "
         "read "
         "it.",
         "minKubeVersion: v1.22", "Write three numbers without a \"v\", such as 1.22.0."},
        {"csv-min-kube-version-missing", warning,
         "a ClusterServiceVersion says which version of Kubernetes it needs",
         "Without minKubeVersion the operator is offered to every cluster, however old.",
         "spec:\n  version: 1.0.0", "Add spec.minKubeVersion, such as 1.25.0."},
        {"csv-annotation-case", error, "annotations that OLM reads are in its spelling",
         "Letter case counts: OLM does not find the annotation.", "annotations:\n  olm.skiprange: <1.0.0",
         "Write olm.skipRange, olm.operatorGroup, olm.operatorNamespace, olm.targetNamespaces or "
         "olm.providedAPIs."},
        {"csv-properties-annotation", warning, "properties are in metadata/properties.yaml",
         "The annotation olm.properties is OLM's own: what is in it may be overwritten.",
         "annotations:\n  olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.12\"}]'",
         "Move the properties to metadata/properties.yaml."},
        {"csv-crd-name", error, "an owned CustomResourceDefinition is named PLURAL.GROUP",
         "The group of the API is taken from the name.",
         "customresourcedefinitions:\n  owned:\n  - {name: gizmos, version: v1, kind: Gizmo}",
         "Write the name of the CustomResourceDefinition, such as gizmos.example.com."},
        {"csv-examples", error, "the examples of a bundle are objects of the APIs that it provides",
         "Consoles offer the objects in the annotation alm-examples to users who create their first one. It "
         "is "
         "JSON: "
         "a list of objects, each with apiVersion and kind.",
         "annotations:\n  alm-examples: '{\"kind\": \"Gizmo\"}'",
         "Write a list of objects whose apiVersion and kind the bundle owns."},
        {"csv-example-missing", warning, "every API that a bundle provides has an example",
         "Consoles show an empty form to users who create an object of it.",
         "annotations:\n  alm-examples: '[]'",
         "Add an object of each owned API to the annotation alm-examples."},
        {"csv-version", error, "a ClusterServiceVersion has a version",
         "OperatorHub.io lists versions; 0.0.0 is what a missing version reads as.",
         "spec:\n  version: 0.0.0", "Write the version of the operator."},
        {"csv-provider", error, "a ClusterServiceVersion names its provider",
         "OperatorHub.io shows who is behind an operator.", "provider: {}", "Write spec.provider.name."},
        {"csv-maintainers", error, "maintainers have names and addresses",
         "OperatorHub.io shows whom to ask.", "maintainers:\n- {name: Jane, email: jane}",
         "Give each maintainer a name and an email address, such as jane@example.com."},
        {"csv-links", error, "links have names and URLs", "OperatorHub.io shows them.",
         "links:\n- {name: Documentation, url: example.com}",
         "Give each link a name, and a url that begins with https://."},
        {"csv-icon", error, "a ClusterServiceVersion has one icon of a common type",
         "OperatorHub.io shows GIF, JPEG, PNG and SVG images.",
         "icon:\n- {base64data: Qk0=, mediatype: image/bmp}",
         "Keep one icon with base64data and one of the media types image/gif, image/jpeg, image/png and "
         "image/svg+xml."},
        {"csv-icon-missing", warning, "a ClusterServiceVersion has an icon",
         "Users look for pictures in a list of hundreds of operators.", "spec:\n  displayName: Gizmo",
         "Add spec.icon with base64data and mediatype."},
        {"csv-capabilities", error, "the annotation capabilities is a capability level",
         "OperatorHub.io filters by it.", "annotations:\n  capabilities: Full",
         "Write Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot."},
        {"csv-categories", error, "the annotation categories has known categories",
         "OperatorHub.io and consoles list operators by category. Other hubs have others: --categories names "
         "a "
         "file.",
         "annotations:\n  categories: Databases", "Write categories of the list, separated by commas."},
        {"csv-deployments", error, "a ClusterServiceVersion has deployments", "They are what OLM runs.",
         "install:\n  strategy: deployment\n  spec: {}",
         "List the operator's Deployment in spec.install.spec.deployments."},
        {"csv-version-in-name", warning, "a ClusterServiceVersion is named PACKAGE.vVERSION",
         "People and tools read the version from the name.", "metadata:\n  name: gizmo-1.0",
         "Name it after package and version, such as gizmo.v1.0.0."},
        // CustomResourceDefinitions, as the API server validates them
        {"crd-metadata", error, "the metadata of a CustomResourceDefinition is valid",
         "The API server refuses the object otherwise, and the operator cannot be installed.",
         "metadata:\n  name: gizmo\nspec:\n  group: example.com\n  names: {plural: gizmos}",
         "Name it PLURAL.GROUP, and correct what the message names."},
        {"crd-names", error, "group and names of a CustomResourceDefinition are valid",
         "They become parts of URLs: lower-case letters, digits and '-'. The group is a domain.",
         "group: example\nnames: {plural: Gizmos, kind: Gizmo}", "Correct the name."},
        {"crd-scope", error, "a CustomResourceDefinition has a scope",
         "Objects are in namespaces, or belong to the cluster.", "scope: Namespace",
         "Write Namespaced or Cluster."},
        {"crd-versions", error, "a CustomResourceDefinition has valid versions, one of which is stored",
         "Names of versions are unique and begin with a letter. The API server stores objects in one "
         "version, "
         "and "
         "converts to the others. Only a deprecated version has a warning, which is short and printable.",
         "versions:\n- {name: v1, served: true, storage: false}", "Set \"storage: true\" for one version."},
        {"crd-shared-fields", error, "what is the same in all versions is written once",
         "In apiextensions.k8s.io/v1beta1 schema, subresources and columns belong to the definition or to "
         "single "
         "versions, never to both.",
         "subresources: {status: {}}\nversions:\n- {name: v1, subresources: {status: {}}}",
         "Keep one of the two, or use apiextensions.k8s.io/v1."},
        {"crd-preserve-unknown-fields", error, "a CustomResourceDefinition does not preserve unknown fields",
         "The API server does not create one that does. In apiextensions.k8s.io/v1beta1 it is the default.",
         "apiVersion: apiextensions.k8s.io/v1beta1", "Use apiextensions.k8s.io/v1."},
        {"crd-conversion", error, "the conversion of a CustomResourceDefinition can work",
         "A webhook needs an address (a service or an https URL) and the versions of ConversionReview that "
         "it "
         "understands; the strategy None has neither.",
         "conversion:\n  strategy: Webhook", "Complete the webhook, or write \"strategy: None\"."},
        {"crd-columns", error, "the printer columns of a CustomResourceDefinition are valid",
         "`kubectl get` shows them: each has a name, a type and a path that begins with a dot.",
         "additionalPrinterColumns:\n- {name: Size, type: int, jsonPath: spec.size}",
         "Use the types integer, number, string, boolean and date, and a path such as .spec.size."},
        {"crd-scale", error, "the subresource scale has paths to the replicas",
         "`kubectl scale` and autoscalers read and write there.",
         "subresources:\n  scale: {specReplicasPath: spec.replicas}",
         "Write paths below .spec, such as .spec.replicas."},
        {"crd-approval", error, "a group of Kubernetes is used with its approval",
         "Groups below k8s.io and kubernetes.io are reserved.", "group: gizmos.k8s.io",
         "Use a group of your own."},
        // The bundle as a whole
        {"bundle-crd-duplicate", error, "a bundle defines a version of an API once",
         "Two definitions contradict each other.", "manifests/gizmos.yaml\nmanifests/gizmos-copy.yaml",
         "Remove one of them."},
        {"bundle-crd-unowned", error,
         "the ClusterServiceVersion owns the CustomResourceDefinitions of its bundle",
         "OLM would create an API that nothing in the catalog provides.",
         "customresourcedefinitions:\n  owned: []", "Add it to the owned ones, or remove the manifest."},
        {"bundle-service-account", error, "a bundle does not bring the service accounts of its deployments",
         "OLM creates them from the permissions in the ClusterServiceVersion, and fails if they are there.",
         "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: gizmo-operator", "Remove the manifest."},
        {"bundle-size", error, "a bundle fits into a ConfigMap",
         "OLM stores the compressed files of a bundle in one while it unpacks it, and an object of "
         "Kubernetes "
         "has at "
         "most 1 MiB. Near the limit it is a warning.",
         "manifests/   # 1.2 MiB when it is compressed",
         "Shorten descriptions in the CustomResourceDefinitions."},
        // Objects among the manifests
        {"disruption-budget", error, "a PodDisruptionBudget lets nodes be drained",
         "Upgrades of a cluster drain its nodes one by one, and wait for ever for a budget that allows "
         "nothing.",
         "kind: PodDisruptionBudget\nspec:\n  maxUnavailable: 0", "Let at least one pod be unavailable."},
        {"disruption-budget-permission", warning, "an operator does not write PodDisruptionBudgets",
         "A budget that an operator creates can keep the nodes of a cluster from being drained.",
         "rules:\n- {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create]}",
         "Leave the rule out unless the operator cannot do without."},
        {"priority-class-default", error, "a PriorityClass of a bundle is not the cluster's default",
         "It would change the priority of all pods that have none.",
         "kind: PriorityClass\nglobalDefault: true", "Write \"globalDefault: false\"."},
        {"scc-permission", error, "an operator does not change OpenShift's own SecurityContextConstraints",
         "Other workloads depend on them, and upgrades of OpenShift overwrite them.",
         "rules:\n- apiGroups: [security.openshift.io]\n  resources: [securitycontextconstraints]\n  "
         "resourceNames: "
         "[restricted]\n  verbs: [update]",
         "Create one for the operator."},
        // APIs of Kubernetes
        {"removed-api", error, "a bundle uses APIs that Kubernetes has",
         "The operator cannot be installed on a cluster without them. It is an error if --kubernetes-version "
         "or "
         "spec.minKubeVersion is such a cluster, and a warning otherwise.",
         "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget",
         "Use the version that has replaced it, such as policy/v1."},
        {"removed-api-permission", warning, "permissions name APIs that Kubernetes has",
         "PodSecurityPolicies were removed in Kubernetes 1.25: an operator that uses them fails there.",
         "rules:\n- {apiGroups: [policy], resources: [podsecuritypolicies], verbs: [use]}",
         "Remove the rule."},
        {"kubernetes-version", error, "the version of Kubernetes to check for is a version",
         "It is given with --kubernetes-version, or in a question of --batch.",
         "{\"dir\": \"bundle\", \"kubernetesVersion\": \"new\"}", "Write a version such as 1.25."},
        // What is recommended
        {"container-requests", warning, "the containers of an operator request resources",
         "The scheduler cannot place a pod well if it does not know what it needs.",
         "containers:\n- name: manager\n  resources: {}", "Write resources.requests with cpu and memory."},
        {"crd-description", warning, "owned and required CustomResourceDefinitions are described",
         "Consoles show the description to users who choose an API.",
         "owned:\n- {name: gizmos.example.com, version: v1, kind: Gizmo}", "Add a description."},
        {"crd-permission", warning, "an operator does not create CustomResourceDefinitions",
         "OLM creates and upgrades those of the bundle. An operator that does so, too, works against it.",
         "rules:\n- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: "
         "[create]}",
         "Add the definitions to the bundle, and remove the rule."},
        {"bundle-channels", warning, "the names of channels say how stable they are",
         "Users choose by the name: candidate, fast and stable are known to all, and a version may follow.",
         "operators.operatorframework.io.bundle.channels.v1: alpha",
         "Begin the names with candidate, fast or stable."},
    };
    return table;
}

} // namespace opcat
