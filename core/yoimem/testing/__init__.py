r"""The kit by which rules are tested: the examples on a rule's page are its tests.

A page stands beside the module of its rule and has fixed headings: `# CODE name`, `## What`,
`## Why`, `## Bad`, `## Good`, `## Options`. An example is a small memory: each fence
` ```markdown PATH ` holds one file. Under Bad, a fence ` ```text findings ` lists the places
(`path:line:column`) where the rule speaks; several examples are told apart by `###` headings. A
fence ` ```toml options ` sets options of the rule. Words behind the path: `escaped` decodes `\t`,
`\r`, `\xNN`, `\uNNNN`; `folder` makes a folder of that name; `operation=` and `actor=` judge the
file as that change of the others. A fence ` ```toml evidence ` says what a run of the consolidator
has to show: `staged` (sources), `candidates` (paths), `frequencies` (by path; left out, use is
unknown), `protect`, `cold-start`. The run began with the files as they are; the word `start` marks
one as it stood then.

In a plugin's folder `pytest` runs every page by itself, once the plugin is installed or named in
the `local-plugins` of its workspace. In a test:

- `check_page(rule, tmp_path)` holds a rule against its page;
- `findings(rule, {path: text})` returns what one rule says of a few texts;
- `workspace(tmp_path, {path: text})` makes a memory to judge with `yoimem.lint` or the command.
"""

from yoimem.testing.judging import (
    Found,
    check_example,
    check_form,
    check_page,
    findings,
    judge_example,
    plugins_with,
)
from yoimem.testing.pages import Example, ExampleFile, Page, parse_page, read_page
from yoimem.testing.workspaces import workspace, write_file

__all__ = [
    "Example",
    "ExampleFile",
    "Found",
    "Page",
    "check_example",
    "check_form",
    "check_page",
    "findings",
    "judge_example",
    "parse_page",
    "plugins_with",
    "read_page",
    "workspace",
    "write_file",
]
