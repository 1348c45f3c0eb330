"""A broker with a topic store of its own, in a process of its own."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from maven import jars_of

HERE = Path(__file__).parent


def jars(name: str) -> Path:
    """The folder of what `<name>.xml` depends on."""
    return jars_of(HERE / f"{name}.xml")


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """The address of a broker that keeps everything in `folder` and is gone at the end."""
    java = ["java", "-Xmx256m", "-cp", f"{jars('broker')}/*"]
    port, controller = _free_ports()
    properties = folder / "server.properties"
    properties.write_text(
        f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder / "topics"}
num.partitions=2
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
    )
    formatting = [*java, "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", str(properties)]
    subprocess.run(formatting, check=True, capture_output=True)
    with (folder / "broker.log").open("w") as log:
        process = subprocess.Popen(
            [*java, "kafka.Kafka", str(properties)], stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for(port, process, folder / "broker.log")
        yield f"127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.3)
    raise AssertionError(f"the broker does not answer: {log.read_text()[-3000:]}")
