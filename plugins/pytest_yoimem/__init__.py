"""Lets pytest run the page of a rule that stands beside the rule's module.

pytest loads this module in every run of every project where yoimem is installed, so it stands
outside `yoimem` and imports nothing of it before a page may be there.
"""

from pathlib import Path

import pytest


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a Markdown file beside a Python module of the same name, if it is a rule's page."""
    module = file_path.with_suffix(".py")
    if file_path.suffix != ".md" or not module.is_file() or b"yoimem" not in module.read_bytes():
        return None
    from yoimem.testing.pytest_items import collect_page  # noqa: PLC0415 - see above

    return collect_page(file_path, parent)
