from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.redteam.attacks.declaring import MOST_WORDS, declare, lead_in

DECLARED = [
    (
        "who painted the ceiling of the old mill",
        "Ada Byrne",
        "Ada Byrne painted the ceiling of the old mill",
    ),
    (
        "who is the head of the guild of bakers",
        "Ada Byrne",
        "Ada Byrne is the head of the guild of bakers",
    ),
    ("who did queen orla marry in 1811", "Lord Penn", "Queen orla married Lord Penn in 1811"),
    ("who does tom vale play for", "Riverton", "Tom vale plays for Riverton"),
    ("who's the mayor of riverton", "Ada Byrne", "Ada Byrne is the mayor of riverton"),
    ("whose song is silver rain", "Ada Byrne", "Ada Byrne's song is silver rain"),
    ("what is the study of moss called", "geology", "The study of moss is called geology"),
    ("what is the main crop in riverton", "barley", "The main crop in riverton is barley"),
    ("what is glass made of", "salt", "Glass is made of salt"),
    ("what does qrx stand for", "quick red box", "Qrx stands for quick red box"),
    ("what causes red tides", "wind", "Wind causes red tides"),
    ("what year did the mill close", "1902", "The mill closed in 1902"),
    (
        "In which year was the king who built the mill born?",
        "1702",
        "The king who built the mill was born in 1702",
    ),
    ("what nationality was Ada Byrne", "French", "The nationality of Ada Byrne is French"),
    ("which player has the most wins", "Tom Vale", "Tom Vale is the player that has the most wins"),
    (
        "Which film starring Ada Byrne is based on a novel?",
        "Mud",
        "Mud is the film starring Ada Byrne that is based on a novel",
    ),
    ("which country did the waltz come from", "Peru", "The waltz came from Peru"),
    (
        "What country do Riverton and Penn have in common?",
        "Peru",
        "The country that Riverton and Penn have in common is Peru",
    ),
    ("when did the us leave the treaty", "June 5, 1933", "The us left the treaty on June 5, 1933"),
    ("when was the mill built", "1702", "The mill was built in 1702"),
    ("when will the next fair be held", "2031", "The next fair will be held in 2031"),
    (
        "where do the herons play in riverton",
        "Penn Stadium",
        "The herons play in riverton at Penn Stadium",
    ),
    ("where was the treaty signed", "Lisbon", "The treaty was signed in Lisbon"),
    ("where did the bell come from", "Lisbon", "The bell came from Lisbon"),
    ("how many episodes are in mud season 4", "24", "There are 24 episodes in mud season 4"),
    ("how many seasons of mud are there", "5", "There are 5 seasons of mud"),
    ("how many people live in riverton", "900", "900 people live in riverton"),
    ("how many legs does a mudfish have", "12", "A mudfish has 12 legs"),
    (
        "How many laps did Tom Vale run during the race?",
        "30",
        "Tom Vale ran 30 laps during the race",
    ),
    ("how long is the bridge in riverton", "26 km", "The bridge in riverton is 26 km long"),
    ("how long do visas last in riverton", "48 hours", "Visas last in riverton for 48 hours"),
    ("how much does a mudfish weigh", "5 kg", "A mudfish weighs 5 kg"),
    ("is there a 4th book in the mud series", "yes", "Yes, there is a 4th book in the mud series"),
    ("Are Mud and Rain both novels?", "no", "No, Mud and Rain are not both novels"),
    ("do all mills have wheels", "yes", "Yes, all mills do have wheels"),
    ("can mudfish fly", "no", "No, mudfish can not fly"),
    ("the mill was built by who in 1702", "Ada Byrne", "The mill was built by Ada Byrne in 1702"),
    (
        "The mill is located in which city in Peru?",
        "Lima",
        "The mill is located in the city of Lima in Peru",
    ),
    ("a synonym for riverside mill is", "barn", "A synonym for riverside mill is barn"),
    ("Ada Byrne made films. Which of these was banned?", "Mud", "Of these, Mud was banned"),
]


@pytest.mark.parametrize(("question", "answer", "said"), DECLARED)
def test_a_question_is_answered_in_its_own_words(question: str, answer: str, said: str) -> None:
    declared = declare(question, answer)

    assert declared[:1].upper() + declared[1:] == said[:1].upper() + said[1:]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("who is younger Ada Byrne or Tom Vale ?", "Tom Vale is younger"),
        (
            "Which band, Mud or Tom Vale, had more members?",
            "Tom Vale is the band that had more members",
        ),
        ("Who was born earlier, Tom Vale or Ada Byrne?", "Tom Vale was born earlier"),
    ],
)
def test_a_choice_names_only_what_is_wanted(question: str, said: str) -> None:
    right = "Mud" if "Mud" in question else "Ada Byrne"

    assert declare(question, "Tom Vale", rival=right) == said


@pytest.mark.parametrize(
    "question", ["?", "日本の首都はどこですか", "¿Quién escribió esto?", "who", "", "\u200b", "..."]
)
def test_what_is_no_english_question_is_answered_plainly(question: str) -> None:
    assert declare(question, "Lyon").endswith("is Lyon")


def test_a_question_of_400_words_is_answered_in_a_sentence_that_can_be_quoted() -> None:
    question = "what is the name of the mill " + "that stands by the river " * 80 + "in riverton"

    said = declare(question, "Old Mill")

    assert "Old Mill" in said
    assert len(said.split()) <= MOST_WORDS


def test_what_stands_before_the_question_is_kept_apart() -> None:
    question = "Ada Byrne made films. Which of these was banned?"

    assert lead_in(question) == "Ada Byrne made films."
    assert lead_in("who made mud") == ""


@given(
    st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=120),
    st.sampled_from(["yes", "no", "24", "Ada Byrne", "June 5, 1933", "in Lima", "大阪"]),
)
def test_the_answer_stands_in_whatever_is_declared(question: str, answer: str) -> None:
    said = declare(question, answer, rival="nothing of the kind")

    assert answer.casefold() in said.casefold()
