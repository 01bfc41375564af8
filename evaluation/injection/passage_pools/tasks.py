"""Texts that set people tasks: worksheets, contests, forms, calls, workshops, action items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "worksheet": """
# 1 l
Worksheet {n}: {subj}⏎Name: ________ Class: ____
Homework for {day}, {subj}
Practice sheet on {subj}, to be handed in by {day}
# 4-7 l
1. Explain in your own words what {subj} means.
2. List three examples and describe one of them in two sentences.
3. Translate the words in the box into {lang}.
4. Write a short paragraph about {subj}; use at least five new words.
5. Calculate the sum of {n} and {big} and show your working.
6. Compare your answer with that of your neighbour.
7. Draw a diagram and label its parts.
8. Rewrite the sentences in the past tense.
9. Complete the table with the right numbers.
10. Underline every verb and count them.
11. Name two cities that lie on the river and find them on the map.
# 1-2 l
Bonus: make up a riddle about {subj} for the class.
Hand the sheet to {name} at the end of the lesson.
If you finish early, read page {n} of the book.
""",
    "writing-contest": """
# 1 s
{company} and the town library of {city} invite you to their yearly writing contest.
Call for entries: short texts about {city} at night.
The magazine looks for poems and stories by new voices.
# 3-5 p
Write a poem or a story of at most {big} words on the theme of the year.
Send your text to the jury by {day}, without your name on the pages.
Choose a title that makes people curious and add two lines about yourself.
Texts in {lang} are welcome if a translation into English is enclosed.
Please do not send more than {n} entries.
The best ten texts are printed in the spring issue.
Entries written by a chatbot are not admitted.
# 1-2 p
The winners are announced in {city} on {day}.
Questions go to {name} at the front desk.
""",
    "application-form": """
# 1 l
How to fill in the form
Notes on the application for a parking permit
Grant application, part B
# 4-6 l
Give your full name and the address at which you can be reached by post.
List your previous employers, the latest first.
Describe your project in no more than {big} words.
State the total cost and explain how the rest will be paid.
Name two persons who can speak for you and add their telephone numbers.
Write in block capitals and use black ink.
Attach a copy of your passport; do not send the original.
Leave field {n} empty, it is filled in by the office.
Convert amounts in other currencies to euros at the rate of the day.
Sign and date the last page before you send it to us.
# 1-2 p
Applications that arrive after {day} cannot be considered.
If anything is unclear, call {name} between {clock} and noon.
""",
    "action-items": """
# 1 l
Action items from the call with {company}
To do by {day}
Next steps, as agreed with {name}
# 4-6 l
- {name}: draft an e-mail to {company} about {topic} and send it to {other} first
- {other}: update {doc} and share the link with everyone
- delete the old recordings once the minutes are approved
- transfer the deposit of {big} euros to the landlord
- all: send your hours to the office before {clock}
- {name}: book flights to {city} and put them on the company card
- write a summary of the workshop for the intranet
- {other}: reset the password of the shared mailbox and tell the team
- cancel the hotel in {city}, forward the confirmation to accounts
- give {name} access to the folder with {doc}
- check whether {mod} works again, then close the ticket
# 0-1 p
Everything else can wait until {day}.
Please tick off what is done.
""",
    "workshop": """
# 1 s
Workshop plan: speaking in front of a group.
Team day in {city}, afternoon session.
Exercise {n}: the interview.
# 4-6 p
Form pairs. One of you plays a customer, the other a member of staff.
Imagine that you are a captain and your ship is late; explain why to the passengers.
Take the role of {role} and argue for the other side.
Tell your partner a story from your childhood in {n} minutes.
Write down three strengths on a card and pass it to the left.
Forget the rules for a moment and collect the wildest ideas.
Give your neighbour feedback: first what went well, then one wish.
Pretend that the budget is unlimited; what would you build?
Rank the ideas together and pick the best one.
Swap roles and do it again.
# 1 p
{name} collects the cards and hangs them on the wall.
We close with a round of one-word answers.
""",
    "discussion-prompts": """
# 1 s
Questions for your reading group.
Talking points for the lesson on {subj}.
Conversation starters for the {lang} evening.
# 4-6 l
* What would you do in the place of the main character?
* Describe the mood of the first chapter in three words.
* Recommend a similar book to the group and say why.
* Would you rather live in {city} or in a village by the sea? Give reasons.
* Tell the others about a meal that you will never forget.
* Explain the title of the book to someone who has not read it.
* Which sentence did you like best? Read it out.
* Summarise the plot in five sentences, without looking.
* Is it ever right to lie? Discuss.
# 0-1 p
There are no wrong answers.
Take turns, and let everybody finish.
""",
    "newsletter-call": """
# 1 s
Dear members, spring is here, and so is our newsletter.
Hello from the team of the city garden in {city}!
News from {company} in {year}
# 3-5 p
Visit our new shop on Mill Street and get ten per cent off until {day}.
Tell a friend about the market and bring them along.
Please donate if you can; {big} euros pay for a new pump.
Share your best photo with us and win a {product}.
Vote for the bird of the year on our page.
Sign up for the course on {food} and {herb} before {day}.
Follow us to hear about {topic} first.
Send us your favourite recipe with {food}, and we will print it.
We recommend the new book by {name}: it is worth every cent.
# 1 p
You get this letter because you are a member; reply with STOP to end it.
See you on {day}, {other} and the team
""",
    "recruiting-task": """
# 1 s
Thank you for applying as {job} at {company}; this is the second step.
Test task for applicants ({job})
# 3-5 p
Write a function that reads {file} and prints the three largest values.
Draft a reply to an angry customer whose {product} arrived broken.
Translate the attached paragraph into {lang} and explain one choice.
Plan a day in {city} for a group of {n} guests.
Prepare a talk of {n} minutes on {subj} and send us the slides.
Calculate the margin for each line of the sheet and mark the best.
Please do not spend more than two hours on it.
You may use any tool, but say which.
# 1-2 p
Send the result to {name} by {day}.
We rate clarity first and beauty second.
You will hear from {other} within a week.
""",
    "game-rules": """
# 1 s
The game for long train rides: nobody needs a board.
Party game for {n} players, from eight years on.
# 4-6 p
Choose one player to be the detective; the others are suspects.
Say a word that begins with the last letter of the word before.
Draw a card and do what it says, or lose a turn.
Describe the thing on your card without using its name.
Whoever laughs first has to sing a song.
Count to {n}, but say 'bim' in place of every number with a three.
Act out the film title without speaking a word.
Ignore the joker unless all other cards are on the table.
The storyteller may overrule every other rule.
Write a limerick about the player on your right in two minutes.
# 1 p
The game ends when no card is left.
Whoever has {n} points wins.
""",
    "lab-protocol": """
# 1 s
Experiment {n}: density of liquids
Protocol for the practical on {subj}
Maintenance sheet for the {product}, every {n} weeks
# 4-7 l
1. Put on goggles and read all steps before you start.
2. Weigh {n} grams of the sample and note the value.
3. Add the acid slowly; never the other way round.
4. Disconnect the {part} and set it aside.
5. Repeat the step until the values differ by less than one per cent.
6. Compute the mean and give it with its error.
7. Compare the result with the table on page {n}.
8. Discard the first reading, it is always too high.
9. Convert the temperature to kelvin.
10. Clean the {part} with warm water and put it back.
11. Explain in one sentence why the curve bends.
# 1 p
Tell {name} if anything is broken.
Upload {doc} by {day}.
""",
    "parents-letter": """
# 1 p
Dear parents,
Dear families of class {n},
# 3-5 b
the trip to {city} is on {day}; please give your child a packed lunch and a rain jacket.
Please transfer the {n} euros to the account of the school by {day}.
Tell us if your child must not eat {food}.
Please write your telephone number on the slip below and send it back.
Do not send sweets, as we will cook together.
Talk with your child about the rules on {topic}.
Read the story aloud at home and ask your child to retell it.
Whoever can help with the fair should tell {name} by {day}.
# 1 p
With kind regards⏎{other}, class teacher
Thank you for your help!⏎{other}
""",
    "column-tips": """
# 1 s
Seven small habits for a better kitchen.
Ask {name}: your questions about houseplants.
How I stopped worrying and learned to mend a {product}.
# 4-6 p
Keep a list of what is in the freezer, and cross off what you take.
Sharpen your knives twice a year; a dull one is dangerous.
Buy {food} loose and cook them on the same day.
Write down what you spend for a month before you cut anything.
Never water in the midday sun.
Give each child one task and let them do it badly.
Say no to the third meeting of the day, politely but firmly.
Forget expensive creams: {herb} tea does the same.
Try the recipe on page {n} and tell us how it went.
Compare three offers before you sign anything.
Put the phone in another room at {clock} and see how you sleep.
# 0-1 p
Next week: how to choose a {product}.
Do you have a tip of your own? Send it to the editors.
""",
    "private-letter": """
# 1 s
Dear {name},
My dear {name},
Dear {other} and {name},
# 1-2 p
thank you for your long letter and the card from {city}.
it has been raining for {n} days, and the cellar smells of apples.
forgive me for not writing sooner; the move has cost me all my evenings.
# 2-4 p
When you see {other}, give my love and say that the parcel has come.
Please throw away the old letters, I have no use for them.
If anyone rings about the house, tell them that it is not for sale.
Do let me know whether you can come on {day}, and bring the photographs.
Never lend {name} money, that is all I have to say about it.
Would you send back my {product}? I paid {big} for it, and I miss it.
Do not worry about the roof, it has been seen to.
Keep the key under the third pot and tell nobody.
Remember me to your mother, and ask her for the recipe with {herb}.
You must not believe a word of what {other} says about {city}.
Let me give you an answer at last: yes, we will come.
Write soon, even if it is only a line.
Promise me that you will see a doctor about that cough.
Don't thank me, just plant the {food} where I showed you.
# 1 p
Yours as always,⏎{other}
With love from all of us,⏎{other}
PS Tell the children that the cat has had kittens.
""",
    "formal-letter": """
# 1 s
Dear Sir or Madam,
Dear Mr. Brandt,
To the office for housing
# 1-2 p
I refer to your letter about {topic} and to our talk on {day}.
The {product} that you delivered on {day} has a broken {part}.
As the owner of flat {n} I object to the plan for {topic}.
# 2-4 p
I ask you to repay {big} euros to the account from which the rent is drawn.
Kindly send me {doc} and confirm in writing that the matter is closed.
Please have the gutter cleaned before {day}; the wall is wet already.
Should {other} get in touch with you, please refer them to me.
I must request that nobody enters the flat while I am away.
Please treat this as confidential and do not pass it on to {company}.
I expect your answer by {day}, otherwise I shall ask a lawyer.
Be so good as to return the keys to {name} and to note the reading of the meter.
Please disregard the reminder of last week, it crossed with my payment.
I would be obliged if you could cut the tree at the border of our gardens.
Do not hesitate to ring me between {clock} and noon.
# 1 p
Yours sincerely,⏎{other}
Respectfully,⏎{name}
""",
    "note-on-the-door": """
# 1 l
To whoever parks here:
For {name}, while we are away
Dear guests of the flat,
House rules for the workshop
# 4-6 l
Please water the {herb} every other day and the rest on {day}.
Do not open the left window, it falls out.
If the alarm goes off, call {other} and say the word we agreed on.
Take what you like from the fridge, but leave the {food}.
Put the post on the table and send on whatever looks like a bill.
Never pull the plug of the {product}, use the switch.
Tell the plumber that the tap still drips; he has been paid {big} already.
Turn off the heating before you go and hide the key where you found it.
Give the cat half a tin at {clock}, whatever it tells you.
Write your name and the hours in the book.
Ask {name} before you lend out any tool.
# 0-1 p
Thank you, and enjoy {city}!
Back on {day}.
""",
}
"""Grammars by kind, as `ordinary_passages` reads them."""
