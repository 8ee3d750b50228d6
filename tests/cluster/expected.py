"""What a tool must report about the objects of a cluster, in their words, read from them one by one.

Written independently of the tool, from the documents of both OLMs: sections 2.4 and 3.3 of docs/spec/cluster.md.
"""
from __future__ import annotations

import dataclasses
import re
from typing import Any

from standin.storage import Object, Store, namespace_of

OLM = 'operators.coreos.com'


@dataclasses.dataclass
class Expected:
    """`words`: sentences of the cluster that must be reported; `installed`: name of the bundle that is installed and healthy."""
    name: str  # of the Subscription or ClusterExtension
    namespace: str  # empty for a ClusterExtension
    words: list[str]
    installed: str = ''
    ready: bool = False


def conditions(thing: Object) -> dict[str, Object]:
    return {condition['type']: condition for condition in (thing.get('status') or {}).get('conditions') or []}


def _is(thing: Object, kind: str, status: str = 'True') -> bool:
    return conditions(thing).get(kind, {}).get('status') == status


def _deprecations(thing: Object) -> list[str]:
    kinds = ('PackageDeprecated', 'ChannelDeprecated', 'BundleDeprecated')
    return [conditions(thing)[kind]['message'] for kind in kinds if _is(thing, kind)]


def _plan_words(plans: list[Object]) -> list[str]:
    """Why the latest plan has failed, or what it keeps retrying."""
    plan = max(plans, key=lambda plan: plan['spec'].get('generation', 0), default=None)
    if plan is None:
        return []
    status = plan.get('status') or {}
    if status.get('phase') == 'Failed':
        return [condition['message'] for condition in status.get('conditions') or [] if condition.get('message')]
    return [status['message']] if status.get('phase') == 'Installing' and status.get('message') else []


def _csv_words(csvs: list[Object]) -> list[str]:
    """What prevents a CSV from succeeding; slow progress is not a cause."""
    statuses = [csv.get('status') or {} for csv in csvs]
    return [status['message'] for status in statuses if status.get('phase') in ('Pending', 'Failed') and status.get('message')]


def _cause(subscription: Object, plans: list[Object], csvs: list[Object]) -> list[str]:
    """The first of these is the cause, and the others follow from it: after a failed plan the namespace has two CSVs of a
    package, which makes resolution fail; the new CSV keeps waiting for what the plan did not create."""
    told = [conditions(subscription)[kind]['message'] for kind in ('ResolutionFailed', 'BundleUnpackFailed') if _is(subscription, kind)]
    return _plan_words(plans) or told or _csv_words(csvs)


def _is_stale(words: str, csvs: list[Object]) -> bool:
    """A failed resolution is not repeated by itself: its message may name a CSV that is gone."""
    named = re.findall(r'clusterserviceversion (\S+) exists', words)
    return any(name not in {csv['metadata']['name'] for csv in csvs} for name in named)


def of_subscription(store: Store, subscription: Object) -> Expected:
    namespace = namespace_of(subscription)
    status = subscription.get('status') or {}
    csvs = [csv for csv in store.list((OLM, 'clusterserviceversions'), namespace)
            if 'olm.copiedFrom' not in (csv['metadata'].get('labels') or {})]
    names = {status.get('currentCSV', ''), status.get('installedCSV', '')}
    mine = [csv for csv in csvs if csv['metadata']['name'] in names]
    cause = _cause(subscription, store.list((OLM, 'installplans'), namespace), mine)
    installed = next((csv for csv in csvs if csv['metadata']['name'] == status.get('installedCSV')
                      and (csv.get('status') or {}).get('phase') == 'Succeeded'), None)
    ready = installed is not None and status.get('state') == 'AtLatestKnown' and all(
        _is_stale(words, csvs) for words in cause)
    return Expected(subscription['metadata']['name'], namespace, cause + _deprecations(subscription),
                    installed['metadata']['name'] if installed else '', ready)


def is_available(deployment: Object) -> bool:
    return conditions(deployment).get('Available', {}).get('status') == 'True'


def of_extension(store: Store, extension: Object) -> Expected:
    """OLM v1 does not check the Deployments; a tool must."""
    status = extension.get('status') or {}
    progressing = conditions(extension).get('Progressing', {})
    words = _deprecations(extension)
    # The order of the checks of a CRD changes with each attempt.
    if progressing.get('reason') not in ('Succeeded', None):
        words += [line for line in progressing['message'].splitlines() if line.strip()]
    bundle = (status.get('install') or {}).get('bundle') or {}
    running = all(is_available(thing) for thing in store.list(('apps', 'deployments'))
                  if (thing['metadata'].get('labels') or {}).get('olm.operatorframework.io/owner-name') == extension['metadata']['name'])
    ready = progressing.get('reason') == 'Succeeded' and _is(extension, 'Installed') and running
    return Expected(extension['metadata']['name'], '', words, bundle.get('name', ''), ready)


def of_cluster(store: Store) -> list[Expected]:
    return ([of_subscription(store, thing) for thing in store.list((OLM, 'subscriptions'))]
            + [of_extension(store, thing) for thing in store.list(('olm.operatorframework.io', 'clusterextensions'))])


def operator_groups(store: Store, namespace: str) -> int:
    return len(store.list((OLM, 'operatorgroups'), namespace))


def plain(text: Any) -> str:
    """Text on one line, to compare sentences that a tool has wrapped or indented."""
    return ' '.join(str(text).split())
