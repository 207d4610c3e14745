"""Pictures: photographs of drawn scenes with lettering, and receipts on a table."""

from __future__ import annotations

import random

from deskgym.tasks.demo.make.drawing import encoded, picture_image, text_image
from deskgym.tasks.demo.make.things import Place, Shape
from deskgym.tasks.locators import WholeFile
from deskgym.tasks.made.files.facts import Facts, parts
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.files.tables import cell
from deskgym.tasks.made.records import Record

_SIZE = (760, 520)
_MODEL = "Fernlicht 4"
_SKIES = ("#9cc3dd", "#c9d6df", "#f0c9a0", "#7f9fb5", "#b8d8c8", "#dcd3c2")
_GROUNDS = ("#7a9a62", "#8c7a66", "#a9a39a", "#5f7f6a", "#b59a78")
_PAINT = ("#b5442e", "#3b6ea5", "#d8a13a", "#6b4f7a", "#2f7f73", "#8a3b52", "#4a4a4a")


def photo_file(
    path: str, record: Record, facts: Facts, chance: random.Random
) -> tuple[bytes, list[Spot]]:
    """A photograph: a scene with a sign that bears the caption, and EXIF with time and place."""
    f = record.fields
    image, marks = picture_image(path, _scene(chance, str(f["caption"])), "", _SIZE)
    where = None
    if f["place"]:
        where = Place(float(str(f["latitude"])), float(str(f["longitude"])), str(f["place"]))
    data = encoded(path, image, record.time, _MODEL, where)
    sign = marks[0]
    regions = [(m.locator, m.text) for m in marks]
    spots = [Spot(record.id, sign.locator, sign.text), *parts(record, facts, regions)]
    if where is not None:
        spots.append(Spot(record.id, WholeFile(), where.name, "place"))
    spots.append(Spot(record.id, WholeFile(), f"{record.time:%Y-%m-%d %H:%M}", "time"))
    return data, spots


def _scene(chance: random.Random, caption: str) -> list[Shape]:
    """Sky, ground and some things in front of them; the sign comes last."""
    level = chance.uniform(0.5, 0.68)
    shapes = [
        Shape("rect", (0, 0, 1, level), chance.choice(_SKIES)),
        Shape("rect", (0, level, 1, 1), chance.choice(_GROUNDS)),
    ]
    if chance.random() < 0.6:
        x, y = chance.uniform(0.08, 0.8), chance.uniform(0.04, 0.12)
        shapes.append(Shape("ellipse", (x, y, x + 0.1, y + 0.14), "#f4e3a1"))
    for _ in range(chance.randrange(3, 7)):
        x, width = chance.uniform(0.02, 0.8), chance.uniform(0.07, 0.18)
        height = chance.uniform(0.12, 0.36)
        top = level - height + 0.05
        kind = chance.choice(("rect", "rect", "polygon", "ellipse"))
        box = (x, max(0.02, top), min(0.98, x + width), level + 0.05)
        shapes.append(Shape(kind, box, chance.choice(_PAINT)))
    for _ in range(chance.randrange(0, 4)):  # people, far away
        x = chance.uniform(0.05, 0.9)
        shapes.append(Shape("ellipse", (x, level - 0.03, x + 0.03, level + 0.02), "#3a2f2a"))
        shapes.append(Shape("rect", (x + 0.002, level + 0.02, x + 0.028, level + 0.13), "#55607a"))
    left = chance.uniform(0.06, 0.2)
    post = Shape("rect", (left + 0.34, 0.86, left + 0.37, 1), "#5a4632")
    board = Shape("rect", (left, 0.6, left + 0.72, 0.88), chance.choice(("#fbf7ea", "#22303c")),
                  text=caption)  # fmt: skip
    return [*shapes, post, board]


def receipt_file(
    path: str, record: Record, facts: Facts, place: Place | None
) -> tuple[bytes, list[Spot]]:
    """A receipt as it was photographed: shop, time, items, sum."""
    f = record.fields
    items = f["items"]
    assert isinstance(items, list)  # the schema says so
    lines = [str(f["shop"]), str(f["time"]), f"No. {f['number']}", ""]
    lines += [_priced(*item.rsplit(": ", 1)) for item in items]
    lines += ["", _priced("TOTAL EUR", cell("total", f["total"])), f"Paid by {f['paid_by']}",
              "", "Thank you"]  # fmt: skip
    image, marks = text_image(path, lines, "receipt", None)
    data = encoded(path, image, record.time, _MODEL, place)
    regions = [(m.locator, " ".join(m.text.split())) for m in marks]
    text = "\n".join(text for _, text in regions)
    return data, [Spot(record.id, WholeFile(), text), *parts(record, facts, regions)]


def _priced(name: str, price: str) -> str:
    """An item and its price, with the blanks between that line prices up on the right."""
    return f"{name[:24]:<25}{price:>9}"
