"""A small OLM, both generations of it: enough to install, upgrade and fail, for tests that go their own ways.

It goes one step at each turn, so that every state in between can be seen. What it says is what the recordings say at the same
point; whether a tool understands OLM is tested with these, and with this only what the tool does in flows that nobody recorded.
"""
from __future__ import annotations

import hashlib
import re
import threading
from typing import Any, Callable

from . import rbac, registry_v1
from .storage import Key, Object, Store, namespace_of, now

OLM, V1 = 'operators.coreos.com', 'olm.operatorframework.io'
SUBSCRIPTIONS: Key = (OLM, 'subscriptions')
PLANS: Key = (OLM, 'installplans')
CSVS: Key = (OLM, 'clusterserviceversions')
SOURCES: Key = (OLM, 'catalogsources')
GROUPS: Key = (OLM, 'operatorgroups')
EXTENSIONS: Key = (V1, 'clusterextensions')
CATALOGS: Key = (V1, 'clustercatalogs')
CRDS: Key = ('apiextensions.k8s.io', 'customresourcedefinitions')
JOBS: Key = ('batch', 'jobs')
DEPLOYMENTS: Key = ('apps', 'deployments')
GLOBAL = 'olm'

Blobs = list[Object]


def _property(bundle: Object, kind: str) -> Any:
    return next((item['value'] for item in bundle.get('properties') or [] if item['type'] == kind), None)


def version_of(bundle: Object) -> str:
    return (_property(bundle, 'olm.package') or {}).get('version', '')


def _rank(bundle: Object) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r'\d+', version_of(bundle).partition('-')[0]))


def set_condition(status: Object, kind: str, value: str, reason: str = '', message: str = '', **more: Any) -> None:
    rest = [condition for condition in status.get('conditions') or [] if condition['type'] != kind]
    told = {key: text for key, text in (('reason', reason), ('message', message)) if text}
    status['conditions'] = rest + [{'type': kind, 'status': value, **told, 'lastTransitionTime': now(), **more}]


def drop_condition(status: Object, kind: str) -> None:
    status['conditions'] = [condition for condition in status.get('conditions') or [] if condition['type'] != kind]


class Simulation:
    """`content`: the blobs of the catalog in an image (by the last part of its name), None for an image that is not there.
    Of bundles, those whose image is in `missing` cannot be pulled, and those in `crashing` never become ready; those in `manifests`
    OLM v1 installs object by object, with the rights of the extension's account if it `uses_accounts`: since 1.11 it does not."""

    def __init__(self, store: Store, content: Callable[[str], Blobs | None], pace: float = 0.05) -> None:
        self._store, self._content, self._pace = store, content, pace
        self.missing: set[str] = set()
        self.crashing: set[str] = set()
        self.manifests: dict[str, list[Object]] = {}
        self.uses_accounts = True
        self._stop = threading.Event()
        self.trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(5)

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._pace):
                with self._store.lock:
                    self._turn()
        except BaseException as error:
            self.trouble = error
            raise

    def _turn(self) -> None:
        served = {resource.key for resource in self._store.resources()}
        if SOURCES in served:
            for source in self._store.list(SOURCES):
                self._source(source)
            for namespace in sorted({namespace_of(thing) for thing in self._store.list(SUBSCRIPTIONS)}):
                self._namespace(namespace)
            for plan in self._store.list(PLANS):
                self._plan(plan)
            for csv in self._store.list(CSVS):
                self._csv(csv)
        if EXTENSIONS in served:
            for catalog in self._store.list(CATALOGS):
                self._catalog(catalog)
            for extension in self._store.list(EXTENSIONS):
                self._extension(extension)

    def blobs_of(self, catalog: Object) -> Blobs | None:
        """Of a CatalogSource or a ClusterCatalog."""
        spec = catalog['spec']
        return self._blobs(spec['image'] if 'image' in spec else ((spec.get('source') or {}).get('image') or {}).get('ref', ''))

    def _blobs(self, image: str) -> Blobs | None:
        return self._content(re.sub(r'[:@].*', '', image.rpartition('/')[2]))

    def _save(self, key: Key, thing: Object, status: Object) -> None:
        """Times count for nothing: a status that says the same as before is not written."""
        def plain(value: Any) -> Any:
            conditions = [{**condition, 'lastTransitionTime': ''} for condition in value.get('conditions') or []]
            return {**value, 'conditions': sorted(conditions, key=lambda condition: str(condition.get('type') or condition))}
        if plain(status) != plain(thing.get('status') or {}):
            self._store.replace(key, {**thing, 'status': status})

    # OLM classic: catalogs

    def _source(self, source: Object) -> None:
        status = dict(source.get('status') or {})
        state = (status.get('connectionState') or {}).get('lastObservedState')
        there = self._blobs(source['spec'].get('image', '')) is not None
        following = {None: 'CONNECTING', 'CONNECTING': 'READY' if there else 'TRANSIENT_FAILURE'}.get(state, state)
        if following == 'READY' and not there:
            following = 'TRANSIENT_FAILURE'
        if not there:
            self._catalog_pod(source)
        if following != state:
            status['connectionState'] = {'lastObservedState': following, 'lastConnect': now(),
                                         'address': f'{source["metadata"]["name"]}.{namespace_of(source)}.svc:50051'}
            self._save(SOURCES, source, status)

    def _catalog_pod(self, source: Object) -> None:
        name, image = source['metadata']['name'], source['spec'].get('image', '')
        if not self._store.get(('', 'pods'), namespace_of(source), name + '-x7k2p'):
            waiting = {'reason': 'ImagePullBackOff', 'message': f'Back-off pulling image "{image}"'}
            self._store.create(('', 'pods'), {
                'apiVersion': 'v1', 'kind': 'Pod',
                'metadata': {'name': name + '-x7k2p', 'namespace': namespace_of(source), 'labels': {'olm.catalogSource': name},
                             'ownerReferences': [_owner(source, True)]},
                'spec': {'containers': [{'name': 'registry-server', 'image': image}]},
                'status': {'phase': 'Pending', 'containerStatuses': [{'name': 'registry-server', 'image': image, 'ready': False,
                                                                      'restartCount': 0, 'state': {'waiting': waiting}}]}})

    # OLM classic: resolution of a namespace

    def _namespace(self, namespace: str) -> None:
        subscriptions = self._store.list(SUBSCRIPTIONS, namespace)
        groups = self._store.list(GROUPS, namespace)
        for group in groups:
            status = dict(group.get('status') or {})
            if len(groups) > 1:
                set_condition(status, 'MultipleOperatorGroup', 'True', 'MultipleOperatorGroupsFound',
                              'Multiple OperatorGroup found in the same namespace')
            else:
                drop_condition(status, 'MultipleOperatorGroup')
                status['namespaces'] = group['spec'].get('targetNamespaces') or ['']
            self._save(GROUPS, group, status)
        sources = self._store.list(SOURCES, namespace) + (self._store.list(SOURCES, GLOBAL) if namespace != GLOBAL else [])
        for subscription in subscriptions:
            self._label(subscription)
            status = dict(subscription.get('status') or {})
            set_condition(status, 'CatalogSourcesUnhealthy', 'False', 'AllCatalogSourcesHealthy',
                          'all available catalogsources are healthy')
            self._save(SUBSCRIPTIONS, subscription, status)
        if len(groups) == 1 and subscriptions:
            self._resolve(namespace, sources)

    def _label(self, subscription: Object) -> None:
        label = f'operators.coreos.com/{subscription["spec"]["name"]}.{namespace_of(subscription)}'[:84].rstrip('._-')
        labels = subscription['metadata'].setdefault('labels', {})
        if label not in labels:
            labels[label] = ''
            self._store.replace(SUBSCRIPTIONS, subscription)

    def _resolve(self, namespace: str, sources: list[Object]) -> None:
        for source in sources:
            if (source.get('status') or {}).get('connectionState', {}).get('lastObservedState') != 'READY':
                where = f'{namespace_of(source)}/{source["metadata"]["name"]}'
                self._resolution_failed(namespace, 'ErrorPreventedResolution', f'error using catalogsource {where}: failed to list '
                                        'bundles: rpc error: code = Unavailable desc = connection error')
                return
        wanted: dict[str, Object] = {}
        for subscription in self._store.list(SUBSCRIPTIONS, namespace):
            bundle, problem = self._wanted(subscription, sources)
            if problem:
                exists = f'subscription {subscription["metadata"]["name"]} exists'
                self._resolution_failed(namespace, 'ConstraintsNotSatisfiable', f'constraints not satisfiable: {problem}, {exists}')
                return
            if bundle:
                wanted[subscription['metadata']['name']] = bundle
        for subscription in self._store.list(SUBSCRIPTIONS, namespace):
            status = dict(subscription.get('status') or {})
            drop_condition(status, 'ResolutionFailed')
            self._save(SUBSCRIPTIONS, subscription, status)
        if wanted and self._unpacked(namespace, wanted):
            self._make_plan(namespace, wanted)

    def _resolution_failed(self, namespace: str, reason: str, message: str) -> None:
        for subscription in self._store.list(SUBSCRIPTIONS, namespace):
            status = dict(subscription.get('status') or {})
            set_condition(status, 'ResolutionFailed', 'True', reason, message)
            self._save(SUBSCRIPTIONS, subscription, status)

    def _wanted(self, subscription: Object, sources: list[Object]) -> tuple[Object | None, str]:
        """The bundle that the subscription is to move to, or why there is none; neither when it is where it should be."""
        spec, me = subscription['spec'], subscription['metadata']['name']
        source = next((s for s in sources if (namespace_of(s), s['metadata']['name']) == (spec['sourceNamespace'], spec['source'])), None)
        if source is None:
            return None, (f'no operators found from catalog {spec["source"]} in namespace {spec["sourceNamespace"]} referenced by '
                          f'subscription {me}')
        blobs = self._blobs(source['spec']['image']) or []
        package = next((b for b in blobs if b['schema'] == 'olm.package' and b['name'] == spec['name']), None)
        if package is None:
            return None, f'no operators found in package {spec["name"]} in the catalog referenced by subscription {me}'
        channel_name = spec.get('channel') or package['defaultChannel']
        channel = next((b for b in blobs if b['schema'] == 'olm.channel' and (b['package'], b['name']) == (spec['name'], channel_name)), None)
        if channel is None:
            return None, (f'no operators found in channel {channel_name} of package {spec["name"]} in the catalog referenced by '
                          f'subscription {me}')
        bundles = {b['name']: b for b in blobs if b['schema'] == 'olm.bundle' and b['package'] == spec['name']}
        return self._step(subscription, channel, bundles, blobs)

    def _step(self, subscription: Object, channel: Object, bundles: dict[str, Object], blobs: Blobs) -> tuple[Object | None, str]:
        spec, me, status = subscription['spec'], subscription['metadata']['name'], subscription.get('status') or {}
        entries = {entry['name']: entry for entry in channel['entries']}
        installed = status.get('installedCSV') or ''
        if not installed:
            left = [csv['metadata']['name'] for csv in self._store.list(CSVS, namespace_of(subscription))
                    if csv['metadata']['name'] in bundles and csv['metadata']['name'] != status.get('currentCSV')]
            start = spec.get('startingCSV') or _head(channel)
            if left:
                where = f'{spec["source"]}/{spec["sourceNamespace"]}/{channel["name"]}/{start}'
                return None, (f'@existing/{namespace_of(subscription)}//{left[0]} and {where} originate from package {spec["name"]}, '
                              f'clusterserviceversion {left[0]} exists and is not referenced by a subscription')
            if start not in entries:
                return None, (f'no operators found with name {start} in channel {channel["name"]} of package {spec["name"]} in the '
                              f'catalog referenced by subscription {me}')
            return self._with_dependencies(bundles[start], blobs)
        # Without a channel of its own a subscription goes to the head of the default one, and from there on through all.
        channels = [channel] if spec.get('channel') else [b for b in blobs if b['schema'] == 'olm.channel' and b['package'] == spec['name']]
        following = [entry for one in channels for entry in one['entries']
                     if entry.get('replaces') == installed or installed in (entry.get('skips') or [])]
        if not following:
            return None, ''
        return self._with_dependencies(max((bundles[entry['name']] for entry in following), key=_rank), blobs)

    def _with_dependencies(self, bundle: Object, blobs: Blobs) -> tuple[Object | None, str]:
        """Only that somebody provides the API that is wanted: nothing here installs dependencies."""
        provided = [item['value'] for b in blobs for item in b.get('properties') or [] if item['type'] == 'olm.gvk']
        for item in bundle.get('properties') or []:
            if item['type'] == 'olm.gvk.required' and item['value'] not in provided:
                api = item['value']
                return None, (f'bundle {bundle["name"]} requires an operator providing an API with group: {api["group"]}, version: '
                              f'{api["version"]}, kind: {api["kind"]}')
        return bundle, ''

    # OLM classic: unpacking, plans

    def _unpacked(self, namespace: str, wanted: dict[str, Object]) -> bool:
        for name, bundle in wanted.items():
            subscription = self._store.get(SUBSCRIPTIONS, namespace, name)
            if bundle['name'] not in self.missing or subscription is None:
                continue
            status = dict(subscription.get('status') or {})
            tries = status.pop('tries', 0) + 1
            set_condition(status, 'BundleUnpacking', 'True', 'UnpackingInProgress', f'Back-off pulling image "{bundle["image"]}"')
            self._unpack_job(subscription, bundle, tries > 5)
            if tries > 5:
                drop_condition(status, 'BundleUnpacking')
                set_condition(status, 'BundleUnpackFailed', 'True', 'BundleUnpackFailed', 'Bundle unpacking failed - DeadlineExceeded: '
                              'Job was active longer than specified deadline')
            self._save(SUBSCRIPTIONS, subscription, {**status, 'tries': min(tries, 6)})
            return False
        return True

    def _unpack_job(self, subscription: Object, bundle: Object, failed: bool) -> None:
        """Where the catalog is, with a pod that cannot pull the bundle's image."""
        name, namespace = hashlib.sha256(bundle['name'].encode()).hexdigest()[:63], subscription['spec']['sourceNamespace']
        labels = {'operatorframework.io/bundle-unpack-ref': name, 'olm.managed': 'true'}
        job = self._store.get(JOBS, namespace, name) or self._store.create(JOBS, {
            'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': name, 'namespace': namespace, 'labels': labels}, 'spec': {}})
        if not self._store.get(('', 'pods'), namespace, name + '-bfgrw'):
            waiting = {'reason': 'ImagePullBackOff', 'message': f'Back-off pulling image "{bundle["image"]}"'}
            self._store.create(('', 'pods'), {
                'apiVersion': 'v1', 'kind': 'Pod', 'spec': {'containers': []},
                'metadata': {'name': name + '-bfgrw', 'namespace': namespace, 'labels': {**labels, 'job-name': name},
                             'ownerReferences': [_owner(job, True)]},
                'status': {'phase': 'Pending', 'initContainerStatuses': [
                    {'name': 'pull', 'image': bundle['image'], 'ready': False, 'restartCount': 0, 'state': {'waiting': waiting}}]}})
        if failed:
            status: Object = {}
            set_condition(status, 'Failed', 'True', 'DeadlineExceeded', 'Job was active longer than specified deadline')
            self._save(JOBS, job, status)

    def _make_plan(self, namespace: str, wanted: dict[str, Object]) -> None:
        names = sorted(bundle['name'] for bundle in wanted.values())
        plans = self._store.list(PLANS, namespace)
        if any(plan['spec']['clusterServiceVersionNames'] == names for plan in plans):
            return
        subscriptions = [thing for name in wanted if (thing := self._store.get(SUBSCRIPTIONS, namespace, name))]
        manual = any(thing['spec'].get('installPlanApproval') == 'Manual' for thing in subscriptions)
        generation = max([plan['spec']['generation'] for plan in plans], default=0) + 1
        plan = self._store.create(PLANS, {
            'apiVersion': f'{OLM}/v1alpha1', 'kind': 'InstallPlan',
            'metadata': {'name': 'install-' + hashlib.sha256(f'{namespace} {generation}'.encode()).hexdigest()[:5], 'namespace': namespace,
                         'ownerReferences': [_owner(subscription) for subscription in subscriptions]},
            'spec': {'approval': 'Manual' if manual else 'Automatic', 'approved': not manual, 'generation': generation,
                     'clusterServiceVersionNames': names},
            'status': {'phase': 'RequiresApproval' if manual else 'Installing', 'catalogSources': [],
                       'plan': [_step_of(bundle, 'Unknown') for bundle in wanted.values()]}})
        for subscription in subscriptions:
            status = dict(subscription.get('status') or {})
            status.update({'state': 'UpgradePending', 'currentCSV': wanted[subscription['metadata']['name']]['name'],
                           'installPlanGeneration': generation,
                           'installPlanRef': {'apiVersion': f'{OLM}/v1alpha1', 'kind': 'InstallPlan', 'namespace': namespace,
                                              'name': plan['metadata']['name'], 'uid': plan['metadata']['uid']}})
            set_condition(status, 'InstallPlanPending', 'True', 'RequiresApproval' if manual else 'Installing')
            self._save(SUBSCRIPTIONS, subscription, status)

    def _plan(self, plan: Object) -> None:
        status = dict(plan.get('status') or {})
        if status.get('phase') == 'RequiresApproval' and plan['spec']['approved']:
            status['phase'] = 'Installing'
            self._save(PLANS, plan, status)
        elif status.get('phase') == 'Installing':
            csvs = [self._make_csv(plan, name) for name in plan['spec']['clusterServiceVersionNames']]
            if all(csvs) and all((csv.get('status') or {}).get('phase') in ('Succeeded', 'Installing') for csv in csvs if csv):
                status.update({'phase': 'Complete', 'plan': [{**step, 'status': 'Created'} for step in status.get('plan') or []]})
                set_condition(status, 'Installed', 'True')
                self._save(PLANS, plan, status)

    def _make_csv(self, plan: Object, name: str) -> Object | None:
        namespace = namespace_of(plan)
        found = self._store.get(CSVS, namespace, name)
        if found:
            return found
        for subscription in self._store.list(SUBSCRIPTIONS, namespace):
            if (subscription.get('status') or {}).get('currentCSV') == name:
                return self._create_csv(subscription, name)
        return None

    def _create_csv(self, subscription: Object, name: str) -> Object | None:
        source = self._store.get(SOURCES, subscription['spec']['sourceNamespace'], subscription['spec']['source'])
        bundle = next((b for b in self._blobs(source['spec']['image']) or [] if b['name'] == name and b['schema'] == 'olm.bundle'),
                      None) if source else None
        if bundle is None:
            return None
        metadata = _property(bundle, 'olm.csv.metadata') or {}
        installed = (subscription.get('status') or {}).get('installedCSV')
        package, namespace = subscription['spec']['name'], namespace_of(subscription)
        spec = {'displayName': metadata.get('displayName', package), 'version': version_of(bundle),
                'installModes': metadata.get('installModes') or [],
                'customresourcedefinitions': metadata.get('crdDescriptions') or {},
                'install': {'strategy': 'deployment', 'spec': {'deployments': [{'name': f'{package}-controller', 'spec': {}}]}},
                **({'replaces': installed} if installed else {})}
        label = f'operators.coreos.com/{package}.{namespace}'
        for crd in (metadata.get('crdDescriptions') or {}).get('owned') or []:
            self._make_crd(crd, label)
        return self._store.create(CSVS, {
            'apiVersion': f'{OLM}/v1alpha1', 'kind': 'ClusterServiceVersion', 'spec': spec,
            'metadata': {'name': name, 'namespace': namespace, 'labels': {label: ''}, 'finalizers': ['operators.coreos.com/csv-cleanup'],
                         'annotations': {'olm.operatorNamespace': namespace}}})

    def _make_crd(self, owned: Object, label: str) -> None:
        plural, _, group = owned['name'].partition('.')
        if not self._store.get(CRDS, '', owned['name']):
            schema = {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}
            self._store.create(CRDS, {
                'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                'metadata': {'name': owned['name'], 'labels': {label: '', 'olm.managed': 'true'}},
                'spec': {'group': group, 'scope': 'Namespaced', 'names': {
                    'plural': plural, 'singular': owned['kind'].lower(), 'kind': owned['kind'], 'listKind': owned['kind'] + 'List'},
                    'versions': [{'name': owned['version'], 'served': True, 'storage': True, 'schema': {'openAPIV3Schema': schema}}]}})

    # OLM classic: CSVs

    _PHASES = {None: ('Pending', 'RequirementsNotMet', "one or more requirements couldn't be found"),
               'Pending': ('InstallReady', 'AllRequirementsMet', 'all requirements found, attempting install'),
               'InstallReady': ('Installing', 'InstallSucceeded', 'waiting for install components to report healthy'),
               'Installing': ('Succeeded', 'InstallSucceeded', 'install strategy completed with no errors')}

    def _csv(self, csv: Object) -> None:
        status = dict(csv.get('status') or {})
        phase, name = status.get('phase'), csv['metadata']['name']
        if csv['metadata'].get('deletionTimestamp') or phase in ('Succeeded', 'Failed') and self._settle(csv):
            return
        if phase not in self._PHASES:
            return
        following, reason, message = self._PHASES[phase]
        if following == 'Succeeded' and name in self.crashing:
            following, reason = 'Installing', 'InstallWaiting'
            message = (f'installing: waiting for deployment {_deployment_name(csv)} to become ready: deployment "{_deployment_name(csv)}" '
                       'not available: Deployment does not have minimum availability.')
        if following == 'Installing':
            self._make_deployment(csv)
        status.update({'phase': following, 'reason': reason, 'message': message})
        self._save(CSVS, csv, status)

    def _make_deployment(self, csv: Object) -> None:
        name, namespace = _deployment_name(csv), namespace_of(csv)
        if self._store.get(DEPLOYMENTS, namespace, name):
            return
        ready = csv['metadata']['name'] not in self.crashing
        self._store.create(DEPLOYMENTS, {
            'apiVersion': 'apps/v1', 'kind': 'Deployment',
            'metadata': {'name': name, 'namespace': namespace, 'ownerReferences': [_owner(csv)],
                         'labels': {**csv['metadata']['labels'], 'olm.owner': csv['metadata']['name']}},
            'spec': {'replicas': 1}, 'status': _deployment_status(ready)})

    def _settle(self, csv: Object) -> bool:
        """A CSV that has succeeded becomes its subscription's installed one; the one that it replaces goes."""
        name, namespace = csv['metadata']['name'], namespace_of(csv)
        for subscription in self._store.list(SUBSCRIPTIONS, namespace):
            status = dict(subscription.get('status') or {})
            if status.get('currentCSV') == name and status.get('installedCSV') != name:
                status.update({'installedCSV': name, 'state': 'AtLatestKnown'})
                drop_condition(status, 'InstallPlanPending')
                self._save(SUBSCRIPTIONS, subscription, status)
                replaced = csv['spec'].get('replaces')
                if replaced and self._store.get(CSVS, namespace, replaced):
                    self._hand_over(namespace, replaced, csv)
                    self._store.drop(CSVS, namespace, replaced)
        return True

    def _hand_over(self, namespace: str, replaced: str, csv: Object) -> None:
        deployment = self._store.get(DEPLOYMENTS, namespace, _deployment_name(csv))
        if deployment:
            deployment['metadata']['ownerReferences'] = [_owner(csv)]
            deployment['metadata']['labels']['olm.owner'] = csv['metadata']['name']
            self._store.replace(DEPLOYMENTS, deployment)

    # OLM v1

    def _catalog(self, catalog: Object) -> None:
        status = dict(catalog.get('status') or {})
        labels = catalog['metadata'].setdefault('labels', {})
        if V1 + '/metadata.name' not in labels:
            labels[V1 + '/metadata.name'] = catalog['metadata']['name']
            catalog = self._store.replace(CATALOGS, catalog)
        generation = {'observedGeneration': catalog['metadata']['generation']}
        image = catalog['spec']['source']['image']['ref']
        if catalog['spec'].get('availabilityMode') == 'Unavailable':
            words = ('UserSpecifiedUnavailable', 'Catalog availability mode is set to Unavailable')
            set_condition(status, 'Progressing', 'True', 'Succeeded', words[1], **generation)
            set_condition(status, 'Serving', 'False', *words, **generation)
        elif self._blobs(image) is None:
            set_condition(status, 'Progressing', 'True', 'Retrying', 'source catalog content: error creating image source: reading '
                          f'manifest in {image}: manifest unknown', **generation)
        else:
            set_condition(status, 'Progressing', 'True', 'Succeeded', 'Successfully unpacked and stored content from resolved source',
                          **generation)
            set_condition(status, 'Serving', 'True', 'Available', 'Serving desired content from resolved source', **generation)
            status.setdefault('lastUnpacked', now())
            status['urls'] = {'base': f'https://catalogd-service.olmv1-system.svc/catalogs/{catalog["metadata"]["name"]}'}
            status['resolvedSource'] = {'type': 'Image', 'image': {'ref': image}}
        self._save(CATALOGS, catalog, status)

    def _extension(self, extension: Object) -> None:
        if extension['metadata'].get('deletionTimestamp'):
            return
        if not extension['metadata'].get('finalizers'):
            extension['metadata']['finalizers'] = [V1 + '/cleanup-unpack-cache', V1 + '/cleanup-contentmanager-cache']
            self._store.replace(EXTENSIONS, extension)
            return
        status = dict(extension.get('status') or {})
        generation = {'observedGeneration': extension['metadata']['generation']}
        installed = ((status.get('install') or {}).get('bundle') or {}).get('name', '')
        bundle, problem = self._chosen(extension, installed)
        if problem or bundle is None:
            set_condition(status, 'Progressing', 'True', 'Retrying', problem, **generation)
            if not installed:
                unknown = 'validation error' in problem
                set_condition(status, 'Installed', 'Unknown' if unknown else 'False', 'Failed',
                              problem if unknown else 'No bundle installed', **generation)
        elif problem := self._make_v1_objects(extension, bundle):
            told = f'error for resolved bundle "{bundle["name"]}" with version "{version_of(bundle)}": {problem}'
            set_condition(status, 'Progressing', 'True', 'Retrying', told, **generation)
            if not installed:
                set_condition(status, 'Installed', 'False', 'Failed', 'No bundle installed', **generation)
        else:
            status['install'] = {'bundle': {'name': bundle['name'], 'version': version_of(bundle)}}
            set_condition(status, 'Installed', 'True', 'Succeeded', f'Installed bundle {bundle["image"]} successfully', **generation)
            set_condition(status, 'Progressing', 'True', 'Succeeded', 'Desired state reached', **generation)
        self._save(EXTENSIONS, extension, status)

    def _chosen(self, extension: Object, installed: str) -> tuple[Object | None, str]:
        spec = extension['spec']
        catalog = spec['source']['catalog']
        account, namespace = _account_of(extension), spec['namespace']
        if self.uses_accounts and not self._store.get(('', 'serviceaccounts'), namespace, account):
            return None, ('operation cannot proceed due to the following validation error(s): service account '
                          f'"{account}" not found in namespace "{namespace}"')
        selector = ((catalog.get('selector') or {}).get('matchLabels') or {}).get(V1 + '/metadata.name')
        blobs: Blobs = []
        for source in self._store.list(CATALOGS):
            if not selector or source['metadata']['name'] == selector:
                blobs += self._blobs(source['spec']['source']['image']['ref']) or []
        package = catalog['packageName']
        bundles = {b['name']: b for b in blobs if b['schema'] == 'olm.bundle' and b['package'] == package}
        entries = [entry for b in blobs if b['schema'] == 'olm.channel' and b['package'] == package
                   and (not catalog.get('channels') or b['name'] in catalog['channels']) for entry in b['entries']]
        allowed = [bundles[entry['name']] for entry in entries if not installed or catalog.get('upgradeConstraintPolicy') == 'SelfCertified'
                   or entry['name'] == installed or entry.get('replaces') == installed or installed in (entry.get('skips') or [])]
        wish = catalog.get('version', '')
        found = [bundle for bundle in allowed if not wish or version_of(bundle) == wish]
        if found:
            return max(found, key=_rank), ''
        told = f'no bundles found for package "{package}"' + (f' matching version "{wish}"' if wish else '')
        if catalog.get('channels'):
            told += f' in channels [{" ".join(catalog["channels"])}]'
        current = f'error upgrading from currently installed version "{version_of(bundles[installed])}": ' if installed in bundles else ''
        return None, current + told

    def _make_v1_objects(self, extension: Object, bundle: Object) -> str:
        """What keeps it from being done; empty: nothing."""
        name, namespace = extension['metadata']['name'], extension['spec']['namespace']
        if bundle['name'] in self.manifests:
            wanted = registry_v1.render(self.manifests[bundle['name']], namespace)
            user = rbac.service_account(namespace, _account_of(extension)) if self.uses_accounts else rbac.User('olm', (rbac.MASTERS,))
            problem = registry_v1.Installer(self._store, user).install(wanted, extension)
            for thing in self._store.list(DEPLOYMENTS, namespace):
                ready = _deployment_status(bundle['name'] not in self.crashing, thing['metadata'].get('generation', 1))
                if (thing['metadata'].get('labels') or {}).get(V1 + '/owner-name') == name and thing.get('status') != ready:
                    self._store.replace(DEPLOYMENTS, {**thing, 'status': ready})
            return problem
        labels = {V1 + '/owner-kind': 'ClusterExtension', V1 + '/owner-name': name}
        for crd in ((_property(bundle, 'olm.csv.metadata') or {}).get('crdDescriptions') or {}).get('owned') or []:
            self._make_crd(crd, V1 + '/owner')
            made = self._store.get(CRDS, '', crd['name'])
            if made and not made['metadata'].get('ownerReferences'):
                made['metadata'].update({'labels': labels, 'ownerReferences': [_owner(extension, True)]})
                self._store.replace(CRDS, made)
        if not self._store.get(DEPLOYMENTS, namespace, f'{name}-controller'):
            ready = bundle['name'] not in self.crashing
            self._store.create(DEPLOYMENTS, {
                'apiVersion': 'apps/v1', 'kind': 'Deployment', 'spec': {'replicas': 1},
                'metadata': {'name': f'{name}-controller', 'namespace': namespace, 'labels': labels,
                             'ownerReferences': [_owner(extension, True)]},
                'status': _deployment_status(ready)})
        return ''


def _account_of(extension: Object) -> str:
    return (extension['spec'].get('serviceAccount') or {}).get('name', '')


def _head(channel: Object) -> str:
    replaced = {entry.get('replaces') for entry in channel['entries']}
    replaced |= {name for entry in channel['entries'] for name in entry.get('skips') or []}
    return next(entry['name'] for entry in channel['entries'] if entry['name'] not in replaced)


def _deployment_status(ready: bool, generation: int = 1) -> Object:
    have = 'has' if ready else 'does not have'
    return {'observedGeneration': generation, 'replicas': 1, 'updatedReplicas': 1, 'readyReplicas': int(ready), 'availableReplicas': int(ready),
            'conditions': [{'type': 'Available', 'status': str(ready), 'message': f'Deployment {have} minimum availability.',
                            'reason': 'MinimumReplicasAvailable' if ready else 'MinimumReplicasUnavailable'}]}


def _deployment_name(csv: Object) -> str:
    return csv['spec']['install']['spec']['deployments'][0]['name']


def _owner(thing: Object, controller: bool = False) -> Object:
    return {'apiVersion': thing['apiVersion'], 'kind': thing['kind'], 'name': thing['metadata']['name'],
            'uid': thing['metadata']['uid'], 'controller': controller, 'blockOwnerDeletion': controller}


def _step_of(bundle: Object, status: str) -> Object:
    return {'resolving': bundle['name'], 'status': status,
            'resource': {'kind': 'ClusterServiceVersion', 'group': OLM, 'version': 'v1alpha1', 'name': bundle['name'],
                         'manifest': '{}', 'sourceName': '', 'sourceNamespace': ''}}
