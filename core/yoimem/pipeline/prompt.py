"""The prompts: Markdown files of the package, with named places to be filled."""

import re
from importlib.resources import files

_PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(prompt: str, /, **places: str) -> str:
    """Return the prompt `prompts/<prompt>.md` with each `{{name}}` replaced by that place's text.

    What is put in is not looked at again: a text that holds `{{name}}` itself stays as it is. The
    line end that ends the file is left out.

    Raises:
        KeyError: the prompt names a place that is not given.
    """
    text = files("yoimem.pipeline").joinpath("prompts", f"{prompt}.md").read_text("utf-8")
    return _PLACE.sub(lambda place: places[place[1]], text.rstrip("\n"))
