"""Which local plugins a person trusts, kept in the user's own folder (design, section 8).

Opening a repository must not run its code: the doors that stay open (`mcp`, `agent-hook`)
run a local plugin only as somebody trusted it, byte for byte.
"""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

_FILE = "trust.json"
_VERSION = 1
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class TrustError(Exception):
    """What is kept about trust cannot be used; the message says how to mend it."""


def trust_file() -> Path:
    """Return where trust is kept."""
    from platformdirs import user_config_path  # noqa: PLC0415 - few runs need it

    return user_config_path("yoimem", appauthor=False) / _FILE


def trusted_hashes() -> Mapping[str, str]:
    """Return the hash under which each plugin is trusted, by the plugin's full path.

    Raises:
        TrustError: the file is not the user's own, or cannot be read.
    """
    file = trust_file()
    try:
        _require_own(file.parent)
        _require_own(file)
        content = json.loads(file.read_text("utf-8"))
        hashes = content["plugins"] if content["version"] == _VERSION else None
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrustError(f"{file} cannot be read ({error}); remove it, and trust again") from error
    if not isinstance(hashes, dict):
        raise TrustError(f"{file} is not of a form that is known; remove it, and trust again")
    return hashes


def keep_trust(hashes: Mapping[str, str]) -> None:
    """Keep `hashes` in the place of what was kept; nobody but the user may read or write them.

    Raises:
        TrustError: the folder is not the user's own.
        OSError: it cannot be written.
    """
    file = trust_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _require_owner(file.parent)
    file.parent.chmod(0o700)
    text = json.dumps({"version": _VERSION, "plugins": dict(sorted(hashes.items()))}, indent=2)
    new = file.with_name(f"{_FILE}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(text + "\n")
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)


def _require_own(path: Path) -> None:
    _require_owner(path)
    if hasattr(os, "getuid") and path.stat().st_mode & _OTHERS_MAY_WRITE:
        raise TrustError(f"others may write to {path}: run `chmod go-w {path}`, and trust again")


def _require_owner(path: Path) -> None:
    # Windows gives each user a folder of their own, and no owner's number to compare.
    if hasattr(os, "getuid") and path.lstat().st_uid != os.getuid():
        raise TrustError(f"{path} belongs to another user, so nothing in it is believed")
