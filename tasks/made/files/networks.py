"""Graphs as GraphML: an edge is a line, and nodes are named as people are."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from deskgym.tasks.locators import Lines
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.records import SCHEMAS, Record


def graphml_file(records: Sequence[Record]) -> tuple[bytes, list[Spot]]:
    """A directed graph of the edges ``records``, which are of one schema."""
    names = [n for n in SCHEMAS[records[0].schema].fields if n not in ("source", "target")]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    for name in names:
        number = all(isinstance(r.fields[name], int) for r in records)
        kind = "int" if number else "string"
        lines.append(f'  <key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>')
    lines.append('  <graph edgedefault="directed">')
    ends = [str(r.fields[end]) for r in records for end in ("source", "target")]
    lines += [f"    <node id={quoteattr(name)}/>" for name in dict.fromkeys(ends)]
    spots = []
    for record in records:
        f = {name: str(value) for name, value in record.fields.items()}
        data = "".join(f'<data key="{n}">{escape(f[n])}</data>' for n in names)
        between = f"source={quoteattr(f['source'])} target={quoteattr(f['target'])}"
        line = f"    <edge {between}>{data}</edge>"
        lines.append(line)
        place = Lines(start=len(lines), end=len(lines))
        spots.append(Spot(record.id, place, line.strip()))
    lines += ["  </graph>", "</graphml>"]
    return ("\n".join(lines) + "\n").encode(), spots
