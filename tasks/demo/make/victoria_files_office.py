"""Victoria's calendars, contacts, working notes and journal."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Event

WORK_MAIL = "Victoria Okafor-Reyes <victoria.okafor-reyes@larkmoor.example>"

CHECKLIST = """
# How I publish

Written for Tomasz in 2023, for Junie in 2025. Same order every time, also when we are late.

## Before
1. Listen to the call live. Voice memo at once, before speaking to anybody (five sentences).
2. Put the numbers into the model the same evening. Save as next version, never over the old one.
3. Draft v1 that night, however bad.
4. Associate checks every number against the release the next day.
5. v2 to Hal Brandvold (supervisory analyst). He may change the multiple. He is usually right.
6. Disclosures to Ellen Marsh, one full day before.
7. FINAL goes out before 7 am, and only then do I talk to Sales.

## After
8. Zip note, model version and typed memo into one package in the same quarter's folder.
9. Delete nothing. Drafts stay: I want to see what I believed on the Tuesday.
10. Tracker on Friday before lunch.
11. Tables are linked to the model, never typed (after August 2024).
"""

WEEK = """
MY WEEK (when nobody reports)

Mon   06:00 strength, 20 min.  08:15 morning meeting.  Dashboard refresh.
Tue   05:45 tempo.  Mateo takes Ife to school.  I collect (after-care shuts at six).
Wed   08:15 sales call.  Mateo collects.
Thu   05:50 easy run.  I collect.  19:30 piano.
Fri   tracker before lunch.  Desk empty by four.  Pizza, no screens.
Sat   06:15 long run, back by nine thirty.  11:00 Ife swimming.  Nothing before ten, for anybody.
Sun   church with Mum on the phone.  Week ahead on one index card.

When somebody reports: no tempo, no piano, no promises.
"""

REVIEW = """
# Self-review 2024
Victoria Okafor-Reyes, for Marguerite Stroud, 13 December 2024

## What went well
Brightloom. I cut the target in February, when it hurt, and raised it in November from $29 to
$36, when the warehouse was empty. The bid dashboard that Tomasz built gave us six weeks on
everybody else.

The team published 23 notes, one erratum among them. After it we stopped typing tables by hand.

## What did not
Halvern. I raised the target in August by too much in the first draft, and it took Hal to bring
it down. In October I heard that inventory days had gone to 97 and wrote down that I was not
worried. I am now. I like the management and I let that stand in for evidence.

## What I will do differently in 2025
- One page a quarter that argues against my own rating.
- Ask Hal to read v1, not v2.
- Train Tomasz's successor early. He leaves in January for business school and deserves it.
"""

JOURNAL = """
2025-01-05
New year. Marathon: no. Flat: perhaps. Halvern: write the page against myself. I still have not.

2025-02-21
Halvern cut to Hold. The number was in my notebook from the dinner in October: 97 days. I should
have cut in November, not in February. What stopped me was that I had told everyone how careful
they are. Liking people is not a data point.

2025-03-04
Boiler credit agreed: seven and a half thousand. Mateo bought a cake for the inspector's report.

2025-04-17
Lock extended. I chose 60 days in February to save a little on the rate, and the building took
two months to sign one form. I should have taken the 75 days and slept.

2025-05-11
First night in 6C. Boxes to the ceiling. Ife asleep on a mattress among them. No bass, no trucks,
one owl. Worth every form.

2025-06-09
Played sixth. Bar 32 held. Elena cried a little, or it was the pollen.
"""

HOUSE_STYLE = """
Dear Junie,

welcome to the team, and sorry about the state of the model folder. You asked how I like things;
so, once and for all:

- The first sentence says what changed. Not the weather, not the sector.
- Bars, never pies. One message a chart, and the numbers on the bars.
- Targets in whole dollars. Cents pretend to know something.
- No adverbs in front of numbers: nothing is "significantly" above anything.
- I read on paper. Print one-sided, I write on the back.

If you think I am wrong, say so before v2. After v2 I become attached.

The Brightloom cash flow model is yours. I have avoided such models for ten years and should
like to be convinced.

Victoria
"""

TOMASZ = """
Victoria,

the October refresh of the bid dashboard is done. Texas looks better than we thought, see the
second page; Ohio is flat. I will record nothing, you said you want to walk through it yourself
for Rocco.

Also: I checked HLVN segments again after the erratum. All tables in the template are linked
now. It was my fault as much as yours, I had the paper with the right figure in front of me.

I have handed in my notice for 17 January, as we discussed. Thank you for the letter to the
business school.

Tomasz
"""

REINSTATED = """
Rocco, all,

for the sales desk, as there were three calls this morning. Our note on Halvorn Hydro is out. We
reinstate Hold with a target of $44. The old one of August is no longer valid and please take it
out of the sheet you all carry around.

It is two dollars less because the fourth plant slips into the second quarter. Membranes are
fine. Carlsbad is fine.

No, I cannot say why they were on the list. I was not told and I did not ask.

Victoria

> On 3 December 2024 Rocco Dellamano wrote:
> V, clients ask if Halvorn at 46 still stands. Does it? R.
"""


def add_files(desk: Desk) -> None:
    """Write calendars, contacts, mails and notes to self."""
    _calendars(desk)
    _contacts(desk)
    _mails(desk)
    desk.text(
        "Notes/how_I_publish.md", CHECKLIST, created="2023-09-01 18:00", modified="2025-03-31 09:05"
    )
    desk.text("Notes/my_week.txt", WEEK, created="2024-06-30 19:45")
    desk.docx("Notes/self_review_2024.docx", REVIEW, created="2024-12-13 17:20")
    desk.text(
        "Notes/journal_2025.txt", JOURNAL, created="2025-01-05 21:00", modified="2025-06-09 22:10"
    )


def _calendars(desk: Desk) -> None:
    desk.ics(
        "Calendar/work_2024-07_to_2025-06.ics",
        [
            Event("HLVN Q2 call", "2024-08-06 16:30", "2024-08-06 17:30"),
            Event("HVRN Q2 call", "2024-08-08 16:30", "2024-08-08 17:30"),
            Event("Disclosures with Ellen Marsh", "2024-08-08 10:00", "2024-08-08 10:30"),
            Event("Leave - Maine", "2024-08-19 09:00", "2024-08-26 18:00"),
            Event(
                "Dinner, Halvern management",
                "2024-10-15 19:00",
                "2024-10-15 22:00",
                notes="David Chen (CFO), Ruth, Dana. Log with Compliance within five days.",
            ),
            Event("HLVN Q3 call", "2024-11-05 16:30", "2024-11-05 17:30"),
            Event("BRLM Q3 call", "2024-11-06 08:00", "2024-11-06 09:00"),
            Event("HVRN Q3 call", "2024-11-07 16:30", "2024-11-07 17:30", notes="listen only"),
            Event("HLVN Q4 call", "2025-02-18 16:30", "2025-02-18 17:30"),
            Event("Castorio plant tour", "2025-03-05 10:00", "2025-03-05 12:00"),
            Event("Teach-in CSTO, sales floor", "2025-03-12 15:00", "2025-03-12 16:00"),
            Event("Junie Abara starts", "2025-03-31 09:00", "2025-03-31 09:30"),
        ],
        created="2024-06-28 16:00",
        modified="2025-03-10 09:00",
    )
    desk.ics(
        "Calendar/personal.ics",
        [
            Event(
                "Piano, Elena",
                "2024-07-18 19:30",
                "2024-07-18 20:15",
                location="Pomander Lane",
                rrule="FREQ=WEEKLY;BYDAY=TH",
            ),
            Event(
                "Ife swimming",
                "2024-09-07 11:00",
                "2024-09-07 11:45",
                location="Tern Street pool",
                rrule="FREQ=WEEKLY;BYDAY=SA",
            ),
            Event("Swim meet", "2024-10-12 07:00", "2024-10-12 10:30", location="Tern Street pool"),
            Event("Flat with David Chen (realtor)", "2024-10-12 11:30", "2024-10-12 12:30"),
            Event("Marathon", "2024-11-03 09:40", "2024-11-03 14:00"),
            Event("Closing 6C", "2025-04-30 10:00", "2025-04-30 12:00", notes="two forms of ID"),
            Event("Move", "2025-05-10 08:00", "2025-05-10 17:00"),
        ],
        created="2024-07-14 20:00",
        modified="2025-04-18 07:50",
    )


def _contacts(desk: Desk) -> None:
    def card(
        name: str, org: str, title: str, phone: str, email: str, note: str = ""
    ) -> dict[str, str]:
        fields = {"name": name, "org": org, "title": title, "phone": phone, "email": email}
        return {**fields, "note": note} if note else fields

    desk.vcf(
        "Contacts/phone_export_2025-03.vcf",
        [
            card("David Chen", "Halvern Hydraulics", "CFO", "+1 614 555 0187",
                 "dchen@halvern.example", "no shellfish"),
            card("David Chen", "Vanderhook Realty", "Associate broker", "+1 718 555 0142",
                 "d.chen@vanderhook.example", "flat hunt"),
            card("Ellen Marsh", "Larkmoor Securities", "Compliance", "+1 212 555 0117",
                 "ellen.marsh@larkmoor.example"),
            card("Elena Marsh", "Pomander Piano", "Teacher", "+1 718 555 0171",
                 "elena@pomanderpiano.example", "Thursdays"),
            card("Dana Whitcombe", "Halvern Hydraulics", "Investor Relations", "+1 614 555 0160",
                 "dwhitcombe@halvern.example"),
            card("Marta Lindqvist", "Halvorn Hydro", "CFO", "+1 619 555 0133",
                 "mlindqvist@halvorn.example"),
            card("Priya Sandoval", "Tidewell Home Lending", "Loan officer", "+1 347 555 0129",
                 "p.sandoval@tidewell.example"),
            card("Bell Harcourt", "Wyckoff Lane School", "Grade 4", "+1 718 555 0104",
                 "b.harcourt@wyckofflane.example"),
        ],
        created="2025-03-16 19:30",
    )  # fmt: skip


def _mails(desk: Desk) -> None:
    desk.eml(
        "Mail/2025-04-02_house_style.eml",
        sender=WORK_MAIL,
        to="Junie Abara <junie.abara@larkmoor.example>",
        subject="How I like things",
        body=HOUSE_STYLE,
        created="2025-04-02 18:12",
    )
    desk.eml(
        "Mail/2024-10-28_dashboard.eml",
        sender="Tomasz Wieland <tomasz.wieland@larkmoor.example>",
        to=WORK_MAIL,
        subject="Dashboard, templates, and January",
        body=TOMASZ,
        created="2024-10-28 17:26",
    )
    desk.eml(
        "Mail/2024-12-04_Halvorn_reinstated.eml",
        sender=WORK_MAIL,
        to="sales@larkmoor.example",
        subject="Re: Halvorn target",
        body=REINSTATED,
        created="2024-12-04 09:02",
    )
