"""A virtual environment of its own for a test, made without the internet.

It holds what the test installs; yoimem, its libraries, pytest and the build backend are those of
the environment that runs the tests, seen through a path file.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent


class Environment:
    """A virtual environment in a new folder."""

    def __init__(self, folder: Path) -> None:
        # The pip of the tests is seen too; a fresh one takes seconds to unpack.
        options = ["--without-pip"] if find_spec("pip") else []
        command = [sys.executable, "-m", "venv", *options, folder]
        subprocess.run(command, check=True, timeout=120)
        self.folder = folder
        self.scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.scripts / "python"
        paths = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
        (self.packages / "the-tests.pth").write_text(
            "".join(f"import site; site.addsitedir({path!r})\n" for path in paths)
        )
        python = f'exec "{self.python}" -m'
        self._add_script("yoimem", f'{python} yoimem "$@"')
        self._add_script("pytest", f'{python} pytest "$@"')
        # Every use of pip takes what is there: no index, no environment to build in.
        pip = f'command=$1; shift; {python} pip --quiet "$command"'
        self._add_script("pip", f'{pip} --no-index --no-build-isolation "$@"')

    @property
    def packages(self) -> Path:
        """Where the environment installs packages."""
        done = self.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        return Path(done.stdout.strip())

    def run(
        self, *command: str | Path, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; it may fail."""
        return self._run([self.scripts / command[0], *command[1:]], cwd or self.folder)

    def shell(self, script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run a shell script that finds the environment's programs first; it may fail."""
        return self._run(["sh", "-e", "-c", script], cwd)

    def install(self, *what: str | Path) -> None:
        """Install a folder or a wheel."""
        done = self.run("pip", "install", *what)
        assert done.returncode == 0, done.stderr + done.stdout

    def _run(self, command: Sequence[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHON"))}
        path = f"{self.scripts}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            command, cwd=cwd, env={**inherited, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    def _add_script(self, name: str, line: str) -> None:
        script = self.scripts / name
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(0o755)
