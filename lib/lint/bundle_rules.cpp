// The rules of bundles: those that loading a bundle checks (lib/bundle), and those of `opcat bundle validate`
// (lib/bundle_checks).
#include "opcat/lint/rules.hpp"

namespace opcat {

std::span<const Rule> bundle_rules() {
    using enum Severity;
    static constexpr Rule table[] = {
        // Loading: lib/bundle
        {"bundle-file", warning, "part of a bundle is ignored",
         "opm ignores manifests that it cannot decode, all but the first document of a file, and annotations "
         "of another form, without a message. The operator is then installed without them.",
         "manifests/service.yaml\n  kind Service", "Correct the file at the mark, or remove it."},
        {"bundle-csv", error, "a bundle does not have exactly one ClusterServiceVersion",
         "It holds the name, the version and nearly everything else that OLM knows of an operator.",
         "manifests/\n  widgets.example.com.crd.yaml",
         "Add the manifest. If it is there, a warning says why it was skipped."},
        {"bundle-crd", error, "a CustomResourceDefinition that a bundle owns is not among its manifests",
         "OLM creates the definitions when it installs the operator. They are compared by name, version and "
         "kind.",
         "spec:\n  customresourcedefinitions:\n    owned:\n    - {name: widgets.example.com, version: v1, "
         "kind: Widget}",
         "Add the manifest, or correct the ClusterServiceVersion."},
        {"bundle-metadata", error, "the annotations of a bundle do not name its package",
         "Without a file of annotations opm fails. If the file does not name the package, opm renders "
         "nothing.",
         "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1",
         "Write operators.operatorframework.io.bundle.package.v1 into metadata/annotations.yaml."},
        {"bundle-property", error, "a property of a bundle does not have the form of its type",
         "Properties come from metadata/properties.yaml, metadata/dependencies.yaml and the annotation "
         "olm.properties of the ClusterServiceVersion. An annotation that does not decode is ignored, which "
         "is a warning.",
         "properties:\n- type: olm.gvk\n  value: {group: 5}",
         "Give each field the type that its documentation says."},
        // Checks that opm and operator-sdk make before they look at the content, and files that they leave
        // out
        {"bundle-format", error, "a bundle lacks a folder or an annotation that opm and operator-sdk need",
         "`opm alpha bundle validate` and `operator-sdk bundle validate` refuse the bundle before they look "
         "at "
         "its content, and so do the pipelines of catalogs.",
         "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v2",
         "Have manifests/ and metadata/, and in metadata/annotations.yaml the media type registry+v1, both "
         "folders, the package and the channels."},
        {"bundle-annotation", warning, "an annotation of a bundle is misspelled, or says what cannot be",
         "opm accepts it, and nothing reads it as it is meant. A folder other than manifests/ is an error: "
         "operator-sdk reads the manifests there.",
         "annotations:\n  operators.operatorframework.io.bundle.channels.v1: stable, fast",
         "Write the annotation that the message names, and channels separated by commas without blanks."},
        {"bundle-dependency", error, "opm and operator-sdk refuse a dependency in metadata/dependencies.yaml",
         "They know olm.package with packageName and version, olm.gvk with group, version and kind, "
         "olm.label "
         "with label, and olm.constraint with cel. OLM also reads other constraints.",
         "dependencies:\n- type: olm.package\n  value: {packageName: gizmos}",
         "Write all fields of its type; put other constraints into metadata/properties.yaml."},
        {"openshift-versions", warning, "com.redhat.openshift.versions is not a range of versions",
         "It decides to which catalogs of OpenShift a bundle is added. It is an error if the last digit is "
         "gone "
         "because quotes are missing: 4.20 is the number 4.2.",
         "annotations:\n  com.redhat.openshift.versions: v4.18-v4.14",
         "Write v4.14 for it and all later versions, =v4.14, or v4.14-v4.18."},
        {"bundle-kind", error, "a manifest is of a kind that OLM does not install",
         "opm and operator-sdk refuse it, and OLM's install plan fails.",
         "manifests/deployment.yaml\n  kind: Deployment",
         "Remove the manifest. Deployments are in the ClusterServiceVersion."},
        {"object-metadata", error, "the metadata of a manifest is not valid",
         "opm and operator-sdk refuse it: it lacks a name, has a namespace, or labels that Kubernetes "
         "refuses.",
         "kind: ConfigMap\nmetadata:\n  name: settings\n  namespace: shop",
         "Correct the field at the mark. OLM sets the namespace."},
        {"manifest-field", warning, "a manifest has a field that its kind does not have",
         "The API server drops it without a message, and what it says does not happen. Names of fields are "
         "exact, also in their letter case. Known are the fields of Kubernetes 1.36. If the field that was "
         "meant "
         "is required, it is an error.",
         "containers:\n- name: gizmo\n  imagePullPolcy: Always", "Correct the name, or remove the field."},
        {"crd-size", error, "a CustomResourceDefinition is too large for etcd",
         "etcd refuses requests of more than 1.5 MiB unless it is configured otherwise. More than 1 MiB is a "
         "warning.",
         "kind: CustomResourceDefinition  # with a schema of 1.6 MiB",
         "Shorten or remove descriptions, or remove old versions."},
        {"crd-conversion-webhook", error,
         "a webhook that converts objects does not get a service or a certificate",
         "OLM makes the service and the certificate, and writes both into the definition, if the "
         "ClusterServiceVersion owns the definition and lists it in an entry of type ConversionWebhook. It "
         "is a "
         "warning if only the certificate is missing.",
         "spec:\n  conversion:\n    strategy: Webhook\n    webhook:\n      clientConfig: {service: {name: "
         "webhook-service, namespace: system}}",
         "Add an entry with conversionCRDs to spec.webhookdefinitions."},
        {"csv-replaces", error,
         "a ClusterServiceVersion replaces or skips itself, or something without a name",
         "Upgrades lead from one ClusterServiceVersion to another, by their names. A version instead of a "
         "name, and a newer version, are warnings.",
         "metadata:\n  name: gizmo.v1.1.0\nspec:\n  replaces: 1.0.0", "Write gizmo.v1.0.0."},
        {"csv-service-account", warning, "a deployment uses a service account that OLM does not make",
         "OLM makes the service accounts of spec.install.spec.permissions and clusterPermissions, and those "
         "among the manifests. Kubernetes does not start pods whose account does not exist, and the "
         "installation fails after some minutes.",
         "spec: {serviceAccountName: gizmo-operatr}",
         "Correct the name in the deployment, or add permissions for the account."},
        {"csv-install-mode", warning, "there is no such install mode, or it is listed twice",
         "OLM ignores modes that it does not know: the operator cannot be installed in that way.",
         "installModes:\n- {type: AllNamespace, supported: true}",
         "Write OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces."},
        {"csv-example-schema", warning, "the API server would refuse an example, or drop a part of it",
         "Consoles offer the examples in alm-examples to users as the start of their own objects. They are "
         "checked against the schema of their version, with its defaults.",
         "alm-examples: '[{\"apiVersion\": \"example.com/v1\", \"kind\": \"Gizmo\", \"spec\": {\"size\": "
         "\"large\"}}]'",
         "Correct the example, or the schema."},
        // The ClusterServiceVersion
        {"csv-api-version", error, "a ClusterServiceVersion does not have an apiVersion",
         "A cluster cannot create an object without one.",
         "kind: ClusterServiceVersion\nmetadata:\n  name: gizmo.v1.0.0",
         "Write \"apiVersion: operators.coreos.com/v1alpha1\"."},
        {"csv-name", error,
         "the name of a ClusterServiceVersion, or of the one that it replaces, is not valid",
         "OLM makes names of objects and values of labels from it: up to 63 lower-case letters, digits, "
         "\"-\" and \".\", with a letter or digit at both ends of every part.",
         "metadata:\n  name: Gizmo_1.0.0", "Name it PACKAGE.vVERSION, such as gizmo.v1.0.0."},
        {"csv-required-field", error, "a ClusterServiceVersion lacks a field that OLM needs",
         "Without a displayName, an install strategy or deployments, OLM refuses it or installs nothing.",
         "spec:\n  displayName: \"\"\n  install: {}", "Add the field that the message names."},
        {"csv-install-modes", error, "a ClusterServiceVersion does not support any install mode",
         "An operator can only be installed into a namespace if it supports what the OperatorGroup of the "
         "namespace selects. Without a supported mode it cannot be installed.",
         "installModes:\n- {type: OwnNamespace, supported: false}",
         "List OwnNamespace, SingleNamespace, MultiNamespace and AllNamespaces, and support at least one."},
        {"csv-conversion-webhook", error,
         "an operator with a conversion webhook supports other modes than AllNamespaces",
         "A cluster has one copy of a CustomResourceDefinition, and so of the webhook that converts its "
         "objects: a second installation of the operator would take it over.",
         "installModes:\n- {type: OwnNamespace, supported: true}\nwebhookdefinitions:\n- type: "
         "ConversionWebhook\n  conversionCRDs: [gizmos.example.com]",
         "Support AllNamespaces, and set \"supported: false\" for all other modes."},
        {"csv-min-kube-version", error, "spec.minKubeVersion is not a version",
         "OLM compares it with the version of the cluster. If OLM cannot read it, it does not install the "
         "operator.",
         "minKubeVersion: v1.22", "Write three numbers without a \"v\", such as 1.22.0."},
        {"csv-min-kube-version-missing", warning,
         "a ClusterServiceVersion does not say which version of Kubernetes it needs",
         "Without minKubeVersion the operator is offered to every cluster, however old.",
         "spec:\n  version: 1.0.0", "Add spec.minKubeVersion, such as 1.25.0."},
        {"csv-annotation-case", error, "an annotation of OLM is misspelled",
         "Letter case matters: OLM does not find the annotation.", "annotations:\n  olm.skiprange: <1.0.0",
         "Write olm.skipRange, olm.operatorGroup, olm.operatorNamespace, olm.targetNamespaces or "
         "olm.providedAPIs."},
        {"csv-properties-annotation", warning, "properties are in the annotation olm.properties",
         "The annotation belongs to OLM, which may overwrite it.",
         "annotations:\n  olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.12\"}]'",
         "Move the properties to metadata/properties.yaml."},
        {"csv-crd-name", error, "the name of an owned CustomResourceDefinition is not PLURAL.GROUP",
         "OLM reads the group of the API from the name.",
         "customresourcedefinitions:\n  owned:\n  - {name: gizmos, version: v1, kind: Gizmo}",
         "Write the name of the CustomResourceDefinition, such as gizmos.example.com."},
        {"csv-examples", error, "an example of a bundle is not an object of an API that it provides",
         "Consoles offer the objects in the annotation alm-examples to users who create their first one. It "
         "is JSON: a list of objects, each with apiVersion and kind.",
         "annotations:\n  alm-examples: '{\"kind\": \"Gizmo\"}'",
         "Write a list of objects whose apiVersion and kind the bundle owns."},
        {"csv-example-missing", warning, "an API that a bundle provides does not have an example",
         "Consoles show an empty form to users who create an object of it.",
         "annotations:\n  alm-examples: '[]'",
         "Add an object of each owned API to the annotation alm-examples."},
        {"csv-version", error, "a ClusterServiceVersion does not have a version",
         "OperatorHub.io lists versions; a missing version is read as 0.0.0.", "spec:\n  version: 0.0.0",
         "Write the version of the operator."},
        {"csv-provider", error, "a ClusterServiceVersion does not name its provider",
         "OperatorHub.io shows who provides an operator.", "provider: {}", "Write spec.provider.name."},
        {"csv-maintainers", error, "a maintainer does not have a name or a valid address",
         "OperatorHub.io shows users whom they can ask.", "maintainers:\n- {name: Jane, email: jane}",
         "Give each maintainer a name and an email address, such as jane@example.com."},
        {"csv-links", error, "a link does not have a name or a valid URL", "OperatorHub.io shows links.",
         "links:\n- {name: Documentation, url: example.com}",
         "Give each link a name, and a url that begins with https://."},
        {"csv-icon", error, "a ClusterServiceVersion does not have exactly one icon of a common type",
         "OperatorHub.io shows GIF, JPEG, PNG and SVG images. A slip of such a type, and data that is not "
         "base64, are warnings everywhere.",
         "icon:\n- {base64data: Qk0=, mediatype: image/bmp}",
         "Keep one icon with base64data and one of the media types image/gif, image/jpeg, image/png and "
         "image/svg+xml."},
        {"csv-icon-missing", warning, "a ClusterServiceVersion does not have an icon",
         "Icons help users to find an operator in a list of hundreds.", "spec:\n  displayName: Gizmo",
         "Add spec.icon with base64data and mediatype."},
        {"csv-capabilities", error, "the annotation capabilities is not a capability level",
         "OperatorHub.io filters by it.", "annotations:\n  capabilities: Full",
         "Write Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot."},
        {"csv-categories", error, "the annotation categories has an unknown category",
         "OperatorHub.io and consoles list operators by category. Other hubs have other categories: "
         "--categories names a file of them.",
         "annotations:\n  categories: Databases", "Write categories of the list, separated by commas."},
        {"csv-deployments", error, "a ClusterServiceVersion does not have deployments",
         "OLM runs the deployments.", "install:\n  strategy: deployment\n  spec: {}",
         "List the operator's Deployment in spec.install.spec.deployments."},
        {"csv-version-in-name", warning, "the name of a ClusterServiceVersion is not PACKAGE.vVERSION",
         "People and tools read the version from the name.", "metadata:\n  name: gizmo-1.0",
         "Name it after package and version, such as gizmo.v1.0.0."},
        // CustomResourceDefinitions, as the API server validates them
        {"crd-metadata", error, "the metadata of a CustomResourceDefinition is not valid",
         "The API server refuses the object, and the operator cannot be installed.",
         "metadata:\n  name: gizmo\nspec:\n  group: example.com\n  names: {plural: gizmos}",
         "Name it PLURAL.GROUP, and correct what the message names."},
        {"crd-names", error, "the group or a name of a CustomResourceDefinition is not valid",
         "They become parts of URLs: lower-case letters, digits and '-'. The group is a domain.",
         "group: example\nnames: {plural: Gizmos, kind: Gizmo}", "Correct the name."},
        {"crd-scope", error, "a CustomResourceDefinition does not have a valid scope",
         "Objects are in namespaces, or belong to the cluster.", "scope: Namespace",
         "Write Namespaced or Cluster."},
        {"crd-versions", error, "the versions of a CustomResourceDefinition are not valid",
         "Names of versions are unique and begin with a letter. The API server stores objects in one version "
         "and converts them to the others. Only a deprecated version may have a warning, which is short and "
         "printable.",
         "versions:\n- {name: v1, served: true, storage: false}", "Set \"storage: true\" for one version."},
        {"crd-shared-fields", error, "a field that is the same in all versions is repeated",
         "In apiextensions.k8s.io/v1beta1, schema, subresources and columns belong to the definition or to "
         "single versions, never to both.",
         "subresources: {status: {}}\nversions:\n- {name: v1, subresources: {status: {}}}",
         "Keep one of the two, or use apiextensions.k8s.io/v1."},
        {"crd-preserve-unknown-fields", error, "a CustomResourceDefinition preserves unknown fields",
         "The API server does not create such a definition. In apiextensions.k8s.io/v1beta1 this is the "
         "default.",
         "apiVersion: apiextensions.k8s.io/v1beta1", "Use apiextensions.k8s.io/v1."},
        {"crd-conversion", error, "the conversion of a CustomResourceDefinition cannot work",
         "A webhook needs an address (a service or an https URL) and the versions of ConversionReview that "
         "it understands; the strategy None has neither.",
         "conversion:\n  strategy: Webhook", "Complete the webhook, or write \"strategy: None\"."},
        {"crd-columns", error, "a printer column of a CustomResourceDefinition is not valid",
         "`kubectl get` shows the columns: each has a name, a type and a path that begins with a dot.",
         "additionalPrinterColumns:\n- {name: Size, type: int, jsonPath: spec.size}",
         "Use the types integer, number, string, boolean and date, and a path such as .spec.size."},
        {"crd-scale", error, "the subresource scale does not have valid paths",
         "`kubectl scale` and autoscalers read and write these fields.",
         "subresources:\n  scale: {specReplicasPath: spec.replicas}",
         "Write paths below .spec, such as .spec.replicas."},
        {"crd-approval", error, "a group of Kubernetes is used without approval",
         "Groups below k8s.io and kubernetes.io are reserved.", "group: gizmos.k8s.io",
         "Use a group of your own."},
        // The bundle as a whole
        {"bundle-crd-duplicate", error, "a bundle defines a version of an API twice",
         "Two definitions contradict each other.", "manifests/gizmos.yaml\nmanifests/gizmos-copy.yaml",
         "Remove one of them."},
        {"bundle-crd-unowned", error,
         "the ClusterServiceVersion does not own a CustomResourceDefinition of its bundle",
         "OLM would create an API that no operator of the catalog provides.",
         "customresourcedefinitions:\n  owned: []",
         "Add it to the owned definitions, or remove the manifest."},
        {"bundle-service-account", error, "a bundle contains the service account of its deployment",
         "OLM creates service accounts from the permissions in the ClusterServiceVersion, and fails if they "
         "exist.",
         "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: gizmo-operator", "Remove the manifest."},
        {"bundle-size", error, "a bundle is too large for a ConfigMap",
         "OLM stores the compressed files of a bundle in a ConfigMap while it unpacks the bundle, and an "
         "object of Kubernetes has at most 1 MiB. Near the limit it is a warning.",
         "manifests/   # 1.2 MiB when it is compressed",
         "Shorten descriptions in the CustomResourceDefinitions."},
        // Objects among the manifests
        {"disruption-budget", error, "a PodDisruptionBudget keeps nodes from being drained",
         "Upgrades of a cluster drain its nodes one by one, and wait forever for a budget that allows "
         "nothing.",
         "kind: PodDisruptionBudget\nspec:\n  maxUnavailable: 0", "Let at least one pod be unavailable."},
        {"disruption-budget-permission", warning, "an operator may write PodDisruptionBudgets",
         "A budget that an operator creates can keep the nodes of a cluster from being drained.",
         "rules:\n- {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create]}",
         "Remove the rule unless the operator needs it."},
        {"priority-class-default", error, "a PriorityClass of a bundle is the default of the cluster",
         "It changes the priority of all pods without a priority class.",
         "kind: PriorityClass\nglobalDefault: true", "Write \"globalDefault: false\"."},
        {"scc-permission", error, "an operator may change OpenShift's own SecurityContextConstraints",
         "Other workloads depend on them, and upgrades of OpenShift overwrite them.",
         "rules:\n- apiGroups: [security.openshift.io]\n  resources: [securitycontextconstraints]\n  "
         "resourceNames: [restricted]\n  verbs: [update]",
         "Create one for the operator."},
        // APIs of Kubernetes
        {"removed-api", error, "a bundle uses an API that Kubernetes has removed",
         "The operator cannot be installed on a cluster without the API. It is an error if "
         "--kubernetes-version or spec.minKubeVersion is such a cluster, and a warning otherwise.",
         "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget",
         "Use the version that replaced it, such as policy/v1."},
        {"removed-api-permission", warning, "a permission names an API that Kubernetes has removed",
         "PodSecurityPolicies were removed in Kubernetes 1.25: an operator that uses them fails there.",
         "rules:\n- {apiGroups: [policy], resources: [podsecuritypolicies], verbs: [use]}",
         "Remove the rule."},
        {"kubernetes-version", error, "the version of Kubernetes to check for is not a version",
         "It is given with --kubernetes-version, or in a question of --batch.",
         "{\"dir\": \"bundle\", \"kubernetesVersion\": \"new\"}", "Write a version such as 1.25."},
        // How OLM handles the bundle
        {"olm-classic", error, "OLM classic does not install the bundle",
         "The InstallPlan or the ClusterServiceVersion fails, whatever the cluster: OLM does not handle a "
         "kind, the API "
         "server refuses an object, or what OLM requires is not in the bundle. `opcat bundle predict --olm "
         "classic` "
         "shows the words that users would see.",
         "kind: Namespace\nmetadata:\n  name: gizmo", "Remove or correct the manifest at the mark."},
        {"olm-v1", note, "OLM v1 does not install the bundle",
         "OLM v1 refuses more than OLM classic: other install modes than AllNamespaces, duplicates, API "
         "services. "
         "`opcat bundle predict --olm v1` shows the words that users would see.",
         "installModes:\n- {type: OwnNamespace, supported: true}",
         "Correct the manifest at the mark if the bundle is meant for OLM v1."},
        // Recommendations
        {"container-requests", warning, "a container of an operator does not request resources",
         "The scheduler cannot place a pod well without knowing its needs.",
         "containers:\n- name: manager\n  resources: {}", "Write resources.requests with cpu and memory."},
        {"crd-description", warning,
         "an owned or required CustomResourceDefinition does not have a description",
         "Consoles show the description to users who choose an API.",
         "owned:\n- {name: gizmos.example.com, version: v1, kind: Gizmo}", "Add a description."},
        {"crd-permission", warning, "an operator may create CustomResourceDefinitions",
         "OLM creates and upgrades the definitions of the bundle. An operator that also does so conflicts "
         "with OLM.",
         "rules:\n- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: "
         "[create]}",
         "Add the definitions to the bundle, and remove the rule."},
        {"bundle-channels", warning, "the name of a channel does not say how stable it is",
         "Users choose by name: candidate, fast and stable are well known, and a version may follow.",
         "operators.operatorframework.io.bundle.channels.v1: alpha",
         "Begin the names with candidate, fast or stable."},
    };
    return table;
}

} // namespace opcat
