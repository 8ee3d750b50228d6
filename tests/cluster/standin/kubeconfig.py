"""A kubeconfig (in JSON, which is YAML) with one context per user of the stand-in."""
from __future__ import annotations

import base64
import json
import pathlib


def write_kubeconfig(path: pathlib.Path, address: str, authority: pathlib.Path, tokens: dict[str, str],
                     current: str = 'admin') -> pathlib.Path:
    """`tokens`: user to bearer token; a context has the name of its user. `current`: the default context."""
    trusted = base64.b64encode(authority.read_bytes()).decode()
    config = {
        'apiVersion': 'v1', 'kind': 'Config', 'current-context': current,
        'clusters': [{'name': 'stand-in', 'cluster': {'server': address, 'certificate-authority-data': trusted}}],
        'users': [{'name': user, 'user': {'token': token}} for user, token in tokens.items()],
        'contexts': [{'name': user, 'context': {'cluster': 'stand-in', 'user': user}} for user in tokens],
    }
    path.write_text(json.dumps(config, indent=1))
    path.chmod(0o600)
    return path
