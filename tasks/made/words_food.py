"""Dishes and what is in them that people cannot always eat."""

from __future__ import annotations

import random
from collections.abc import Collection

# What a late allergy may be against.
ALLERGENS = ("nuts", "shellfish", "milk", "eggs", "wheat", "sesame", "celery", "soya")

_STYLES = [
    "roast",
    "baked",
    "grilled",
    "smoked",
    "braised",
    "stuffed",
    "pickled",
    "glazed",
    "fried",
    "steamed",
    "spiced",
    "lemony",
    "herbed",
    "charred",
    "creamed",
]
_MAINS = (
    "aubergine", "cauliflower", "pumpkin", "beetroot", "mushrooms", "chicken", "trout", "lamb",
    "beans", "lentils", "peppers", "fennel", "prawns", "mussels", "tofu", "omelette",
    "goat's cheese", "dumplings", "noodles", "celeriac",
)  # fmt: skip
_SIDES = (
    "rice", "potatoes", "plum sauce", "apple salad", "polenta", "green beans", "tomato relish",
    "mint and lime", "walnuts", "almond crumbs", "hazelnut butter", "yoghurt", "butter sauce",
    "flatbread", "couscous", "tahini", "egg mayonnaise", "miso dressing", "celery leaves",
    "crab butter",
)  # fmt: skip
INGREDIENTS = (
    "smoked paprika", "saffron", "tamarind", "sumac", "cardamom", "juniper", "quince",
    "preserved lemon", "fenugreek", "black garlic", "rose water", "buckwheat", "nettles",
    "rhubarb", "star anise", "caraway", "horseradish", "kale", "chestnut mushrooms", "dill",
    "pistachios", "clotted cream", "quail eggs", "semolina", "black sesame", "soya sprouts",
)  # fmt: skip
DRINKS = (
    "flat white", "espresso", "peppermint tea", "hot chocolate", "chai", "ginger tea", "cortado",
    "cold brew", "iced lemon tea", "rooibos", "apple spritz", "oat latte", "elderflower fizz",
    "filter coffee", "green tea", "pear juice",
)  # fmt: skip
BAR_DRINKS = (
    "pale ale", "dry cider", "red wine", "stout", "vermouth", "wheat beer", "gin and tonic",
    "white wine", "plum brandy", "dark lager",
)  # fmt: skip
GOODS = (
    "oranges", "olive oil", "rye bread", "goat's milk", "red lentils", "washing powder", "coffee",
    "basmati rice", "cherry tomatoes", "light bulbs", "honey", "spinach", "blackcurrant jam",
    "candles", "mustard", "oat flakes", "leeks", "dish soap", "pears", "peppercorns", "sea salt",
    "baking paper", "cat litter", "chickpeas", "ginger", "cabbage", "plum jam", "kitchen rolls",
)  # fmt: skip
STALL_GOODS = (
    "strawberries", "dried figs", "a bunch of dahlias", "sourdough", "sheep's cheese", "radishes",
    "apple juice", "wild garlic", "a jar of gherkins", "chestnuts", "a bag of quinces", "samphire",
    "smoked mackerel", "tulips", "potted basil", "goose eggs", "a hand-made brush", "beeswax",
)  # fmt: skip
NOT_EATEN = frozenset({"a bunch of dahlias", "tulips", "a hand-made brush", "beeswax"})


def dish(chance: random.Random, avoid: Collection[str] = ()) -> str:
    """A dish that holds none of the allergens ``avoid``."""
    while True:
        main, side = chance.choice(_MAINS), chance.choice(_SIDES)
        name = f"{chance.choice(_STYLES)} {main} with {side}"
        if not holds(name) & set(avoid):
            return name


def dish_with(chance: random.Random, allergen: str) -> str:
    """A dish that holds ``allergen``."""
    mains = [main for main in _MAINS if allergen in holds(main)]
    sides = [side for side in _SIDES if allergen in holds(side)]
    at = chance.randrange(len(mains) + len(sides))
    if at < len(mains):
        return f"{chance.choice(_STYLES)} {mains[at]} with rice"
    return f"{chance.choice(_STYLES)} chicken with {sides[at - len(mains)]}"


def ingredient(chance: random.Random, avoid: Collection[str] = ()) -> str:
    """Something to cook with that is none of the allergens ``avoid``."""
    return food(chance, INGREDIENTS, avoid)


# Words by which something to eat shows what is in it.
_SIGNS: dict[str, tuple[str, ...]] = {
    "nuts": ("walnut", "almond", "hazelnut", "pistachio"),
    "shellfish": ("prawn", "mussel", "crab"),
    "milk": ("milk", "cheese", "butter", "yoghurt", "cream", " ice"),
    "eggs": ("egg", "omelette"),
    "wheat": ("dumpling", "noodle", "flatbread", "couscous", "semolina", "sourdough", "bread",
              "wafer", "roll", "knot", "flatcake"),
    "sesame": ("sesame", "tahini"),
    "celery": ("celeriac", "celery"),
    "soya": ("tofu", "miso", "soya"),
}  # fmt: skip


def holds(food: str) -> frozenset[str]:
    """The allergens that the name of ``food`` tells of (creamed dishes hold milk)."""
    name = food.lower()
    return frozenset(
        allergen for allergen, signs in _SIGNS.items() if any(sign in name for sign in signs)
    )


def food(chance: random.Random, options: tuple[str, ...], avoid: Collection[str] = ()) -> str:
    """One of ``options`` that tells of none of the allergens ``avoid``."""
    return chance.choice([option for option in options if not holds(option) & set(avoid)])
