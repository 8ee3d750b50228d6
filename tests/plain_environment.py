"""Import it for its effect: the developer's machine does not matter to tests, nor to the programs that they run. Of the environment
only what programs need to start, and what CTest or a developer sets for tests, stays; no proxy, locale, terminal width, kubeconfig or
credentials. What must reach the network of the machine (npm) uses THE_MACHINES."""
import os
import re
import signal

KEPT = re.compile('PATH|HOME|TMPDIR|USER|LOGNAME|LD_.*|PYTHON.*|PYENV_.*|.*SAN_OPTIONS|GCOV_.*|CCACHE_.*|FULL_TESTS|REAL_TIME|PROCESSES|'
                  'SANITIZED|OPCAT|OPCAT_LAZY_LIBRARIES|CEL_VERDICTS|OPM|KUBECTL|KUBECTL_RELAY_PROGRAM|ONLY_REAL_KUBECTL|'
                  'SIMULATED_CLOCK_LIBRARY|FETCH_IMAGE|FAILING_CALLS')
THE_MACHINES = dict(os.environ)

for name in THE_MACHINES:
    if not KEPT.fullmatch(name):
        del os.environ[name]
os.environ['LC_ALL'] = 'C.UTF-8'
# A directory that cannot be read makes a missing program look like one that may not be run.
os.environ['PATH'] = os.pathsep.join(place for place in os.environ['PATH'].split(os.pathsep) if os.access(place, os.X_OK))
os.umask(0o022)
# Ignored by what a script runs in the background, or below nohup, and by all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
