# SPDX-License-Identifier: GPL-2.0-only
"""Where points run: workers of Dask, on this machine or on a cluster that exists.

A worker needs nothing of this project's Python, because its task is `subprocess.run`. It does need
the simulator, the configuration and the results under the same paths as here.
"""

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import tempfile
import uuid

from .errors import SchedulerLost, UsageError
from .interrupts import held_interrupts, ignore_interrupts
from .simulator import message_of, one_line, set_options

LOST = "the worker that ran it was lost, and so were those that tried again"
# Dask repeats a task whose worker was lost before it reported the end. The result may be complete.
UNLESS_DONE = 'test -e "$0/summary.json" || exec "$@"'


def command(binary, base, point, directory):
    """The command line of one simulator process. It is killed when its worker ends, because Dask
    then gives the point to another worker."""
    run = [str(binary), "run", str(base), "--quiet", "--out", str(directory)]
    run += set_options(point.settings)
    unless_done = ["sh", "-c", UNLESS_DONE, str(directory)]
    return ["setpriv", "--pdeathsig", "KILL", "--", *unless_done, *run]


@contextlib.contextmanager
def connect(scheduler, workers):
    """A client of the scheduler at this address; without an address, of a cluster that lives as
    long as the client, on this machine. Throws SchedulerLost when the scheduler ends meanwhile."""
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"
    with held_interrupts():
        import distributed

    logging.disable()  # the messages of the points say what a user should know of the cluster
    if scheduler:
        try:
            with connect_to(scheduler, distributed) as client:
                if not client.scheduler_info()["workers"]:
                    print("nadi: the scheduler has no workers; waiting for one", file=sys.stderr)
                yield client
        except (distributed.comm.CommClosedError, asyncio.CancelledError) as error:
            raise SchedulerLost from error
        return
    with (
        tempfile.TemporaryDirectory(prefix="nadi-sweep-", ignore_cleanup_errors=True) as scratch,
        local_cluster(workers, scratch, distributed) as cluster,
        distributed.Client(cluster) as client,
    ):
        try:
            yield client
        except KeyboardInterrupt:
            ignore_interrupts()  # until the cluster is closed
            raise
        finally:
            end_simulators(cluster)


def local_cluster(workers, scratch, distributed):
    """One worker in this process, with a thread for each point that runs. A process for each would
    take half a second to start, and the threads only wait for simulators.

    It is never given up: where this process was stopped for some minutes, as with a machine that
    slept, Dask would wait for another worker for ever."""
    import dask

    dask.config.set({"distributed.scheduler.worker-ttl": None})
    return distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=workers,
        processes=False,
        memory_limit=0,  # the simulators' memory is not the worker's
        dashboard_address="127.0.0.1:0",
        local_directory=scratch,
        silence_logs=logging.CRITICAL,
    )


def end_simulators(cluster):
    """No other starts, and those that still run are killed, as after an interrupt: else closing the
    cluster waits for them, and a result may come to be behind the table that lacks it."""
    import psutil  # Dask needs it, too

    for worker in cluster.workers.values():
        cluster.sync(worker.close, executor_wait=False)
    running = [child for child in psutil.Process().children() if leads_session(child)]
    for simulator in running:
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            simulator.kill()
    psutil.wait_procs(running)


def leads_session(process):
    """As simulators do, and nothing else that this process starts."""
    try:
        return os.getsid(process.pid) == process.pid
    except ProcessLookupError:
        return False


def connect_to(scheduler, distributed):
    try:
        return distributed.Client(scheduler, timeout="10 s")
    except (OSError, ValueError) as error:
        raise UsageError(
            f'no scheduler answers at "{scheduler}"; start one with: '
            "dask-scheduler, and write its address as tcp://host:8786"
        ) from error


def run_points(client, points, command_of):
    """Yields (point, exit code, message) as points end; a point that is done has no message."""
    from distributed import as_completed

    futures = {
        client.submit(
            subprocess.run,
            command_of(point),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # the interrupt of a terminal is for the sweep only
            pure=False,
            key=f"nadi-{point.id}-{uuid.uuid4().hex}",
        ): point
        for point in points
    }
    for future in as_completed(list(futures)):
        yield futures[future], *outcome(future)
        future.release()


def outcome(future):
    """(exit code or "", message) of a task that ended. Throws SchedulerLost."""
    if future.status == "cancelled":
        raise SchedulerLost
    error = future.exception()
    if isinstance(error, OSError):
        return "", f"cannot start the simulator: {error.strerror}: {error.filename}"
    if error is not None:
        return "", LOST if type(error).__name__ == "KilledWorker" else one_line(str(error))
    done = future.result()
    return done.returncode, message_of(done)
