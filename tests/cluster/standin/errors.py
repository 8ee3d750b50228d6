"""Failures as the API server words them: a Status object and its HTTP code."""
from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """Ends a request with a Status of kind Failure."""

    def __init__(self, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.reason, self.message, self.details = code, reason, message, details

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = {'kind': 'Status', 'apiVersion': 'v1', 'metadata': {}, 'status': 'Failure',
                                  'message': self.message, 'reason': self.reason}
        if self.details is not None:
            status['details'] = self.details
        return {**status, 'code': self.code}


def qualified(resource: str, group: str) -> str:
    return f'{resource}.{group}' if group else resource


def about(resource: str, group: str, name: str | None) -> dict[str, Any]:
    return {key: value for key, value in (('name', name), ('group', group), ('kind', resource)) if value}


def not_found(resource: str, group: str, name: str) -> ApiError:
    return ApiError(404, 'NotFound', f'{qualified(resource, group)} "{name}" not found', about(resource, group, name))


def no_such_path() -> ApiError:
    return ApiError(404, 'NotFound', 'the server could not find the requested resource', {})


def already_exists(resource: str, group: str, name: str) -> ApiError:
    return ApiError(409, 'AlreadyExists', f'{qualified(resource, group)} "{name}" already exists', about(resource, group, name))


def conflict(resource: str, group: str, name: str, why: str) -> ApiError:
    return ApiError(409, 'Conflict', f'Operation cannot be fulfilled on {qualified(resource, group)} "{name}": {why}',
                    about(resource, group, name))


def forbidden(resource: str, group: str, name: str | None, why: str) -> ApiError:
    what = qualified(resource, group) + (f' "{name}"' if name else '')
    return ApiError(403, 'Forbidden', f'{what} is forbidden: {why}', about(resource, group, name))


def unauthorized() -> ApiError:
    return ApiError(401, 'Unauthorized', 'Unauthorized')


def bad_request(message: str) -> ApiError:
    return ApiError(400, 'BadRequest', message)


def unsupported_media_type(accepted: list[str]) -> ApiError:
    return ApiError(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format - accepted media types '
                    f'include: {", ".join(accepted)}')


def invalid(kind: str, group: str, name: str, causes: list[tuple[str, str, str]]) -> ApiError:
    """`causes`: (reason, field, message) each, as `FieldValueRequired`, `spec.name`, `Required value`."""
    texts = [f'{field}: {message}' for _, field, message in causes]
    shown = texts[0] if len(texts) == 1 else '[' + ', '.join(texts) + ']'
    details = {**about(kind, group, name),
               'causes': [{'reason': reason, 'message': message, 'field': field} for reason, field, message in causes]}
    return ApiError(422, 'Invalid', f'{qualified(kind, group)} "{name}" is invalid: {shown}', details)


def expired(version: int, oldest: int) -> ApiError:
    return ApiError(410, 'Expired', f'too old resource version: {version} ({oldest})')
