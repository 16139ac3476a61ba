"""Clusters of Ray on this machine."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reference.processes import children

OBJECTS = 80 * 2**20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def machines(count: int, port: int) -> Iterator[tuple[Any, list[Any]]]:
    """A cluster of a head that does no work and of `count` machines with one core each."""
    from ray.cluster_utils import Cluster

    small = {"object_store_memory": OBJECTS, "include_dashboard": False}
    made = Cluster(
        initialize_head=True,
        head_node_args={**small, "num_cpus": 0, "ray_client_server_port": port},
    )
    try:
        yield made, [made.add_node(num_cpus=1, object_store_memory=OBJECTS) for _ in range(count)]
    finally:
        made.shutdown()


def power_off(made: Any, machine: Any) -> None:
    """All at once, the processes at work too: they would finish what they are at."""
    raylet = machine.all_processes["raylet"][0].process.pid
    at_work = children(raylet)
    assert at_work
    for pid in (*at_work, raylet):
        os.kill(pid, signal.SIGKILL)
    made.remove_node(machine, allow_graceful=False)
