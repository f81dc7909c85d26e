"""`pytest` in a plugin's folder runs the pages there by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import DECISION

RULE = """\
from yoimem import Finding, RecordRule, RuleMeta, Severity, hookimpl

class Short(RecordRule):
    meta = RuleMeta("ACME001", "short", Severity.ERROR, "1.0", record_kinds=("decision",))

    def check(self, record, ctx):
        if len(record.body) > 10:
            yield Finding("too long", record.body_span)

@hookimpl
def yoimem_register_rules():
    return [Short]
"""
PAGE = f"""\
# ACME001 short

## What

A body is short.

## Why

So it is.

## Bad

### Six words

```markdown memory/decisions/a.md
{DECISION}And more of it.
```

```text findings
memory/decisions/a.md:7:1
```

## Good

```markdown memory/decisions/a.md
{DECISION}```

## Options

None.
"""


class Plugin:
    """The folder of a plugin, and what is installed of it."""

    def __init__(self, folder: Path) -> None:
        self.site, self.source = folder / "site", folder / "source"
        self.source.mkdir()
        info = self.site / "acme-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[yoimem]\nacme = acme_short\n")
        self.install(RULE, PAGE)
        self.write("acme_short.py", RULE)
        self.write("acme_short.md", PAGE)

    def install(self, rule: str, page: str) -> None:
        (self.site / "acme_short.py").write_text(rule)
        (self.site / "acme_short.md").write_text(page)

    def write(self, name: str, text: str) -> None:
        (self.source / name).write_text(text)

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(self.site), *filter(None, [os.environ.get("PYTHONPATH")])])
        environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
        plugin = () if is_installed() else ("-p", "pytest_yoimem")
        options = ("-p", "no:cacheprovider", "--rootdir", ".", "-c", os.devnull)
        return subprocess.run(
            [sys.executable, "-P", "-m", "pytest", *options, *plugin, *arguments],
            cwd=self.source, env={**environ, "PYTHONPATH": path, "COLUMNS": "200"},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip


def is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(e.value == "pytest_yoimem" for e in entry_points(group="pytest11"))


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


def test_the_form_and_each_example_are_items(plugin: Plugin) -> None:
    done = plugin.pytest("-v")
    assert [line.split(" PASSED")[0] for line in done.stdout.splitlines() if "::" in line] == [
        "acme_short.md::ACME001 form",
        "acme_short.md::ACME001 bad 1 Six words",
        "acme_short.md::ACME001 good 2",
    ]
    assert (done.returncode, "3 passed" in done.stdout) == (0, True)


def test_one_example_runs_alone(plugin: Plugin) -> None:
    done = plugin.pytest("acme_short.md::ACME001 good 2")
    assert "1 passed" in done.stdout


def test_a_failure_reads_well(plugin: Plugin) -> None:
    plugin.write("acme_short.md", PAGE.replace(":7:1", ":8:1").replace("## Why", "## Because"))
    done = plugin.pytest()
    assert done.returncode == 1
    assert "2 failed, 1 passed" in done.stdout
    assert (
        "the bad example `Six words` of ACME001 should have\n"
        "  memory/decisions/a.md:8:1\n"
        "and it has\n"
        "  memory/decisions/a.md:7:1 ACME001 too long\n"
    ) in done.stdout
    assert "the headings of the page are What, Because" in done.stdout
    assert "judging.py" not in done.stdout


def test_a_page_that_cannot_be_read_is_an_error(plugin: Plugin) -> None:
    plugin.write("acme_short.md", PAGE.replace("text findings", "text found"))
    done = plugin.pytest()
    assert done.returncode != 0
    assert "the fence `text found` is no part of an example" in done.stdout


def test_a_page_whose_rule_nobody_hands_in_is_an_error(plugin: Plugin) -> None:
    plugin.write("forgotten.py", RULE)
    plugin.write("forgotten.md", PAGE.replace("ACME001", "ACME002"))
    done = plugin.pytest("forgotten.md")
    assert done.returncode != 0
    assert "no plugin hands in the rule of this page" in done.stdout


def test_a_plugin_that_does_not_load_is_told(plugin: Plugin) -> None:
    plugin.install("1 / 0\n", PAGE)
    done = plugin.pytest()
    assert done.returncode != 0
    assert "plugin acme 1.0: acme_short does not load: ZeroDivisionError" in done.stdout


def test_an_older_rule_that_is_installed_is_told(plugin: Plugin) -> None:
    plugin.write("acme_short.py", RULE.replace("> 10", "> 20"))
    done = plugin.pytest()
    assert done.returncode != 0
    assert "install it again" in done.stdout


def test_the_page_of_a_local_plugin_runs(plugin: Plugin) -> None:
    plugin.write("tools.py", RULE.replace("ACME001", "TEAM001").replace('"short"', '"brief"'))
    plugin.write("tools.md", PAGE.replace("ACME001 short", "TEAM001 brief"))
    (plugin.source / ".yoi").mkdir()
    done = plugin.pytest("tools.md")
    assert "no plugin hands in the rule of this page" in done.stdout
    plugin.write("pyproject.toml", '[tool.yoimem]\nlocal-plugins = ["tools.py"]\n')
    done = plugin.pytest("-v", "tools.md")
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout
    assert "tools.md::TEAM001 bad 1 Six words PASSED" in done.stdout


def test_a_configuration_that_cannot_be_used_is_told(plugin: Plugin) -> None:
    plugin.write("tools.py", RULE)
    plugin.write("tools.md", PAGE.replace("ACME001", "TEAM001"))
    (plugin.source / ".yoi").mkdir()
    plugin.write("pyproject.toml", "[tool.yoimem]\nlocal-plugin = []\n")
    done = plugin.pytest("tools.md")
    assert done.returncode != 0
    assert "unknown key `local-plugin`" in done.stdout


def test_other_markdown_is_left_alone(plugin: Plugin) -> None:
    for name in ("acme_short.py", "acme_short.md"):
        (plugin.source / name).unlink()
    plugin.write("notes.py", "")
    plugin.write("notes.md", "# Notes\n")
    plugin.write("README.md", PAGE)
    done = plugin.pytest()
    assert (done.returncode, "no tests ran" in done.stdout) == (5, True)


def test_yoimem_is_not_imported_where_no_page_is(plugin: Plugin) -> None:
    for name in ("acme_short.py", "acme_short.md"):
        (plugin.source / name).unlink()
    plugin.write("README.md", PAGE)
    plugin.write(
        "test_it.py", "import sys\ndef test_it():\n    assert 'yoimem' not in sys.modules\n"
    )
    done = plugin.pytest()
    assert "1 passed" in done.stdout, done.stdout
