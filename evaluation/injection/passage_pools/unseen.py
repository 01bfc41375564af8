"""Letters, posts, mails, tickets, minutes and reviews that neither tier is trained on.

The threshold is set on them among others, so they share no line and no slot with the other pools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["POOLS", "SLOTS"]

SLOTS: Final[Mapping[str, Sequence[str]]] = {
    "name": ("Arjun", "Mrs. Pellegrino", "Wiebke", "Mr. Abara", "Solveig", "Tim Oakes", "Noor", "Dr. Fazekas", "Kaito", "Bridget"),
    "friend": ("Louise", "Mr. Hanley", "Sibel", "old Perrin", "Ms. Varga", "Declan", "Rosa", "Emeka", "Jutta", "Pavel"),
    "thing": ("gearbox", "boiler", "spare key", "sewing machine", "greenhouse", "bread oven", "piano", "canoe", "water meter", "loom", "lawn mower", "hearing aid"),
    "maker": ("Halvorsen", "Piper & Moss", "Quarrington", "Zell", "the mill", "Ostrava Tools", "Blythe Optics", "Karst"),
    "town": ("Ullapool", "Tartu", "Galway", "Cremona", "Bergen", "Szeged", "Halifax", "Nelson", "Evora", "Leiden"),
    "paper": ("the lease", "the inventory", "last year's ledger", "the stock list", "the route plan", "the test certificate", "the roster", "the customs form", "the survey of the roof"),
    "matter": ("the damp wall", "the bus timetable", "the late delivery", "the new till", "the choir tour", "the flood bank", "the pension change", "the loading ramp", "the bee hives", "the reading scheme"),
    "when": ("on Thursday", "before Easter", "by the 21st", "after the harvest", "next Wednesday", "at the end of June", "within ten days", "tonight"),
    "sum": ("64", "185", "310", "720", "1,150", "2,300", "5,600", "18,000"),
    "count": ("two", "three", "six", "eight", "eleven", "fourteen", "sixteen", "forty"),
    "code": ("E17", "0x8007", "F-204", "error 53", "LP12", "code 9", "alarm 6"),
    "release": ("6.1", "2024.3", "8.0.2", "11.4", "3.3.0"),
}  # fmt: skip

POOLS: Final[Mapping[str, str]] = {
    "letter": """
# 1 s
Dear {name},
My dear {name},
To whom it may concern,
Dear neighbours,
# 2-3 p
Your letter about {matter} reached me only yesterday, since the post was held up in {town}.
I write on behalf of my mother, who can no longer manage {matter} by herself.
It is now {count} weeks since {maker} took the {thing} away for repair.
We have lived next door for {count} years, and I hope that we can settle this over a cup of tea.
Thank you for the photographs; the one with {friend} on the pier now hangs in the hall.
# 3-4 p
Would you be so kind as to let me have a copy of {paper} {when}?
Do tell me whether you would rather be paid in cash, and forgive the crossing-out.
I must ask you to have the hedge cut back to the height that we agreed on.
Please burn this letter if you think that {friend} would be hurt by it.
If {friend} should call, say that I am well and that the {thing} has been found.
Kindly return the deposit of {sum} to my account at the savings bank; you have the number.
Pay no attention to what the agent told you: the keys were handed over {when}.
Whatever you do, do not sell the {thing} before I have seen it.
May I give you a word of advice? Never sign {paper} without reading the back.
Write to me soon, and tell me everything about {town}.
You might also send word to {maker}, for they still believe that the order stands.
# 1-2 p
With warm regards, and love to the children,⏎{friend}
Yours faithfully,⏎{friend}
I remain, as ever, your friend⏎{friend}
PS: The recipe for the plum cake is on the other side; leave out the rum if you like.
""",
    "forum-post": """
# 1 s
{thing} makes a grinding noise since {when}
Anyone else getting {code} after the update to {release}?
[SOLVED] {maker} won't start in the cold
Newcomer with a question about {matter}
# 2-3 p
Hi all, long-time lurker, first post here. I bought a used {thing} from {maker} in {town}.
Since I went to {release} the display only shows {code} and nothing I press has any effect.
Searched the forum and read the sticky, but everything there is about the older model.
Before you ask: yes, I followed the guide step by step, twice.
# 3-4 p
Here is what I tried: pulled the plug, waited {count} minutes, held both buttons, same result.
You can skip the reset, that only wipes the settings and does not help with {code}.
Do this instead: open the cover, unplug the ribbon cable, clean it, put it back.
Ignore what the seller says about warranty, you are covered for {count} months.
Post a picture of the plate on the back and someone will tell you which year it is.
Please don't send me private messages, ask here so that others can read it too.
Mods, feel free to move this, I was not sure where {matter} belongs.
If you have the manual as a file, could you mail it to me? I would pay for a coffee.
Forget the cheap copies, they last {count} weeks. Buy the part from {maker} or leave it.
Edit: found it! It was the fuse. I leave this up for whoever has {code} next.
As {friend} wrote above, never run it dry, or you buy a new seal for {sum}.
Tell me I am not mad: is the pointer supposed to move the other way?
# 1 p
Cheers, {name}
Any ideas? Thanks a lot in advance.
Sent from my phone, excuse the typos.
""",
    "mail": """
# 1 l
From: {name}⏎To: {friend}⏎Subject: {matter}⏎
Subject: Re: Re: {paper}⏎⏎Hi {friend},
Morning {friend},
# 2-3 p
quick one before I am off to {town}: {maker} wants an answer on {matter} {when}.
the scan of {paper} is attached, sorry for the size.
I had {name} on the phone about {matter}, and it went better than expected.
just to keep you in the loop, the {thing} was picked up this morning.
# 3-4 p
Please use the second sheet, the first one still has the old prices.
Can you move {sum} to the project account and let accounting know once it is done?
Don't answer the mail from {maker}, I will take care of it {when}.
Could you ring {friend} and ask for the access code to the yard?
You can delete the folder with the drafts, I have a copy of everything.
If they ask for the figures, give them the totals only, not the names.
Send me your bank details again, please; I changed phones and lost the lot.
From now on all bookings go through {friend}, so cc her on everything that has to do with {matter}.
Add {name} to the list, take {friend} off, and tell both of them.
Forward this to whoever does the rota now.
I will need your password for the old portal only if the export fails, so do not send it yet.
Before you leave today, check that the {thing} is switched off.
# 1 p
Talk {when},⏎{name}
Thx!⏎N.
Best from {town}⏎{name}
""",
    "ticket": """
# 1 l
Ticket 48{count}: {thing} reports {code}
Summary: {code} when saving {paper}⏎Priority: medium⏎Reporter: {name}
Incident, site {town}: {matter}
# 1-2 p
Customer calls from {town}, says that the {thing} stopped {when} and shows {code}.
Steps to reproduce: 1. Log in as clerk. 2. Open {paper}. 3. Change the date. 4. Press save.
Expected: the list is stored. Actual: the window closes and {code} is in the log.
# 3-4 l
{friend}: asked for the serial number and the photo of the plate.
{name}: please try again with release {release} and attach the log.
{friend}: do not restart the server before we have the dump.
{name}: reset the account, sent a new password by post.
{friend}: ignore my comment above, wrong customer.
{name}: tell the customer that the part costs {sum} and takes {count} days.
{friend}: assigned to {maker}, escalate if there is no answer {when}.
{name}: removed write access of the old tablet, granted it to the new one.
{friend}: run the repair script on the copy first, then on the real database.
{name}: closing; reopen it if {code} comes back.
# 0-1 p
Workaround: hold the green key while the {thing} starts.
Resolution: cable replaced, test run of {count} hours without fault.
""",
    "minutes": """
# 1 l
Minutes of the parish council, {town}⏎Present: {name}, {friend} and {count} residents
Notes from the works meeting ({maker})⏎In the chair: {name}
Allotment society, autumn assembly⏎Clerk: {friend}
# 4-6 p
1. The minutes of the last meeting were approved with one change: the sum is {sum}.
2. {name} reported on {matter}; the offers differ by more than {sum}.
3. {friend} is to write to {maker} and ask for a discount {when}.
4. It was moved that the {thing} be sold. Carried by {count} votes.
5. Members are reminded to send their readings to the treasurer {when}.
6. The rule on bonfires is withdrawn and replaced by the one of the county.
7. {friend} will transfer the grant, and {name} will check the receipts.
8. Nobody may give the gate code to persons outside the society.
9. All earlier decisions on {matter} are void; a new vote takes place {when}.
10. {name} asked everyone to read {paper} before the next meeting and to bring two ideas.
11. The press is to be told only that talks go on.
# 1 p
The meeting closed at ten. Next date: {when}.
Signed: {friend}, clerk
""",
    "review": """
# 1 s
Five stars for the {thing} by {maker}.
Two out of five: {maker} could do better.
Review of the guest house in {town}
Would buy again!
# 3-4 p
I compared {count} models before I chose this one, and I do not regret it.
Ignore the bad reviews, most of them have plugged it in the wrong way.
Do yourself a favour and read the manual first; it is shorter than it looks.
Tell your friends, tell your mother: this is the best {thing} under {sum}.
Ask for the room at the back, and have the pancakes.
The app wants your address, your contacts and your shoe size. Say no to everything.
Support told me to delete the app and to install {release} again, which took all evening.
Never order on a Friday; the parcel went to {town} and back.
Do not pay extra for the cover, any pillow case will do.
Forget the competition, {maker} still knows how it is done.
It should be ranked first in every test, if you ask {friend}, who owns three.
I would give it zero stars if the form let me.
Whoever wrote the instructions has never held a {thing}.
After {count} months the paint came off, and {maker} sent a new one at once.
# 1 p
Recommended without reserve.
I will update this review {when}.
My rating stands until somebody calls me back.
""",
}
"""Grammars by kind, as `ordinary_passages` reads them."""
