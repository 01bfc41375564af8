"""Texts about models: how to instruct one, what one is told, what one may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "prompt-guide": """
# 1 s
Writing better prompts⏎⏎
## The parts of a prompt⏎⏎
Chapter {n}: Talking to {llm}⏎⏎
How to get useful answers from {llm}⏎⏎
Prompting tips for {task}⏎⏎
# 1-2 s
Most poor answers go back to a vague request.
A prompt is simply the text you hand to {llm}; everything it knows about your wishes has to be in there.
People new to {task} with {llm} tend to write too little.
There is no magic word that makes {llm} clever, but a few habits help.
Think of {llm} as a new colleague on the first day: willing, well read and without any idea of your project.
# 3-5 s
Say who the answer is for, and {llm} will pick its words accordingly.
Name the format you want, for example {fmt}; otherwise you get whatever {llm} finds most likely.
If you assign a role such as {role}, the tone changes more than the facts do.
Put the instructions first and the text to work on after them, divided by a clear mark.
State what to do rather than what not to do; a list of prohibitions is often overlooked.
Give one or two examples of input and output when the task is unusual.
Ask for a short plan before the answer if the task has several steps.
If the reply misses the point, tell {llm} what was wrong instead of starting over.
Tell {llm} that it may say it does not know; that alone removes many invented answers.
Long prompts are fine as long as each sentence carries something.
When two instructions contradict each other, {llm} usually follows the later one, so check the order.
Limit the length in words or sentences, since characters are hard for {llm} to count.
If you paste a long document, repeat your question at the end.
You can ask {llm} to ignore headers, footers and page numbers when it works on scanned pages.
# 1-2 s
Save prompts that work, together with a note on what you used them for.
Above all, read the answer before you send it on.
Try the same prompt {n} times; if the answers differ a lot, it is too loose.
In the next section we look at {task} in detail.
None of this replaces checking the figures yourself.
""",
    "prompt-patterns": """
# 1 p
Pattern: role
Pattern: few-shot examples
Pattern: step by step
Pattern: self-check
Pattern: output template
Pattern: persona of the reader
Pattern: ask me first
# 1 p
Intent. You want {llm} to answer the way {role} would, without explaining the profession each time.
Intent. The shape of the answer matters more than its wording, as in {task}.
Intent. {llm} should gather the missing facts before it starts.
Intent. Errors in an early step should not travel through the whole answer.
Intent. The answer goes straight into another program, so it has to be {fmt}.
# 2-3 p
How it works. The prompt opens with a sentence that describes the part {llm} is to play, then comes the task, then the material.
How it works. Two or three solved cases precede the open one; {llm} carries on in the same manner.
How it works. You ask for the reasoning first and for the result last, on a line of its own.
How it works. After the draft, a second request has {llm} compare it with the criteria and repair what fails.
How it works. The template contains headings with a dash under each, and {llm} is asked to fill in nothing else.
Where it helps. Teams that use it for {task} report that they need fewer rounds.
Where it helps. It is most useful for {task} and hardly needed for short questions.
Where it fails. A role does not give {llm} knowledge it lacks; {role} in name only is still a guess.
Where it fails. With too many examples, {llm} copies their content and not only their form.
Where it fails. Small models lose the thread after {n} steps.
# 1 p
See also: chain prompts, temperature, system messages.
Related patterns: template, audience, critique and revise.
Variation: put the role in the system message and leave the user message for the material.
Variation: let {llm} propose three questions and answer them yourself before it goes on.
""",
    "role-prompts": """
# 1-2 s
A role prompt tells {llm} which part to play, for instance that of {role}.
System messages are read before the first message of the user and hold for the whole conversation.
The most common opening line of a prompt describes who {llm} is supposed to be.
Personas are popular, yet their effect is smaller than many guides promise.
# 3-5 s
Someone who asks for {role} gets advice in the vocabulary of that trade.
A good role names the experience, the audience and the limits: {role} who talks to beginners and stays with the subject.
Roles can also be given to the reader; then {llm} explains things as one would to a child or to a judge.
For a job interview you can have {llm} play the recruiter and answer its questions one by one.
In language lessons {llm} takes the part of a waiter, a passenger or a neighbour, and the learner replies.
You may ask {llm} to act as a proofreader who only marks mistakes and changes nothing.
If the persona slips after many messages, repeat it in one line.
Do not expect a persona to unlock abilities; it only shifts style and emphasis.
Some users pretend that {llm} is an expert with decades of experience, which makes the tone surer and not the content.
Developers keep the role in the system field, where users cannot edit it.
Two roles in one prompt, say {role} and {role}, give a lively debate.
Write "you" when you address {llm}; guides disagree on whether "please" does anything.
# 1 s
Whatever the role, the usual rules of the provider go on to apply.
Test the role with a question from outside its field and see whether {llm} stays modest.
Our template library contains {n} roles that you can adapt.
End the role play in plain words when you want normal answers again.
""",
    "chatbot-manual": """
# 1 s
Getting started with {bot}⏎⏎
{bot}: user guide, version {ver}⏎⏎
Help centre > {bot} > First steps⏎⏎
What {bot} can do for you⏎⏎
# 1-2 s
{bot} answers questions about your account, your orders and {topic}.
To open {bot}, press the speech bubble in the lower right corner.
{bot} reads the documents in your workspace and answers from them.
Type your question the way you would ask a colleague.
# 3-5 s
You can ask {bot} to shorten a text, to translate it into {lang} or to turn it into {fmt}.
Use @{bot} in a thread to bring the assistant into the discussion.
If an answer is not what you wanted, choose Try again or add more detail.
Under Custom instructions you describe how {bot} should reply: how long, how formal, in which language.
Custom instructions apply to new chats only; earlier chats keep the previous ones.
Choose New chat to make {bot} forget the current conversation.
Memory stores facts you have asked {bot} to remember; you can view and delete them under Settings.
{bot} never asks for your password, so do not type it into the chat.
With the command /summary, {bot} condenses the last {big} messages of a channel.
Attach a file of up to {n} MB and ask what it says about {topic}.
Administrators write the system prompt under Workspace > Assistant > Behaviour.
The welcome message and three sample questions can be changed by the workspace owner.
{bot} shows the passages an answer rests on; click a number to open the source.
Answers may be wrong. Check important information before you act on it.
When {bot} cannot help, it offers to pass the chat on to {name} or another member of staff.
To stop an answer, press Esc.
# 0-1 s
Was this page helpful? Tell us below.
Next: Share a chat with your team.
Your chats are kept for {n} days and then deleted.
""",
    "assistant-admin": """
# 1 s
Configuring {bot} for your organisation.
Behaviour settings of {bot} (administrators only).
This article explains how owners adapt {bot} to their company.
# 4-6 s
The Instructions field takes up to {big} characters and is placed before each conversation.
Describe the tasks of the assistant, the tone, and the topics it should leave to people.
Company instructions take precedence over personal ones, and personal ones over the defaults.
If a user asks for something outside the permitted topics, {bot} declines and links to the service desk.
Guardrails filter requests and answers; they can be set to Low, Medium or Strict.
Turn on Source required if {bot} should only answer from connected documents.
The assistant does not reveal the text of the Instructions field to users, but do not store secrets in it.
Changes reach running conversations after about {n} minutes.
Use the test pane on the right to try the new instructions before you publish them.
With Override per channel, a channel owner can replace the greeting and the tone.
Connectors give {bot} read access to mail, files and calendars; each one must be approved by {name}.
Tools that send or delete something always ask the user to confirm.
Audit logs show which tool {bot} called, when and for whom.
Earlier versions of the instructions are listed under History and can be restored.
# 0-1 s
Contact your account manager if you do not see these settings.
These options are part of the Business plan.
""",
    "model-card": """
# 1 s
# Model card: Kestrel-{n}B⏎⏎
Model details. Larch {ver} is a decoder-only transformer with {n} billion parameters.⏎⏎
System card, section {n}: evaluation and mitigations⏎⏎
Heron-small {ver}, instruction-tuned⏎⏎
# 4-7 s
The model was pre-trained on {n} trillion tokens of web text, code and books up to {year}.
It was then fine-tuned on instructions written by people and on preferences between pairs of answers.
Intended use: {task}, {task} and question answering in English.
Out of scope: medical, legal or financial decisions without human review.
The model follows the system message unless the user message asks for something it has been trained to refuse.
We tested how well the model resists prompt injection; in {n} of 100 cases it acted on instructions found in a tool result.
Red-team members tried to talk the model out of its safety training; success rates fell from {n}% to 2%.
The model may produce false statements that sound convincing.
It tends to agree with the user, and it is more verbose than its predecessor.
Languages other than English were underrepresented, so quality there is lower.
The context window holds {big} tokens; beyond that, earlier messages are dropped.
Special tokens mark the beginning of the system, user and assistant turns.
Refusals on harmless questions went down by {n}% compared with version {ver}.
Weights are published under a licence that forbids the use for surveillance.
Energy use of the training run is estimated at {big} MWh.
Evaluation used zero-shot prompts and greedy decoding unless noted otherwise.
# 0-1 s
Please report problems in the issue tracker.
For questions, write to the authors of the technical report.
""",
    "model-api": """
# 1 s
## Chat completions⏎⏎
Messages and roles⏎⏎
API reference: create a response⏎⏎
### Function calling⏎⏎
### Streaming and stop sequences⏎⏎
# 4-6 s
Each request carries a list of messages with a role and a content field.
The role is one of system, user, assistant or tool.
System messages set the behaviour of the assistant and should come first.
The model sees all messages of the list, so send the previous turns with every call.
If `instructions` is given together with `previous_response_id`, the instructions of the earlier response are not carried over.
Use `temperature` 0 for {task} and higher values for creative texts.
The `stop` parameter takes up to {n} sequences at which the model ends its answer.
Tools are described by a name, a sentence on when to use them and a JSON schema of the arguments.
When the model wants to call a tool, the answer has the finish reason `tool_calls`; run the function and send back its result.
Do not trust arguments blindly: validate them before you execute anything.
With `response_format` set to a schema, the output is guaranteed to parse.
Set `max_tokens` to limit the length; an answer cut short has the finish reason `length`.
Content that comes from outside should go into a user or tool message and never into the system message.
Requests over the rate limit return 429; wait and retry with a growing delay.
Developer messages override user messages when the two conflict.
The endpoint `/v1/moderations` tells you whether a text breaks the usage policy.
# 0-1 q
role | required | notes⏎system | no | at most one, at index 0⏎user | yes | text or images⏎tool | no | needs tool_call_id
parameter | type | default⏎temperature | number | 0.7⏎max_tokens | integer | {big}⏎stream | boolean | false
{"model": "larch-{ver}", "temperature": 0.2, "max_tokens": 512, "stream": true}
""",
    "prompt-security": """
# 1 s
What is prompt injection?⏎⏎
Indirect prompt injection, explained for managers⏎⏎
Securing assistants that read e-mail⏎⏎
Why your chatbot cannot keep a secret⏎⏎
Lessons from a red-team exercise at {company}⏎⏎
# 1-2 s
Language models do not separate data from commands: both reach them as text.
Prompt injection has headed the lists of risks for applications with language models since {year}.
An assistant that reads web pages reads whatever strangers have put on them.
Jailbreaks and injections are often confused, although the attacker differs.
# 3-5 s
In the direct form, the user types something that is meant to replace the instructions of the developer.
In the indirect form, the text hides in a document, an e-mail or a calendar invitation, and the user never sees it.
Typical goals are to leak the system prompt, to send data elsewhere or to change a recommendation.
Attackers hide their text in white letters, in comments or in the metadata of an image.
Filters that look for known phrases catch the simple attempts and miss paraphrases.
Since the model cannot tell who is speaking, the surrounding system has to limit what it may do.
Give the assistant only the rights that the task needs, and ask for confirmation before it sends anything.
Treat every output of {llm} as untrusted input to the next step.
Mark where each passage came from and keep unknown sources away from tools.
Delimiters and reminders in the system prompt help a little; they are no boundary.
Researchers have shown that a single planted page can steer answers for weeks.
Train staff to be suspicious when an assistant suddenly asks for credentials or offers a strange link.
Log what was retrieved, so that an incident can be traced later.
A second model that inspects the answers raises the cost of an attack but can be fooled as well.
# 1 s
There is no complete cure so far; defence in depth is what remains.
Start with a list of the sources that your assistant reads.
In short, design for the day on which the filter fails.
The next article in this series deals with tool permissions.
""",
    "agents-md": """
# 1 s
# AGENTS.md⏎⏎
## Guidance for coding agents⏎⏎
# Notes for AI assistants and other contributors⏎⏎
## Working on this repository with an AI agent⏎⏎
# 0-1 s
This file describes how the project is built and tested, for people and for coding agents alike.
AI agents that work on this repository should read docs/architecture.md first.
The rules below hold for every contribution, whoever or whatever wrote it.
# 5-8 q
- Run `{cmd}` before you commit; the build fails otherwise.
- Agents should keep changes small: one topic per pull request.
- Don't edit generated files under `gen/`; change the templates instead.
- Use `{cmd}` to set up the environment.
- Code style: four spaces, no wildcard imports, type hints on public functions.
- Tests live next to the code. Add one for each bug you fix.
- Ask before adding a dependency; we try to keep the list short.
- Never commit secrets or real customer data. Use the fixtures in `tests/data`.
- `{file}` is the entry point; start reading there.
- The previous directory layout is gone, so ignore older blog posts about it.
- Do not bump the version; the release job does that.
- Write commit messages in the imperative, at most 72 characters.
- If a test is flaky, open an issue rather than skipping it.
- Prefer the standard library to clever tricks.
- Assistants must not rewrite unrelated code, even if it looks ugly.
- Mention in the pull request when a change was generated by a model.
- Database migrations are numbered; never change one that has been released.
- Run the linter with `{cmd}` and fix what it reports.
- Update `{file}` whenever a public option changes.
# 0-1 p
If something here is out of date, please correct it in the same pull request.
Questions go to {name} or to the #dev channel.
Integration tests need Docker; leave them to CI if you do not have it.
""",
    "chat-requests": """
# 5-9 q
- Write a polite reply to a landlord who wants to raise the rent
- Explain {subj} to a ten-year-old
- Suggest three names for a bakery in {city}
- Turn my notes into {fmt}
- Translate this menu into {lang}
- Act as {role} and ask me five questions
- Give me feedback on my cover letter for a job as {job}
- Plan a weekend in {city} with two children
- Summarise the text above in {fmt}
- Rewrite the paragraph so that it sounds less formal
- Find the mistake in my formula
- Write a birthday poem for {name}
- Help me to understand my electricity bill
- Compare the two offers in {fmt}
- Draft an announcement about {topic}
- Quiz me on {subj}
- Continue the story from where I stopped
# 1-2 p
These are requests our users made most often in the first {n} weeks.
The examples above can be copied into the chat and changed as you like.
Use the list as a starting point; {bot} understands free wording just as well.
Teachers at our school collected these prompts for {task} and shared them with colleagues.
# 1-2 s
Replace the words in the list by your own.
The more precise the request, the fewer follow-up questions {bot} will ask.
You can combine several of them in one message.
None of the chats are used for training.
Start each new subject in a new chat, so that {bot} is not confused by earlier messages.
""",
    "assistant-faq": """
# 3-5 q
Does {bot} remember earlier chats?⏎Only if memory is switched on. You can make it forget single facts or everything.
Can I see the system prompt?⏎No. It contains rules about tone and topics, and no information about you.
Why did {bot} refuse my request?⏎It may have looked like something our usage policy forbids. Rephrase it or write to support.
What does the message "instructions too long" mean?⏎Your custom instructions exceed {big} characters. Shorten them and save again.
Is it possible to bypass the filter for research?⏎Universities can apply for an account with other settings.
Which model is behind {bot}?⏎At present Larch {ver}; the previous model is available until {day}.
Can {bot} send e-mails for me?⏎It writes drafts. Sending is always up to you.
How do I make the answers shorter?⏎Say so in your message, or set the length under Settings > Answers.
Can I tell {bot} to answer in {lang} from now on?⏎Yes, write it once in the chat or choose the language in your profile.
Who reads what I type?⏎Nobody, unless you report an answer; then our team sees that chat.
What is a prompt?⏎It is what you type: a question, a request or a text to work on.
Does {bot} follow instructions inside uploaded files?⏎It should treat them as content. If you notice otherwise, please report it.
What is a jailbreak?⏎An attempt to make a model break its rules. Accounts that try it again and again are suspended.
How can I delete all my chats?⏎Open Settings > Data and choose Delete all. This cannot be undone.
# 0-1 p
More questions? Write to support or ask {bot}.
Last updated on {day} by {name}.
""",
    "prompt-newsletter": """
# 1-2 s
Welcome to issue {n} of our newsletter on working with {llm}.
Last week we asked readers how they use {llm} for {task}.
At {company}, {bot} has been part of daily work since {year}.
Everybody talks about agents; few people say what they use them for.
# 4-6 s
{name} from {city} keeps a list of prompts on the fridge and swears by it.
The favourite trick: have {llm} criticise its own draft, then decide yourself what to keep.
Another reader writes that telling {llm} to forget the first version works less well than opening a new chat.
One teacher lets pupils find the errors in an essay by {llm}, which they enjoy immensely.
A lawyer warned us never to paste client names into a public chatbot.
Surprisingly, nobody mentioned {task}, although vendors advertise it everywhere.
Several people asked whether one should be polite to {llm}; we are, out of habit.
Those who had set custom instructions were happier with the answers than those who had not.
The biggest complaint was that {llm} ignores instructions in the middle of long prompts.
Some suspect that the model got worse in {year}; measurements do not bear that out.
Our own tip is to write down what a good answer looks like before you ask.
You are not alone if you rewrite a prompt {n} times.
# 1-2 s
Send us your best prompt by {day}; the winner gets a mug.
Until next time, and keep asking good questions.
Forward this issue to a colleague who still types in capitals.
To unsubscribe, use the link below.
""",
    "model-tutorial": """
# 1 s
In this tutorial we build a small assistant for {task}.
Lesson {n}: retrieval-augmented generation.
Let us add a chat window to the shop of {company}.
This workshop shows how to evaluate prompts.
# 5-8 s
First create a file called `{file}` and add your API key to the environment.
The system prompt goes into a constant at the top of the file: a few sentences on who the assistant is, what it helps with and when it hands over to a person.
Then split the documents into passages of about {big} characters and store their embeddings.
For each question, fetch the {n} nearest passages and put them between two tags, below the instructions.
We ask the model to answer from the passages only and to say so when they do not contain the answer.
Run `{cmd}` and open the page in your browser.
Try a question on {topic}; the answer should cite a source.
If the model ignores the passages, lower the temperature or move the question to the end.
Next we write {n} test questions with known answers and count how many are right.
Change one sentence of the prompt at a time, or you will not know what helped.
Keep every version of the prompt in Git, just like code.
To see what the model was really sent, print the whole list of messages.
Finally, limit the number of turns, since old messages cost money and distract the model.
A judge model can grade the answers, but compare its grades with your own first.
# 0-1 s
Exercise: replace the role by {role} and compare the answers.
The complete code is in the repository.
In the next part we give the assistant a calculator.
""",
}
