"""What is measured in each form: which windows, of which algorithms, for how long."""

from __future__ import annotations

from dataclasses import dataclass

LITE = ("two-stacks-lite", "daba-lite")
SIZED = ("two-stacks-lite-sized", "daba-lite-sized")
ORIGINALS = ("two-stacks", "daba")
PEERS = ("flatfit", "flatfat", "fiba")
OPERATORS = ("sum", "geomean", "bloom")
LARGEST_RECALCULATED = 1024
LARGEST_OF_BLOOM = 1 << 20
LATENCY_WINDOW = 1 << 14


@dataclass(frozen=True)
class Effort:
    """Iterations of JMH, in one fork, and rounds whose time is taken one by one."""

    warm_ups: int
    warm_up_millis: int
    iterations: int
    iteration_millis: int
    rounds: int

    @property
    def options(self) -> list[str]:
        warm = ["-wi", str(self.warm_ups), "-w", f"{self.warm_up_millis}ms"]
        return [*warm, "-i", str(self.iterations), "-r", f"{self.iteration_millis}ms", "-f", "1"]


@dataclass(frozen=True)
class Cell:
    """Algorithms that are measured one after the other, with all else the same, and the control beside them."""

    benchmark: str
    parameters: dict[str, str]
    algorithms: tuple[str, ...] = ()


EFFORTS = {
    "short": Effort(4, 200, 10, 100, 3_000_000),
    "full": Effort(5, 1000, 5, 1000, 10_000_000),
}


def static(grid: str) -> list[Cell]:
    if grid == "short":
        windows = {"sum": (0, 5, 10, 15, 20, 22), "geomean": (0, 10, 20), "bloom": (0, 10, 20)}
        peers = {"sum": (*ORIGINALS, *PEERS), "geomean": ("flatfit", "fiba"), "bloom": ("flatfit", "fiba")}
    else:
        windows = {operator: tuple(range(0, 23, 2)) for operator in OPERATORS}
        peers = dict.fromkeys(OPERATORS, (*ORIGINALS, *PEERS))
    return [
        Cell("StaticWindowBenchmark", {"operator": operator, "window": str(2**power)}, algorithms)
        for operator in OPERATORS
        for power in windows[operator]
        for algorithms in [_fitting(operator, 2**power, peers[operator])]
    ]


def dynamic(grid: str) -> list[Cell]:
    operators = ("sum",) if grid == "short" else OPERATORS
    powers = (0, 10, 20) if grid == "short" else range(0, 23, 2)
    peers = PEERS if grid == "short" else (*ORIGINALS, *PEERS)
    return [
        Cell("DynamicWindowBenchmark", {"operator": operator, "window": str(2**power)}, algorithms)
        for operator in operators
        for power in powers
        for algorithms in [_fitting(operator, 2**power, peers)]
    ]


def _fitting(operator: str, window: int, peers: tuple[str, ...]) -> tuple[str, ...]:
    """Recalculation is for small windows; the largest of Bloom filters, of 2 GiB, for what keeps each state once."""
    subtract = () if operator == "bloom" else ("subtract-on-evict",)
    recalculation = ("recalculation",) if window <= LARGEST_RECALCULATED else ()
    fitting = () if operator == "bloom" and window > LARGEST_OF_BLOOM else peers
    return (*SIZED, *LITE, *fitting, *subtract, *recalculation)


def event_time(grid: str, events: str) -> list[Cell]:
    operators = ("sum",) if grid == "short" else OPERATORS
    hour = 60
    some, more = (hour, 24 * hour, 28 * 24 * hour), (10, 6 * hour, 7 * 24 * hour, 84 * 24 * hour)
    algorithms = (*LITE, "flatfit", "fiba") if grid == "short" else (*LITE, *ORIGINALS, *PEERS)
    return [
        Cell("EventTimeBenchmark", {"operator": operator, "minutes": str(minutes), "events": events}, algorithms)
        for operator in operators
        for minutes in sorted(some if grid == "short" else some + more)
    ]


def checkpoints(_: str) -> list[Cell]:
    return [
        Cell("CheckpointsOrMerging", {"order": order, "window": str(window)})
        for order in ("random", "ascending", "descending")
        for window in (10, 1000, 100_000)
    ]


def latencies(grid: str) -> list[tuple[str, str]]:
    operators = ("sum", "bloom") if grid == "short" else OPERATORS
    algorithms = (*LITE, *ORIGINALS, "flatfit", "fiba") if grid == "full" else (*LITE, "flatfit", "fiba")
    return [(operator, algorithm) for operator in operators for algorithm in algorithms]
