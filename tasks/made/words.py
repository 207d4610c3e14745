"""What people talk about, buy, mend and make: lists that the facts of events are drawn from."""

from __future__ import annotations

import random

_ASPECTS = (
    "the cost of", "the date of", "who should pay for", "whether to put off", "the plans for",
    "the trouble with", "the best way to start", "the rules for", "what went wrong with",
    "the photos of", "the waiting list for", "the paperwork for", "the second attempt at",
    "the surprise around", "the delay of", "the shopping list for", "the noise from",
    "the names for", "the vote on", "the colours for", "the map of", "the gossip around",
)  # fmt: skip
_SUBJECTS = (
    "the roof repair", "the summer party", "the new tram line", "the choir weekend",
    "the shared allotment", "the school reunion", "the stairwell painting", "the boat race",
    "the family recipe book", "the wedding in June", "the old piano", "the bicycle cellar",
    "the neighbourhood fair", "the quiz league", "the moving van", "the beehives",
    "the cottage rental", "the lantern walk", "the swap shelf", "the garage clear-out",
    "the silver anniversary", "the winter storage", "the amateur play", "the puppy course",
    "the street library", "the heating bills", "the birthday film", "the kayak tour",
    "the sewing circle", "the rowing machine", "the tax letter", "the flat exchange",
    "the night market", "the pottery kiln", "the wine cellar", "the spare key",
    "the baby shower", "the broken fence", "the photo wall", "the youth orchestra",
    "the bread oven", "the treasure hunt", "the village museum", "the ferry timetable",
    "the rain barrel", "the class newspaper", "the parking permit", "the tree planting",
    "the radio interview", "the open day", "the charity run", "the loft conversion",
    "the language exchange", "the garden wall", "the guest room", "the skating rink",
    "the thesis defence", "the camper van",
)  # fmt: skip
_NEWS = (
    "has bought a rowing boat", "is moving to the coast", "passed the driving test",
    "has started to keep bees", "won the pub quiz", "is learning the accordion",
    "has a new job at the harbour", "broke a tooth on a cherry stone", "is expecting twins",
    "sold the old barn", "adopted a greyhound", "ran a first marathon",
    "lost a suitcase in transit", "is writing a cookery column", "planted forty birches",
    "joined the volunteer fire brigade", "found a letter from 1931", "is giving up coffee",
    "painted the front door orange", "got the allotment by the canal",
    "is singing in the cathedral", "repaired the church clock", "has taken up fencing",
    "was on the local radio", "is back from Lapland", "inherited a stamp collection",
    "opened a repair shop", "is training as a ferry pilot", "caught a pike of nine kilos",
    "has married in secret",
)  # fmt: skip
_ACTIONS = (
    "to meet at the north gate", "to send the photos", "to split the bill evenly",
    "to bring the folding chairs", "to ring the landlord", "to book the small hall",
    "to lend the drill", "to cook together", "to check the train times", "to share the taxi",
    "to return the casserole dish", "to look at the draft", "to collect the parcel",
    "to water the plants", "to try the new bakery", "to bring the board game",
    "to ask for a second quote", "to swap shifts", "to write the invitation",
    "to order the tickets", "to keep it a surprise", "to take the early ferry",
    "to pick up the cake", "to print the map", "to measure the window",
    "to walk the dog together",
)  # fmt: skip
_WHEN = (
    "on Monday", "on Tuesday", "on Wednesday", "on Thursday", "on Friday", "at the weekend",
    "before the month ends", "after the holidays", "next week", "as soon as it is dry",
)  # fmt: skip
WORRIES = (
    "the rent increase", "a letter from the tax office", "the noise in the chimney",
    "mum's hip", "the missed deadline", "the mole on my arm", "the savings account",
    "the strange smell in the cellar", "dad's driving", "the talk I have to give",
    "the exam results", "the leaking boiler", "the contract clause", "the neighbours' quarrel",
    "my forgotten password list", "the damp in the bedroom", "the flight in bad weather",
    "a lump behind the ear", "the vote at the owners' meeting", "the lost key",
)  # fmt: skip
COMPLAINTS = (
    "a stiff neck", "hay fever", "a sore throat", "a migraine", "stomach cramps",
    "an ear infection", "a rash on the wrist", "lower back pain", "a cough that stays",
    "a swollen finger", "heartburn", "a tight chest", "dizziness", "a sore heel",
    "itching eyes", "toothache",
)  # fmt: skip
REMEDIES = (
    "a hot-water bottle", "two litres of tea", "a cold compress", "an early night",
    "salt water", "a walk round the block", "lozenges", "stretching on the floor",
    "a dark room", "arnica cream",
)  # fmt: skip
NIGHT_CAUSES = (
    "the bin lorry", "a thunderstorm", "the neighbour's music", "a bad dream", "the full moon",
    "too much coffee", "a mosquito", "a phone that kept buzzing", "the heat", "a barking dog",
    "worry about the budget", "a rattling shutter",
)  # fmt: skip
ONLINE_GOODS = (
    "a desk lamp", "noise-cancelling headphones", "a cast-iron pan", "running socks",
    "a label printer", "a rain jacket", "a paper shredder", "a set of brushes",
    "a cutting board", "a bicycle light", "a door mat", "a travel adapter", "a hand blender",
    "an insulated bottle", "a phone case", "a monitor arm", "a yoga mat", "a rucksack",
    "a tea strainer", "a wall clock", "a tripod", "a down pillow", "a tool box",
    "a bird feeder", "a coffee grinder", "a pair of skates", "a metronome", "a sewing kit",
    "a bathroom scale", "a reading chair cushion", "a head torch", "a storage crate",
    "a spirit level", "a garden hose", "a fountain pen", "a picnic blanket",
)  # fmt: skip
CLOTHES = (
    "linen shirt", "wool jumper", "raincoat", "pair of jeans", "scarf", "pair of trainers",
    "winter hat", "corduroy jacket", "pair of sandals", "cotton dress", "waistcoat", "cardigan",
    "pair of gloves", "swimsuit", "belt", "pair of boots", "dressing gown", "tracksuit",
)  # fmt: skip
COLOURS = (
    "mustard", "navy", "moss green", "rust", "charcoal", "cream", "burgundy", "teal", "sand",
    "lilac", "petrol blue", "brick red", "olive", "plum",
)  # fmt: skip
REPAIRS = (
    ("the kitchen tap", "it dripped", "a rubber seal"),
    ("the toaster", "it would not stay down", "a spring"),
    ("the bedroom blind", "the cord had snapped", "a new cord"),
    ("the bicycle", "the chain slipped", "a chain link"),
    ("the washing machine", "it stopped in mid-cycle", "a drain filter"),
    ("the front door", "it stuck", "a hinge"),
    ("the desk drawer", "it had come off its rail", "a runner"),
    ("the radio", "it only hissed", "a fuse"), ("the shower", "it ran cold", "a thermostat"),
    ("the garden gate", "the latch was bent", "a latch"),
    ("the reading lamp", "it flickered", "a switch"),
    ("the dishwasher", "it leaked", "a hose clip"),
    ("the extractor fan", "it rattled", "a bearing"),
    ("the hall radiator", "it stayed cold", "a valve"),
    ("the window frame", "it let in the rain", "a sealing strip"),
    ("the doorbell", "it was silent", "a transformer"),
)  # fmt: skip
LENT = (
    "the cordless drill", "the tent", "the pasta machine", "the pressure washer",
    "the roof rack", "the sewing machine", "the big stockpot", "the projector", "the ladder",
    "the hedge trimmer", "the air bed", "the wallpaper table", "the bicycle pump",
    "the raclette grill", "the jigsaw",
)  # fmt: skip
TASKS = (
    "carried the shopping up", "set up the new printer", "watered the tomatoes",
    "took in a parcel", "cleared the gutter", "jump-started the car",
    "read out a letter from the council", "mended the letter box", "fed the cat",
    "moved a wardrobe", "swept the shared stairs", "filled in the pension form",
    "hung two pictures", "unblocked the sink", "shovelled the path",
)  # fmt: skip
THANKS = (
    "a jar of plum jam", "a bag of walnuts", "a bottle of cordial",
    "a slice of poppy-seed cake", "a hand-written card", "six eggs", "a pot of chives",
    "an old atlas", "a tin of biscuits", "a cutting of the fig tree",
    "a box of matches from a hotel", "two cinema vouchers",
)  # fmt: skip
ADVICE = (
    "to ask for it in writing", "to sleep on it", "to get a second opinion",
    "to say no politely", "to start with the smallest part", "to keep the receipts",
    "to call before noon", "to take a week off", "to compare three offers",
    "to talk to the other side first",
)  # fmt: skip
DELIVERABLES = (
    "the interim report", "the tender", "the user survey", "the site plan", "the cost estimate",
    "the training handbook", "the data sheet", "the risk register", "the press kit",
    "the inspection protocol", "the price list", "the maintenance plan", "the audit answers",
    "the grant application", "the sample catalogue", "the acceptance test",
)  # fmt: skip
DECISIONS = (
    "to move the launch by two weeks", "to drop the second variant", "to hire a tester",
    "to ask the client for photos", "to cut the travel budget", "to change the supplier",
    "to run a pilot in one branch", "to freeze the specification", "to print fewer copies",
    "to start with the northern region", "to bring in the legal team", "to double the sample",
    "to skip the trade fair", "to publish the figures", "to reuse last year's design",
    "to test on paper first", "to split the order in three", "to wait for the permit",
)  # fmt: skip
REASONS = (
    "a server that would not start", "a client who called at five",
    "figures that did not add up", "a colleague on sick leave",
    "a form that had to go out the same day", "a late translation", "a printer jam",
    "an audit the next morning", "a draft that got lost", "a change of the law",
)  # fmt: skip
PLANTS = (
    "lavender", "runner beans", "the fig tree", "tulip bulbs", "strawberries", "the hedge",
    "thyme", "sunflowers", "the roses", "courgettes", "the ivy", "peas", "the fern",
    "sweet peas", "sage",
)  # fmt: skip
SPOTS = ("by the gate", "on the balcony", "along the wall", "under the window", "in the tubs")
ROOMS = ("kitchen", "bathroom", "bedroom", "hall", "living room", "cellar", "balcony", "study")
CHORES = (
    "scrubbed the tiles", "wiped the shelves", "hoovered twice", "cleaned the windows",
    "sorted the cupboard", "mopped the floor", "dusted the books",
)  # fmt: skip
FINDS = (
    "a concert ticket from years ago", "the missing earring", "a two-crown coin",
    "an unpaid invoice", "a photo of my grandmother", "the spare bicycle key",
    "a dried-up fountain pen", "a love letter", "the warranty of the oven", "a chess piece",
    "the charger I had given up on", "a pressed clover",
)  # fmt: skip
PAPERS = (
    "the rental contract", "the insurance letter", "last year's payslips",
    "the bank statements", "the vaccination card", "the tax certificate",
    "the guarantee of the fridge", "the pension notice", "the electricity contract",
    "the passport copies", "the library fines", "the dentist's invoice",
)  # fmt: skip
FOLDERS = ("Home", "Money", "Health", "Insurance", "Work", "Old", "To do", "Taxes")
UTILITIES = (
    "electricity", "gas", "water", "broadband", "phone", "home insurance", "bin collection",
)  # fmt: skip
SERVICES = (
    "Film club", "Music", "Cloud storage", "Newspaper", "Fitness app", "Audio books", "Puzzles",
)  # fmt: skip
LANGUAGE_TOPICS = (
    "ordering in a bakery", "the past tense", "weather words", "telling the time",
    "at the doctor's", "giving directions", "family words", "the subjunctive",
    "numbers above a hundred", "prepositions", "polite requests", "comparatives",
    "at the railway station", "household tools", "feelings",
)  # fmt: skip
COURSES = (
    "Bookkeeping for Beginners", "Statistics in Practice", "Garden Design", "Public Speaking",
    "Introduction to Astronomy", "Spreadsheets Step by Step", "Local History", "First Aid",
    "Drawing People", "Negotiation", "How Cities Work", "Photography at Night",
    "Wood and Joints",
)  # fmt: skip
PODCAST_TOPICS = (
    "how bridges fail", "the trade in eels", "why we yawn", "the first post offices",
    "deep-sea cables", "the history of salt", "lost alphabets", "how bees vote",
    "the price of sand", "sleep in winter", "forged paintings", "the language of whistles",
    "island railways", "the invention of lunch", "clouds with names", "old maps of the moon",
    "the return of the wolf", "prison gardens",
)  # fmt: skip
MEDIA = ("watercolour", "gouache", "charcoal", "ink", "oil", "acrylic", "pastel", "linocut")
CRAFTS = (
    ("a bowl", "stoneware clay"), ("a scarf", "merino wool"), ("a stool", "ash wood"),
    ("a lampshade", "paper"), ("a spoon", "cherry wood"), ("a cushion cover", "linen"),
    ("a vase", "red clay"), ("a basket", "willow"), ("a pair of socks", "sock yarn"),
    ("a bookbinding", "card and cloth"), ("a belt", "saddle leather"),
)  # fmt: skip
SUBJECTS = (
    "door handles", "the harbour cranes", "reflections in puddles", "old shop signs", "pigeons",
    "the market at closing time", "staircases", "fog over the canal", "bicycles",
    "shadows of railings", "the lock keeper's house", "laundry lines", "the last tram",
    "chimneys", "blossoms", "graffiti",
)  # fmt: skip
EXERCISES = (
    "deadlift", "bench press", "rowing", "leg press", "shoulder press", "squat", "pull-down",
    "lunges",
)  # fmt: skip
CLASSES = (
    "Morning Yoga", "Spin and Sprint", "Pilates Basics", "Boxing Circuit", "Balance and Breath",
    "Dance Fitness", "Core Half Hour", "Step Classic", "Aqua Fit", "Mobility Flow",
)  # fmt: skip
CALMING = (
    "Counting the Waves", "The Slow Staircase", "Evening Harbour", "Body Scan", "Warm Stone",
    "Ten Quiet Breaths", "The Empty Room", "Rain on a Tent",
)  # fmt: skip
OCCASIONS = (
    "a housewarming", "a fortieth birthday", "an engagement", "a farewell", "a graduation",
    "a name day", "a midsummer party", "a first night", "a thirtieth birthday",
    "a garden party",
)  # fmt: skip
GIFTS = (
    "a bottle of olive oil", "a board game", "a fern in a pot", "a cookery book",
    "a set of candles", "a hand-thrown mug", "a tin of tea", "a puzzle", "a framed print",
    "a record", "a salad bowl",
)  # fmt: skip
GAMES = (
    "Lantern Keepers", "Salt Road", "Twelve Towers", "The Lost Parcel", "Canal Kings",
    "Owl Post", "Bakers' Street", "Northern Lights", "Marbles of Maro", "Ten Tin Trains",
)  # fmt: skip
CHILD_GAMES = (
    "hide and seek", "a puppet show", "dominoes", "building a den", "drawing dragons",
    "a card game", "shops",
)  # fmt: skip
DUTIES = (
    "sorted donated clothes", "served soup", "drove the van", "read to children",
    "walked the dogs", "planted saplings", "manned the help desk", "repaired bicycles",
    "counted migrating birds",
)  # fmt: skip
CAUSES = (
    "sea rescue", "the animal shelter", "the flood fund", "a hospice", "the bird reserve",
    "school meals", "the mountain rescue", "the youth orchestra", "a well in the south",
)  # fmt: skip
SCHOOL = (
    "fractions", "essay writing", "the French Revolution", "quadratic equations", "spelling",
    "photosynthesis", "the water cycle", "percentages", "map reading", "irregular verbs",
)  # fmt: skip
HEAVY = (
    "a sofa", "a piano stool and shelves", "two wardrobes", "a chest of drawers", "a fridge",
)  # fmt: skip
MEDICINES = (
    "Calventin", "Rosarel", "Dolafen", "Mirtaxol", "Benoprim", "Zelatine", "Ferralin",
    "Ostavit", "Nasoquell", "Lumigast", "Tenorix", "Pavolin",
)  # fmt: skip
PACKS = (
    "plasters", "cough syrup", "eye drops", "vitamin D", "throat lozenges", "sun cream",
    "cotton pads", "magnesium tablets", "hand cream", "nasal spray",
)  # fmt: skip
SIGHTS = (
    "the lighthouse", "the castle ruin", "the salt works", "the suspension bridge",
    "the sculpture park", "the old mill", "the deer park", "the watch tower",
    "the botanical garden", "the cave", "the monastery", "the harbour museum",
    "the viewing platform", "the herb garden", "the canal lock",
)  # fmt: skip
TRANSPORT = ("train", "coach", "ferry", "bus")
QUARTER_FINDS = (
    "a bookbinder's workshop", "a courtyard with lemon trees", "a shop for buttons",
    "a tiny chapel", "a mural of a whale", "a second-hand record shop", "a public piano",
    "a clockmaker", "a tea room", "a community oven", "a bridge I did not know",
    "a museum in a garage", "a seed exchange",
)  # fmt: skip
SNACKS = (
    "a cinnamon knot", "potato fritters", "a plum dumpling", "a rye crisp",
    "fried courgette flowers", "a fig roll", "pumpkin soup", "a herb flatcake", "rhubarb ice",
    "a honey wafer",
)  # fmt: skip
MOTIFS = (
    "a lighthouse", "a tram in the snow", "an old map", "a heron", "the town hall", "a kite",
)  # fmt: skip
PLANT_CARE = ("repotted", "watered and fed", "treated for mites", "trimmed", "dusted", "turned")
PET_CARE = ("brushed", "treated for ticks", "claws trimmed", "weighed", "washed", "wormed")


# What one rings or writes to such people about, and what they say.
BUSINESS: dict[str, tuple[str, ...]] = {
    "doctor": ("the blood test", "a repeat prescription", "the vaccination", "the sick note"),
    "dentist": ("the check-up", "the crown", "the cleaning", "the night guard"),
    "landlord": ("the rent statement", "the stairwell light", "the lease", "the attic key"),
    "hairdresser": ("a new appointment", "the colour", "the late booking", "the gift voucher"),
    "plumber": ("the boiler service", "the water meter", "the blocked drain", "the quote"),
    "electrician": ("the fuse box", "the outside light", "the cooker socket", "the inspection"),
    "bank adviser": ("the savings plan", "the new card", "the standing order", "the loan"),
    "insurance agent": ("the contents policy", "the claim", "the premium", "the travel cover"),
}
_BUSINESS_ASPECTS = (
    "the date for", "the cost of", "the paperwork for", "a question about", "the delay with",
    "a second look at", "a mistake in the bill for", "the form for",
)  # fmt: skip
_BUSINESS_NEWS = (
    "is closed in the last week of the month", "has a new telephone system",
    "is moving to larger rooms", "has raised its fees", "takes cards now",
    "is looking for an apprentice", "opens on Saturdays from now on", "has a waiting list",
)  # fmt: skip


def business(chance: random.Random, relation: str) -> str:
    """Something to settle with a doctor, a plumber and so on."""
    return f"{chance.choice(_BUSINESS_ASPECTS)} {chance.choice(BUSINESS[relation])}"


def business_news(chance: random.Random, company: str) -> str:
    """Something that a firm lets its customers know."""
    return f"{company} {chance.choice(_BUSINESS_NEWS)}"


def topic(chance: random.Random) -> str:
    """Something to talk or write about: one of some 1,300."""
    return f"{chance.choice(_ASPECTS)} {chance.choice(_SUBJECTS)}"


def news(chance: random.Random, who: str) -> str:
    """Something that somebody did."""
    return f"{who} {chance.choice(_NEWS)}"


def agreed(chance: random.Random) -> str:
    """What two people settled on: "to ... next week"."""
    return f"{chance.choice(_ACTIONS)} {chance.choice(_WHEN)}"
