"""Servers of Apache Celeborn and Apache Uniffle on this machine, from the folder of a distribution."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deployment.commands import HOME, free_port

LOOPBACK = "127.0.0.1"
_OPENED = ("java.lang", "java.lang.invoke", "java.net", "java.nio", "java.util", "sun.nio.ch", "jdk.internal.misc")
_JAVA = (
    "java",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xmx512m",
    "-XX:MaxDirectMemorySize=512m",
    "-Dio.netty.tryReflectionSetAccessible=true",
    *(word for package in _OPENED for word in ("--add-opens", f"java.base/{package}=ALL-UNNAMED")),
)


@contextmanager
def celeborn(home: Path, folder: Path) -> Iterator[dict[str, str]]:
    """A master and a worker; the settings with which Spark uses them."""
    master, storage = free_port(), folder / "storage"
    conf = {
        "celeborn.master.host": LOOPBACK,
        "celeborn.master.port": master,
        "celeborn.master.endpoints": f"{LOOPBACK}:{master}",
        "celeborn.master.http.host": LOOPBACK,
        "celeborn.master.http.port": free_port(),
        "celeborn.worker.http.host": LOOPBACK,
        "celeborn.worker.http.port": free_port(),
        "celeborn.worker.storage.dirs": f"{storage}:disktype=SSD:capacity=4G",
        # Data goes to the disk at once, where a test sees it.
        "celeborn.worker.flusher.buffer.size": "4k",
        "celeborn.worker.storage.disk.reserve.size": "0b",
        "celeborn.worker.fetch.io.threads": 2,
        "celeborn.worker.push.io.threads": 2,
        "celeborn.worker.replicate.io.threads": 1,
    }
    _write(folder / "celeborn.conf", conf)
    packages = "org.apache.celeborn.service.deploy"
    options = ("--properties-file", str(folder / "celeborn.conf"), "--host", LOOPBACK)
    env = {"CELEBORN_LOCAL_HOSTNAME": LOOPBACK}
    with ExitStack() as started:
        for name, ready in (("master", "Master started."), ("worker", "Worker started.")):
            main = (f"{packages}.{name}.{name.capitalize()}", *options)
            started.enter_context(_server(folder, name, home / f"{name}-jars", main, ready, env))
        yield {
            "spark.shuffle.manager": "org.apache.spark.shuffle.celeborn.SparkShuffleManager",
            "spark.shuffle.sort.io.plugin.class": "org.apache.spark.shuffle.celeborn.CelebornShuffleDataIO",
            "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
            "spark.celeborn.master.endpoints": f"{LOOPBACK}:{master}",
            "spark.celeborn.client.spark.shuffle.fallback.policy": "NEVER",
            "spark.sql.adaptive.localShuffleReader.enabled": "false",
        }


@contextmanager
def uniffle(home: Path, folder: Path) -> Iterator[dict[str, str]]:
    """A coordinator and a server; the settings with which Spark uses them."""
    coordinator = free_port()
    shared = {"rss.coordinator.quorum": f"{LOOPBACK}:{coordinator}", "rss.storage.type": "MEMORY_LOCALFILE"}
    _write(
        folder / "coordinator.conf",
        shared | {"rss.rpc.server.port": coordinator, "rss.jetty.http.port": free_port()},
    )
    own = {
        "rss.rpc.server.port": free_port(),
        "rss.jetty.http.port": free_port(),
        "rss.storage.basePath": folder / "storage",
        "rss.server.disk.capacity": "4g",
        "rss.server.buffer.capacity": "128m",
        "rss.server.read.buffer.capacity": "64m",
        # Data goes to the disk at once, where a test sees it.
        "rss.server.buffer.flush.enabled": "true",
        "rss.server.single.buffer.flush.enabled": "true",
        "rss.server.single.buffer.flush.threshold": "1k",
        "rss.server.heartbeat.interval": 1000,
        "rss.server.heartbeat.delay": 500,
        "rss.server.netty.port": free_port(),
    }
    _write(folder / "server.conf", shared | own)
    (folder / "storage").mkdir()
    env = {"RSS_IP": LOOPBACK}
    mains = {
        "coordinator": ("org.apache.uniffle.coordinator.CoordinatorServer", "Grpc server started"),
        "server": ("org.apache.uniffle.server.ShuffleServer", "Shuffle server start successfully"),
    }
    with ExitStack() as started:
        for name, (main, ready) in mains.items():
            command = (main, "--conf", str(folder / f"{name}.conf"))
            started.enter_context(_server(folder, name, home / "jars" / name, command, ready, env))
        yield {
            "spark.shuffle.manager": "org.apache.spark.shuffle.RssShuffleManager",
            "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
            "spark.rss.coordinator.quorum": f"{LOOPBACK}:{coordinator}",
            "spark.rss.storage.type": "MEMORY_LOCALFILE",
            "spark.sql.adaptive.localShuffleReader.enabled": "false",
        }


def _write(file: Path, conf: Mapping[str, object]) -> None:
    file.write_text("".join(f"{key} {value}\n" for key, value in conf.items()))


@contextmanager
def _server(
    folder: Path, name: str, jars: Path, main: Sequence[str], ready: str, env: Mapping[str, str]
) -> Iterator[None]:
    """A server that has said that it is ready, and is stopped at the end."""
    log = folder / f"{name}.log"
    # Uniffle takes Hadoop's libraries from the machine.
    hadoop = (jar for name in ("hadoop-client", "commons") for jar in (HOME / "jars").glob(f"{name}-*.jar"))
    classes = ":".join((str(_logging(folder)), f"{jars}/*", *map(str, hadoop)))
    with log.open("w") as printed:
        process = subprocess.Popen(
            [*_JAVA, "-cp", classes, *main],
            env=os.environ | env,
            cwd=folder,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + 90
            while ready not in log.read_text():
                running = process.poll() is None and time.monotonic() < deadline
                assert running, log.read_text()[-3000:]
                time.sleep(0.3)
            yield
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _logging(folder: Path) -> Path:
    """A folder whose settings send the log to the standard output."""
    found = folder / "logging"
    found.mkdir(exist_ok=True)
    (found / "log4j2.properties").write_text(
        "rootLogger.level=info\nrootLogger.appenderRef.a.ref=a\nappender.a.type=Console\nappender.a.name=a\n"
        "appender.a.layout.type=PatternLayout\nappender.a.layout.pattern=%d %p %c{1}: %m%n%ex\n"
    )
    return found
