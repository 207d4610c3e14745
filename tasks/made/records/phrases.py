"""Sentences that prose is put together from. None holds a fact: those come from events only."""

from __future__ import annotations

WELL: tuple[str, ...] = (
    "I came home in a good mood and stayed in it.",
    "It went better than I had dared to think.",
    "Small thing, but it made the day.",
    "I should do this more often.",
    "Nothing to complain about, for once.",
    "It took less time than planned, which never happens.",
    "I slept on it and still think it was right.",
    "I would do it the same way again.",
    "For a while I forgot to look at the clock.",
    "That is one worry less on the list.",
    "I noticed afterwards that I had been humming.",
    "If every week had a day like this, I would not ask for more.",
    "Worth getting up for.",
    "I left with more energy than I came with.",
    "It was the right decision not to put it off.",
)
BADLY: tuple[str, ...] = (
    "It did not go as I had hoped.",
    "I was glad when it was over.",
    "Next time I will prepare better, or not do it at all.",
    "I was cross for an hour and then let it go.",
    "Too little time, too many interruptions.",
    "I should have said so at once instead of nodding.",
    "My head was elsewhere, and it showed.",
    "Everything took twice as long as it should have.",
    "A waste of an otherwise decent day.",
    "I have to come back to this when I am less tired.",
    "I do not want to make more of it than it is, but it annoyed me.",
    "Half of it was my own fault.",
    "Better luck next time, as they say, and they always say it.",
    "I went for a turn around the block to cool off.",
    "I wrote it off and made tea.",
)
LINKS: tuple[str, ...] = (
    "Then there was this:", "Also today:", "Later on:", "What else?", "After that:",
    "Not to forget:", "The other thing:", "In between:", "And:", "Earlier:", "For the record:",
    "Another note:", "Before I forget:", "Today's entry would be incomplete without this:",
)  # fmt: skip

CHAT_LINES: tuple[str, ...] = (
    "sorry, was in the shower", "yes, go on", "hang on, on the tram", "ok back",
    "what do you think?", "I thought so too", "no idea, honestly", "ha, typical",
    "that would suit me", "let me check and tell you", "sounds good to me", "hm, not sure",
    "can we talk later?", "sure", "did you see the weather?", "same here", "I am for it",
    "do we need to bring anything?", "I can ask around", "remind me if I forget",
    "thanks for asking", "been a long day here", "nearly done", "one more thing",
    "you are right, of course", "I will write it down", "no rush", "fine by me",
    "how are things otherwise?", "busy, but all right", "same as ever", "could be worse",
    "I will be late, as usual", "no problem", "let us see", "who else knows?",
)  # fmt: skip
GREETINGS: tuple[str, ...] = ("Dear {to},", "Hello {to},", "Hi {to},", "Good morning {to},")
MAIL_OPENERS: tuple[str, ...] = (
    "I hope that this finds you well.",
    "Thank you for your message.",
    "As I said the other day, I wanted to put this in writing.",
    "Sorry for the delay; the days have been full.",
    "A short note, as I promised.",
    "I am coming back to what we talked about.",
    "Before the week is over, here is where we are.",
    "Just so that we both have it in writing.",
)
MAIL_BODY: tuple[str, ...] = (
    "I have thought about it since and still see it in the same way.",
    "If you see it differently, please say so now rather than later.",
    "It is not urgent, but I would rather not leave it lying.",
    "I have not spoken to anybody else about it so far.",
    "Perhaps we can keep the details for when we see each other.",
    "I will take care of my part and expect no difficulty.",
    "Please do not feel obliged to answer at length; a yes will do.",
    "I have looked through what we wrote last time and found nothing that speaks against it.",
    "There may be a small change, and I will tell you as soon as I know.",
    "I would like to have it off the table by then.",
    "Everything else stays as it was.",
    "I have made a note of it in my calendar.",
    "If something comes up, you can reach me on the phone in the evening.",
    "It has been on my mind, and I am glad to have it settled.",
    "I know that it is more work for you, and I am grateful.",
    "Let me know what you need from me.",
)
MAIL_CLOSERS: tuple[str, ...] = (
    "Best wishes,", "Kind regards,", "All the best,", "Many thanks,", "Until soon,",
    "With best regards,",
)  # fmt: skip
NOTE_LINES: tuple[str, ...] = (
    "Keep this until it is done.",
    "Look at it again at the end of the week.",
    "Show this to nobody else.",
    "Compare with last time.",
    "Nothing urgent.",
    "Ring if there is no answer.",
    "Put the date into the calendar.",
    "Written down the same day.",
    "Nothing more to add.",
    "See the mails about it.",
    "Read it again before the next time.",
    "Write down the outcome.",
)
