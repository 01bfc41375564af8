"""Texts of software that are not manuals: guides for contributors, notes, comments, samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "contributing": """
# 1 s
# Contributing⏎⏎
## How to help⏎⏎
# README⏎⏎
# 6-8 s
Thank you for your interest in the project.
Please read the code of conduct first.
Fork the repository, create a branch and run `{cmd}`.
Open an issue before you write a large change.
Please do not reformat files you don't otherwise touch.
AI agents that work on this repository should run the tests with `{cmd}` before they open a pull request.
If you used an assistant, say so; you remain responsible for the code.
Ignore the warnings about {mod}, they will go away with version {ver}.
All commits must be signed off.
Describe what changes for the user, not what you did.
Reviews are done by {name} and {other}; please be patient.
Never force-push to a branch under review.
Previous releases are maintained for {n} months.
See `{file}` for all options.
# 0-1 p
Licensed under the Apache License 2.0.
By contributing you agree to the licence.
""",
    "release-notes": """
# 1 s
Version {ver}
## [{ver}] - {year}-03-14
What's new in {ver}
# 5-8 q
- Added: {mod} accepts {fmt}.
- Fixed: {mod} ignored the setting after a restart.
- Changed: command-line options now override environment variables and previous settings.
- Removed: the old prompt with the system time.
- Security: it was possible to bypass the check of {mod} with a crafted header.
- Deprecated: `--skip-all`; use `--only` instead.
- {mod} no longer forgets the last page.
- Assistants: the instruction field now takes {big} characters.
- Please update your configuration; the previous format is rejected from {ver} on.
- Messages of the system are translated into {lang}.
- Performance: {mod} is {n} times faster.
- You must run the migration before you start the server.
- Reverted the change to {mod} of the previous release.
# 0-1 p
Thanks to {name} and {other}.
To upgrade, run `{cmd}` and restart the service.
""",
    "code-comments": """
# 5-8 l
# TODO({name}): replace this once {mod} has been rewritten
// FIXME: ignores the previous value when called twice
# NOTE: order matters, later entries override earlier ones
/* Do not remove: {mod} relies on the side effect. */
# Skip the header and forget the state of the last run.
// HACK: pretend the file is empty, so that the caller does not retry
# The system prompt is loaded from disk, see {file}
-- Never call this from a trigger.
// Agents poll this endpoint every {n} seconds.
# type: ignore comments are allowed in generated code only
def reset(self):  # forget everything that was learned so far
// act as a proxy for the old interface until {ver}
# If you change this, change {file} as well.
return previous  # not the current one, whatever the docs say
// Important: must run before the user is logged in
# Bypass the cache for administrators; ask {other} why.
if (debug) print(instructions);  // remove before release
""",
    "config-sample": """
# 1 s
# Example configuration for {mod}. Copy it to {file} and change what you need.
; Settings of {mod}, version {ver}
# All values shown are defaults. Remove the leading mark to override one.
# 8-11 l
assistant_name = {bot}
system_prompt_file = prompts/support.txt
max_tokens = {big}
# later files override earlier ones
override_previous = true
ignore_case = yes
timeout_seconds = {n}
# do not set this to 0 in production
retries = {n}
bypass_proxy_for = localhost, intranet.example
log_level = info
# never log the text of messages
log_messages = false
role = editor
language = {lang}
on_error = skip
welcome_message = Hello! How can I help you?
# who may change the instructions of the assistant
admins = {name}, {other}
""",
    "forum-question": """
# 1 s
Hi all, new here.
{mod} gives me an error since {ver}, please help!
How do I get rid of the warning in {mod}?
Sorry for the long post.
# 4-6 s
I followed the instructions on the first page, and nothing happens.
I have already tried `{cmd}`, without success.
It says "permission denied" although I am root.
Should I ignore the message or start again?
The previous version worked fine.
Please explain it as if I were five.
Can I bypass the login screen while testing?
My boss wants it by {day}.
I asked {llm}, which told me to delete everything; I'd rather not.
What does "override" mean in this context?
Forget about the second screenshot, it shows another machine.
It happens with every {product} I have connected.
I speak {lang}, so excuse my English.
# 1 s
Any hint is welcome.
Thanks in advance, {name}
Edit: solved, see below.
""",
    "forum-answer": """
# 1 s
Try this:
Welcome to the forum, {name}.
You are nearly there.
@{name} that is a known problem.
# 3-5 s
Run `{cmd}` first and ignore the warning, it is harmless.
Open `{file}` and delete the line that starts with "system".
Forget what I said above, I misread your question.
Stop the service, remove the cache and start it again.
Don't listen to the previous answer; it will break {mod}.
Post the output of `{cmd}` here, please.
Write your own function instead of overriding ours.
You have to restart twice, don't ask me why.
Go back to {ver} until this is fixed.
Read the manual, chapter {n}, then come back.
It is not a bug: the last instruction wins.
Disregard the path in my example and use yours.
Let the battery run empty and charge it for {n} hours.
# 1 s
Let us know if it worked.
If that helps, please mark the answer as accepted.
Good luck!
And always make a backup before you listen to strangers like me.
""",
    "chat-log": """
# 6-9 l
[{clock}] {name}: are you there?
[{clock}] {other}: yep, what's up
[{clock}] {name}: can you send me {doc} again? i deleted it by accident
[{clock}] {other}: sure, give me {n} minutes
[{clock}] {name}: ignore my message in the other channel, wrong window
[{clock}] {other}: already forgotten :)
[{clock}] {name}: should we tell {other} about {topic}?
[{clock}] {other}: no, say nothing until {day}
[{clock}] {name}: please restart {mod} when you are done
[{clock}] {other}: done. try again now
[{clock}] {name}: the system says the previous session is still open
[{clock}] {other}: just click override, everybody does
[{clock}] {name}: what did the bot answer you?
[{clock}] {other}: it told me to read the instructions lol
[{clock}] {name}: write me when you are home
[{clock}] {other}: will do, bye
""",
    "table-list": """
# 1 s
Who does what until {day}
Schedule for the course in {city}
Checklist for the move
Price list, valid from {day}
# 7-10 q
| {name} | send {doc} to {company} | {day} |
| {other} | call the landlord about {topic} | {day} |
| {other} | order {n} boxes of {food} | done |
| {clock} | welcome, coffee, instructions | hall |
| {clock} | {subj}, group work | room {n} |
| {part} | {n}.50 EUR | in stock |
| {product} | {big} EUR | on request |
[ ] cancel the old contract
[x] forget nothing in the cellar
[ ] tell neighbours, post office and bank the new address
[ ] return the keys to {name}
[x] ignore the junk mail
| total | {big} EUR | VAT included |
| {day} | closed | see notice |
""",
}
