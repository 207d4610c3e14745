"""Invented names that fill the days: apps, bands, songs, sites, headlines."""

from __future__ import annotations

APPS = (
    "Postbird", "Klack", "Tramlo", "Pixelpost", "Notar", "Wetterli", "Kassabuch", "Sudokuria",
    "Lauflog", "Newsfold", "Bankomat Go", "Filmkiste", "Tonspur", "Einkauf", "Mapling", "Chessel",
)  # fmt: skip
BANDS = (
    "The Paper Herons", "Marta Voss Trio", "Low Tide Radio", "Kupfer", "Ninth Ferry",
    "Alba and the Lamps", "Grey Orchard", "Tin Comets", "Salt Choir", "Oskar Lind",
    "The Late Bakers", "Velvet Tram", "Norrland Static", "Juniper Street", "Two Cellos East",
    "Rosa Quill", "The Quiet Engines", "Harbour Nine", "Moth Parade", "Blue Stairwell",
    "Hanne Brook", "Fern and Iron", "Glass Almanac", "The Winter Keys",
)  # fmt: skip
SONG_WORDS = (
    "Slow", "Northern", "Paper", "Silver", "Borrowed", "Second", "Hollow", "Evening", "Quiet",
    "Salted", "Yellow", "Distant", "Broken", "Little", "Amber", "Sunday", "Open", "Winter",
    "Copper", "Last", "Early", "Green", "Wandering", "Folded",
)  # fmt: skip
SONG_NOUNS = (
    "Harbour", "Windows", "Letters", "Trains", "Rain", "Garden", "Bridges", "Lanterns", "Maps",
    "Mornings", "River", "Staircase", "Radio", "Orchards", "Mirrors", "Ferries", "Streets",
    "Swallows", "Engines", "Sails", "Kitchens", "Shadows", "Postcards", "Clocks",
)  # fmt: skip
SITES = (
    "dailyfold.example", "slowkitchen.example", "commonbench.example", "wetterkarte.example",
    "handbook.example", "citynotes.example", "papergarden.example", "longreads.example",
    "workshopwall.example", "traintimes.example",
)  # fmt: skip
PAGES = (
    "Weather for the week", "How to descale a kettle", "Ten soups for grey days",
    "What the new tram line changes", "Crossword of the day", "Opening hours at the town hall",
    "A short history of the pencil", "Why bread goes stale", "Repotting without tears",
    "The best light for evening pictures", "Second-hand furniture near you",
    "Where the river path is closed", "Three ways to fold a map", "Compost in a small yard",
    "How long do batteries last?", "A beginner's guide to lichens", "Market days in the region",
    "What to do with old paint", "Which lamp for which room", "The quiet hour at the pool",
    "Night trains are back", "How to sharpen a kitchen knife", "A walk along the old walls",
    "Recycling calendar", "Tax return: the dates", "The town choir looks for voices",
    "Cleaning a bicycle chain", "What makes a good stew", "Birds at the feeder in winter",
    "Mending a wool jumper", "The library's new catalogue", "Letters to the editor",
    "What the bins are for", "Five knots worth knowing", "A cellar in order", "The price of milk",
    "Old trades: the knife grinder", "Which glue for what", "Rain water for the balcony",
    "Why doors creak", "A short guide to jam", "Sundays without a car", "The last phone box",
    "How clocks were set before the railway", "Bread in a cold oven", "A bench for every street",
    "Moss between the stones", "How to read a gas meter", "The swimming pool reopens",
    "Recipes for stale bread", "When to prune what", "A day with the chimney sweep",
    "How bridges are inspected", "Where the swifts nest", "Six soups for hot days",
    "The history of the button", "What a roof costs", "Learning to whistle", "Lost property week",
    "A museum of locks", "Storing apples until spring", "How to patch a tyre",
    "The river in numbers", "Washing wool by hand", "The art of the short letter",
    "A night at the bakery", "Which wood burns well", "Tea from the garden",
    "The long way to the coast", "Mould: what helps", "Rules for the stairwell",
    "A beginner's telescope", "How to keep a sourdough", "The town's oldest tree",
    "Choosing a bicycle lock", "What hedgehogs eat", "Drying herbs", "The street without a name",
    "Folding a paper boat", "How loud is too loud?", "Mending a chair", "The postman's round",
    "Four games for a rainy day", "What the weather house says", "Salt, and what it does",
    "The lamplighter's job", "Bees on the roof", "A cupboard for tools", "How to hang a picture",
    "The garden in November", "Reading a land map", "Why soap works",
    "The ferry's winter timetable",
    "Sleeping in a tent", "Cutting your own fringe", "The sound of old radios",
    "Pickles in three days", "Measuring a room", "A walk with a dictionary", "Cold frames",
)  # fmt: skip
