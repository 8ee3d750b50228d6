// The rules about OLM: what an upgrade graph means for installed versions, what OLM classic makes of a
// cluster, and what OLM v1 asks of ClusterExtensions and of the bundles that it would choose.
#include "opcat/lint/rules.hpp"

namespace opcat {

std::span<const Rule> olm_rules() {
    using enum Severity;
    static constexpr bool of_whole_catalog = true; // Rule::needs_whole_catalog
    static constexpr Rule table[] = {
        // Upgrades of installed versions: check_health.cpp
        {"graph-no-way", warning, "OLM classic has no upgrade path from an entry to the head of its channel",
         "Users of that version are never upgraded. Usually the entry is only skipped by entries that are "
         "skipped themselves; OLM classic does not consider those.",
         "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skips: [foo.v1.0.0]\n- name: foo.v1.2.0\n  skips: "
         "[foo.v1.1.0]",
         "Let an entry that is not skipped replace or skip it, or cover it with a skipRange.",
         !of_whole_catalog, UpgradesOf::package},
        {"graph-circle", warning, "OLM classic cannot order a channel that opm accepts",
         "From the head, OLM classic follows replaces over skipped entries, too, where opm stops. If that "
         "leads "
         "back to an entry, it resolves nothing in a namespace that has a Subscription to the channel.",
         "- name: foo.v1.0.0\n  replaces: foo.v1.1.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: "
         "foo.v1.2.0\n  replaces: foo.v1.0.0\n  skips: [foo.v1.1.0]",
         "Let the oldest entry replace nothing in the channel."},
        {"graph-loop", warning, "upgrades never end",
         "If the skipRange of an older entry covers a newer version, users of the newer version go back to "
         "the "
         "older one, then forward again, forever.",
         "- name: foo.v1.0.0\n  skipRange: \">=0.9.0\"\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0",
         "End the skipRange of each entry below the entry's own version.", !of_whole_catalog,
         UpgradesOf::package},
        {"graph-ambiguous", warning, "a version has two best successors",
         "OLM v1 takes the highest version; if two bundles have the same version, its choice is not defined.",
         "- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.1.0-b\n  replaces: foo.v1.0.0",
         "Give one of them another version.", !of_whole_catalog, UpgradesOf::package},
        {"graph-skip-range-gap", warning, "a skipRange leaves out a version in its middle",
         "Users of a version between two covered ones get no upgrade to the entry unless there is another "
         "edge.",
         "- name: foo.v2.0.0\n  skipRange: \">=1.0.0 <1.1.0 || >=1.2.0 <2.0.0\"",
         "Widen the range, or skip the version by name.", !of_whole_catalog, UpgradesOf::package},
        {"graph-unreachable", note, "no other entry can be upgraded to an entry",
         "An entry that replaces, skips and covers nothing is only for new installations: users of older "
         "versions do not get it.",
         "- name: foo.v1.0.0\n- name: foo.v2.0.0",
         "Add replaces, skips or a skipRange if users of older versions should get it.", !of_whole_catalog,
         UpgradesOf::package},
        {"graph-channel-switch", note, "the default channel has no upgrade for a version of another channel",
         "A subscription that changes its channel keeps its version if the new channel has no upgrade from "
         "it. "
         "It "
         "is a warning if that is so for the newest version below the default channel.",
         "channel fast has foo.v1.5.0, channel stable has foo.v1.0.0 and foo.v2.0.0, which replaces "
         "foo.v1.0.0",
         "Let an entry of the default channel skip or cover those versions, or document which channel users "
         "should stay in.",
         !of_whole_catalog, UpgradesOf::package},
        {"graph-minor-step", note, "a channel has no upgrade from the minor version before its first one",
         "Users change from channel to channel as minor versions are released. If nothing in the new channel "
         "replaces, skips or covers a version of the old one, their operator is not upgraded. It is a "
         "warning "
         "for "
         "the default channel.",
         "channel v1.1 has foo.v1.1.0, which replaces nothing; channel v1.0 has foo.v1.0.0",
         "Let the first entry of the channel replace or skip the last version of the previous minor version, "
         "or "
         "cover all of them with a skipRange.",
         !of_whole_catalog, UpgradesOf::package},
        {"graph-api-removed", warning,
         "the head of a channel lacks an API of the version that is upgraded to it",
         "Objects of an API that the new version no longer provides cannot be read after the upgrade. OLM "
         "refuses "
         "the upgrade where the cluster still stores objects of such a version, and the operator cannot "
         "convert "
         "them any more. Only upgrades to heads count: those are the ones that users get next.",
         "foo.v1.1.0 replaces foo.v1.0.0, which provides Foo example.com/v1alpha1; foo.v1.1.0 provides only "
         "Foo example.com/v1",
         "Keep the version in the CustomResourceDefinition, not served if need be, until no cluster stores "
         "objects "
         "of it, or document what users have to do before they upgrade.",
         !of_whole_catalog, UpgradesOf::package},
        {"default-channel-old", note, "the default channel does not have the newest stable version",
         "Users who do not choose a channel get the default channel. Channels whose names say that they are "
         "for "
         "testing (alpha, candidate, fast, …), deprecated channels and prereleases do not count.",
         "defaultChannel: v1.0   # channel v1.1 has foo.v1.1.0",
         "Make the newest channel the default, unless users should stay with the older one.",
         !of_whole_catalog, UpgradesOf::package},
        {"platform-range", warning,
         "the versions of Kubernetes and OpenShift that bundles support contradict each other",
         "OpenShift 4.N has Kubernetes 1.(N+13). A bundle whose minKubeVersion is beyond its "
         "olm.maxOpenShiftVersion cannot run on any OpenShift. If a bundle supports fewer versions than the "
         "bundle that it replaces, users of the others cannot upgrade. If it accepts an older Kubernetes "
         "than "
         "the bundle that it replaces, users of that version cannot reach it; this is a note.",
         "properties:\n- type: olm.maxOpenShiftVersion\n  value: \"4.10\"\n- type: olm.csv.metadata\n  "
         "value: "
         "{minKubeVersion: 1.25.0}",
         "Correct the versions."},
        // Resolution by OLM classic: lib/resolve/classic/problem.hpp
        {"manifest", error, "a file of cluster objects cannot be read",
         "`opcat resolve classic --cluster` reads objects, and lists of them, as kubectl prints them.",
         "metadata:\n  name: foo", "Write the files with `kubectl get … -o yaml`."},
        {"classic-no-subscription", warning, "a namespace that is resolved does not have a Subscription",
         "OLM does not resolve other namespaces, even if the operators installed there do not fit together.",
         "opcat resolve classic -n a-typo",
         "Correct the namespace, or ask what would happen with a Subscription."},
        {"classic-stranded", warning, "an installed operator gets no upgrades in its channel",
         "OLM classic upgrades an installed version if an entry between it and the head of the channel "
         "replaces, "
         "skips "
         "or covers it. Otherwise it reports nothing, and never upgrades the version; nor as long as it "
         "cannot "
         "choose that entry, because nothing provides what it requires, for example.",
         "opcat resolve classic -n shop --cluster shop.yaml --catalog olm/community=catalog/",
         "Subscribe to a channel that leads on from it, or reinstall the operator."},
        {"classic-operator-group", error, "a namespace does not have exactly one OperatorGroup",
         "The OperatorGroup says which namespaces the operators watch. Without one, or with two, OLM "
         "installs "
         "nothing.",
         "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: second, namespace: "
         "operators}",
         "Create one, or delete all but one."},
        {"classic-install-mode", error,
         "an operator does not support the namespaces that its OperatorGroup selects",
         "The ClusterServiceVersion lists the supported install modes. With another selection it fails "
         "(UnsupportedOperatorGroup).",
         "installModes:\n- {type: AllNamespaces, supported: false}",
         "Change the group's targetNamespaces, or install the operator in another namespace."},
        {"classic-api-conflict", error, "two operators provide one API in a namespace",
         "If two OperatorGroups select a namespace and the operators of both own an API, the second operator "
         "fails (InterOperatorGroupOwnerConflict).",
         "an OperatorGroup for all namespaces, and another one, with the same operator installed in both",
         "Let the groups select different namespaces, or remove one of the operators."},
        {"classic-static-group", error, "a static OperatorGroup does not list an API of its operators",
         "OLM does not add to the annotation olm.providedAPIs of such a group, and an operator whose APIs "
         "are "
         "missing fails (CannotModifyStaticOperatorGroupProvidedAPIs).",
         "spec:\n  staticProvidedAPIs: true",
         "Add the APIs to the annotation, or set staticProvidedAPIs: false."},
        {"classic-crd-stored-version", error,
         "a new CustomResourceDefinition removes a version in which objects are stored",
         "Objects in the cluster's database could no longer be read.",
         "status:\n  storedVersions: [v1alpha1, v1]",
         "Migrate the stored objects, then remove the version from status.storedVersions."},
        {"classic-crd-served-version", error,
         "a new CustomResourceDefinition removes a version that is served",
         "OLM refuses to remove a served version in one step.", "versions:\n- {name: v1alpha1, served: true}",
         "Release one version of the operator with served: false first."},
        {"classic-crd-instance", warning,
         "an existing object is not valid against a new CustomResourceDefinition",
         "If several operators own the definition, OLM refuses the upgrade. If one does, the upgrade "
         "continues, "
         "and the objects can no longer be changed.",
         "spec:\n  size: large        # the new schema requires an integer",
         "Change the objects before the upgrade."},
        {"classic-not-upgradeable", error, "an operator reports that it cannot be upgraded now",
         "OLM waits while the OperatorCondition has Upgradeable=False.",
         "conditions:\n- {type: Upgradeable, status: \"False\", reason: Migrating}",
         "Wait, or override the condition in spec.overrides."},
        {"classic-failed", error, "an operator has failed, so that OLM does not replace it",
         "The next version stays Pending until the installed one is Succeeded again, or its OperatorGroup "
         "has "
         "upgradeStrategy: TechPreviewUnsafeFailForward.",
         "status: {phase: Failed, reason: ComponentUnhealthy}", "Repair the operator that is installed."},
        {"classic-stopped", error, "OLM does not go on with what it has begun for a Subscription",
         "Its InstallPlan has failed, a bundle could not be unpacked, or the Subscription, its operator or "
         "the "
         "namespace is being deleted. OLM counts the upgrade as done, and starts no other. The same is true "
         "where the Subscription has the new version as its currentCSV already; what became of the "
         "InstallPlan "
         "is then not known without it.",
         "kind: InstallPlan\nstatus: {phase: Failed}",
         "Find out why, and delete the InstallPlan: OLM then makes another."},
        {"classic-account", warning, "OLM installs as an account whose rights are not checked",
         "An OperatorGroup may name a ServiceAccount. Where it is missing, or may not create what an "
         "InstallPlan "
         "has, the InstallPlan fails.",
         "kind: OperatorGroup\nspec: {serviceAccountName: installer}",
         "Check it on the cluster: `opcat install --dry-run` does."},
        {"classic-min-kube-version", note, "an operator needs a version of Kubernetes",
         "OLM leaves a ClusterServiceVersion Pending whose spec.minKubeVersion is newer than the cluster. "
         "opcat resolve classic does not know the version of the cluster.",
         "minKubeVersion: 1.31.0", "Compare it with the version of the cluster."},
        {"classic-catalog-unhealthy", warning, "a catalog that a namespace uses does not answer",
         "OLM resolves nothing in the namespace until it does.",
         "status:\n  connectionState: {lastObservedState: TRANSIENT_FAILURE}",
         "Repair the CatalogSource, or remove it."},
        {"classic-catalog-missing", error, "the content of a CatalogSource is not available",
         "opcat cannot predict what OLM resolves with a catalog that it cannot read.",
         "a CatalogSource in --cluster, and no --catalog for it",
         "Give it with --catalog NAMESPACE/NAME=REF, or leave the CatalogSource out of the manifests."},
        {"classic-pending-plan", warning, "an InstallPlan waits for approval",
         "While it waits, OLM may not resolve anything else in its namespace.", "spec:\n  approved: false",
         "Approve it, or delete it so that OLM makes a new one."},
        {"classic-copied-csv", warning, "an operator already exists in the namespace as a copy",
         "OLM copies the ClusterServiceVersions of operators that watch other namespaces. The resolver "
         "ignores "
         "copies: the operator would be installed twice, or what it provides is missing.",
         "metadata:\n  labels: {olm.copiedFrom: operators}",
         "Use the operator that exists, or install both into the same namespace."},
        {"classic-manual-approval", warning, "approving one upgrade also approves others",
         "One Subscription with installPlanApproval: Manual makes the InstallPlan of its whole namespace "
         "manual, "
         "and the plan is approved as a whole.",
         "spec:\n  installPlanApproval: Manual", "Put such operators into namespaces of their own."},
        {"classic-constraint-size", warning, "an olm.constraint is longer than documented",
         "The resolver accepts more than the documents allow, but this may change.",
         "- type: olm.constraint\n  value: …", "Split it."},
        {"classic-expression-cost", warning, "an expression of a constraint takes too long",
         "OLM has no such limit: it evaluates the expression for each candidate.",
         "rule: properties.all(a, properties.all(b, …))", "Write a simpler expression."},
        {"classic-fail-forward", note, "upgrades go on from a failed operator",
         "This is the effect of upgradeStrategy: TechPreviewUnsafeFailForward; otherwise upgrades stop.",
         "spec:\n  upgradeStrategy: TechPreviewUnsafeFailForward", "Nothing, if you want this."},
        // Requests to OLM v1
        {"cluster-extension", error, "the API server refuses a ClusterExtension",
         "`opcat resolve v1 -f` checks it by the rules of its CustomResourceDefinition in the release and "
         "feature "
         "set of OLM v1 that --olm-release and --feature-set name. A field that is not known there is a "
         "warning: "
         "the API server drops it.",
         "spec:\n  source:\n    sourceType: Image", "Correct the field that the message names."},
        // Checks of `validate --policy olm-v1` on the bundles that OLM v1 would choose
        {"v1-install-modes", error, "OLM v1 does not install a bundle that cannot watch all namespaces",
         "The standard feature set installs bundles with the install mode AllNamespaces only, except in "
         "release "
         "1.8. The experimental set installs the others if the ClusterExtension names the namespace to "
         "watch: "
         "then "
         "this is a warning. A note says which releases install the bundle.",
         "installModes:\n- {type: OwnNamespace, supported: true}\n- {type: AllNamespaces, supported: false}",
         "Let the operator watch all namespaces, or set spec.config.inline.watchNamespace of the "
         "ClusterExtension."},
        {"v1-dependencies", error, "OLM v1 does not install a bundle that depends on others",
         "OLM classic installs what a bundle requires. OLM v1 has no dependencies: its resolver fails for a "
         "bundle "
         "that declares one.",
         "- type: olm.package.required\n  value: {packageName: cert-manager, versionRange: '>=1.0.0'}",
         "Say in the documentation what has to be installed before, and drop the requirement."},
        {"v1-api-services", error, "OLM v1 does not install a bundle with API services",
         "No release supports apiservicedefinitions.",
         "apiservicedefinitions:\n  owned:\n  - {name: v1.example.org, kind: Gizmo}",
         "Serve the API with a CustomResourceDefinition."},
        {"v1-webhooks", error, "OLM v1 does not install a bundle with such webhooks",
         "Before 1.6 the standard feature set refuses all webhooks. Since then webhooks that convert objects "
         "need "
         "a bundle that supports no install mode but AllNamespaces. A note reminds of the certificates.",
         "webhookdefinitions:\n- {type: ConversionWebhook, generateName: convert.example.org}",
         "Support AllNamespaces only, or convert nothing."},
        {"v1-objects", error, "OLM v1 cannot create the objects of a bundle",
         "OLM v1 validates a bundle and applies its objects as one release: it refuses other kinds than OLM "
         "classic, names that are given twice, and what the API server refuses. Only catalogs and bundles "
         "that "
         "hold their manifests are looked at.",
         "kind: Deployment", "Correct what the message names; `opcat bundle predict` shows all."},
        {"v1-operator-conditions", warning, "an operator reports its state in an OperatorCondition",
         "OLM classic creates an OperatorCondition for each operator and names it in "
         "OPERATOR_CONDITION_NAME; an "
         "operator holds upgrades back with it. OLM v1 has neither: libraries that require the variable "
         "fail, "
         "and "
         "nothing holds an upgrade back.",
         "rules:\n- {apiGroups: [operators.coreos.com], resources: [operatorconditions], verbs: [update]}",
         "Let the operator work without the variable."},
        {"v1-classic-api", warning, "an operator uses objects of OLM classic",
         "OLM v1 creates no ClusterServiceVersion, Subscription, InstallPlan or OperatorGroup. An operator "
         "that "
         "reads its own version or owner from them, or installs others with them, does not find them.",
         "rules:\n- {apiGroups: [operators.coreos.com], resources: [clusterserviceversions], verbs: [get]}",
         "Let the operator do without them, for example by a variable with its version."},
        {"v1-subscription-config", warning, "an operator is configured by the Subscription",
         "Annotations token-auth-* tell consoles to ask for values, such as the role of a cloud, and to "
         "write "
         "them "
         "into the Subscription's spec.config. A ClusterExtension takes them in "
         "spec.config.inline.deploymentConfig, since 1.8 and with the experimental feature set only.",
         "annotations:\n  features.operators.openshift.io/token-auth-aws: \"true\"",
         "Also read the values from a Secret or an object of the operator's own API."},
        {"v1-crd-upgrade", error, "a version has a definition with which OLM v1 refuses the upgrade",
         "Before an upgrade OLM v1 compares the CustomResourceDefinitions of a bundle with those of the "
         "cluster. "
         "It "
         "refuses removed fields and stored versions, new required fields, tightened bounds, changed "
         "defaults "
         "and "
         "all changes that it does not know, unless the ClusterExtension turns the check off. Each version "
         "is "
         "compared with what it replaces, or else with the newest version that it skips or covers. Only "
         "catalogs "
         "that hold their manifests are looked at.",
         "spec:\n  versions:\n  - name: v1\n    schema: {}",
         "Keep what objects of the version before may hold, and serve the stricter schema as a new version; "
         "or "
         "set "
         "spec.install.preflight.crdUpgradeSafety.enforcement to None where the change does no harm."},
        {"v1-shared-kind", warning, "two packages bring the same kind of object",
         "OLM v1 does not share a CustomResourceDefinition between two ClusterExtensions: the second one is "
         "not "
         "installed. OLM classic decides by its OperatorGroups.",
         "- type: olm.gvk\n  value: {group: example.org, kind: Gizmo, version: v1}",
         "Nothing, if users need only one of them."},
        {"configuration", error, "a configuration file has a setting that is not known or not valid",
         "A setting that opcat does not know would have no effect without anyone noticing.",
         "rules:\n  unknown-feild: error", "Write what docs/configuration.md describes."},
        {"baseline", error, "a baseline cannot be read by this version of opcat",
         "The findings that it should hide would be reported, or others would be hidden.",
         "{\"schema\": \"opcat.baseline.v0\"}", "Write it again with `--write-baseline FILE`."},
        {"format-loss", error, "formatting a file would lose something",
         "`opcat fmt` writes the form that opm writes, which cannot hold tags. It refuses a file with tags "
         "instead of dropping them.",
         "data: !!binary aGVsbG8=", "Write the value so that it does not need a tag."},
    };
    return table;
}

} // namespace opcat
