// All types that opcat knows. A name with a package ("declcfg.Channel") is the type's name in Go's messages;
// one without does not appear in messages, and in lower case it is ours, for a struct without a name in Go.
#include "opcat/go/type.hpp"

namespace opcat::go {
namespace {

// operator-registry: alpha/declcfg, alpha/property. "package" is of all blobs, and olm.package may have it.
constexpr std::string_view catalog_types = R"(
declcfg.Package(
  schema name defaultChannel icon:declcfg.Icon description properties:[]property.Property package)
declcfg.Icon(base64data:base64 mediatype)
declcfg.Channel(schema name package entries:[]declcfg.ChannelEntry properties:[]property.Property)
declcfg.ChannelEntry(name replaces skips:[]string skipRange)
declcfg.Bundle(
  schema name package image properties:[]property.Property relatedImages:[]declcfg.RelatedImage)
declcfg.RelatedImage(name image)
declcfg.Deprecation(schema package name entries:[]declcfg.DeprecationEntry)
declcfg.DeprecationEntry(reference:declcfg.PackageScopedReference message)
declcfg.PackageScopedReference(schema name)

property.Property(type value:any)
property.Package(packageName version release)
property.PackageRequired(packageName versionRange)
property.GVK(group version kind)
property.Channel(channelName priority:int64)
property.BundleObject(data:base64)
property.CSVMetadata(
  annotations?:<>string apiServiceDefinitions:APIServiceDefinitions
  crdDescriptions:CustomResourceDefinitions description? displayName? installModes?:[]InstallMode
  keywords?:[]string labels?:<>string links?:[]AppLink maintainers?:[]Maintainer maturity? minKubeVersion?
  nativeAPIs?:[]GroupVersionKind provider:AppLink)

RelatedImages(images:[]RelatedImage)
CsvWithRelatedImages(spec:(relatedImages:[]RelatedImage))
BundleAnnotations(annotations:(
  operators.operatorframework.io.bundle.package.v1
  operators.operatorframework.io.bundle.channels.v1
  operators.operatorframework.io.bundle.channel.default.v1))
BundleAnnotationTexts(annotations:<>string)
BundleDependencies(dependencies:[]property.Property)
BundleProperties(properties:[]property.Property)
registry.PackageDependency(packageName version)
registry.LabelDependency(label)
registry.CelConstraint(failureMessage cel:(rule))
)";

// operator-lifecycle-manager: how the resolver reads properties.
constexpr std::string_view resolver_types = R"(
package(packageName version)
required_api(group version kind)
required_package(packageName versionRange)
label(label)
constraints.Constraint(
  failureMessage cel:constraints.Cel package:constraints.PackageConstraint gvk:constraints.GVKConstraint
  all:constraints.CompoundConstraint any:constraints.CompoundConstraint not:constraints.CompoundConstraint)
constraints.Cel(rule)
constraints.PackageConstraint(packageName versionRange)
constraints.GVKConstraint(group kind version)
constraints.CompoundConstraint(constraints:[]constraints.Constraint)
projection.propertiesAnnotation(properties:[]projection.property)
projection.property(type value:any)
)";

// github.com/operator-framework/api pkg/operators/v1alpha1.
constexpr std::string_view olm_types = R"(
ClusterServiceVersion(
  kind apiVersion metadata:ObjectMeta spec:ClusterServiceVersionSpec status:ClusterServiceVersionStatus)
ClusterServiceVersionSpec(
  install:(strategy spec:(
    deployments:[](name spec:DeploymentSpec label:<>string)
    permissions:[]StrategyPermissions clusterPermissions:[]StrategyPermissions))
  version:version release:release maturity
  customresourcedefinitions:CustomResourceDefinitions apiservicedefinitions:APIServiceDefinitions
  webhookdefinitions:[]WebhookDescription nativeAPIs:[]GroupVersionKind minKubeVersion
  displayName description keywords:[]string maintainers:[]Maintainer provider:AppLink links:[]AppLink
  icon:[](base64data mediatype) installModes:[]InstallMode replaces labels:<>string annotations:<>string
  selector:LabelSelector cleanup:(enabled:bool) skips:[]string relatedImages:[]RelatedImage)
RelatedImage(name image)
StrategyPermissions(serviceAccountName rules:[]PolicyRule)
PolicyRule(
  verbs:[]string apiGroups:[]string resources:[]string resourceNames:[]string nonResourceURLs:[]string)
WebhookDescription(
  generateName type deploymentName containerPort:int32 targetPort:int_or_string
  rules:[](operations:[]string apiGroups:[]string apiVersions:[]string resources:[]string scope)
  failurePolicy matchPolicy objectSelector:LabelSelector sideEffects timeoutSeconds:int32
  admissionReviewVersions:[]string reinvocationPolicy webhookPath conversionCRDs:[]string)
ClusterServiceVersionStatus(
  phase message reason lastUpdateTime:time lastTransitionTime:time
  conditions:[](phase message reason lastUpdateTime:time lastTransitionTime:time)
  requirementStatus:[](group version kind name status message uuid
    dependents:[](group version kind status message uuid))
  certsLastUpdated:time certsRotateAt:time cleanup:(pendingDeletion:[](group kind instances:[](namespace name))))

CustomResourceDefinitions(owned?:[]CRDDescription required?:[]CRDDescription)
CRDDescription(
  name version kind displayName? description? resources?:[]ResourceReference
  statusDescriptors?:[]Descriptor specDescriptors?:[]Descriptor actionDescriptors?:[]Descriptor)
APIServiceDefinitions(owned?:[]APIServiceDescription required?:[]APIServiceDescription)
APIServiceDescription(
  name group version kind deploymentName? containerPort?:int32 displayName? description?
  resources?:[]ResourceReference
  statusDescriptors?:[]Descriptor specDescriptors?:[]Descriptor actionDescriptors?:[]Descriptor)
ResourceReference(name kind version)
Descriptor(path displayName? description? x-descriptors?:[]string value?:any)
InstallMode(type supported:bool)
AppLink(name? url?)
Maintainer(name? email?)
GroupVersionKind(group version kind)

APIKeys(owned:[]APIKey required:[]APIKey)
APIKey(group kind name version)
InstallOfDeployments(install:(strategy spec:(deployments:[](name spec:DeploymentSpec))))
)";

// k8s.io/api and k8s.io/apimachinery.
constexpr std::string_view kubernetes_types = R"(
ObjectMeta(
  name generateName namespace selfLink uid resourceVersion generation:int64
  creationTimestamp:time deletionTimestamp:time deletionGracePeriodSeconds:int64
  labels:<>string annotations:<>string finalizers:[]string
  ownerReferences:[](apiVersion kind name uid controller:bool blockOwnerDeletion:bool)
  managedFields:[](manager operation apiVersion time:time fieldsType fieldsV1:any subresource))
LabelSelector(matchLabels:<>string matchExpressions:[](key operator values:[]string))

DeploymentSpec(
  replicas:int32 selector:LabelSelector template:PodTemplateSpec
  strategy:(type rollingUpdate:(maxUnavailable:int_or_string maxSurge:int_or_string))
  minReadySeconds:int32 revisionHistoryLimit:int32 paused:bool progressDeadlineSeconds:int32)
PodTemplateSpec(metadata:ObjectMeta spec:PodSpec)
PodSpec(
  volumes:[]Volume initContainers:[]Container containers:[]Container ephemeralContainers:[]Container
  restartPolicy terminationGracePeriodSeconds:int64 activeDeadlineSeconds:int64 dnsPolicy
  nodeSelector:<>string serviceAccountName serviceAccount automountServiceAccountToken:bool nodeName
  hostNetwork:bool hostPID:bool hostIPC:bool shareProcessNamespace:bool securityContext:PodSecurityContext
  imagePullSecrets:[](name) hostname subdomain affinity:Affinity schedulerName
  tolerations:[](key operator value effect tolerationSeconds:int64)
  hostAliases:[](ip hostnames:[]string) priorityClassName priority:int32
  dnsConfig:(nameservers:[]string searches:[]string options:[](name value))
  readinessGates:[](conditionType) runtimeClassName enableServiceLinks:bool preemptionPolicy
  overhead:<>quantity
  topologySpreadConstraints:[](
    maxSkew:int32 topologyKey whenUnsatisfiable labelSelector:LabelSelector minDomains:int32
    nodeAffinityPolicy nodeTaintsPolicy matchLabelKeys:[]string)
  setHostnameAsFQDN:bool os:(name) hostUsers:bool schedulingGates:[](name)
  resourceClaims:[](name resourceClaimName resourceClaimTemplateName) resources:ResourceRequirements
  hostnameOverride)
PodSecurityContext(
  seLinuxOptions:SELinuxOptions windowsOptions:WindowsOptions runAsUser:int64 runAsGroup:int64
  runAsNonRoot:bool supplementalGroups:[]int64 supplementalGroupsPolicy fsGroup:int64
  sysctls:[](name value) fsGroupChangePolicy seccompProfile:SecurityProfile
  appArmorProfile:SecurityProfile seLinuxChangePolicy)
SELinuxOptions(user role type level)
WindowsOptions(gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess:bool)
SecurityProfile(type localhostProfile)

Container(
  name image command:[]string args:[]string workingDir
  ports:[](name hostPort:int32 containerPort:int32 protocol hostIP)
  envFrom:[](prefix configMapRef:OptionalReference secretRef:OptionalReference)
  env:[](name value valueFrom:(
    fieldRef:FieldReference resourceFieldRef:ResourceFieldReference
    configMapKeyRef:(name key optional:bool) secretKeyRef:(name key optional:bool)
    fileKeyRef:(volumeName path key optional:bool)))
  resources:ResourceRequirements resizePolicy:[](resourceName restartPolicy) restartPolicy
  restartPolicyRules:[](action exitCodes:(operator values:[]int32))
  volumeMounts:[](
    name readOnly:bool recursiveReadOnly mountPath subPath mountPropagation subPathExpr)
  volumeDevices:[](name devicePath)
  livenessProbe:Probe readinessProbe:Probe startupProbe:Probe
  lifecycle:(postStart:Handler preStop:Handler stopSignal)
  terminationMessagePath terminationMessagePolicy imagePullPolicy
  securityContext:(
    capabilities:(add:[]string drop:[]string) privileged:bool seLinuxOptions:SELinuxOptions
    windowsOptions:WindowsOptions runAsUser:int64 runAsGroup:int64 runAsNonRoot:bool
    readOnlyRootFilesystem:bool allowPrivilegeEscalation:bool procMount seccompProfile:SecurityProfile
    appArmorProfile:SecurityProfile)
  stdin:bool stdinOnce:bool tty:bool targetContainerName)
OptionalReference(name optional:bool)
FieldReference(apiVersion fieldPath)
ResourceFieldReference(containerName resource divisor:quantity)
ResourceRequirements(limits:<>quantity requests:<>quantity claims:[](name request))
Exec(command:[]string)
HTTPGet(path port:int_or_string host scheme httpHeaders:[](name value))
TCPSocket(port:int_or_string host)
Probe(
  exec:Exec httpGet:HTTPGet tcpSocket:TCPSocket grpc:(port:int32 service)
  initialDelaySeconds:int32 timeoutSeconds:int32 periodSeconds:int32 successThreshold:int32
  failureThreshold:int32 terminationGracePeriodSeconds:int64)
Handler(exec:Exec httpGet:HTTPGet tcpSocket:TCPSocket sleep:(seconds:int64))

Affinity(
  nodeAffinity:(
    requiredDuringSchedulingIgnoredDuringExecution:(nodeSelectorTerms:[]NodeSelectorTerm)
    preferredDuringSchedulingIgnoredDuringExecution:[](weight:int32 preference:NodeSelectorTerm))
  podAffinity:PodAffinity podAntiAffinity:PodAffinity)
NodeSelectorTerm(
  matchExpressions:[](key operator values:[]string) matchFields:[](key operator values:[]string))
PodAffinity(
  requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution:[](weight:int32 podAffinityTerm:PodAffinityTerm))
PodAffinityTerm(
  labelSelector:LabelSelector namespaces:[]string topologyKey namespaceSelector:LabelSelector
  matchLabelKeys:[]string mismatchLabelKeys:[]string)

Volume(
  name hostPath:(path type) emptyDir:(medium sizeLimit:quantity)
  gcePersistentDisk:(pdName fsType partition:int32 readOnly:bool)
  awsElasticBlockStore:(volumeID fsType partition:int32 readOnly:bool)
  gitRepo:(repository revision directory)
  secret:(secretName items:[]KeyToPath defaultMode:int32 optional:bool) nfs:(server path readOnly:bool)
  iscsi:(
    targetPortal iqn lun:int32 iscsiInterface fsType readOnly:bool portals:[]string
    chapAuthDiscovery:bool chapAuthSession:bool secretRef:(name) initiatorName)
  glusterfs:(endpoints path readOnly:bool) persistentVolumeClaim:(claimName readOnly:bool)
  rbd:(monitors:[]string image fsType pool user keyring secretRef:(name) readOnly:bool)
  flexVolume:(driver fsType secretRef:(name) readOnly:bool options:<>string)
  cinder:(volumeID fsType readOnly:bool secretRef:(name))
  cephfs:(monitors:[]string path user secretFile secretRef:(name) readOnly:bool)
  flocker:(datasetName datasetUUID) downwardAPI:(items:[]DownwardFile defaultMode:int32)
  fc:(targetWWNs:[]string lun:int32 fsType readOnly:bool wwids:[]string)
  azureFile:(secretName shareName readOnly:bool)
  configMap:(name items:[]KeyToPath defaultMode:int32 optional:bool)
  vsphereVolume:(volumePath fsType storagePolicyName storagePolicyID)
  quobyte:(registry volume readOnly:bool user group tenant)
  azureDisk:(diskName diskURI cachingMode fsType readOnly:bool kind)
  photonPersistentDisk:(pdID fsType)
  projected:(defaultMode:int32 sources:[](
    secret:ProjectedItems configMap:ProjectedItems downwardAPI:(items:[]DownwardFile)
    serviceAccountToken:(audience expirationSeconds:int64 path)
    clusterTrustBundle:(name signerName labelSelector:LabelSelector optional:bool path)))
  portworxVolume:(volumeID fsType readOnly:bool)
  scaleIO:(
    gateway system secretRef:(name) sslEnabled:bool protectionDomain storagePool storageMode volumeName
    fsType readOnly:bool)
  storageos:(volumeName volumeNamespace fsType readOnly:bool secretRef:(name))
  csi:(driver readOnly:bool fsType volumeAttributes:<>string nodePublishSecretRef:(name))
  ephemeral:(volumeClaimTemplate:(metadata:ObjectMeta spec:(
    accessModes:[]string selector:LabelSelector resources:ResourceRequirements volumeName storageClassName
    volumeMode dataSource:(apiGroup kind name) dataSourceRef:(apiGroup kind name namespace)
    volumeAttributesClassName)))
  image:(reference pullPolicy))
KeyToPath(key path mode:int32)
ProjectedItems(name items:[]KeyToPath optional:bool)
DownwardFile(path fieldRef:FieldReference resourceFieldRef:ResourceFieldReference mode:int32)

PodDisruptionBudget(
  kind apiVersion metadata:ObjectMeta
  spec:(
    minAvailable:int_or_string selector:LabelSelector maxUnavailable:int_or_string unhealthyPodEvictionPolicy)
  status:(
    observedGeneration:int64 disruptedPods:<>time disruptionsAllowed:int32 currentHealthy:int32
    desiredHealthy:int32 expectedPods:int32
    conditions:[](type status observedGeneration:int64 lastTransitionTime:time reason message)))
PriorityClass(
  kind apiVersion metadata:ObjectMeta value:int32 globalDefault:bool description preemptionPolicy)
Role(kind apiVersion metadata:ObjectMeta rules:[]PolicyRule)
ClusterRole(
  kind apiVersion metadata:ObjectMeta rules:[]PolicyRule
  aggregationRule:(clusterRoleSelectors:[]LabelSelector))
RoleBinding(kind apiVersion metadata:ObjectMeta subjects:[]Subject roleRef:RoleRef)
ClusterRoleBinding(kind apiVersion metadata:ObjectMeta subjects:[]Subject roleRef:RoleRef)
Subject(kind apiGroup name namespace)
RoleRef(apiGroup kind name)
ServiceAccount(
  kind apiVersion metadata:ObjectMeta
  secrets:[](kind namespace name uid apiVersion resourceVersion fieldPath)
  imagePullSecrets:[](name) automountServiceAccountToken:bool)
ConfigMap(
  kind apiVersion metadata:ObjectMeta data:<>string binaryData:<>base64 immutable:bool)
Secret(
  kind apiVersion metadata:ObjectMeta data:<>base64 stringData:<>string type immutable:bool)
Service(
  kind apiVersion metadata:ObjectMeta
  spec:(
    ports:[](
      name protocol appProtocol port:int32 targetPort:int_or_string nodePort:int32)
    selector:<>string clusterIP clusterIPs:[]string type externalIPs:[]string sessionAffinity
    loadBalancerIP loadBalancerSourceRanges:[]string externalName externalTrafficPolicy
    healthCheckNodePort:int32 publishNotReadyAddresses:bool
    sessionAffinityConfig:(clientIP:(timeoutSeconds:int32)) ipFamilies:[]string ipFamilyPolicy
    allocateLoadBalancerNodePorts:bool loadBalancerClass internalTrafficPolicy trafficDistribution)
  status:(
    loadBalancer:(ingress:[](ip hostname ipMode ports:[](port:int32 protocol error)))
    conditions:[](type status observedGeneration:int64 lastTransitionTime:time reason message)))
NetworkPolicy(
  kind apiVersion metadata:ObjectMeta
  spec:(
    podSelector:LabelSelector policyTypes:[]string
    ingress:[](ports:[]NetworkPolicyPort from:[]NetworkPolicyPeer)
    egress:[](ports:[]NetworkPolicyPort to:[]NetworkPolicyPeer)))
NetworkPolicyPort(protocol port:int_or_string endPort:int32)
NetworkPolicyPeer(
  podSelector:LabelSelector namespaceSelector:LabelSelector ipBlock:(cidr except:[]string))

CustomResourceDefinition(
  kind apiVersion metadata:ObjectMeta status:CRDStatus
  spec:(
    group names:CRDNames scope preserveUnknownFields:bool
    versions:[](
      name served:bool storage:bool deprecated:bool deprecationWarning schema:CRDValidation
      subresources:CRDSubresources
      additionalPrinterColumns:[](name type format description priority:int32 jsonPath)
      selectableFields:[](jsonPath))
    conversion:(strategy webhook:(clientConfig:CRDWebhook conversionReviewVersions:[]string))))
CustomResourceDefinitionV1Beta1(
  kind apiVersion metadata:ObjectMeta status:CRDStatus
  spec:(
    group version names:CRDNames scope preserveUnknownFields:bool validation:CRDValidation
    subresources:CRDSubresources additionalPrinterColumns:[]CRDColumnV1Beta1 selectableFields:[](jsonPath)
    versions:[](
      name served:bool storage:bool deprecated:bool deprecationWarning schema:CRDValidation
      subresources:CRDSubresources additionalPrinterColumns:[]CRDColumnV1Beta1 selectableFields:[](jsonPath))
    conversion:(
      strategy webhookClientConfig:CRDWebhook conversionReviewVersions:[]string)))
CRDNames(plural singular shortNames:[]string kind listKind categories:[]string)
CRDValidation(openAPIV3Schema:JSONSchemaProps)
CRDSubresources(status:() scale:(specReplicasPath statusReplicasPath labelSelectorPath))
CRDColumnV1Beta1(name type format description priority:int32 JSONPath)
CRDWebhook(url service:(namespace name path port:int32) caBundle:base64)
CRDStatus(
  conditions:[](type status lastTransitionTime:time reason message observedGeneration:int64)
  acceptedNames:CRDNames storedVersions:[]string observedGeneration:int64)
JSONSchemaProps(
  id $schema $ref description type format title default:any maximum:float exclusiveMaximum:bool
  minimum:float exclusiveMinimum:bool maxLength:int64 minLength:int64 pattern maxItems:int64 minItems:int64
  uniqueItems:bool multipleOf:float enum:[]any maxProperties:int64 minProperties:int64 required:[]string
  items:schema_or_list allOf:[]JSONSchemaProps oneOf:[]JSONSchemaProps anyOf:[]JSONSchemaProps
  not:JSONSchemaProps properties:<>JSONSchemaProps additionalProperties:schema_or_bool
  patternProperties:<>JSONSchemaProps dependencies:<>schema_or_strings additionalItems:schema_or_bool
  definitions:<>JSONSchemaProps externalDocs:(description url) example:any nullable:bool
  x-kubernetes-preserve-unknown-fields:bool x-kubernetes-embedded-resource:bool
  x-kubernetes-int-or-string:bool x-kubernetes-list-map-keys:[]string x-kubernetes-list-type
  x-kubernetes-map-type
  x-kubernetes-validations:[](rule message messageExpression reason fieldPath optionalOldSelf:bool))
)";

// oc-mirror: internal/pkg/api/v2alpha1.
constexpr std::string_view mirror_types = R"(
v2alpha1.ImageSetConfiguration(kind apiVersion mirror:v2alpha1.Mirror archiveSize:int64)
v2alpha1.Mirror(
  platform:v2alpha1.Platform operators:[]v2alpha1.Operator additionalImages:[]v2alpha1.AdditionalImage
  helm:v2alpha1.Helm blockedImages:[]v2alpha1.BlockedImage samples:[]v2alpha1.SampleImage)
v2alpha1.Platform(
  graph:bool channels:[]v2alpha1.ReleaseChannel architectures:[]string
  platforms:[]v2alpha1.InstancePlatformFilter release kubeVirtContainer:bool)
v2alpha1.ReleaseChannel(name type minVersion maxVersion shortestPath:bool full:bool)
v2alpha1.Operator(
  packages:[]v2alpha1.IncludePackage catalog targetCatalog targetTag full:bool skipDependencies:bool
  targetCatalogSourceTemplate platforms:[]v2alpha1.InstancePlatformFilter)
v2alpha1.IncludePackage(name channels:[]v2alpha1.IncludeChannel defaultChannel minVersion maxVersion)
v2alpha1.IncludeChannel(name minVersion maxVersion)
v2alpha1.AdditionalImage(name targetRepo targetTag platforms:[]v2alpha1.InstancePlatformFilter)
v2alpha1.Helm(repositories:[]v2alpha1.Repository local:[]v2alpha1.Chart)
v2alpha1.Repository(url name charts:[]v2alpha1.Chart)
v2alpha1.Chart(name version path imagePaths:[]string platforms:[]v2alpha1.InstancePlatformFilter)
v2alpha1.BlockedImage(name)
v2alpha1.SampleImage(name)
v2alpha1.InstancePlatformFilter(os architecture)
)";

} // namespace

const Type& type_named(std::string_view name) {
    static const std::string text = std::string(catalog_types)
                                        .append(resolver_types)
                                        .append(olm_types)
                                        .append(kubernetes_types)
                                        .append(mirror_types);
    static const Types types(text);
    return types[name];
}

} // namespace opcat::go
