"""Measure, compare and explain storage performance with plumb, from Python.

>>> import plumbline
>>> before = plumbline.run("blocks", "/mnt/data", rounds=8)
>>> before.steps[0].total.iops
>>> before.to_pandas()
>>> plumbline.compare(before, "after.plumb").to_pandas()

Every figure comes from the JSON of the program, whose schema is stable (``plumb schema summary``): nothing is computed here. A figure that was not
measured is ``None``. Times are in nanoseconds where the name ends with ``_ns``, in seconds where it ends with ``_s``; bandwidths are in bytes per second.

The program is that of the environment variable ``PLUMB``, else the one that was installed with this package, else the one of the path.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

__all__ = [
    "Comparison",
    "Effect",
    "Explanation",
    "Figure",
    "Finding",
    "Latency",
    "Operations",
    "PlumbError",
    "Round",
    "Run",
    "Step",
    "compare",
    "explain",
    "load",
    "program",
    "run",
]

PathLike = Union[str, "os.PathLike[str]"]
Json = Dict[str, Any]


class PlumbError(Exception):
    """The program refused or failed: ``str(error)`` is its message, which says what to do.

    Attributes:
        command: The command line.
        code: Exit code: 2 for a refusal or failure, 130 for an interrupt.
    """

    def __init__(self, command: Sequence[str], code: int, message: str) -> None:
        super().__init__(message.strip() or f"plumb ended with exit code {code}")
        self.command = list(command)
        self.code = code


@dataclass(frozen=True)
class Latency:
    """Response times in nanoseconds. A percentile is ``None`` if there are too few operations for it."""

    count: int
    min_ns: Optional[float]
    mean_ns: Optional[float]
    max_ns: Optional[float]
    percentiles_ns: Mapping[float, Optional[float]]
    """By percent: ``latency.percentiles_ns[99.9]``."""

    @property
    def p50_ns(self) -> Optional[float]:
        return self.percentiles_ns.get(50.0)

    @property
    def p99_ns(self) -> Optional[float]:
        return self.percentiles_ns.get(99.0)

    @property
    def p99_9_ns(self) -> Optional[float]:
        return self.percentiles_ns.get(99.9)


@dataclass(frozen=True)
class Operations:
    """Operations of one kind in a step, or all of them."""

    count: int
    bytes: int
    errors: int
    iops: Optional[float]
    bandwidth_bytes_per_s: Optional[float]
    latency: Optional[Latency]
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Finding:
    """A limit or a flaw that the program found, with what to do about it."""

    rule: str
    severity: Optional[str]
    """``note``, ``warning`` or ``severe``; ``None`` in an explanation."""
    text: str
    advice: str
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Round:
    """One measurement of a step: the unit of a comparison."""

    number: Optional[int]
    duration_s: Optional[float]
    iops: Optional[float]
    bandwidth_bytes_per_s: Optional[float]
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Step:
    """A step of a plan: one workload."""

    name: str
    swept: Mapping[str, Any]
    """Values of this step of a sweep, by key: ``{"depth": "4"}``."""
    engine: Optional[str]
    duration_s: Optional[float]
    rounds: Sequence[Round]
    depth: Optional[float]
    """Mean number of outstanding operations."""
    total: Operations
    operations: Mapping[str, Operations]
    """By kind: ``read``, ``write``, ``flush``, ..."""
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Run:
    """A stored run."""

    id: str
    plan: str
    title: str
    started: Optional[str]
    state: str
    """``finished``, or how it ended."""
    steps: Sequence[Step]
    findings: Sequence[Finding]
    verdict: Sequence[str]
    environment: Mapping[str, Any]
    """Facts by name; ``None`` if a fact is unknown: its reason is in ``raw``."""
    path: Path
    """Run folder, or the file that it was read from."""
    raw: Json = field(repr=False)

    def step(self, name: str, **swept: Any) -> Step:
        """The only step with this name, and these values of a sweep: ``run.step("random-read", depth=4)``."""
        found = [
            step
            for step in self.steps
            if step.name == name and all(str(step.swept.get(key)) == str(value) for key, value in swept.items())
        ]
        if len(found) != 1:
            known = ", ".join(f"{step.name} {dict(step.swept) or ''}".strip() for step in self.steps)
            raise KeyError(f"{len(found)} steps are named {name} {swept or ''}; the steps are: {known}")
        return found[0]

    def rows(self, intervals: bool = False) -> List[Json]:
        """One row per step and kind of operation, or per recorded interval: the columns of ``plumb export --format csv`` and ``csv-intervals``."""
        form = "csv-intervals" if intervals else "csv"
        return list(_rows(_plumb(["export", str(self.path), "--format", form])))

    def to_pandas(self, intervals: bool = False) -> Any:
        """A ``pandas.DataFrame`` of `rows`; what was not measured is NaN."""
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return pandas.DataFrame(self.rows(intervals))

    def to_polars(self, intervals: bool = False) -> Any:
        """A ``polars.DataFrame`` of `rows`; what was not measured is null."""
        import polars  # type: ignore[import-not-found,unused-ignore]

        return polars.DataFrame(self.rows(intervals), infer_schema_length=None)

    def report(self) -> str:
        """The report page, with all charts, as HTML."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            _plumb(["report", str(self.path), "--output", str(page)])
            return page.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        return _frame(self.report())

    def __str__(self) -> str:
        return _plumb(["show", str(self.path)])


@dataclass(frozen=True)
class Effect:
    """A figure of one side beside that of the first side."""

    side: str
    ratio: Optional[float]
    """Value of this side over that of the baseline."""
    low: Optional[float]
    high: Optional[float]
    """Confidence interval of the ratio."""
    verdict: str
    """``better``, ``worse``, ``same`` or ``undecided``."""
    reason: Optional[str]


@dataclass(frozen=True)
class Figure:
    """One figure of a step on all sides."""

    step: str
    kind: Optional[str]
    metric: str
    unit: str
    values: Mapping[str, Optional[float]]
    """By letter of the side."""
    effects: Sequence[Effect]
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Comparison:
    """A comparison of runs; the first one is the baseline."""

    sides: Mapping[str, str]
    """Label by letter."""
    figures: Sequence[Figure]
    verdict: Sequence[str]
    not_compared: Mapping[str, str]
    """Steps that were not compared, with the reason."""
    is_worse: bool
    """A figure is proven worse, or a condition of ``fail_if`` is met."""
    raw: Json = field(repr=False)
    _command: Tuple[str, ...] = field(repr=False, default=())

    def rows(self) -> List[Json]:
        """One row per figure and side."""
        return [
            {
                "step": figure.step,
                "kind": figure.kind,
                "metric": figure.metric,
                "unit": figure.unit,
                "side": effect.side,
                "baseline": next(iter(figure.values.values()), None),
                "value": figure.values.get(effect.side),
                "ratio": effect.ratio,
                "low": effect.low,
                "high": effect.high,
                "verdict": effect.verdict,
                "reason": effect.reason,
            }
            for figure in self.figures
            for effect in figure.effects
        ]

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` of `rows`."""
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return pandas.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """A ``polars.DataFrame`` of `rows`."""
        import polars  # type: ignore[import-not-found,unused-ignore]

        return polars.DataFrame(self.rows(), infer_schema_length=None)

    def report(self) -> str:
        """The page of the comparison, with all charts, as HTML."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "comparison.html"
            _plumb([*self._command, "--report", str(page)])
            return page.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        return _frame(self.report())

    def __str__(self) -> str:
        return _plumb(list(self._command))


@dataclass(frozen=True)
class Explanation:
    """What limits a run, a recording or a trace."""

    findings: Sequence[Finding]
    raw: Json = field(repr=False)
    text: str = field(repr=False, default="")

    def __str__(self) -> str:
        return self.text


def program() -> str:
    """Path of the program.

    Raises:
        PlumbError: There is none.
    """
    given = os.environ.get("PLUMB")
    if given:
        return given
    name = "plumb.exe" if os.name == "nt" else "plumb"
    beside = Path(sysconfig.get_path("scripts")) / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise PlumbError([name], 2, "plumb is not installed: pip install plumbline, or set PLUMB to the program")
    return found


def run(
    plan: PathLike,
    *targets: PathLike,
    output: Optional[PathLike] = None,
    rounds: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
    tags: Iterable[str] = (),
    overwrite: bool = False,
    arguments: Iterable[str] = (),
) -> Run:
    """Run a built-in plan or a plan file on a target.

    Args:
        plan: Name of a built-in plan (``plumb plans``), or path of a plan file.
        targets: Directory, file, device or address.
        output: Run folder; a new one in the current directory if omitted.
        rounds: Rounds of each step.
        set: Keys of the plan: ``{"time": "10s", "random-read.depth": 8}``.
        tags: Tags of the run.
        overwrite: Allow writing to existing files and devices.
        arguments: Further arguments of ``plumb run``.

    Raises:
        PlumbError: It was refused, failed or was interrupted.
    """
    folder = Path(output) if output is not None else _new_folder(str(plan))
    words = ["run", str(plan), *map(str, targets), "--json", "--quiet", "--output", str(folder)]
    if rounds is not None:
        words += ["--rounds", str(rounds)]
    for key, value in (set or {}).items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    for tag in tags:
        words += ["--tag", tag]
    if overwrite:
        words.append("--overwrite")
    return _run(json.loads(_plumb([*words, *arguments])), folder)


def load(path: PathLike) -> Run:
    """Read a run folder, a file of ``plumb share``, or a result of another program (fio, iozone, ...: ``plumb import --list``).

    Raises:
        PlumbError: It cannot be read.
    """
    return _run(json.loads(_plumb(["show", str(path), "--json"])), Path(path))


def compare(
    *sides: Union[Run, PathLike],
    metrics: Iterable[str] = (),
    threshold: Optional[str] = None,
    fail_if: Iterable[str] = (),
    any_work: bool = False,
) -> Comparison:
    """Compare runs: the first one is the baseline.

    Args:
        sides: Runs, run folders, results of other programs, or published figures (``ref:NAME``).
        metrics: Only these: ``iops``, ``bandwidth``, ``mean``, ``p50``, ``p90``, ``p99``, ``p99.9``, ``cpu``.
        threshold: Treat differences up to this as equal: ``"5%"``.
        fail_if: Conditions that make `Comparison.is_worse` true: ``"p99 > +10%"``.
        any_work: Compare steps even if their workloads differ.

    Raises:
        PlumbError: Nothing can be compared.
    """
    words = ["compare", *(_path_of(side) for side in sides)]
    for metric in metrics:
        words += ["--metric", metric]
    if threshold is not None:
        words += ["--threshold", threshold]
    for condition in fail_if:
        words += ["--fail-if", condition]
    if any_work:
        words.append("--any-work")
    code, out = _ended([*words, "--json"])
    raw = json.loads(out)
    letters = [side["letter"] for side in raw["sides"]]
    return Comparison(
        sides={side["letter"]: side["label"] for side in raw["sides"]},
        figures=[_figure(cell, letters) for cell in raw["cells"]],
        verdict=_texts(raw["verdict"]),
        not_compared={refusal["step"]: refusal["reason"]["text"] for refusal in raw["refused"]},
        is_worse=code == 1,
        raw=raw,
        _command=tuple(words),
    )


def explain(recording: Union[Run, PathLike], arguments: Iterable[str] = ()) -> Explanation:
    """Explain what limits a run, watched counters, a trace or a capture.

    If nothing can be concluded, ``findings`` is empty, and the text says why.

    Raises:
        PlumbError: It cannot be read.
    """
    words = ["explain", _path_of(recording), *arguments]
    raw = json.loads(_explained([*words, "--json"]))
    return Explanation([_finding(finding) for finding in raw["findings"]], raw, _explained(words))


def _explained(words: Sequence[str]) -> str:
    """Output of the program; where it concludes nothing, it says so there, with the exit code of a refusal."""
    code, output, errors = _output(words)
    if code not in (0, 1) and not output.strip():
        raise PlumbError([program(), *words], code, errors)
    return output


def _output(words: Sequence[str]) -> Tuple[int, str, str]:
    """Exit code, output and errors of the program."""
    environment = {**os.environ, "PLUMB_LANGUAGE": "en"}
    ended = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
    return ended.returncode, ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8", "replace")


def _ended(words: Sequence[str]) -> Tuple[int, str]:
    """Exit code and output of the program; 1 is a result too: a severe finding, or a worse figure."""
    code, output, errors = _output(words)
    if code not in (0, 1):
        raise PlumbError([program(), *words], code, errors)
    return code, output


def _plumb(words: Sequence[str]) -> str:
    return _ended(words)[1]


def _new_folder(plan: str) -> Path:
    """A name for a run folder in the current directory that is not there yet."""
    stem = f"plumb-{Path(plan).stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = [f"{stem}.plumb", *(f"{stem}-{number}.plumb" for number in range(2, 1000))]
    return next(Path(name) for name in names if not Path(name).exists())


def _path_of(side: Union[Run, PathLike]) -> str:
    return str(side.path if isinstance(side, Run) else side)


def _rows(text: str) -> Iterable[Json]:
    for row in csv.DictReader(io.StringIO(text)):
        yield {name: _value(value) for name, value in row.items()}


def _value(text: Optional[str]) -> Union[None, int, float, str]:
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _frame(page: str) -> str:
    """The page in a frame of its own: its styles and scripts do not touch the notebook."""
    data = base64.b64encode(page.encode("utf-8")).decode("ascii")
    return f'<iframe src="data:text/html;charset=utf-8;base64,{data}" width="100%" height="720" style="border: 0"></iframe>'


def _texts(statements: Iterable[Json]) -> List[str]:
    return [statement["text"] for statement in statements]


def _latency(raw: Optional[Json]) -> Optional[Latency]:
    if not raw or not raw.get("count"):
        return None
    percentiles = {float(name[1:].replace("_", ".")): value for name, value in raw.items() if name.startswith("p")}
    return Latency(raw["count"], raw.get("min"), raw.get("mean"), raw.get("max"), percentiles)


def _operations(raw: Json) -> Operations:
    return Operations(
        count=raw["count"],
        bytes=raw["bytes"],
        errors=raw["errors"],
        iops=raw.get("iops"),
        bandwidth_bytes_per_s=raw.get("bandwidth_bytes_per_s"),
        latency=_latency(raw.get("response_ns")),
        raw=raw,
    )


def _finding(raw: Json) -> Finding:
    advice = raw.get("advice") or {}
    return Finding(raw["rule"], raw.get("severity"), raw["claim"]["text"], advice.get("text", ""), raw)


def _fact(raw: Json) -> Any:
    return next((value for kind, value in raw.items() if kind != "unknown"), None)


def _run(raw: Json, path: Path) -> Run:
    steps = [
        Step(
            name=step["name"],
            swept=step["swept"],
            engine=step.get("engine"),
            duration_s=step.get("duration_s"),
            rounds=[
                Round(of.get("round"), of.get("duration_s"), of.get("iops"), of.get("bandwidth_bytes_per_s"), of)
                for of in step["rounds"]
            ],
            depth=step.get("achieved_depth"),
            total=_operations(step["total"]),
            operations={kind: _operations(of_kind) for kind, of_kind in step["operations"].items()},
            raw=step,
        )
        for step in raw["steps"]
    ]
    return Run(
        id=raw["id"],
        plan=raw["plan"]["name"],
        title=raw["plan"].get("title", ""),
        started=raw.get("started"),
        state=raw["state"],
        steps=steps,
        findings=[_finding(finding) for finding in raw["findings"]],
        verdict=_texts(raw["verdict"]),
        environment={name: _fact(fact) for name, fact in raw["environment"].items()},
        path=path,
        raw=raw,
    )


def _figure(cell: Json, letters: Sequence[str]) -> Figure:
    effects = []
    for effect in cell["effects"]:
        low, high = effect.get("interval") or (None, None)
        reason = effect.get("reason") or {}
        effects.append(
            Effect(letters[effect["side"]], effect.get("ratio"), low, high, effect["verdict"], reason.get("text"))
        )
    values = {letter: side.get("value") for letter, side in zip(letters, cell["sides"])}
    return Figure(cell["step"], cell.get("kind"), cell["metric"], cell["unit"], values, effects, cell)
