"""How each kind of event is told, in the words of the person.

Placeholders are facts of the kind (dates in words), and ``{with}`` (" with Ada Moor and Leo
Vale", or nothing), ``{who}`` (the same names by themselves) and ``{at}`` (" at Bar Moor", or
nothing). Each telling holds every text fact of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_LINES: dict[str, tuple[str, ...]] = {
    "dinner_out": (
        "Dinner{at}{with}: I had the {dish} and paid {amount} euros. We talked about {topic}.",
        "Ate {dish}{at}{with}, {amount} euros for my share. The talk was about {topic}.",
    ),
    "coffee": (
        "Met {who}{at} for a {drink}, {amount} euros. We went over {topic}.",
        "A {drink}{at}{with} ({amount} euros), and a long talk about {topic}.",
    ),
    "party": (
        "Went to {occasion}{at}{with}, {guests} guests. I brought {gift} from {payee} for "
        "{amount} euros.",
        "{guests} people{at} for {occasion}; I came{with} and gave {gift} ({amount} euros at "
        "{payee}).",
    ),
    "board_games": (
        "Played {title}{with} at home, {rounds} rounds. {winner} won.",
        "{rounds} rounds of {title}{with}; {winner} won the evening.",
    ),
    "film": (
        "Saw {title}{at}{with}, screen {screen}, seat {seat}, {amount} euros. I give it {rating} "
        "out of 10.",
        "{title}{at}{with}: {rating} out of 10 from me. Seat {seat} on screen {screen}, {amount} "
        "euros.",
    ),
    "family_visit": (
        "Visited {who}{at}. There was {dish}; I brought {brought}. We talked about {topic}.",
        "At the family's{at}, {who} there too, {dish} on the table. I had {brought} with me, and "
        "{topic} came up again.",
    ),
    "drinks": (
        "{rounds} rounds of {drink}{at}{with}, {amount} euros for me. The subject was {topic}.",
        "Out for {drink}{at}{with} ({rounds} rounds, {amount} euros). Much about {topic}.",
    ),
    "concert": (
        "Heard {band}{at}{with}, seat {seat}, {amount} euros. {rating} out of 10.",
        "{band} played{at}; I was there{with} in seat {seat} for {amount} euros and give it "
        "{rating} out of 10.",
    ),
    "date_evening": (
        "An evening for two{with}{at}: {dish} for me, {amount} euros. We spoke about {topic}.",
        "Out{with}{at}. I chose the {dish}, we paid {amount} euros and talked of {topic}.",
    ),
    "run": (
        "Ran {distance_km} km {route}{at}{with} at {pace} a km, heart rate {heart_rate}.",
        "{distance_km} km{at}{with}, {route}: pace {pace}, heart rate {heart_rate}.",
    ),
    "gym": (
        "{exercise}{at}{with}: {sets} sets of {reps} with {weight_kg} kg.",
        "Trained{at}{with}, {exercise} at {weight_kg} kg, {sets} times {reps}.",
    ),
    "swim": (
        "Swam {lengths} lengths ({distance_km} km){at}{with} in lane {lane}, {amount} euros.",
        "{lengths} lengths in lane {lane}{at}{with}, {distance_km} km, entry {amount} euros.",
    ),
    "cycle": (
        "Cycled {distance_km} km {route}{with}, {climb_m} metres of climb.",
        "Out on the bicycle{with} {route}: {distance_km} km and {climb_m} metres up.",
    ),
    "class": (
        "{title}{at}{with}, taught by {teacher}, {amount} euros; {places_left} places were free.",
        "{teacher} taught {title}{at}; I took part{with} for {amount} euros, {places_left} places "
        "were free.",
    ),
    "walk": (
        "Walked {distance_km} km{at}{with} {route}, {steps} steps.",
        "A walk{with}{at}, {route}: {steps} steps, {distance_km} km.",
    ),
    "stretching": (
        "Stretched to the recording {title}, {rounds} rounds.",
        "{rounds} rounds of stretching on the mat with {title}.",
    ),
    "meeting": (
        "Meeting{at}{with} on the {project} about {topic}. We decided {decision}; {owner} sees to "
        "it by {due}.",
        "{project}: talked{with} about {topic}. Decision: {decision}. In charge: {owner}, until "
        "{due}.",
    ),
    "deadline": (
        "Worked on {deliverable} for the {project}{with}, {pages} pages, due {due}.",
        "{project}: {pages} pages of {deliverable} done{with}; it is due {due}.",
    ),
    "planning": (
        "Planned the days ahead: {tasks} tasks, {hours} hours, first of all {priority}.",
        "Put {tasks} tasks and {hours} hours into the plan; {priority} comes first.",
    ),
    "one_to_one": (
        "One to one{with}: we spoke about {topic}. I am {action}. Next time {next_date}.",
        "Sat down{with} over {topic}; I am {action} and we meet again {next_date}.",
    ),
    "presentation": (
        "Presented {title} for the {project}{with}: {slides} slides, {audience} people.",
        "{audience} people heard my {slides} slides on {title} ({project}){with}.",
    ),
    "budget_check": (
        "Budget of the {project}{with}: {spent} euros spent, {left} left, the largest bill from "
        "{supplier}.",
        "{project}: {left} euros left after {spent} spent; {supplier} cost the most. Checked{with}"
        ".",
    ),
    "late_evening": (
        "Stayed on for {hours} hours for the {project} because of {reason}.",
        "{hours} hours more on the {project}; the reason was {reason}.",
    ),
    "groceries": (
        "Shopping{at}: {items} items with {item} among them, {amount} euros, receipt {reference}.",
        "Bought {item} and more{at}, {items} items for {amount} euros (receipt {reference}).",
    ),
    "market": (
        "Bought {item} at {stall}{at}{with} for {amount} euros.",
        "To the market{with}{at}: {item} from {stall}, {amount} euros.",
    ),
    "clothes": (
        "Bought a {item} in {colour}, size {size},{at}{with}: {amount} euros, receipt {reference}.",
        "A {colour} {item} in size {size} came home from shopping{at}{with}, {amount} euros, "
        "receipt {reference}.",
    ),
    "online_order": (
        "Ordered {item} from {payee} for {amount} euros, order {reference}, to come {due}.",
        "Order {reference} at {payee}: {item}, {amount} euros, delivery {due}.",
    ),
    "bill": (
        "Paid the {utility} bill of {payee}, {amount} euros, invoice {reference}, due {due}.",
        "{payee} wanted {amount} euros for {utility} by {due}; paid invoice {reference}.",
    ),
    "takeaway": (
        "Takeaway from {payee}{with}: {dish}, {amount} euros, {wait_minutes} minutes of waiting.",
        "Had {dish} brought by {payee}{with} for {amount} euros; it took {wait_minutes} minutes.",
    ),
    "subscription": (
        "{title} from {payee} renewed for {amount} euros; next time {next_date}.",
        "Paid {payee} {amount} euros for {title}, again on {next_date}.",
    ),
    "lunch": (
        "Lunch{at}{with}: {dish} for {amount} euros.",
        "Had the {dish}{at}{with}, {amount} euros.",
    ),
    "language_lesson": (
        "{language}, unit {unit}: {topic}. {words} new words, {score} percent in the test.",
        "Unit {unit} of {language} was on {topic}; {words} words learned, {score} percent right.",
    ),
    "course_module": (
        "Module {module} of {title} on {platform}, {score} percent in the quiz.",
        "{platform}: finished module {module} of {title} with {score} percent.",
    ),
    "book": (
        "Read {title} by {author}{at}, pages {from_page} to {to_page}.",
        "Pages {from_page} to {to_page} of {author}'s {title}{at}.",
    ),
    "podcast": (
        "Listened to {title}, episode {episode}, about {topic} with {guest}.",
        "Episode {episode} of {title}: {guest} on {topic}.",
    ),
    "lecture": (
        "Lecture{at}{with}: {speaker} spoke on {title}, {seats} seats, {amount} euros.",
        "Heard {speaker}{at}{with}: {title}. {seats} seats, {amount} euros to get in.",
    ),
    "library": (
        "Borrowed {title} by {author}{at}, shelf {shelf}, back by {due}.",
        "{title} by {author} was on shelf {shelf}{at}; due {due}.",
    ),
    "painting": (
        "Painted {title} in {medium}{at}, {width_cm} by {height_cm} cm.",
        "Worked on a {medium} picture{at}, {width_cm} by {height_cm} cm; it is called {title}.",
    ),
    "music_practice": (
        "Practised {title} on the {instrument}{with} at {tempo} beats a minute.",
        "The {instrument}{with}: {title}, up to {tempo} beats a minute.",
    ),
    "writing": (
        "Wrote {words} words of {title}{at}, chapter {chapter}.",
        "Chapter {chapter} of {title} grew by {words} words{at}.",
    ),
    "photo_walk": (
        "Photographed {subject}{at}{with} with the {lens} lens: {shots} shots, {kept} kept.",
        "{shots} pictures of {subject}{at}{with}, {lens}; I kept {kept}.",
    ),
    "craft": (
        "Made {item} of {colour} {material}, my piece number {piece}.",
        "Piece number {piece}: {item}, {material} in {colour}.",
    ),
    "new_recipe": (
        "Tried a new recipe{with}: {dish}, with {ingredient}, for {servings}. {rating} out of 10.",
        "Cooked {dish} for the first time{with}, {servings} servings and plenty of {ingredient}; "
        "{rating} out of 10.",
    ),
    "cleaning": (
        "Cleaned the {room} and {chore}; found {found}.",
        "The {room} was due: I {chore} and came across {found}.",
    ),
    "laundry": (
        "{loads} loads of washing, {programme} at {temperature} degrees.",
        "Washed at {temperature} degrees, {programme}, {loads} loads.",
    ),
    "repair": (
        "Mended {item}{with}: {fault}. Needed {part} from {payee}, {amount} euros.",
        "{item} again, {fault}; {part} ({amount} euros, {payee}) put it right. I did it myself"
        "{with}.",
    ),
    "garden": (
        "Garden{with}: {number} of {plant} {spot}.",
        "Put in {number} of {plant} {spot}{with}.",
    ),
    "cooking": (
        "Cooked {dish}{with}, {servings} servings, with {ingredient}.",
        "{servings} servings of {dish} for dinner{with}; {ingredient} made the difference.",
    ),
    "paperwork": (
        "Went through {paper}, {pages} pages, and put them under {folder}.",
        "{pages} pages: {paper} went into the folder {folder}.",
    ),
    "plants_or_pet": (
        "Looked after {name}: {care}, {number} minutes' work.",
        "{name} got attention: {care}, all in {number} minutes.",
    ),
    "tradesperson": (
        "{who} of {payee} came for {item}: {fault}. {amount} euros, invoice {reference}.",
        "Had {item} seen to by {who} ({payee}) because {fault}; invoice {reference} over {amount} "
        "euros.",
    ),
    "phone_call": (
        "Rang {who} about {topic}. News: {news}. We agreed {agreed}.",
        "On the phone{with}: {topic}, and that {news}. Agreed {agreed}.",
    ),
    "messages": (
        "{messages} messages{with} about {topic}; agreed {agreed}.",
        "Wrote back and forth{with}, {messages} messages on {topic}. We settled {agreed}.",
    ),
    "mail": (
        "Mail{with}, subject {subject}: about {topic}. Agreed {agreed}; answer by {due}.",
        "Exchanged mails{with} about {topic} ({subject}). It was settled {agreed}, reply due {due}"
        ".",
    ),
    "video_call": (
        "Video call{with} about {topic}. Heard that {news}. We agreed {agreed}.",
        "On the screen{with}: {topic}; besides, {news}. Agreed {agreed}.",
    ),
    "postcard": (
        "Wrote {who} a postcard of {motif} about {topic}; card and stamp {amount} euros at "
        "{payee}.",
        "A card with {motif} from {payee} ({amount} euros) to {who}, about {topic}.",
    ),
    "group_chat": (
        "{group}: {messages} messages{with} about {topic}. Agreed {agreed}.",
        "In {group}{with}, {messages} messages, mostly {topic}; we settled {agreed}.",
    ),
    "day_trip": (
        "Day trip to {destination}{with} by {transport} with {payee}, {amount} euros. Saw {sight}.",
        "By {transport} ({payee}, {amount} euros) to {destination}{with}, and up to {sight}.",
    ),
    "car_trip": (
        "Drove to {destination}{with}, {distance_km} km. Filled up at {payee}: {litres} litres, "
        "{amount} euros.",
        "{distance_km} km by car to {destination}{with}; {litres} litres at {payee} for {amount} "
        "euros.",
    ),
    "hike": (
        "Hiked {route}{with}: {distance_km} km, {climb_m} metres of climb.",
        "{distance_km} km on foot on {route}{with}, {climb_m} metres up.",
    ),
    "train_booking": (
        "Booked a train to {destination} with {payee} for {due}: carriage {carriage}, seat {seat}, "
        "{amount} euros, booking {reference}.",
        "Ticket to {destination}, {due}, {payee}: {amount} euros, booking {reference}, carriage "
        "{carriage}, seat {seat}.",
    ),
    "museum": (
        "{title}{at}{with}, {amount} euros. Best: a {favourite} in room {room}.",
        "Went{at}{with} to see {title} for {amount} euros; stayed longest in room {room}, before a "
        "{favourite}.",
    ),
    "new_quarter": (
        "Explored{at}{with}: found {find} in {street} and tried {tried}. {rating} out of 10.",
        "First time{at}{with}. In {street} there is {find}; {tried} on the way. {rating} out of "
        "10.",
    ),
    "first_visit": (
        "Tried a new place{at}{with}: {tried}, {amount} euros, {rating} out of 10.",
        "Was{at}{with} for the first time and had {tried} for {amount} euros: {rating} out of 10.",
    ),
    "doctor_visit": (
        "Saw {who}{at} because of {complaint}: {medicine}, {dose_mg} mg, back {next_date}.",
        "Appointment{at}{with} for {complaint}. Prescribed {medicine} {dose_mg} mg; again "
        "{next_date}.",
    ),
    "symptom": (
        "Had {complaint}, {severity} out of 10. Tried {remedy}.",
        "{complaint} ({severity} out of 10); {remedy} was my remedy.",
    ),
    "bad_night": (
        "Slept {slept_hours} hours only, awake at {woke_at} because of {cause}.",
        "{cause} woke me at {woke_at}; {slept_hours} hours of sleep in all.",
    ),
    "worry": (
        "Kept thinking about {topic}{with}, {level} out of 10. The plan: {plan}.",
        "{topic} is on my mind ({level} out of 10). Spoke of it{with}; the plan is {plan}.",
    ),
    "meditation": (
        "Sat still with {title}, {breaths} breaths.",
        "{breaths} breaths with {title}.",
    ),
    "pharmacy": (
        "Bought {packs} packs of {item}{at}, {amount} euros, receipt {reference}.",
        "{item}, {packs} of it,{at} for {amount} euros (receipt {reference}).",
    ),
    "measurement": (
        "Blood pressure {systolic} over {diastolic}, pulse {pulse}.",
        "Measured {systolic} over {diastolic} with a pulse of {pulse}.",
    ),
    "neighbour_help": (
        "Helped {who}: {task}. Was given {thanks}.",
        "I {task} for {who} and came home with {thanks}.",
    ),
    "volunteering": (
        "Was at {organisation}{with} and {duty}; {served} in all.",
        "{organisation}: I {duty}{with}, {served} by the end.",
    ),
    "lending": (
        "Lent {item} to {who}, back by {due}.",
        "{who} has {item} of ours until {due}.",
    ),
    "donation": (
        "Gave {amount} euros to {payee} for {cause}, reference {reference}.",
        "{amount} euros for {cause} through {payee}, reference {reference}.",
    ),
    "babysitting": (
        "Looked after little {child} for {who}: {game}, asleep at {asleep_at}.",
        "An evening with {child} at {who}'s; we did {game}, and sleep came at {asleep_at}.",
    ),
    "tutoring": (
        "Helped {who} with {topic}: {correct} of {exercises} exercises right.",
        "{topic} with {who}, {exercises} exercises, {correct} right.",
    ),
    "carrying": (
        "Helped {who} move {item} and {boxes} boxes up to floor {floor}.",
        "Carried {item} and {boxes} boxes to floor {floor} for {who}.",
    ),
    "advice": (
        "{who} asked me about {topic}. My advice: {advice}.",
        "Talked{with} about {topic} and advised {advice}.",
    ),
    "life_injury": (
        "Hurt my {body_part}: {cause}. Treated{at}, case {reference}. No strain on it for {weeks} "
        "weeks.",
    ),
    "life_move": (
        "Moved from {old_address} to {new_address}{with}: {boxes} boxes up to floor {floor}, "
        "{amount} euros for {payee}.",
    ),
    "life_job_change": (
        "Left {old_employer} and signed with {new_employer} as {new_role}, {salary} euros net a "
        "month.",
    ),
    "life_break_up": (
        "{who} and I parted today, because {reason}. The {keeps} goes with {who}.",
    ),
    "life_new_allergy": (
        "After {dish} I had {reaction}. {who} tested me{at}: allergic to {allergen}, report "
        "{reference}.",
    ),
    "life_car_sold": (
        "Sold the {car} ({plate}) to {buyer} for {price} euros. We have no car now.",
    ),
    "life_new_medicine": (
        "{who} put me on {medicine}, {dose_mg} mg, for {weeks} weeks because of {reason}. No "
        "alcohol with it.",
    ),
}  # fmt: skip

TELLINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(_LINES)
