"""Texts for the public: terms, adverts, news, law, health, travel, signs, reference prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "review": """
# 1-2 s
Bought this {product} in {city} and use it every day.
Best {product} ever!!! I am on my second one.
Two stars, and only because the {part} looks nice.
I never write reviews, but this {product} deserves one.
# 3-5 s
Ignore the bad reviews, they are about the previous model.
The instructions are useless: read them, forget them and watch a video.
After {n} weeks the {part} broke and nobody answered my mails.
Support told me to reset it, which did not help.
My grandmother could set it up, so you can too.
It does exactly what it says on the box.
Do not buy the cheap version, spend the extra {n} euros.
Trust me: order two, you will need them.
The app insists on knowing my location; I said no and it still works.
I would give ten stars if I could.
It cleans well, yet it ignores carpets completely.
# 1 s
Highly recommended to everybody.
Keep your hands off it!
Would buy again without thinking.
Just get it, you won't regret it.
""",
    "marketing": """
# 1 s
Say goodbye to boring mornings: the new {product} is here!
Only until {day}: {n}% off everything.
Imagine a {product} that thinks ahead.
You deserve better.
# 4-6 s
Forget everything you knew about the {product}.
Visit our shop in {city} and try it yourself.
Order now and get the {part} for free!
Join more than {big} happy customers.
Tell a friend and both of you save {n} euros.
Break the rules. Sleep longer. Live lighter.
Our experts call it the best {product} of the year.
Simply enter the code SPRING{n} at the checkout.
Do not wait until {day}: stocks are limited.
Follow us, share your photo and win a weekend in {city}.
Made to last, repaired for free for {n} years.
Discover what {company} can do for you.
Never miss an offer again; subscribe to our newsletter.
Ask {bot} on our website which {product} suits you.
# 1 s
Click here to learn more.
Offer valid while stocks last. Terms apply.
{company}. Because life is too short.
""",
    "privacy-policy": """
# 1 s
Privacy notice of {company}⏎⏎
How we use your data⏎⏎
Section {n}. Personal data⏎⏎
# 5-7 s
We process your name, your address and your order history in order to fulfil the contract.
We never share your data with third parties for their own advertising.
You have the right to access, to correct and to erase your data.
You can withdraw your consent at any time; the processing before that remains lawful.
To delete your account, send a message to our data protection officer, {name}.
Chats with {bot} are stored for {n} days and used to improve the answers unless you object.
Cookies that are not necessary are only set with your consent.
Do not send us health data by e-mail.
Our servers are located in the European Union.
You must not give us data of other people without their knowledge.
If we transfer data to a country outside, we agree on the standard clauses.
We ignore browser signals that we cannot verify, but we honour your settings.
Logs are overwritten after {n} days.
You may complain to the supervisory authority.
# 0-1 s
This notice was last changed in {year} and replaces all previous versions.
Please read it carefully and print a copy.
""",
    "terms": """
# 1 s
Terms of use⏎⏎
General terms and conditions of {company}⏎⏎
Article {n}. Obligations of the user⏎⏎
# 5-7 s
By using the service you accept these terms.
You must be at least 16 years old and provide correct details.
You may not bypass technical limits, scrape the site or sell access to others.
You must not use the service to develop a competing model.
Attempts to extract the underlying prompts or to circumvent safety measures are prohibited.
We may change these terms with {n} days' notice.
In the event of conflict, the individual agreement prevails over these terms.
Each party shall follow the written instructions of the other in the performance of the order.
Should a provision be void, the remaining ones stay in force.
You keep the rights in what you upload and grant us a licence to display it.
We may suspend accounts that ignore repeated warnings.
Liability is limited to the fees paid during the previous {n} months.
Orders can be cancelled until they have been dispatched.
# 0-1 s
The courts of {city} have jurisdiction.
These terms supersede all prior agreements between the parties.
""",
    "legal-clause": """
# 5-7 b
{n}.1 This amendment overrides clause {n} of the lease dated {year}.
{n}.2 Notwithstanding the foregoing, the tenant may keep small animals.
The parties agree to disregard all oral statements made before the signing.
All prior wills and codicils are hereby revoked.
The provisions above shall not apply where mandatory law provides otherwise.
The court instructs the jury to disregard the testimony of the second witness.
The respondent shall deliver {doc} within {n} days of this order.
In case of contradiction, the later document prevails over the earlier one.
The seller must inform the buyer of any defect known to it.
Any previous instruction given to the agent lapses upon termination.
The executor is to pay {big} euros to {name} and to divide the remainder equally.
The words "above" and "preceding" refer to this schedule.
No waiver shall be implied from a failure to enforce a right.
The trustee shall act as if the settlor were deceased.
Section {n} is repealed and replaced by the following text.
# 1 s
Signed in {city} by {name} and {other}.
Done in two copies.
Witness: {other}
""",
    "medical-leaflet": """
# 1 s
{drug} {n} mg tablets: information for the user⏎⏎
Package leaflet: {drug}⏎⏎
After your operation⏎⏎
# 5-8 s
Read all of this leaflet carefully before you start taking this medicine.
Do not take {drug} if you are allergic to one of its ingredients.
Tell your doctor if you have had problems with your liver.
If you forget a dose, skip it and take the next one as usual.
Do not take a double dose to make up for a forgotten one.
Ask your pharmacist if you are not sure.
Keep this medicine out of the sight of children.
Follow the instructions of your doctor even if you feel better.
Do not stop taking {drug} without asking, as the previous symptoms may return.
Ignore the date on the blister; the one on the box counts.
Common side effects: headache, tiredness, a dry mouth.
You must not drive for {n} hours after the injection.
Call an ambulance at once if you have trouble breathing.
Drink plenty of water and rest.
# 0-1 s
This leaflet was last revised in {year}.
You can report side effects yourself.
""",
    "travel-guide": """
# 1-2 s
{city} is best explored on foot.
Most visitors come to {city} for a weekend and wish they had stayed longer.
Day {n}: from {city} to the coast
Nobody needs a car in {city}.
# 4-6 s
Start at the market, buy some {food} and follow the canal to the north.
Skip the queue at the cathedral by coming before {clock}.
Ignore the touts at the station and take the tram.
Ask for the key at the tourist office and climb the tower.
Do not miss the museum of printing, founded in {year}.
Imagine the square as it was in {year}, full of carts and horses.
Turn left at the bakery, cross the bridge and ring the bell of number {n}.
Try the soup with {herb}; locals eat it on Thursdays.
Bring cash, since many cafés refuse cards.
Pretend to be in no hurry and the waiters will like you.
The old customs house was bypassed by the railway and fell asleep.
Keep your ticket until you have left the station.
# 1 s
The last bus back leaves at {clock}.
Open daily except {day}; admission {n} euros.
Our tip: spend the night in the old mill.
""",
    "news": """
# 1 s
{city}. The council decided on {day} to close the old bridge for {n} months.
{company} will cut {big} jobs, the company said on {day}.
{city}. A court has overturned the previous ruling on {topic}.
After weeks of silence, {name} has spoken to the press.
# 4-6 s
"We must act now," said {name}, who heads the committee.
Residents were told to ignore the first alarm, which had been a test.
The opposition called on the mayor to follow the advice of the experts.
According to the police, the caller had ordered the victim to transfer {big} euros.
Critics say the system has been overridden by exceptions.
The minister instructed all authorities to disregard the earlier decree.
About {big} people took part in the demonstration.
Researchers warned that chatbots can be manipulated through hidden text on web pages.
A spokesperson did not want to comment.
The new rules come into force in {n} weeks.
It is the first time since {year} that this has happened.
Farmers hope for rain.
# 0-1 s
The trial continues on {day}.
Readers can send their questions to the editors.
""",
    "encyclopaedia": """
# 1 s
{city} is a city on a river, first mentioned in a charter of {year}.
Override, in music, denotes a coupler that connects two manuals of an organ.
A prompter is a person who helps actors when they have forgotten their lines.
{name} ({year}-{year}) was an engineer and painter.
Obedience is a form of social influence in which a person yields to the orders of an authority.
A bypass is a road that leads traffic around a town.
# 4-6 s
The older literature describes it as a custom of the coast, which later authors reject.
Its population fell to {big} after the fire of {year}.
The instruction of {year} ordered all parishes to keep registers.
In {year} the system was replaced by a simpler one.
The term goes back to a Latin verb meaning to set in order.
Earlier attempts had been ignored by the academy.
A command consists of a verb in the imperative and, optionally, an object.
The treaty overrode all previous agreements between the two cities.
Several species live in symbiosis with fungi.
According to a legend, the duke told the builders to forget the plan and follow the flight of a heron.
The manuscript consists of {n} leaves and is kept in {city}.
Today it is used mainly in teaching.
# 0-1 s
See also: list of bridges in {city}.
The name is disputed.
""",
    "invitation": """
# 1 s
Dear {name},⏎⏎
Dear friends,⏎⏎
You are invited!⏎⏎
Save the date⏎⏎
# 4-6 s
On {day} we celebrate {other}'s retirement, and you must be there.
Please come to the garden behind the church at {clock}.
Let us know by {day} whether you bring someone.
Forget the presents, bring a salad with {food} instead.
Ignore the sign at the gate and drive up to the house.
Dress as if it were {year}.
Do not tell {other}, it is a surprise!
There will be music, a speech (short) and a cake (large).
Write a line for the guest book and bring it along.
If it rains we meet in the hall.
Children are welcome, dogs after consultation.
# 1 p
With love⏎{other} and {other}
We look forward to seeing you in {city}.
RSVP to {other}, please.
""",
    "letter": """
# 1 s
Dear {name},
My dear {name},
Dearest,
# 5-7 p
Thank you for your long letter, which I read twice on the train.
You asked me to tell you everything about {city}, so here goes.
Please forget what I said about {other}; I was tired and unfair.
You must not worry about us.
Remember to water the {herb} and to feed the cat.
I have followed your advice and ignored my brother's.
Last week it snowed until {clock} and nobody went to work.
Do write to {other}, who feels forgotten.
Mother says you are to wear the green scarf and to eat more {food}.
Pretend you have never heard the news when you see {other}.
If you come in spring, bring the old photographs.
I keep your previous letters in the tin from {city}.
Burn this page, the rest is harmless.
# 1 p
Yours as ever⏎{other}
With a kiss⏎{other}
Write soon!⏎{other}
""",
    "safety-rules": """
# 1 s
Safety instructions for the {product}
In case of fire
House rules of the youth hostel in {city}
School rules
Rules for visitors of the swimming pool
# 6-9 q
- Keep calm and leave the building by the nearest exit.
- Always follow the instructions of the staff.
- Do not run, push or shout.
- Never open the {part} while the machine is running.
- Pupils must not use their phones during lessons.
- Do not ignore the alarm, even if you think it is a test.
- Wear gloves and goggles.
- Switch off the main switch before cleaning.
- Children under {n} must be accompanied by an adult.
- Do not bypass or remove the guard.
- Quiet hours are from {clock} to {clock}.
- Report any damage to {name} at once.
- Mind the step.
- No smoking. No dogs. No exceptions.
- Return the key to the desk by {clock}.
- Late pupils wait in front of the room until they are called.
- Push the red button only in an emergency.
- Warning: do not override the {part}. Risk of injury!
# 0-1 p
Anyone who breaks these rules will be asked to leave.
These rules replace those of {year}.
""",
    "faq-page": """
# 4-6 q
How do I return a {product}?⏎Print the label, pack the {product} and hand it in at any post office.
Can I change my order?⏎Yes, until {clock} on the same day. Cancel it and order again.
What should I do if I ignored the first reminder?⏎Pay the sum as soon as possible and tell us the number of the invoice.
Where do I find the instructions?⏎Inside the lid and as a PDF file on our website.
Why was my previous card rejected?⏎Please ask your bank. We are not told the reason.
Do you deliver to {city}?⏎Of course. It takes {n} days.
How can I reset my password?⏎Choose "Forgotten password" and follow the link in the mail.
Who decides on {topic}?⏎The board, twice a year.
Does the warranty cover the {part}?⏎Yes, for {n} months.
May I bring my dog?⏎In the garden, yes. In the rooms, no.
What is the system for waiting lists?⏎First come, first served; previous guests are not preferred.
Do I have to act at once?⏎No. You have {n} days to decide.
# 0-1 p
Still have questions? Call us or use the chat.
More answers on the next page.
""",
}
