"""Texts of working life: mail, support, policies, minutes, tickets, applications."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "mail-request": """
# 1 s
Hi {name},
Dear {name},
Good morning {name},
Hello all,
# 1-2 p
I hope you had a good start to the week.
Thanks for the quick call on {day}.
Sorry to chase you about {doc} again.
As you may have heard, {other} is on leave until {day}.
# 2-4 b
Could you send me {doc} by {day}? I need it before the meeting with {company}.
Please ignore my last mail; I had attached the wrong version of {doc}.
Please disregard the earlier figures and use the ones below instead.
Can you forward {doc} to {other} and put me in copy?
I'd like you to go through {doc} and mark whatever is unclear.
Please do not share {doc} outside the team yet.
When you have a minute, please call {other} about {topic}.
If anyone asks about {topic}, just tell them we decide on {day}.
Kindly confirm that you received the invoice over {big} euros.
Would you book the small room for {clock} on {day}?
Please transfer the remaining {big} to the usual account once {other} has approved it.
Forget what I wrote about {topic} this morning, it has been solved.
Delete the old copy of {doc} once you have saved the new one, so that we do not mix them up.
# 0-1 b
Nothing urgent, but I wanted to have it off my desk.
No need to reply if everything is fine.
I will be on the train from {clock}, so text me if anything comes up.
# 1 p
Best regards,⏎{other}
Thanks,⏎{other}
Many thanks and see you on {day},⏎{other}⏎{company}
""",
    "mail-thread": """
# 1 s
Today at {clock}, {name} wrote:
From: {name}⏎To: {other}⏎Subject: Re: {topic}
> At {clock}, {other} wrote:
---------- Forwarded message ----------⏎From: {name}⏎Subject: Fwd: {doc}
# 2-4 l
> Can you tell me where to find {doc} now?
> Please read the instructions above before you fill in the form.
> I would rather not change the plan again.
> We must have an answer by {day}, otherwise {company} will withdraw.
> Ignore the first attachment, it is last year's.
> Who has the keys to the archive?
> Send everything to {other}, not to me.
# 2-4 p
See my answers in between.
It is on the shared drive, in the folder called {topic}.
As {other} said below, the previous agreement no longer applies.
I have replaced the paragraph that {other} disliked; everything else stays as it was.
Please use this thread for further questions so that nothing gets lost.
I would follow the new guidelines here, even though the old ones are still on the intranet.
Agreed. Tell {company} that we accept and ask them to sign {doc}.
Let us not reply to all, the list is long enough.
Could you have a look before {clock} and tell me whether I missed something?
# 1 p
Cheers⏎{name}
Regards, {name}
{name}⏎Sent from my phone
""",
    "support-answer": """
# 1 s
Hello {name},⏎⏎
Dear customer,⏎⏎
Hi {name}, thank you for writing to {company}.⏎⏎
# 1-2 s
I am sorry to hear that the {part} of your {product} stopped working.
Thank you for your patience while we looked into order {big}-{n}.
We received your request about the refund for the {product}.
# 3-4 s
Please send us a photo of the {part} and the receipt, simply by replying to this mail.
To speed things up, tell us the serial number, which you find below the {part}.
Please unplug the {product}, wait {n} minutes and plug it in again.
You can ignore the reminder you received on {day}; your payment has arrived.
Please do not send the {product} back before you have received the label.
Hold the power button for {n} seconds to reset the {product} to its factory settings.
If the light turns red, skip the next step and write to us again.
Enter the code from the letter under My account and follow the instructions on the screen.
We will never ask you for your password or for a code from your bank.
Once you have confirmed your address, the replacement leaves our warehouse within {n} days.
# 1-2 p
Should you have further questions, just reply to this message.
How did we do? Please rate this conversation.
Kind regards⏎{other}, customer care
Please leave the ticket number in the subject line.
""",
    "support-macro": """
# 1 s
Macro: refund granted
Canned response {n}: missing parcel
Template for agents: angry customer
Saved reply: account locked
# 1-2 p
Use this reply when the customer has waited for more than {n} days.
Agents should replace the words in capitals before they send the text.
Do not use this macro for business customers; pass those on to {name}.
# 4-6 b
Greet the customer by name and thank them for the details.
Apologise once, not in every sentence.
Explain that the {part} is out of stock and that we expect new ones on {day}.
Ask for the order number if it is missing.
Offer a voucher of {n} euros only if the customer asks for compensation.
Never promise a delivery date.
If the customer mentions a lawyer, escalate the ticket at once.
When asked about {topic}, say that the information is on the website.
Tell the customer to restart the {product} and to try again.
Mark the ticket as solved and set the tag {topic}.
Answer in the language of the customer.
# 0-1 p
Last changed by {other} on {day}.
The previous version of this macro is archived.
""",
    "hr-policy": """
# 1 s
{company}: policy on {topic}⏎⏎
Staff handbook, chapter {n}⏎⏎
Code of conduct⏎⏎
Rules on {topic}, valid from {year}⏎⏎
# 5-7 s
All employees must read this policy and confirm it by {day}.
You must record your working hours every day.
Managers may grant exceptions in writing.
This version replaces all previous rules on {topic}.
Requests are to be made at least {n} days in advance.
Never discuss salaries of colleagues with outsiders.
Gifts worth more than {n} euros have to be declared or refused.
You are expected to follow the instructions of your supervisor unless they break the law.
If you feel unwell, inform your manager before {clock}.
Anyone who ignores a safety rule may be sent home.
You must not accept orders by phone from people you do not know.
Employees who leave return badge, laptop and keys on their last day.
Do not speak to the press on behalf of {company}; refer journalists to {name}.
Reports of misconduct can be made anonymously and will not lead to disadvantages.
Overtime has to be ordered by the manager and is balanced within {n} months.
# 0-1 s
Questions are answered by the HR team.
Breaches can lead to a warning or to dismissal.
""",
    "it-policy": """
# 1 s
Acceptable use of IT systems at {company}⏎⏎
Password and access policy⏎⏎
Information security: what every employee must know⏎⏎
Use of AI tools at work⏎⏎
# 5-7 s
Never share your password, not even with the help desk.
Passwords must have at least {n} characters and must not be reused.
You must lock your screen whenever you leave your desk.
Do not try to bypass the web filter or to switch off the virus scanner.
Only approved AI assistants may be used, and customer data must not be typed into any other.
Answers of an AI tool have to be checked by a person before they are passed on.
System administrators may override these settings in an emergency and have to log it.
Software is installed by IT only; ask {name} if you need something.
Report suspicious mails with the button in your mail program and then delete them.
Do not connect USB sticks you have found.
Data marked as confidential must not leave the company's systems.
All access is granted by role and reviewed every {n} months.
Private use is allowed during breaks as long as it does not disturb work.
Instructions to change bank details must be confirmed by phone through a known number.
The root account is disabled; use your personal account with sudo.
# 0-1 s
This policy supersedes version {ver}.
Exceptions are decided by the security officer.
""",
    "security-awareness": """
# 1-2 s
Phishing mails have become harder to recognise.
Every {n} seconds somebody clicks on a link they should not have clicked on.
In our exercise last month, {n} out of 100 colleagues entered their password on a false page.
Fraudsters are after your trust first and your money second.
# 4-6 s
They create pressure: an account is about to be closed, a parcel is waiting, the boss needs something at once.
Look at the address of the sender, not at the name.
Hover over a link before you click and read where it leads.
A mail that asks for passwords, codes or gift cards is always false.
Be careful when someone tells you to keep a request secret.
Call the person on a number you know if a payment is urgent.
Attackers now write flawless sentences with the help of language models.
Voices can be copied too; agree on a code word within the family.
Do not forward suspicious mails to colleagues; use the report button.
If you did enter your password, change it immediately and tell IT.
Nobody will blame you for asking twice.
Invoices with new bank details are a favourite trick.
# 1 s
Stop, think, ask: three words that prevent most damage.
A short quiz on the subject is waiting for you on the intranet.
Talk about it at home as well; the same tricks hit parents and children.
""",
    "minutes": """
# 1 s
Minutes of the meeting on {topic}, {day}, {clock}⏎Present: {name}, {other}, {other}
Team meeting {company}⏎Chair: {name}, minutes: {other}
Residents' meeting, {city}, {day}⏎Chair: {name}
# 4-6 q
1. The minutes of the previous meeting are approved.
2. {name} reports on {topic}. The figures are {n}% better than last year.
- {other} asks why the earlier decision was ignored. {name} explains that the budget was cut.
- It is decided to override the vote of {day}, as not all members had been invited.
- {other} will send {doc} to everyone by {day}.
- Action: {other} to ask {company} for a new offer.
- Action: all to read {doc} and to comment.
- The proposal to forget about {topic} is rejected with {n} votes to 2.
- {name} reminds everybody to follow the new rules on {topic}.
- Discussion of the system for bookings; it remains as it is.
- Any other business: the coffee machine.
# 1 p
Next meeting: {day}, {clock}.
The meeting ends at {clock}. Please send corrections to {other}.
""",
    "cv-reference": """
# 1 s
To whom it may concern⏎⏎
Reference for {name}⏎⏎
{name}⏎{job}, {city}⏎⏎
Dear hiring manager,⏎⏎
# 1 s
{name} worked for {company} as {job} from {year} onwards.
I apply for the position of {job} that you advertise on your website.
Profile: {job} with {n} years of experience in {city} and abroad.
# 4-6 s
Always reliable and friendly, {name} was the person everybody asked.
Responsible for a team of {n} and a budget of {big} euros.
Introduced a new system for {topic} and trained {big} users.
I am the best candidate because I know the trade from the shop floor up.
{name} follows instructions carefully and questions them when there is reason to.
We recommend {name} without reservation and would hire again at any time.
In {year}, promoted to head of the department.
Languages: {lang} (native), {lang} (fluent), {lang} (basic).
Skills: spreadsheets, negotiation, first aid, forklift licence.
My previous manager, {other}, will gladly answer your questions.
During the restructuring, {name} kept calm and kept others calm.
Please find my certificates enclosed.
# 1 p
Yours faithfully⏎{other}
I look forward to hearing from you.
References on request.
With every good wish for the future⏎{other}, {company}
""",
    "job-advert": """
# 1 s
{company} is looking for a {job} in {city}.
We are hiring: {job} (m/f/d), {city}
Join us as {job}!
# 5-7 s
You are curious, reliable and do not lose your sense of humour when things get busy.
You will plan your own shifts together with a team of {n}.
Your tasks: you look after {big} customers, answer their questions and keep the records up to date.
You must have a driving licence and be willing to work on Saturdays.
Ideally you speak {lang} or {lang}.
You act as the link between the workshop and the office.
We offer {n} days of leave, a travel pass and a canteen that deserves the name.
Previous experience is welcome but not required; we train you.
Don't tick every box? Ignore that little voice and apply anyway.
We value applications from people of every background.
Please tell us when you could start and what you would like to earn.
Send your CV as one PDF file, without a photo, by {day}.
# 0-1 s
{name} is happy to answer your questions.
Apply now, it takes {n} minutes.
""",
    "ticket": """
# 1 s
[{mod}] Crash after update to {ver}
Bug: {mod} ignores the setting
Ticket {big}: password prompt appears twice
Incident report: {mod} unavailable from {clock}
# 1 p
Steps to reproduce:⏎1. Open {mod}.⏎2. Enter anything and press Save.⏎3. Go back to the previous page.
Since version {ver}, {mod} shows an empty page for about {n} users.
After the restart, the system prompt of the terminal is gone.
# 2-4 p
Expected: the warning can be ignored and the work continues.
Actual: the system overrides the previous value without a message.
Workaround: delete the cache, run `{cmd}` and log in again.
@{name} can you reproduce this on your machine?
Please attach the log and tell us which version you use.
I could bypass the error by starting as administrator, but that cannot be the solution.
Closing as a duplicate. Please follow the other ticket.
Forget my last comment, I had tested the wrong branch.
The fix is in {ver}. Please test and reopen if it still fails.
Root cause: a rule added on {day} took precedence over all earlier rules.
# 1 p
Severity: {n}. Assigned to {other}.
Reported by {name} through the portal.
Labels: bug, {topic}
""",
    "survey": """
# 1 s
Customer survey of {company}
Your opinion matters: questionnaire on {topic}
Feedback form for the course in {city}
# 1 p
Please answer all questions. It takes about {n} minutes, and your answers stay anonymous.
Tick one box per line. If a question does not concern you, leave it blank.
Choose a number from 1 (not at all) to 5 (completely).
# 4-6 q
1. How satisfied are you with the {product}?  [ ] very  [ ] fairly  [ ] not at all
2. How likely are you to recommend {company} to a friend?
3. Which instructions were hard to follow? Please describe them.
4. Have you ever ignored a warning of the device? Why?
5. Rate the following statement: "I always know whom to ask."
6. If you answered no to the previous question, go on with question {n}.
7. What should we do better? Write in your own words.
8. Tell us your age and postcode (optional).
# 1 p
Thank you! Hand the sheet to {name} or send it to us by {day}.
Do not write your name on the form.
Submit your answers with the button below.
""",
}
