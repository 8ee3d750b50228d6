"""Runs the tests of a suite in several processes: each mostly waits for a cluster."""
from __future__ import annotations

import io
import multiprocessing
import os
import time
import unittest

from standin.tls import shared_certificates

PROCESSES = int(os.environ.get('PROCESSES', '4'))
tests: list[unittest.TestCase] = []  # for the processes, which are forked after it is filled


def flattened(suite: unittest.TestSuite | unittest.TestCase) -> list[unittest.TestCase]:
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return [test for part in suite for test in flattened(part)]


def run_one(number: int) -> tuple[int, int, str]:
    """Failures and skips of a test, with their output."""
    begun = time.monotonic()
    out = io.StringIO()
    result = unittest.TextTestResult(unittest.runner._WritelnDecorator(out), True, 0)
    tests[number](result)
    result.printErrors()
    bad = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    word = 'FAILED' if bad else 'skipped' if result.skipped else 'ok'
    return bad, len(result.skipped), f'{word:7} {time.monotonic() - begun:6.1f} s  {tests[number].id()}\n{out.getvalue()}'


class Runner:
    """The part of unittest.TextTestRunner that unittest.main needs."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def run(self, suite: unittest.TestSuite) -> unittest.TestResult:
        tests[:] = flattened(suite)
        shared_certificates()  # before the processes are forked, which all use them
        whole = unittest.TestResult()
        whole.testsRun = len(tests)
        begun, bad, skipped = time.monotonic(), 0, 0
        with multiprocessing.get_context('fork').Pool(PROCESSES) as pool:
            for failures, skips, text in pool.imap_unordered(run_one, range(len(tests)), chunksize=1):
                bad, skipped = bad + failures, skipped + skips
                print(text, end='', flush=True)
                whole.failures += [(unittest.TestCase(), text)] * failures
        print(f'{len(tests)} tests in {time.monotonic() - begun:.0f} s, {bad} failures, {skipped} skipped')
        return whole
