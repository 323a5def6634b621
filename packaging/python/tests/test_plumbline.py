"""Does the package say what the program says? Run with PLUMB set to the program, and the package on PYTHONPATH."""

import csv
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import plumbline


def told(*words):
    """What the program itself prints. Exit code 2 with output: an explanation that concludes nothing, of steps that were too short on a busy machine."""
    ended = subprocess.run([os.environ["PLUMB"], *map(str, words)], capture_output=True, env={**os.environ, "PLUMB_LANGUAGE": "en"})
    if ended.returncode not in (0, 1) and not ended.stdout.strip():
        raise AssertionError(ended.stderr.decode())
    return ended.stdout.decode("utf-8")


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = Path(cls.folder.name)
        cls.before, cls.after = (
            plumbline.run(
                "blocks",
                "null:",
                output=place / name,
                rounds=6,
                set={"time": "20ms", "warm-up": "0s", "size": "16m"},
                tags=["package"],
                arguments=["--no-report"],
            )
            for name in ("before", "after")
        )

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_run_has_the_figures_of_the_program(self):
        summary = json.loads(told("show", self.before.path, "--json"))
        for run in (self.before, plumbline.load(self.before.path)):
            self.assertEqual((run.id, run.plan, run.state), (summary["id"], "blocks", "finished"))
            self.assertEqual(len(run.steps), len(summary["steps"]))
            for step, raw in zip(run.steps, summary["steps"]):
                total = raw["total"]
                self.assertEqual((step.name, step.swept), (raw["name"], raw["swept"]))
                self.assertEqual([of.iops for of in step.rounds], [of["iops"] for of in raw["rounds"]])
                self.assertEqual(len(step.rounds), 6)
                self.assertEqual((step.total.count, step.total.iops), (total["count"], total["iops"]))
                self.assertEqual(step.total.latency.p99_ns, total["response_ns"]["p99"])
                self.assertEqual(step.total.latency.percentiles_ns[99.9], total["response_ns"]["p99_9"])
                self.assertEqual(set(step.operations), set(raw["operations"]))
            self.assertEqual(run.environment["host.name"], summary["environment"]["host.name"]["text"])
            self.assertEqual([finding.rule for finding in run.findings], [finding["rule"] for finding in summary["findings"]])

    def test_a_step_is_found_by_its_name_and_its_values(self):
        step = self.before.steps[1]
        self.assertIs(self.before.step(step.name, **step.swept), step)
        with self.assertRaisesRegex(KeyError, "the steps are"):
            self.before.step("nothing")

    def test_rows_are_those_of_the_export(self):
        for intervals, form in ((False, "csv"), (True, "csv-intervals")):
            expected = list(csv.DictReader(io.StringIO(told("export", self.before.path, "--format", form))))
            rows = self.before.rows(intervals)
            self.assertEqual(len(rows), len(expected))
            for row, text in zip(rows, expected):
                self.assertEqual({name: "" if value is None else value for name, value in row.items() if isinstance(value, str) or value is None},
                                 {name: value for name, value in text.items() if isinstance(row[name], str) or row[name] is None})
                for name, value in row.items():
                    if isinstance(value, (int, float)):
                        self.assertEqual(value, float(text[name]))

    def test_a_comparison_has_the_verdicts_of_the_program(self):
        raw = json.loads(told("compare", self.before.path, self.after.path, "--json"))
        comparison = plumbline.compare(self.before, self.after)
        self.assertEqual(len(comparison.figures), len(raw["cells"]))
        for figure, cell in zip(comparison.figures, raw["cells"]):
            self.assertEqual((figure.step, figure.metric), (cell["step"], cell["metric"]))
            self.assertEqual(list(figure.values.values()), [side["value"] for side in cell["sides"]])
            self.assertEqual([effect.verdict for effect in figure.effects], [effect["verdict"] for effect in cell["effects"]])
            for effect, of in zip(figure.effects, cell["effects"]):
                self.assertEqual((effect.side, effect.ratio, [effect.low, effect.high]), ("B", of["ratio"], of["interval"] or [None, None]))
        self.assertEqual(len(comparison.rows()), sum(len(cell["effects"]) for cell in raw["cells"]))
        worse = any(effect["verdict"] == "worse" for cell in raw["cells"] for effect in cell["effects"])
        self.assertEqual(comparison.is_worse, worse)
        self.assertTrue(plumbline.compare(self.before, self.after, fail_if=["iops > -99%"]).raw["conditions"])

    def test_a_notebook_shows_the_page_of_the_program(self):
        for shown in (self.before, plumbline.compare(self.before, self.after)):
            page = shown.report()
            self.assertTrue(page.startswith("<!doctype html>"))
            self.assertIn("<svg", page)
            self.assertTrue(shown._repr_html_().startswith("<iframe src=\"data:text/html"))

    def test_an_explanation_has_the_findings_of_the_program(self):
        raw = json.loads(told("explain", self.before.path, "--json"))
        explanation = plumbline.explain(self.before)
        self.assertEqual([finding.text for finding in explanation.findings], [finding["claim"]["text"] for finding in raw["findings"]])
        self.assertEqual(str(explanation), told("explain", self.before.path))

    def test_a_run_that_is_too_short_is_explained_by_that(self):
        folder = Path(self.folder.name)
        (folder / "few").mkdir()
        words = "--pattern random-read --block 4k --size 64k --operations 3 --quiet --no-report".split()
        told("run", "--target", str(folder / "few"), *words, "--output", str(folder / "short"))
        explanation = plumbline.explain(folder / "short")
        self.assertEqual(explanation.findings, [])
        self.assertIn("too few to conclude anything", str(explanation))
        with self.assertRaises(plumbline.PlumbError) as refused:
            plumbline.explain(folder / "nothing")
        self.assertIn("nothing", str(refused.exception))

    def test_a_refusal_is_an_error_with_its_message(self):
        with self.assertRaises(plumbline.PlumbError) as refused:
            plumbline.load(Path(self.folder.name) / "nothing")
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("no such folder", str(refused.exception))

    def test_frames_have_a_row_for_each_row(self):
        for name in ("pandas", "polars"):
            try:
                __import__(name)
            except ImportError:
                print(f"skipped: {name} is not installed")
                continue
            frame = getattr(self.before, f"to_{name}")()
            self.assertEqual(frame.shape[0], len(self.before.rows()))
            self.assertEqual(list(frame["iops"]), [row["iops"] for row in self.before.rows()])
            self.assertEqual(getattr(plumbline.compare(self.before, self.after), f"to_{name}")().shape[1], 12)


class Example(unittest.TestCase):
    def test_the_notebook_runs(self):
        notebook = json.loads((Path(__file__).parent.parent / "example.ipynb").read_text(encoding="utf-8"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 3)
        names = {}
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                for source in cells:
                    if "to_pandas" in source:
                        try:
                            __import__("pandas")
                        except ImportError:
                            print("skipped: pandas is not installed")
                            continue
                    exec(compile(source, "example.ipynb", "exec"), names)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
