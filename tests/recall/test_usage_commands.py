"""`yoimem usage` and `yoimem candidates`, judged by what a user sees."""

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from tests.recall.usage_events import A, B, exposure, invoke, lines, put, spent
from yoimem.interfaces.cli.main import main
from yoimem.interfaces.cli.usage_plot import plot

Output = pytest.CaptureFixture[str]

# A is read twice by two sessions in a million tokens, B is shown twice at 400 tokens and never
# read, the summary is read by one session and shown once at 10.
EVENTS = [
    invoke("a"),
    invoke("b"),
    invoke("a", "memory/summary.md"),
    exposure(B, 400),
    exposure(B, 400),
    exposure("memory/summary.md", 10),
    spent(1_000_000),
    invoke("c", "memory/decisions/gone.md"),
]


@pytest.fixture(autouse=True)
def _records(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    memory.write("memory/summary.md", SUMMARY)
    memory.write(A, DECISION)
    memory.write(B, KNOWLEDGE)
    memory.write("workflow/release.md", WORKFLOW)
    use(memory, EVENTS)


def use(memory: Memory, events: list[dict[str, object]]) -> None:
    put(memory.root, "".join(f"{line}\n" for line in lines(events)))


def columns(text: str) -> list[list[str]]:
    """Return the cells of the lines of a table, up to the first empty line."""
    return [line.split() for line in text.partition("\n\n")[0].splitlines()]


class TestUsage:
    def test_every_record_that_is_there_has_its_line(self, capsys: Output) -> None:
        assert main(["usage"]) == 0
        out, err = capsys.readouterr()
        _, *rows = columns(out)
        assert [row[1:] for row in rows] == [
            ["2", "2", "2.00", "0", "0", "-", "PC", A],
            ["1", "1", "1.00", "1", "10", "100,000.00", "P", "memory/summary.md"],
            ["0", "0", "0.00", "2", "800", "0.00", B],
            ["0", "0", "0.00", "0", "0", "-", "workflow/release.md"],
        ]
        assert "1,000,000 tokens were spent" in out
        assert err == ""

    def test_figures_stand_below_each_other(self, capsys: Output) -> None:
        main(["usage"])
        head, *rows = capsys.readouterr().out.partition("\n\n")[0].splitlines()
        start = head.index("record")
        assert [row[start:] for row in rows] == [row.split()[-1] for row in rows]
        assert {row[head.index("cost") + 3] for row in rows} == {"0"}

    @pytest.mark.parametrize(
        ("order", "first"),
        [
            ("invokes", A),
            ("cost", B),
            ("ratio", "memory/summary.md"),
            ("path", B),
            ("tokens", B),
        ],
    )
    def test_what_is_asked_for_comes_first(self, order: str, first: str, capsys: Output) -> None:
        assert main(["usage", "--sort", order]) == 0
        assert columns(capsys.readouterr().out)[1][-1] == first

    def test_json_says_all_of_it(self, capsys: Output) -> None:
        assert main(["usage", "--output-format", "json"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert (content["version"], content["now"]) == (1, 1_000_000)
        by_path = {record.pop("path"): record for record in content["records"]}
        assert by_path["memory/summary.md"].pop("tokens") > 0
        assert by_path["memory/summary.md"] == {
            "record_kind": "summary",
            "invokes": 1,
            "sessions": 1,
            "frequency": 1.0,
            "exposures": 1,
            "exposure_tokens": 10,
            "ratio": 100_000.0,
            "protected": True,
            "candidate": False,
        }
        assert by_path[A]["candidate"]
        assert by_path["workflow/release.md"]["ratio"] is None

    def test_paths_choose_records(self, memory: Memory, capsys: Output) -> None:
        assert main(["usage", ".yoi/memory/decisions", f".yoi/{B}"]) == 0
        assert [row[-1] for row in columns(capsys.readouterr().out)[1:]] == [A, B]
        assert main(["usage", "."]) == 0
        assert len(columns(capsys.readouterr().out)) == 5
        (memory.workspace / "src").mkdir()
        assert main(["usage", "src"]) == 2
        assert main(["usage", ".yoi/memory/decisions/gone.md"]) == 2
        assert "no record at or below memory/decisions/gone.md" in capsys.readouterr().err

    def test_without_tokens_it_says_so(self, memory: Memory, capsys: Output) -> None:
        use(memory, [invoke("a"), invoke("b")])
        assert main(["usage"]) == 0
        out = capsys.readouterr().out
        assert [row[1:4] for row in columns(out)[1:2]] == [["2", "2", "-"]]
        assert "yoimem init --claude-code" in out
        main(["usage", "--output-format", "json"])
        content = json.loads(capsys.readouterr().out)
        assert content["now"] is None
        assert {record["frequency"] for record in content["records"]} == {None}

    def test_a_memory_without_events_has_its_table(self, memory: Memory, capsys: Output) -> None:
        (memory.root / "memory" / "_usage" / "events.jsonl").unlink()
        assert main(["usage"]) == 0
        assert len(columns(capsys.readouterr().out)) == 5

    def test_a_memory_without_records_says_so(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> None:
        empty = Memory(tmp_path / "empty")
        assert main(["usage", "--root", str(empty.root)]) == 0
        assert capsys.readouterr().out == "there are no records\n"

    def test_faults_are_told_on_standard_error(self, memory: Memory, capsys: Output) -> None:
        put(memory.root, b"".join(b"\x1b[2J%d\n" % number for number in range(30)))
        assert main(["usage", "--output-format", "json"]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["now"] is None
        assert err.count("it is no whole JSON object") == 10
        assert "and 20 more" in err
        assert "\x1b" not in err

    def test_a_name_acts_on_no_terminal(self, memory: Memory, capsys: Output) -> None:
        memory.write("knowledge/a\x1b[31mb.md", KNOWLEDGE)
        assert main(["usage"]) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "a\\x1b[31mb.md" in out

    def test_a_link_is_told(self, memory: Memory, capsys: Output) -> None:
        path = memory.root / "memory" / "_usage" / "events.jsonl"
        path.rename(memory.workspace / "events")
        path.symlink_to(memory.workspace / "events")
        assert main(["usage"]) == main(["candidates"]) == 2
        assert "is a link" in capsys.readouterr().err

    def test_a_terminal_shows_the_plot(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> None:
        main(["usage"])
        assert "often used" not in capsys.readouterr().out
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("NO_COLOR", "1")
        main(["usage"])
        out = capsys.readouterr().out
        assert "often used" in out
        assert "+ is more than 9" in out
        assert "\x1b" not in out

    def test_where_nothing_was_read_or_shown_there_is_no_plot(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> None:
        use(memory, [spent(1_000)])
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        main(["usage"])
        assert "often used" not in capsys.readouterr().out


class TestPlot:
    def test_each_corner_tells_what_it_is(self) -> None:
        # One that is read and free, three that are paid for and never read, twelve that are both.
        drawn = plot([(0, 5000), *[(90_000, 0)] * 3, *[(90_000, 5000)] * 12]).splitlines()
        rows = [line.partition("|")[2] for line in drawn if "|" in line]
        assert (rows[0][0], rows[-1][-1], rows[0][-1]) == ("1", "3", "+")
        assert sum(len(row.replace(" ", "")) for row in rows) == 3
        assert drawn[1].startswith("5,000 |")
        assert "90,000" in drawn[-3]

    def test_what_was_never_used_stands_apart_from_what_was_once(self) -> None:
        rows = plot([(0, 0), (1, 1), (10**9, 10**6)]).splitlines()
        below, above = [line.partition("|")[2].rstrip() for line in rows if "|" in line][-2:][::-1]
        assert below == "1"
        assert (above[0], above.strip()) == (" ", "1")

    @pytest.mark.parametrize("points", [[], [(0, 0)], [(0, 0)] * 20, [(1, 0)], [(0, 1)]])
    def test_little_is_drawn_too(self, points: list[tuple[int, int]]) -> None:
        widths = {len(line) for line in plot(points).splitlines() if "|" in line}
        assert len(widths) == 1


class TestCandidates:
    def test_they_are_listed_with_why(self, capsys: Output) -> None:
        assert main(["candidates"]) == 0
        assert capsys.readouterr() == (
            f"{A}: 2.00 invokes per million tokens, from 2 sessions\n",
            "",
        )

    def test_only_decisions_requests_and_knowledge_can_be(
        self, memory: Memory, capsys: Output
    ) -> None:
        paths = [A, B, "memory/summary.md", "workflow/release.md", "memory/decisions/gone.md"]
        use(memory, [*[invoke(s, path) for path in paths for s in "ab"], spent(1000)])
        assert main(["candidates", "--output-format", "json"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert content == {
            "version": 1,
            "now": 1000,
            "candidate": 1.0,
            "candidate_sessions": 2,
            "candidates": [
                {"path": path, "frequency": 20.0, "sessions": 2} for path in sorted([A, B])
            ],
        }

    def test_none_says_what_one_would_be(self, memory: Memory, capsys: Output) -> None:
        (memory.workspace / "yoimem.toml").write_text("[usage]\ncandidate = 2.5\n")
        assert main(["candidates"]) == 0
        out = capsys.readouterr().out
        assert "no record is invoked 2.5 times per million tokens or more, from 2 sessions" in out

    def test_without_tokens_it_says_why_there_are_none(
        self, memory: Memory, capsys: Output
    ) -> None:
        use(memory, [invoke("a"), invoke("b")])
        assert main(["candidates"]) == 0
        out = capsys.readouterr().out
        assert "No session has told how many tokens it spent" in out
        assert "yoimem init --claude-code" in out
        assert main(["candidates", "--output-format", "json"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert (content["now"], content["candidates"]) == (None, [])

    def test_no_memory_is_2(self, tmp_path: Path, capsys: Output) -> None:
        assert main(["candidates", "--root", str(tmp_path / "nowhere")]) == 2
        assert "Traceback" not in capsys.readouterr().err
