"""A small OLM classic: catalogs, resolution of a namespace, InstallPlans and ClusterServiceVersions."""
from __future__ import annotations

import hashlib
import json
from typing import Callable

from .simulated_olm import (DEPLOYMENTS, OLM, Blobs, SimulatedOlm, deployment_status, drop_condition, owner_of, property_of, rank,
                            selector, set_condition, version_of)
from .storage import Key, Object, Store, namespace_of, now

SUBSCRIPTIONS: Key = (OLM, 'subscriptions')
PLANS: Key = (OLM, 'installplans')
CSVS: Key = (OLM, 'clusterserviceversions')
SOURCES: Key = (OLM, 'catalogsources')
GROUPS: Key = (OLM, 'operatorgroups')
JOBS: Key = ('batch', 'jobs')
GLOBAL = 'olm'


class OlmClassic(SimulatedOlm):
    """`install_timeout`: turns that a CSV may wait for its Deployments. With `sticky` a failed resolution is repeated only after a change
    of a Subscription's annotations, as OLM does in a settled cluster. `slow`: turns until a catalog of this name is ready, and `slow_state` until then. `flapping`: CSVs
    that fail, with reason and message, and try again at once."""

    def __init__(self, store: Store, content: Callable[[str], Blobs | None]) -> None:
        super().__init__(store, content)
        self.install_timeout = 600  # half a second of the cluster each
        self._waited: dict[str, int] = {}
        self.sticky = False
        self._annotations: dict[str, dict[str, str]] = {}  # of the Subscriptions of a namespace, when its resolution failed
        self.slow: dict[str, int] = {}
        self.slow_state = 'CONNECTING'
        self.flapping: dict[str, tuple[str, str]] = {}

    def turn_classic(self) -> None:
        for source in self._store.list(SOURCES):
            self._source(source)
        for namespace in sorted({namespace_of(thing) for thing in self._store.list(SUBSCRIPTIONS)}):
            self._namespace(namespace)
        for plan in self._store.list(PLANS):
            self._plan(plan)
        for csv in self._store.list(CSVS):
            self._csv(csv)

    # Catalogs

    def _source(self, source: Object) -> None:
        status = dict(source.get('status') or {})
        state = (status.get('connectionState') or {}).get('lastObservedState')
        there = self._blobs(source['spec'].get('image', '')) is not None
        following = {None: 'CONNECTING', 'CONNECTING': 'READY' if there else 'TRANSIENT_FAILURE'}.get(state, state)
        name = source['metadata']['name']
        if name in self.slow and state == 'TRANSIENT_FAILURE':
            following = 'READY'
        if following == 'READY' and self.slow.get(name, 0) > 0:
            self.slow[name] -= 1
            following = self.slow_state
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
                             'ownerReferences': [owner_of(source, True)]},
                'spec': {'containers': [{'name': 'registry-server', 'image': image}]},
                'status': {'phase': 'Pending', 'containerStatuses': [{'name': 'registry-server', 'image': image, 'ready': False,
                                                                      'restartCount': 0, 'state': {'waiting': waiting}}]}})

    # Resolution of a namespace

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

    def is_stuck(self, namespace: str) -> bool:
        """Whether a resolution has failed since the last change of an annotation."""
        subscriptions = self._store.list(SUBSCRIPTIONS, namespace)
        failed = any(condition['type'] == 'ResolutionFailed' and condition['status'] == 'True'
                     for one in subscriptions for condition in (one.get('status') or {}).get('conditions') or [])
        annotations = {one['metadata']['name']: str(one['metadata'].get('annotations')) for one in subscriptions}
        if not self.sticky or not failed:
            self._annotations.pop(namespace, None)
            return False
        return annotations.items() <= self._annotations.setdefault(namespace, annotations).items()

    def _resolve(self, namespace: str, sources: list[Object]) -> None:
        if self.is_stuck(namespace):
            return
        self._annotations.pop(namespace, None)
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
        """The bundle that the subscription moves to, or why there is none; neither if it is already there."""
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
        # A subscription without a channel goes to the head of the default channel, and then through all channels.
        channels = [channel] if spec.get('channel') else [b for b in blobs if b['schema'] == 'olm.channel' and b['package'] == spec['name']]
        following = [entry for one in channels for entry in one['entries']
                     if entry.get('replaces') == installed or installed in (entry.get('skips') or [])]
        if not following:
            return None, ''
        return self._with_dependencies(max((bundles[entry['name']] for entry in following), key=rank), blobs)

    def _with_dependencies(self, bundle: Object, blobs: Blobs) -> tuple[Object | None, str]:
        """Only checks that somebody provides the required API: dependencies are not installed here."""
        provided = [item['value'] for b in blobs for item in b.get('properties') or [] if item['type'] == 'olm.gvk']
        for item in bundle.get('properties') or []:
            if item['type'] == 'olm.gvk.required' and item['value'] not in provided:
                api = item['value']
                return None, (f'bundle {bundle["name"]} requires an operator providing an API with group: {api["group"]}, version: '
                              f'{api["version"]}, kind: {api["kind"]}')
        return bundle, ''

    # Unpacking, plans

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
        """In the namespace of the catalog, with a pod that cannot pull the image of the bundle."""
        name, namespace = hashlib.sha256(bundle['name'].encode()).hexdigest()[:63], subscription['spec']['sourceNamespace']
        labels = {'operatorframework.io/bundle-unpack-ref': name, 'olm.managed': 'true'}
        job = self._store.get(JOBS, namespace, name) or self._store.create(JOBS, {
            'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': name, 'namespace': namespace, 'labels': labels}, 'spec': {}})
        if not self._store.get(('', 'pods'), namespace, name + '-bfgrw'):
            waiting = {'reason': 'ImagePullBackOff', 'message': f'Back-off pulling image "{bundle["image"]}"'}
            self._store.create(('', 'pods'), {
                'apiVersion': 'v1', 'kind': 'Pod', 'spec': {'containers': []},
                'metadata': {'name': name + '-bfgrw', 'namespace': namespace, 'labels': {**labels, 'job-name': name},
                             'ownerReferences': [owner_of(job, True)]},
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
                         'ownerReferences': [owner_of(subscription) for subscription in subscriptions]},
            'spec': {'approval': 'Manual' if manual else 'Automatic', 'approved': not manual, 'generation': generation,
                     'clusterServiceVersionNames': names},
            'status': {'phase': 'RequiresApproval' if manual else 'Installing', 'catalogSources': [],
                       'bundleLookups': [_lookup_of(bundle) for bundle in wanted.values()],
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
        metadata = property_of(bundle, 'olm.csv.metadata') or {}
        installed = (subscription.get('status') or {}).get('installedCSV')
        package, namespace = subscription['spec']['name'], namespace_of(subscription)
        spec = {'displayName': metadata.get('displayName', package), 'version': version_of(bundle),
                'installModes': metadata.get('installModes') or [],
                'customresourcedefinitions': metadata.get('crdDescriptions') or {},
                'install': {'strategy': 'deployment', 'spec': {'deployments': [
                    {'name': f'{package}-controller', 'spec': {'selector': selector(f'{package}-controller')}}]}},
                **({'replaces': installed} if installed else {})}
        label = f'operators.coreos.com/{package}.{namespace}'
        for crd in (metadata.get('crdDescriptions') or {}).get('owned') or []:
            self._make_crd(crd, label)
        return self._store.create(CSVS, {
            'apiVersion': f'{OLM}/v1alpha1', 'kind': 'ClusterServiceVersion', 'spec': spec,
            'metadata': {'name': name, 'namespace': namespace, 'labels': {label: ''}, 'finalizers': ['operators.coreos.com/csv-cleanup'],
                         'annotations': {'olm.operatorNamespace': namespace}}})

    # CSVs

    _PHASES = {None: ('Pending', 'RequirementsNotMet', "one or more requirements couldn't be found"),
               'Pending': ('InstallReady', 'AllRequirementsMet', 'all requirements found, attempting install'),
               'InstallReady': ('Installing', 'InstallSucceeded', 'waiting for install components to report healthy'),
               'Installing': ('Succeeded', 'InstallSucceeded', 'install strategy completed with no errors')}

    def _csv(self, csv: Object) -> None:
        status = dict(csv.get('status') or {})
        phase, name = status.get('phase'), csv['metadata']['name']
        if csv['metadata'].get('deletionTimestamp') or phase in ('Succeeded', 'Failed') and self._settle(csv) and name not in {*self.crashing, *self.flapping}:
            return
        if phase not in self._PHASES and phase != 'Failed':
            return
        following, reason, message = ('Pending', 'NeedsReinstall', _unavailable(csv)) if phase == 'Failed' else self._PHASES[phase]
        if following == 'Installing' and name in self.flapping:
            following, (reason, message) = 'Failed', self.flapping[name]
        if following == 'Succeeded' and name in self.crashing:
            following, reason, message = self._while_crashing(csv)
        if following == 'Installing':
            self._make_deployment(csv)
        if (phase, status.get('reason')) != (following, reason):
            status['lastTransitionTime'] = now()
            status['conditions'] = (status.get('conditions') or [])[-9:] + [
                {'phase': following, 'reason': reason, 'message': message, 'lastTransitionTime': now()}]
        status.update({'phase': following, 'reason': reason, 'message': message})
        self._save(CSVS, csv, status)

    def _while_crashing(self, csv: Object) -> tuple[str, str, str]:
        """After some time OLM gives up and starts again."""
        deployment = self._store.get(DEPLOYMENTS, namespace_of(csv), _deployment_name(csv))
        if deployment:
            self._crash(deployment)
        waited = self._waited[csv['metadata']['uid']] = self._waited.get(csv['metadata']['uid'], 0) + 1
        if waited < self.install_timeout:
            return 'Installing', 'InstallWaiting', f'installing: waiting for deployment {_deployment_name(csv)} to become ready: {_unavailable(csv)}'
        self._waited[csv['metadata']['uid']] = 0
        return 'Failed', 'InstallCheckFailed', 'install timeout'

    def _make_deployment(self, csv: Object) -> None:
        name, namespace = _deployment_name(csv), namespace_of(csv)
        if self._store.get(DEPLOYMENTS, namespace, name):
            return
        ready = csv['metadata']['name'] not in self.crashing
        self._store.create(DEPLOYMENTS, {
            'apiVersion': 'apps/v1', 'kind': 'Deployment',
            'metadata': {'name': name, 'namespace': namespace, 'ownerReferences': [owner_of(csv)],
                         'labels': {**csv['metadata']['labels'], 'olm.owner': csv['metadata']['name']}},
            'spec': {'replicas': 1, 'selector': selector(name)}, 'status': deployment_status(ready)})

    def _settle(self, csv: Object) -> bool:
        """A succeeded CSV becomes the installed one of its subscription, and the replaced one is deleted."""
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
            deployment['metadata']['ownerReferences'] = [owner_of(csv)]
            deployment['metadata']['labels']['olm.owner'] = csv['metadata']['name']
            self._store.replace(DEPLOYMENTS, deployment)


def _head(channel: Object) -> str:
    replaced = {entry.get('replaces') for entry in channel['entries']}
    replaced |= {name for entry in channel['entries'] for name in entry.get('skips') or []}
    return next(entry['name'] for entry in channel['entries'] if entry['name'] not in replaced)


def _deployment_name(csv: Object) -> str:
    return csv['spec']['install']['spec']['deployments'][0]['name']


def _unavailable(csv: Object) -> str:
    return f'deployment "{_deployment_name(csv)}" not available: Deployment does not have minimum availability.'


def _lookup_of(bundle: Object) -> Object:
    return {'identifier': bundle['name'], 'path': bundle['image'], 'replaces': '',
            'properties': json.dumps({'properties': [item for item in bundle['properties'] if item['type'] != 'olm.csv.metadata']})}


def _step_of(bundle: Object, status: str) -> Object:
    return {'resolving': bundle['name'], 'status': status,
            'resource': {'kind': 'ClusterServiceVersion', 'group': OLM, 'version': 'v1alpha1', 'name': bundle['name'],
                         'manifest': '{}', 'sourceName': '', 'sourceNamespace': ''}}
