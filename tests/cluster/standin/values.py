"""Values of JSON."""
import marshal
from typing import TypeVar

T = TypeVar('T')


def copied(value: T) -> T:
    """A deep copy, ten times as fast as copy.deepcopy: the stand-in copies objects all the time."""
    duplicate: T = marshal.loads(marshal.dumps(value))
    return duplicate
