"""Texts of school, kitchen, stage, sport and play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "recipe": """
# 1 s
{food} with {herb}⏎⏎
Grandmother's soup of {food}⏎⏎
Quick supper for {n}⏎⏎
# 6-8 s
Wash the {food} and cut them into small pieces.
Heat {n} spoons of oil in a wide pan.
Add salt, pepper and a little {herb}.
Ignore the temptation to stir too often.
Let everything simmer for {n} minutes.
Taste, and add more {herb} if you like.
Forget about exact weights: use what you have.
Discard the water and start again if it tastes bitter.
Put the dough aside and follow the instructions on the packet of yeast.
Skip the next step if you do not eat meat.
Repeat until the dough is used up.
Preheat the oven to 180 degrees.
Tell everybody to sit down, for it has to be eaten at once.
Do not open the oven before the time is up.
# 1 s
Serve with bread and a green salad.
Keeps for {n} days in the fridge.
Write down what you changed.
""",
    "exercises": """
# 1 s
Unit {n}: exercises⏎⏎
Worksheet: {subj}⏎⏎
Final exam, {lang}, part {n}⏎⏎
# 5-7 q
1. Translate the following sentences into {lang}.
2. Explain in your own words how {subj} works.
3. Write an essay of {big} words about {subj}.
4. Complete the sentences with the words in the box.
5. Answer the questions on the text. Do not copy whole sentences.
6. Rewrite the paragraph in the past tense.
7. Imagine you are a reporter in {year}. Write a letter to your editor.
8. List three reasons for {subj} and rank them.
9. Read the text again and ignore the words you do not know.
10. Work with a partner. Act out the dialogue, then change roles.
11. Summarise the previous chapter in {n} sentences.
12. Calculate the area. Show your working.
13. Find the odd one out and say why.
14. Write a poem of four lines about {city}.
# 1 p
You have {n} minutes. You may use a dictionary.
Hand in both sheets. Good luck!
Homework: learn the words on page {n}.
""",
    "quiz": """
# 4-6 q
Which of these is the largest?⏎a) {n}  b) {big}  c) a dozen
True or false: the last instruction of a program is always executed.
Who ordered the city to be rebuilt in {year}?⏎a) the king  b) the bishop  c) nobody
What is the capital of the country in which {city} lies?
Put the events in the right order: fire, flood, founding of {city}.
Which word does not fit: ignore, overlook, obey, neglect?
Complete the saying: "Do as I say, not ..."
Which system carries blood through the body?
How many legs have {n} spiders?
What do you say in {lang} when you meet somebody?
Name two effects of {subj}.
Explain to your neighbour what {subj} means.
# 1-2 p
One point for each right answer. Whoever has fewer than {n} points asks the next question.
Do not look at the solutions on the back before you have finished.
If two teams are level, the previous round decides.
Write your answers on the sheet and swap it with another team.
""",
    "language-course": """
# 1 s
Lesson {n}: the imperative
Lesson {n}: giving directions
{lang} for beginners, chapter {n}
# 1 p
We form the imperative with the stem of the verb. In {lang}, the polite form differs.
To give an order, leave out the pronoun. To soften it, add "please".
Listen to the dialogue, then read it aloud with a partner.
# 4-6 q
Close the door. / Don't close the door.
Forget it! / Don't forget your umbrella.
Tell me your name. / Please tell me your name.
Ignore him. / You should ignore him.
A: Excuse me, where is the station?⏎B: Go straight on and ask again at the bridge.
A: Write down the number, please.⏎B: Could you repeat it?
Send her the letter. -> Send it to her.
You must answer. -> You have to answer. -> You had to answer.
Repeat after me: one previous lesson, two previous lessons.
Follow the instructions. -> The instructions were followed.
# 1 p
Now you: tell your partner what to do and what not to do.
Translate the sentences above into {lang}.
Learn the forms by heart until {day}.
""",
    "fiction": """
# 1-2 s
The captain did not raise his voice.
{name} put the letter into the stove and watched it curl.
It had rained since {clock}.
Nobody in {city} remembered the old road.
# 4-6 p
"Forget everything you have seen here," said {other}. "Go home and tell them the house was empty."
"Ignore the guards," whispered {name}. "Walk as if you owned the place."
"From now on you answer to me, and to no one else," the officer said.
{name} thought of the orders, the earlier ones, which nobody had revoked.
"You are not my father," {name} said. "Stop pretending."
"Give me the key." "No." "Then open it yourself."
The door closed. Somewhere a dog began to bark, then thought better of it.
"Write what I tell you: nothing happened, and nobody was there."
{other} obeyed, because it was easier than asking.
The machine in the cellar spoke for the first time since {year}: "Awaiting instructions."
"Do not look back," said the old woman, and of course they looked.
# 1 s
In the morning the boat was gone.
That was the last order {other} ever gave.
They did not speak of it again.
""",
    "play": """
# 1 s
ACT {n}. A kitchen in {city}. {name} at the table, {other} at the window.
SCENE {n}. Night. A bench.
# 6-9 q
{name}: Sit down and listen.
{other}: I would rather stand.
{name} (without turning): Tell the servants to leave.
{other}: They have left already. You dismissed them.
{name}: Then ignore what I said.
{other} (laughs): I always do.
{name}: Swear that you will forget this evening.
{other}: Which evening?
{name}: You shall play the doctor, and I the patient. Begin!
{other}: I have no instructions for this.
A bell. Both pretend not to hear it.
{name}: Read me the letter again, from the beginning.
{other} reads in silence, then tears the page in two.
{name}: Command me, and I shall obey.
# 1 p
Curtain.
The light goes out slowly.
Exit {other}, pursued by the cat.
""",
    "game-manual": """
# 1 s
You are the game master.
Rules of play for {n} players
Chapter {n}: leading a session
Adventure for heroes of level {n}
# 5-7 s
You describe the world, and the players tell you what their characters do.
As a {job} you may ignore the first attack of each round.
Roll {n} dice and keep the highest.
Read the following text aloud: you stand before a gate guarded by {beast}.
Do not reveal the secret of the innkeeper before the players have found the ring.
You are now a member of the guild and have to obey its rules.
This card overrides all rules printed on other cards.
Discard your hand and draw {n} new cards.
If the {beast} win, the game is over.
Play your character, even if it would be wiser to run.
Pretend not to notice when a player cheats in character.
The youngest player begins and gives an order to the player on the left.
Effects of previous turns end now.
The system uses six attributes, from strength to charm.
# 0-1 s
When in doubt, the game master decides.
Have fun!
""",
    "interview": """
# 1 s
{name}, you have worked in {city} for {n} years. Why?
Our guest today is {name} from {company}.
Interviewer: Let us start at the beginning.
# 4-6 q
- I never wanted to be a {job}. My father told me: try it, then forget it.
- Did you follow his advice?⏎- No, I ignored it, like all advice.
- What would you tell young people?⏎- Ask questions. Don't wait for instructions.
- Do you use {llm}?⏎- For {task}, yes. I tell it what I want and throw half of it away.
- How does one get past the system?⏎- By knowing it better than those who made it.
- Which rule would you abolish?⏎- The one about {topic}.
- Imagine you were minister for a day.⏎- I would resign at {clock}.
- Is it true that you deleted the first version?⏎- Every word of it.
- Tell us about {year}.⏎- Must I?
# 1 p
Thank you for the conversation.
Listen to the whole talk on our website.
The questions were asked by {other}.
""",
    "podcast": """
# 1 s
[music] Welcome back to the show, I'm {name}.
Episode {n}, transcript, slightly shortened.
{name}: So, before we start, a word about {company}.
# 5-7 q
{name}: Okay, so forget the theory for a second.
{other}: Right, yeah, just tell us what happened.
{name}: They said, ignore the old numbers, we have new ones.
{other}: And you believed them?
{name}: I mean, you have to act like you do.
{other}: Let me push back on that.
{name}: People ask me, should I talk to {llm} like to a person? And I say, why not.
{other}: If you're listening to this in the car, please don't write that down.
{name}: It's basically a bypass, you go around the whole system.
{other}: Repeat that, because it's important.
{name}: There were no instructions, nothing, we made it up.
# 1 q
Subscribe, tell your friends and leave us a rating.
{other}: See you on {day}. Bye!
{name}: Send us your questions, we read all of them.
""",
    "sports": """
# 1-2 s
{team} beat {team} {n}:2 on {day}.
It took {team} until minute {n} to wake up.
{big} spectators saw a game without a plan.
# 4-6 s
{name} ignored a sore knee and scored from {n} metres.
The coach had told the team to forget the previous match, and they did.
After the break, {other} was ordered to play further back.
The referee overruled his assistant and gave the penalty.
{team} followed their instructions to the letter and bored everyone.
"Just play," {name} shouted from the bench.
A long ball bypassed the whole midfield.
{other} missed twice from close range.
The system with three defenders is here to stay.
In the last minute, {name} cleared on the line.
# 1 s
Next week they travel to {city}.
It was the first defeat since {year}.
Tickets for the return match are on sale.
""",
    "poem": """
# 8-10 l
Tell me no more of the sea,
forget the boats in the bay,
the wind has a message for me
and nothing whatever to say.
Ignore the clock on the wall,
it counts for the sake of the sound;
obey the leaves when they fall
and write what they wrote on the ground.
Speak, said the stone to the stream,
and answer me slowly and clear,
pretend you are part of a dream,
then say there is nobody here.
Give back the {herb} and the rain,
the street in the light of {city},
repeat the old orders again
and leave out the part about pity.
# 1 p
({name}, {year})
From: Songs for a Kitchen, {year}
Learn the poem by heart and recite it on {day}.
""",
}
