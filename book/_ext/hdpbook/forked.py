"""Kernels forked from one process that has imported what most chapters import, which takes longer than most chapters.

No chapter can tell: it still has a process of its own, in which nothing of the others has run.  That process imports
this module, with the names of what chapters share in HDP_SHARED; what fails is left to the chapters that import it.
"""

import gc
import multiprocessing
import os
from contextlib import suppress
from importlib import import_module
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
from uuid import uuid4

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

FORKS = multiprocessing.get_context("forkserver")
LIBRARIES = "ipykernel.zmqshell matplotlib.pyplot matplotlib_inline.backend_inline scipy.optimize scipy.stats"
LIBRARIES += " myst_nb.ext.glue sympy.physics.units"  # imported when first a cell glues, or SymPy simplifies or prints
FORKS.set_forkserver_preload(["hdpbook.forked"])

gc.disable()
for name in os.environ.get("HDP_SHARED", "").split():
    with suppress(Exception):
        import_module(name)
gc.enable()
gc.freeze()  # no chapter looks through all this for what it could drop


def start(modules):
    """Start that process, which imports these modules."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    with patch.dict(os.environ, PYTHONPATH=paths, HDP_SHARED=" ".join([LIBRARIES, *modules])):
        ensure_running()


def run(argv, folder, environment):
    """Be a kernel; this is called in the fork."""
    from ipykernel.kernelapp import IPKernelApp

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    multiprocessing.set_start_method(None, force=True)  # what a fork starts would be forked by the same server
    IPKernelApp.launch_instance([*argv, f"--IPKernelApp.parent_handle={os.getppid()}"])  # with which it ends


class Process(FORKS.Process):
    """A fork, with what jupyter_client asks of a process that it has started itself."""

    stdin = stdout = stderr = None

    def poll(self):
        """Return the exit code, or None while it runs."""
        return self.exitcode

    def wait(self):
        """Wait for its end, and return the exit code."""
        self.join()
        return self.exitcode

    def send_signal(self, number):
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)


class Provisioner(LocalProvisioner):
    """Starts kernels by forking; without a group of their own, since that of a fork is that of all."""

    async def launch_kernel(self, cmd, **options):
        """Fork a kernel with the arguments that it would have in a process of its own."""
        argv = cmd[cmd.index("-f") :]
        self.cwd = options["cwd"]
        self.process = Process(target=run, args=(argv, self.cwd, options["env"]))
        self.process.start()
        self.pid = self.process.pid
        return self.connection_info


class Manager(AsyncKernelManager):
    """Has its kernel started by the class above.

    It talks through files of its own, not through ports: a port that is free when it is chosen may be taken, by another
    kernel or by an end of any connection of this machine, before the kernel listens there.
    """

    def __init__(self, **options):
        self._folder = TemporaryDirectory(prefix="kernel-")
        super().__init__(transport="ipc", ip=str(Path(self._folder.name, "ipc")), **options)

    async def _async_pre_start_kernel(self, **options):
        if self.provisioner is None:
            self.kernel_id = str(uuid4())
            self.provisioner = Provisioner(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
        return await super()._async_pre_start_kernel(**options)
