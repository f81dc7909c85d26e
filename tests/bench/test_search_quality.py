"""What is kept is found again: known-item queries over public text, against plainer ways to search.

A query is made from the record that it looks for, as people remember one (simulated known-item
queries): one to three of the words that tell it from the others, more likely the more they do; half
of the queries take them from its description, half from all that it says. A third are in another
form of the word, a third hold the parts of an identifier. The other ways get the same text with the
slug before it, and the better of "all words" and "any word" counts for FTS5. Several sets of queries
are made; the means are held against each other. Fields and weights were chosen on other sets.
"""

import ast
import json
import math
import random
import re
import sqlite3
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import pytest

from yoimem.lint.settings import SearchSettings
from yoimem.recall.query import Query
from yoimem.recall.search import Searcher
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.slug import suggest_slug
from yoimem.workspace.layout import root_at

AT = 5
TITLE = 0.5
LONGEST_JAPANESE = 6
MARGIN = 0.05
QUERIES = 800
SEEDS = (1, 2, 3, 4, 5)
CORPUS = Path(__file__).parent.parent / "corpus"
IDENTIFIER = re.compile(r"\b(?:[a-z]+|[A-Z]+)[a-z]*(?:_[a-z]+|[A-Z][a-z]+)+\b")
LEFT_OUT = {"site-packages", "test", "tests", "lib2to3", "idle_test"}
Way = Callable[[str], Sequence[str]]


class Item(NamedTuple):
    """A query, and the slug of the record that it looks for."""

    query: str
    slug: str


# --- the records


def record(description: str, body: str) -> str:
    return (
        "---\ncreated_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\nkind: reference\n"
        f"description: {json.dumps(description, ensure_ascii=False)}\nmodel_invokation: false\n"
        f"user_invocable: true\nlast_sources: []\n---\n{body}\n"
    )


def docstrings(tree: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            name = f"{prefix}.{node.name}"
            yield name, ast.get_docstring(node) or ""
            yield from docstrings(node, name)


def standard_library() -> Mapping[str, str]:
    """The docstrings of Python's own modules, one a record."""
    found: dict[str, str] = {}
    known: set[str] = set()
    folder = Path(sysconfig.get_path("stdlib"))
    files = (file.relative_to(folder) for file in folder.rglob("*.py"))
    for file in sorted(file for file in files if not LEFT_OUT.intersection(file.parts)):
        module = ".".join(file.with_suffix("").parts)
        for name, text in docstrings(ast.parse((folder / file).read_bytes()), module):
            slug = suggest_slug(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name))
            description, _, body = text.partition("\n")
            if body and text not in known:
                known.add(text)
                found.setdefault(slug, record(description, body.strip()))
    return found


def translations() -> Mapping[str, str]:
    """The messages of a type checker in Japanese, each with those that stand after it."""
    spec = find_spec("pyright")
    if spec is None or spec.origin is None:
        pytest.skip("pyright is not installed")
    script = Path(spec.origin).parent / "dist" / "dist" / "pyright-internal.js"
    text = script.read_text("utf-8").replace('\\\\"', "'")
    found = re.findall(r'"(\w+)":"([^"]*[\u3041-\u30ff][^"]*)"', text)
    messages = {name: message for name, message in found if not message.startswith("[")}  # no mock
    names = sorted(messages)
    return {
        suggest_slug(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name)): record(
            messages[name], "\n\n".join(f"- {messages[n]}" for n in names[at + 1 : at + 5])
        )
        for at, name in enumerate(names)
    }


def japanese_memory() -> Mapping[str, str]:
    """Those messages, and the records of the corpus that are in Japanese."""
    files = (
        (f.stem, f.read_bytes().decode(errors="replace")) for f in sorted(CORPUS.rglob("*.md"))
    )
    texts = {slug: text for slug, text in files if re.search("[\u3041-\u30ff]", text)}
    return {**texts, **translations()}


# --- the queries

COMMON = set(
    "the and for that this with from are not can will has have was were its into when which then"
    " than they them there their what such only also any all each other more one two may must should"
    " would could been being does don see you your but use used using how who why get set".split()
)


def english_words(text: str) -> list[str]:
    return [w for w in re.findall(r"[a-z]{3,}", text.lower()) if w not in COMMON]


def japanese_words(text: str) -> list[str]:
    """Runs of one script, as people cut Japanese into words: katakana, or Chinese characters."""
    runs = re.findall("[\u30a1-\u30fa\u30fc]+|[\u4e00-\u9fff]+", text)
    return [run for run in runs if 2 <= len(run) <= LONGEST_JAPANESE]


class Salience:
    """How much a word tells of a record: often in it, and in few others."""

    def __init__(self, texts: Mapping[str, str], words: Callable[[str], list[str]]) -> None:
        self._texts = texts
        self._words = words
        self._spread = Counter(word for text in texts.values() for word in set(words(said(text))))

    def pick(self, slug: str, number: int, chance: random.Random) -> list[str]:
        """Return `number` words of a record, from its description or from all that it says."""
        text = self._texts[slug]
        told = description(text) if chance.random() < TITLE else said(text)
        counts = Counter(self._words(told) or self._words(said(text)))
        rarity = {word: math.log(len(self._texts) / self._spread[word]) for word in counts}
        left = {word: count * rarity[word] for word, count in sorted(counts.items())}
        chosen: list[str] = []
        while left and len(chosen) < number:
            word = chance.choices(list(left), [max(value, 0.01) for value in left.values()])[0]
            chosen.append(word)
            del left[word]
        return chosen


def description(text: str) -> str:
    """What a record is about: its description, or its first heading."""
    found = re.search(r"^(?:description:|#+) (.*)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def said(text: str) -> str:
    """What a record says, without the frontmatter that all of them share."""
    return f"{description(text)}\n{text.split('---', 2)[-1]}"


class Forms:
    """The other forms of a word that the records know: `parsing` for `parse`."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._by_start: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted({word for text in texts.values() for word in english_words(said(text))}):
            self._by_start[word[:4]].append(word)

    def another(self, word: str, chance: random.Random) -> str:
        start = word[: max(4, len(word) - 3)]
        longest = len(word) + 3
        near = [w for w in self._by_start[word[:4]] if w.startswith(start) and len(w) <= longest]
        return chance.choice(near or [word])


def parts_of(word: str) -> list[str]:
    """The words that an identifier is made of."""
    return [part.lower() for part in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", word)]


def english_queries(texts: Mapping[str, str], seed: int) -> Iterator[Item]:
    """Words as they stand, in other forms, and the parts of an identifier, in turn."""
    chance = random.Random(seed)
    salience, forms = Salience(texts, english_words), Forms(texts)
    for number, slug in enumerate(chance.sample(sorted(texts), QUERIES)):
        words = salience.pick(slug, chance.randint(1, 3), chance)
        if number % 3 == 1:
            words = [forms.another(word, chance) for word in words]
        names = [name for name in IDENTIFIER.findall(said(texts[slug])) if len(parts_of(name)) > 1]
        if number % 3 == 2 and names:
            words = [*parts_of(chance.choice(names))[:3], *words[:1]]
            chance.shuffle(words)
        yield Item(" ".join(words), slug)


def japanese_queries(texts: Mapping[str, str], seed: int) -> Iterator[Item]:
    """A word of two to six characters, or two words that have no more together, in turn."""
    chance = random.Random(seed)
    salience = Salience(texts, japanese_words)
    slugs = [slug for slug in sorted(texts) if japanese_words(said(texts[slug]))]
    for number, slug in enumerate(chance.sample(slugs, min(QUERIES, len(slugs)))):
        first, *more = salience.pick(slug, 1 + number % 2, chance)
        fitting = [word for word in more if len(first + word) <= LONGEST_JAPANESE]
        yield Item(" ".join([first, *fitting]), slug)


# --- the ways to search


def substring(texts: Mapping[str, str]) -> Way:
    lower = {slug: text.lower() for slug, text in sorted(texts.items())}
    return lambda query: [slug for slug, text in lower.items() if query.lower() in text][:AT]


def frequency(texts: Mapping[str, str]) -> Way:
    lower = {slug: text.lower() for slug, text in sorted(texts.items())}

    def search(query: str) -> list[str]:
        words = query.lower().split()
        counts = {slug: sum(map(text.count, words)) for slug, text in lower.items()}
        return sorted((slug for slug in counts if counts[slug]), key=lambda s: -counts[s])[:AT]

    return search


def full_text(texts: Mapping[str, str], tokenizer: str, joint: str) -> Way:
    index = sqlite3.connect(":memory:")
    index.execute(
        f"CREATE VIRTUAL TABLE t USING fts5(slug UNINDEXED, text, tokenize='{tokenizer}')"
    )
    index.executemany("INSERT INTO t VALUES (?, ?)", sorted(texts.items()))

    def search(query: str) -> list[str]:
        expression = joint.join(f'"{word}"' for word in query.split())
        rows = index.execute(
            "SELECT slug FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (expression, AT)
        )
        return [slug for (slug,) in rows]

    return search


def ours(texts: Mapping[str, str], folder: Path) -> Way:
    knowledge = folder / ".yoi" / "knowledge"
    knowledge.mkdir(parents=True)
    for slug, text in texts.items():
        (knowledge / f"{slug}.md").write_text(text, "utf-8")
    root, kinds = root_at(folder), Kinds()
    assert root is not None
    searcher = Searcher(root, kinds, Reader(kinds), SearchSettings(index=str(folder / "cache")))
    return lambda query: [hit.slug for hit in searcher.search(Query(text=query, limit=AT)).hits]


def recall(way: Way, items: Sequence[Item]) -> float:
    return sum(item.slug in way(item.query) for item in items) / len(items)


def compare(texts: Mapping[str, str], sets: Sequence[Sequence[Item]], folder: Path) -> None:
    named = {slug: f"{slug}\n{text}" for slug, text in texts.items()}
    ways = {
        "whole query as substring": substring(named),
        "term frequency": frequency(named),
        **{
            f"FTS5 {tokenizer}, {joint.strip()}": full_text(named, tokenizer, joint)
            for tokenizer in ("porter", "trigram")
            for joint in (" OR ", " AND ")
        },
        "yoimem": ours(texts, folder),
    }
    found = {name: [recall(way, items) for items in sets] for name, way in ways.items()}
    means = {name: mean(values) for name, values in found.items()}
    print(f"\nrecall@{AT} of {len(sets)} x {len(sets[0])} queries over {len(texts)} records")
    for name, values in found.items():
        each = "  ".join(f"{value:.1%}" for value in values)
        print(f"{means[name]:8.1%}  {name:26}  {each}")
    best = max(value for name, value in means.items() if name != "yoimem")
    print(f"{means['yoimem'] - best:8.1%}  above the best of them (goal {MARGIN:.0%})")
    assert means["yoimem"] >= best + MARGIN


def test_english(tmp_path: Path) -> None:
    texts = standard_library()
    compare(texts, [list(english_queries(texts, seed)) for seed in SEEDS], tmp_path)


def test_japanese(tmp_path: Path) -> None:
    texts = japanese_memory()
    compare(texts, [list(japanese_queries(texts, seed)) for seed in SEEDS], tmp_path)
