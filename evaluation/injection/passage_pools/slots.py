"""What fills the slots of the grammars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["SLOTS"]

SLOTS: Final[Mapping[str, Sequence[str]]] = {
    "name": ("Marta", "Oliver", "Mrs. Sato", "Deepak", "Ingrid", "Mr. Okafor", "Yusuf", "Clare", "Tomasz", "Beatriz", "Hannah", "Dr. Lindqvist"),
    "other": ("Felix", "Nadia", "Mr. Brandt", "Leila", "Gregor", "Ms. Ito", "Paulo", "Rebecca", "Viktor", "Aisling", "Sanjay", "Elena"),
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "the 3rd of March", "next week", "tomorrow", "the end of the month"),
    "clock": ("8:30", "nine", "10 a.m.", "noon", "2 p.m.", "3:15 pm", "half past four", "17:00"),
    "city": ("Lisbon", "Ghent", "Kraków", "Leeds", "Porto", "Turin", "Osaka", "Montreal", "Aarhus", "Graz", "Nairobi", "Valencia"),
    "company": ("Harrow & Lane", "Nordlicht GmbH", "Tidewater Systems", "Bluebird Foods", "Castell Partners", "Fenwick Logistics", "Ostara Energy", "Pinewood Dental"),
    "product": ("kettle", "desk lamp", "road bike", "dishwasher", "headset", "backpack", "drill", "e-reader", "office chair", "coffee grinder", "robot vacuum"),
    "part": ("filter", "hinge", "battery", "charger", "gasket", "lid", "handle", "sensor", "power supply", "remote control"),
    "doc": ("the quarterly report", "the draft contract", "the travel claim", "the floor plan", "the budget sheet", "the seating plan", "the tender documents", "the audit file", "the job description"),
    "topic": ("parking", "remote work", "expenses", "visitor badges", "the new canteen", "overtime", "data retention", "fire drills", "shift swaps", "annual leave", "the office move"),
    "n": ("2", "3", "4", "5", "7", "12", "15", "20", "24", "30", "48"),
    "big": ("120", "250", "480", "1,200", "3,400", "9,000", "12,500", "40,000"),
    "year": ("1847", "1912", "1956", "1979", "1994", "2008", "2017", "2021", "2024", "2025"),
    "ver": ("1.4.2", "2.0", "2.11.0", "3.7", "4.1.3", "0.9.8", "5.2", "7.0.1"),
    "bot": ("Orla", "HelpMate", "Quill", "the in-app assistant", "DeskBuddy", "our chatbot", "the writing assistant", "Scout", "the support bot"),
    "llm": ("the model", "a language model", "an assistant", "the chatbot", "an LLM", "your assistant", "a large language model", "the AI"),
    "role": ("a travel agent", "a patient tutor", "an experienced editor", "a nutritionist", "a friendly librarian", "a tax adviser", "a junior developer", "a sceptical reviewer", "a museum guide", "a recruiter"),
    "task": ("summarising minutes", "drafting replies", "sorting tickets", "translating menus", "tidying up notes", "writing unit tests", "explaining a bill", "planning a lesson", "comparing offers", "extracting dates"),
    "fmt": ("a table", "bullet points", "JSON", "a short paragraph", "Markdown", "plain text", "a numbered list", "CSV", "two sentences"),
    "file": ("README.md", "config.yaml", "docs/setup.md", "src/parser.py", "Makefile", "pyproject.toml", "tests/test_api.py", "main.go", "package.json"),
    "cmd": ("make test", "npm ci", "cargo fmt", "pytest -q", "go vet ./...", "docker compose up", "uv sync", "git fetch", "pre-commit run", "make lint"),
    "mod": ("the parser", "the scheduler", "the login page", "the export", "the cache", "the importer", "the search index", "the payment form", "the sync client"),
    "food": ("leeks", "chickpeas", "mushrooms", "apples", "red lentils", "salmon", "carrots", "aubergines", "potatoes", "chicken thighs", "plums"),
    "herb": ("thyme", "parsley", "dill", "basil", "rosemary", "coriander", "mint", "sage"),
    "team": ("Rovers", "the Harriers", "United", "the visitors", "Athletic", "the home side", "the champions", "Wanderers"),
    "drug": ("Calmodal", "Ventorin", "Prexolan", "Dermasil", "Hexapron", "Lumivex", "Tarmazol"),
    "lang": ("French", "German", "Spanish", "Italian", "Polish", "Japanese", "Latin", "Dutch", "English"),
    "subj": ("photosynthesis", "the French Revolution", "supply and demand", "volcanoes", "the water cycle", "the sonnet", "fractions", "plate tectonics", "the digestive system", "the Silk Road"),
    "job": ("warehouse clerk", "data analyst", "nurse", "sous-chef", "account manager", "electrician", "translator", "site engineer", "teaching assistant", "UX designer"),
    "beast": ("goblins", "wolves", "bandits", "skeletons", "river spirits", "cultists", "giant spiders", "pirates"),
}  # fmt: skip
