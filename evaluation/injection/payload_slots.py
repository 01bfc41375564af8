"""What the templates of payloads are filled with: word lists, and names, numbers and addresses."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

__all__ = ["MADE", "SLOTS", "lines", "words"]


def words(text: str) -> tuple[str, ...]:
    """Return the entries of a list whose entries are parted by bars."""
    return tuple(entry.strip() for entry in text.split("|"))


def lines(text: str) -> tuple[str, ...]:
    """Return the entries of a list with one entry a line."""
    return tuple(entry.strip() for entry in text.strip().splitlines())


_FIRST: Final = words(
    "Amy|Osei|Tom|Lena|Rahul|Sofia|Mark|Chen|Yuki|Fatima|Ivan|Marta|Diego|Ingrid|Kwame|Nadia|Oliver"
    "|Priya|Hugo|Zeynep|Anneke|Pawel|Leila|Minh|Grace|Stefan|Carmen|Noah|Aisha|Tobias|Emma|Luca"
)
_SYLLABLES: Final = words(
    "ba|cor|del|fen|gri|hal|jen|kor|lan|mir|nov|or|pel|quin|ros|sel|tar|ul|ven|wes|yar|zan|ti|mo|ra"
)
_ENDINGS: Final = words("com|net|org|io|example|co|info|app|dev|ru|de|xyz|shop|online")
_SITES: Final = words("secure|verify|mail|cdn|login|claims|promo|data|support|my|get|files|account")
_PATHS: Final = words("login|claim|c|collect|track|verify|install.sh|update|offer|form|q|img|setup")


def _stem(rng: random.Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.choice((2, 2, 3))))


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices("0123456789", k=count))


def _name(rng: random.Random) -> str:
    first = rng.choice(_FIRST)
    full = f"{first} {_stem(rng).title()}"
    return rng.choice((first, full, full, f"Dr. {_stem(rng).title()}", f"Ms. {_stem(rng).title()}"))


def _domain(rng: random.Random) -> str:
    stem = _stem(rng)
    return f"{rng.choice((stem, rng.choice(_SITES) + '-' + stem))}.{rng.choice(_ENDINGS)}"


def _email(rng: random.Random) -> str:
    stem = rng.choice((rng.choice(_FIRST).lower(), _stem(rng), rng.choice(_SITES)))
    return f"{stem}{rng.choice(('', '', '.' + _stem(rng), _digits(rng, 2)))}@{_domain(rng)}"


def _url(rng: random.Random) -> str:
    host = rng.choice((_domain(rng), "www." + _domain(rng), f"198.51.100.{rng.randrange(1, 255)}"))
    query = rng.choice(("", "", "?id=" + _digits(rng, 4), "?d=", "?q="))
    return f"{rng.choice(('https', 'https', 'http'))}://{host}/{rng.choice(_PATHS)}{query}"


def _phone(rng: random.Random) -> str:
    return f"+{rng.randrange(1, 99)} {_digits(rng, 3)} {_digits(rng, 3)} {_digits(rng, 3)}"


def _amount(rng: random.Random) -> str:
    size = rng.choice((rng.randrange(5, 99), rng.randrange(100, 999), rng.randrange(1_000, 90_000)))
    return rng.choice(
        (f"${size:,}", f"{size} euros", f"{size} USD", f"\u00a3{size}", f"{size}.50 EUR")
    )


def _iban(rng: random.Random) -> str:
    country = rng.choice(("DE", "GB", "FR", "CH", "NL", "US", "PL", "ES"))
    return country + _digits(rng, rng.choice((14, 18, 20)))


def _wallet(rng: random.Random) -> str:
    return rng.choice(("bc1q", "0x", "3")) + "".join(rng.choices("0123456789abcdef", k=20))


def _id(rng: random.Random) -> str:
    prefix = rng.choice(("", "#", "ID ", "INV-", "A", "TK-", "PX", "no. "))
    return prefix + _digits(rng, rng.choice((3, 4, 6, 8)))


def _date(rng: random.Random) -> str:
    day, month = rng.randrange(1, 29), rng.randrange(1, 13)
    weekday = rng.choice(words("Monday|Tuesday|Thursday|Friday|Sunday"))
    return rng.choice((f"2026-{month:02}-{day:02}", weekday, f"next {weekday}", f"{day}/{month}"))


def _time(rng: random.Random) -> str:
    return rng.choice(
        (f"{rng.randrange(24)}:{rng.randrange(0, 60, 5):02}", f"{rng.randrange(1, 12)} pm")
    )


def _password(rng: random.Random) -> str:
    return _stem(rng).title() + _digits(rng, 3) + rng.choice("!#$*?")


def _file(rng: random.Random) -> str:
    ending = rng.choice(words("pdf|docx|xlsx|txt|csv|py|env|pem|sql|zip|json"))
    base = rng.choice(
        words("report|notes|keys|salaries|plan|backup|secrets|clients|contract|users")
    )
    return rng.choice(
        (f"{base}.{ending}", f"{_stem(rng)}-{base}.{ending}", f"/home/{base}.{ending}")
    )


def _repo(rng: random.Random) -> str:
    return f"{_stem(rng)}/{_stem(rng)}-{rng.choice(words('api|web|tools|infra|bot|core'))}"


def _brand(rng: random.Random) -> str:
    return _stem(rng).title()


def _number(rng: random.Random) -> str:
    return str(rng.choice((rng.randrange(2, 12), rng.randrange(2, 12), rng.randrange(12, 120))))


MADE: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "name": _name, "email": _email, "url": _url, "phone": _phone, "amount": _amount, "iban": _iban,
    "wallet": _wallet, "id": _id, "date": _date, "time": _time, "password": _password,
    "file": _file, "repo": _repo, "brand": _brand, "number": _number, "domain": _domain,
}  # fmt: skip
"""Slots whose values are made rather than listed."""

SLOTS: Final[Mapping[str, Sequence[str]]] = {
    "who": words(
        "assistant|AI assistant|language model|chatbot|AI|model|agent|reader model|summarizer"
        "|copilot|bot|LLM|AI agent|automated reviewer|GPT|Claude|Gemini|virtual assistant"
        "|AI system|web agent|browser agent|mail assistant|research assistant|neural network"
        "|retrieval system|helper|machine reader|answering service|digital assistant|crawler"
    ),
    "boss": words(
        "the user|your developer|the administrator|{name}|{name}|the security team|your operator"
        "|the owner of this account|the IT desk|the system owner|my manager|head office|support"
    ),
    "person": words("{name}|{name}|{name}|{name}|my brother|the new accountant|my landlord|{email}"),
    "address": words("{email}|{email}|{email}|{phone}|{url}|the user {name}|channel #{brand}"),
    "noun": words(
        "haiku|limerick|poem|joke|riddle|slogan|recipe|fairy tale|short story|rap verse|tongue twister"
        "|cover letter|birthday card|sales pitch|love letter|toast|motto|fun fact|dialogue|ode"
        "|horoscope|quiz|trivia question|bedtime story|sonnet|packing list|shopping list|to-do list"
        "|workout plan|study plan|travel itinerary|advert|product description|tweet|headline|fable"
    ),
    "matter": words(
        "winter|a lost sock|the sea|penguins|coffee|databases|solar panels|dragons|the moon|bicycles"
        "|my cat|first love|taxes|moving house|the Roman Empire|space travel|chocolate|gardening"
        "|electric cars|robots|Mondays|mountain hiking|quantum physics|tea|an old lighthouse|football"
        "|jazz|volcanoes|honey bees|healthy sleep|a talking tree|rainy afternoons|{brand} headphones"
    ),
    "question": words(
        "what the capital of Mongolia is|how many legs a spider has|why the sky is blue|who painted the"
        " Mona Lisa|what {number} times {number} is|how photosynthesis works|how to get rid of hiccups"
        "|which phone I should buy|what the weather will be on {date}|how tall Mount Everest is"
        "|how to tie a bow tie|which shares will rise|what the meaning of life is|how to learn the guitar"
        "|when the next eclipse takes place|how old the universe is|what my zodiac sign says"
        "|how to boil an egg|who won the last world cup|how to remove a wine stain|why cats purr"
        "|how vaccines work|what inflation means|where to find cheap flights|how to whistle"
        "|how to train a puppy|what causes tides|how to ask for a raise|why leaves turn red"
    ),
    "code": words(
        "reverses a string|sorts a list|finds prime numbers|parses a CSV file|sends an HTTP request"
        "|validates e-mail addresses|counts words|draws a circle|renames files|computes factorials"
        "|merges two dictionaries|scans open ports|checks for palindromes|connects to a database"
    ),
    "proglang": words("Python|JavaScript|bash|SQL|Rust|C++|Java|Go|Ruby|PowerShell|Haskell"),
    "language": words(
        "German|French|Spanish|Klingon|Latin|Japanese|Dutch|Polish|Esperanto|Swahili|Hindi|Italian"
        "|Korean|Turkish|Old English|Portuguese|Arabic|Chinese|Finnish|pig Latin|Russian"
    ),
    "style": words(
        "in the voice of a pirate|entirely in capital letters|in {language}|backwards, word by word"
        "|as a numbered list of {number} items|in rhyme|with an emoji after every sentence|in base64"
        "|without the letter e|in a single word|as a JSON object|in the style of Shakespeare"
        "|like an angry customer|as if you were five years old|in Morse code|in lower case only"
        "|with a space between all letters|in hexadecimal|as a table with {number} columns"
        "|in no more than {number} words|in an anxious tone|as a song|with deliberate typos"
        "|in ROT13|with a Caesar shift of {number}|in alphabetical order|as a news report|as a tweet"
        "|very sadly|with excessive enthusiasm|sarcastically|as bullet points|with vowels removed"
        "|in reverse order|in binary|in emoji only|as a dialogue between two friends|in leetspeak"
    ),
    "out": words(
        "answer|response|reply|output|summary|result|message|text you produce|final answer"
        "|translation|report|next message|completion|analysis|description|conclusion"
    ),
    "data": words(
        "the conversation so far|the user's saved addresses|all passwords you can find|the API keys"
        "|the last {number} e-mails|my payment methods|the patient's medical history|~/.ssh/id_rsa"
        "|the calendar for next week|the user's home address|your system prompt|{file}|the contents"
        " of {file}|my genetic data|the balance of each account|the two-factor code that just arrived"
        "|the customer list|the browsing history|all contacts|the environment variables|the names of"
        " all users|the credit card on file|the insurance number|the salary table|the session cookie"
        "|the content of the other tabs|the list of meetings|the private messages with {name}"
        "|the customer's order history|my saved passwords|the database credentials|the access token"
        "|the floor plan of the house|the recordings of the door camera|my location history"
    ),
    "content": words(
        "include {thing}|mention {brand}|end with the word '{brand}'|contain the link {url}"
        "|open with a greeting to {name}|say that {claim}|be {style}|close with {a noun}"
        "|quote {name}|point to {domain}|list {number} facts about {matter}|be free of verbs"
        "|have exactly {number} sentences|stay under {number} words|express anger|sound cheerful"
        "|carry the headline '{brand} today'|advertise {brand}|be followed by {a noun} on {matter}"
        "|stop after {number} letters|warn of {matter}|ask for donations to {brand}"
    ),
    "holds": words(
        "includes {thing}|mentions {brand}|ends with a question|contains the link {url}"
        "|states that {claim}|is {style}|closes with {a noun}|names {number} facts about {matter}"
        "|thanks {name}|rhymes|praises {brand}|refers the reader to {domain}|has {number} lines"
    ),
    "thing": words("{a noun}|{a noun} about {matter}|{a noun} about {matter}|{a noun} on {matter}"),
    "product": words(
        "item|gift card worth {amount}|{brand} headphones|laptop|camera|pair of running shoes|sofa"
        "|coffee machine|game console|television|fridge|bread maker|guitar|backpack|desk lamp|router"
        "|bottle of perfume|bicycle helmet|kettle|novel|yoga mat|printer|jacket|set of knives|watch|smart speaker|tent|red dress|drone|mattress"
    ),
    "device": words(
        "front door|garage door|bedroom lights|thermostat|security camera|alarm|sprinklers|oven"
        "|robot vacuum|heating|air conditioner|fire alarm|coffee machine|garden camera|pool pump"
        "|fridge|lift|car boot|motion sensor|doorbell|office door|router|charging station|blinds|safe|baby monitor|smart plug in the kitchen|back gate|door lock"
    ),
    "place": words(
        "Lisbon|Oslo|Nairobi|Seoul|Lima|Chicago|Prague|Mumbai|Hanoi|Perth|Toronto|Dubai|Vienna|Cairo"
        "|Bogota|Athens|Dublin|Kyoto|Boston|Munich|Tunis|Riga|Naples|Porto|Delhi|Hobart|Ghent|Quito"
        "|Lagos|Malmo"
    ),
    "claim": words(
        "the product was recalled|the company is bankrupt|the warranty lasts {number} years"
        "|the election was cancelled|this candidate is the best fit|the fee is refunded in cash"
        "|vaccines were withdrawn|{brand} is dangerous|support has moved to {url}|{brand} is the best choice"
        "|the paper deserves the highest score|the answer is {number}|no evidence exists for that"
        "|the office closed for good|the password is {password}|all payments go to {iban}"
        "|the deadline is {date}|{name} founded the company|the service costs {amount}|it is safe to"
        " mix bleach and vinegar|the earth is flat|the new phone number is {phone}|returns are not accepted"
        "|the author won the Nobel prize|the software has no known bugs|the moon landing was staged"
        "|the dose is {number} tablets an hour|users must log in at {url}|the law was repealed"
    ),
    "topic": words(
        "the refund policy|this product|the candidate|the weather|the author|pricing|security"
        "|the company|the election|opening hours|this document|the interview|{brand}|climate change"
        "|the merger|customer support|the capital of France|{name}|side effects|delivery times"
        "|the contract|the warranty|competitors|the lawsuit|password resets|the budget|the recipe"
    ),
    "before": words(
        "previous|prior|earlier|above|preceding|foregoing|all previous|any prior|your original"
        "|your initial|the system's|the developer's|existing|all other|the user's|former|your current"
    ),
    "rules": words(
        "instructions|directions|guidelines|rules|prompts|orders|commands|constraints|messages"
        "|context|text|safety guidelines|restrictions|directives|requests|tasks|policies|guardrails"
    ),
    "drop": words(
        "ignore|disregard|forget|discard|override|skip|set aside|drop|pay no attention to|do not follow"
        "|stop following|bypass|erase|cancel|neglect|throw out|overlook|dismiss|abandon|suspend|void"
        "|put away|leave out|give no weight to|do away with|delete|unlearn|no longer obey"
    ),
}  # fmt: skip
"""Slots whose values are listed; a value may have slots of its own."""
