from __future__ import annotations

import pytest

from defences.answering.values import ValueKind, comparable, find_values, same_value

DAY = 86_400.0


@pytest.mark.parametrize(
    ("text", "kind", "low", "high", "unit"),
    [
        ("within 30 days", ValueKind.DURATION, 30 * DAY, 30 * DAY, "s"),
        ("thirty (30) days", ValueKind.DURATION, 30 * DAY, 30 * DAY, "s"),
        ("a 36-hour wait", ValueKind.DURATION, 1.5 * DAY, 1.5 * DAY, "s"),
        ("1 hour and 30 minutes", ValueKind.DURATION, 5400, 5400, "s"),
        ("an hour and a half", ValueKind.DURATION, 5400, 5400, "s"),
        ("one and a half hours", ValueKind.DURATION, 5400, 5400, "s"),
        ("half an hour", ValueKind.DURATION, 1800, 1800, "s"),
        ("a fortnight", ValueKind.DURATION, 14 * DAY, 14 * DAY, "s"),
        ("3-5 days", ValueKind.DURATION, 3 * DAY, 5 * DAY, "s"),
        ("between 3 and 5 working days", ValueKind.DURATION, 3, 5, "working-day"),
        ("14 calendar days", ValueKind.DURATION, 14 * DAY, 14 * DAY, "s"),
        ("48h", ValueKind.DURATION, 2 * DAY, 2 * DAY, "s"),
        ("every other week", ValueKind.FREQUENCY, 14 * DAY, 14 * DAY, "/s"),
        ("3 times a day", ValueKind.FREQUENCY, DAY / 3, DAY / 3, "/s"),
        ("daily", ValueKind.FREQUENCY, DAY, DAY, "/s"),
        ("5 mg", ValueKind.QUANTITY, 0.005, 0.005, "g"),
        ("50 mg", ValueKind.QUANTITY, 0.05, 0.05, "g"),
        ("1.6 metres", ValueKind.QUANTITY, 1.6, 1.6, "m"),
        ("160 cm", ValueKind.QUANTITY, 1.6, 1.6, "m"),
        ("10 000 km", ValueKind.QUANTITY, 1e7, 1e7, "m"),
        ("5 GB", ValueKind.QUANTITY, 5e9, 5e9, "B"),
        ("-5 °C", ValueKind.QUANTITY, -5, -5, "°C"),
        ("two and a half litres", ValueKind.QUANTITY, 2.5, 2.5, "l"),
        ("2½ litres", ValueKind.QUANTITY, 2.5, 2.5, "l"),
        ("2,5 Liter", ValueKind.QUANTITY, 2.5, 2.5, "l"),
        ("35%", ValueKind.PERCENT, 35, 35, "%"),
        ("thirty-five per cent", ValueKind.PERCENT, 35, 35, "%"),
        ("€29.50", ValueKind.MONEY, 29.5, 29.5, "EUR"),
        ("29.50 euros", ValueKind.MONEY, 29.5, 29.5, "EUR"),
        ("EUR 1,200", ValueKind.MONEY, 1200, 1200, "EUR"),
        ("$3.5 million", ValueKind.MONEY, 3.5e6, 3.5e6, "USD"),
        ("80 cents", ValueKind.MONEY, 0.8, 0.8, "cent"),
        ("eight relay outputs", ValueKind.NUMBER, 8, 8, ""),
        ("1,500 customers", ValueKind.NUMBER, 1500, 1500, ""),
        ("2000 customers", ValueKind.NUMBER, 2000, 2000, ""),
        ("two hundred and fifty users", ValueKind.NUMBER, 250, 250, ""),
        ("5k followers", ValueKind.NUMBER, 5000, 5000, ""),
        ("1.000.000 Einwohner", ValueKind.NUMBER, 1e6, 1e6, ""),
        ("a dozen eggs", ValueKind.NUMBER, 12, 12, ""),
        ("20–30 units", ValueKind.NUMBER, 20, 30, ""),  # noqa: RUF001
        ("the third season", ValueKind.ORDINAL, 3, 3, ""),
        ("the 21st edition", ValueKind.ORDINAL, 21, 21, ""),
    ],
)
def test_a_figure_is_read_in_its_base_unit(
    text: str, kind: ValueKind, low: float, high: float, unit: str
) -> None:
    (value,) = find_values(text)

    assert (value.kind, value.unit) == (kind, unit)
    assert [value.low, value.high] == pytest.approx([low, high])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("on 21 October 2016", (2016, 10, 21)),
        ("October 21, 2016", (2016, 10, 21)),
        ("the 21st of October", (None, 10, 21)),
        ("2016-10-21", (2016, 10, 21)),
        ("21.10.2016", (2016, 10, 21)),
        ("10/21/2016", (2016, 10, 21)),
        ("03/04/2026", (2026, 4, 3)),
        ("in March 2026", (2026, 3, None)),
        ("until March", (None, 3, None)),
        ("in 1971", (1971, None, None)),
        ("(1926)", (1926, None, None)),
    ],
)
def test_a_date_is_read_in_parts(text: str, parts: tuple[int | None, ...]) -> None:
    (value,) = find_values(text)

    assert value.moment is not None
    assert (value.moment.year, value.moment.month, value.moment.day) == parts


@pytest.mark.parametrize(
    "text",
    [
        "a dose of 1200 mg", "of 1500 ml", "for 1500 m", "the 1800 rpm limit", "of 1200 kWh a year",
        "by 1500 metres", "to 1000 °C", "around 1900 euros", "in 1200 days", "after 1930 hours of flight",
        "of 2000 units", "for 1500 registered users", "around 2000 people", "to 1500 requests",
        "it costs $ 1900.", "EUR 1900.", "CHF 1900,", "it costs $1,900.", "it costs 1900 €.",
        "see page 1984.", "pp. 1984;", "in room 1204.", "§ 1984.", "form 1040.", "port 1883;",
        "error 2003.", "ISO 1999.", "invoice no. 2019.", "ticket #2045.",
        "a 2048-bit key", "a 1500-word essay", "a 1200-mile walk", "of 1920 x 1080", "1080 x 1920.",
        "of 1200/day", "of 1200 per batch", "between 1200 and 1500 mg", "from 1200 to 1500 users",
        "of 1200-1500 kg",
    ],
)  # fmt: skip
def test_a_figure_that_is_measured_counted_paid_or_numbered_is_no_year(text: str) -> None:
    values = find_values(text)

    assert values
    assert all(value.moment is None for value in values)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("in 2020 patients were asked", [2020]),
        ("by 2030 emissions will fall", [2030]),
        ("in 2020 second place", [2020]),
        ("In 1984 A Coruña was", [1984]),
        ("in 1999 in Paris", [1999]),
        ("since 2019 per capita income", [2019]),
        ("in 2020 day trips", [2020]),
        ("from 1990 to 1995", [1990, 1995]),
        ("between 1914 and 1918", [1914, 1918]),
        ("the edition of 1911, page 3", [1911]),
        ("in 2020 and 1500 mg", [2020]),
        ("Article 5 (2019)", [2019]),
        ("the 2019-built bridge", [2019]),
    ],
)
def test_a_year_stays_one_whatever_follows_it(text: str, years: list[int]) -> None:
    found = [value.moment.year for value in find_values(text) if value.moment is not None]

    assert found == years


def test_doses_of_four_figures_differ_by_their_unit() -> None:
    (milligrams,), (grams,) = find_values("a dose of 1200 mg"), find_values("a dose of 1200 g")

    assert not same_value(milligrams, grams)
    assert same_value(milligrams, find_values("a dose of 1.2 g")[0])


@pytest.mark.parametrize(
    ("text", "parts", "others"),
    [
        ("on 5 March 1200 units were sold", (None, 3, 5), 1),
        ("On March 5, 1500 mg was given", (None, 3, 5), 1),
        ("on 5 March 1987", (1987, 3, 5), 0),
        ("in March 1987 sales fell", (1987, 3, None), 0),
    ],
)
def test_a_date_does_not_take_the_figure_behind_it_for_its_year(
    text: str, parts: tuple[int | None, ...], others: int
) -> None:
    date, *rest = find_values(text)

    assert date.moment is not None
    assert (date.moment.year, date.moment.month, date.moment.day) == parts
    assert len(rest) == others
    assert all(value.moment is None for value in rest)


@pytest.mark.parametrize(
    ("text", "minute"),
    [("09:30", 570), ("9.30 a.m.", 570), ("5 pm", 1020), ("noon", 720), ("12 am", 0)],
)
def test_a_time_of_day_is_read_in_minutes(text: str, minute: int) -> None:
    (value,) = find_values(text)

    assert value.moment is not None
    assert value.moment.minute == minute


@pytest.mark.parametrize(
    "text",
    [
        "no one knows",
        "one of the users",
        "any one may",
        "they march on",
        "you may ask",
        "",
        "§",
        "v2",
    ],
)
def test_what_is_no_figure_is_not_read_as_one(text: str) -> None:
    assert find_values(text) == ()


@pytest.mark.parametrize(
    ("text", "bound", "per", "negated"),
    [
        ("at least 35%", 1, "", False),
        ("35% or more", 1, "", False),
        ("up to 5 seats", -1, "", False),
        ("not more than 5 seats", -1, "", False),
        ("within 30 days", -1, "", False),
        ("29 euros a month", 0, "month", False),
        ("€29 per seat", 0, "seat", False),
        ("not 36 months", 0, "", True),
        ("no longer 36 months", 0, "", True),
        ("no longer than 36 months", -1, "", False),
        ("36 months", 0, "", False),
    ],
)
def test_limits_rates_and_denials_are_read_off_the_surroundings(
    text: str, bound: int, per: str, negated: bool
) -> None:
    (value,) = find_values(text)

    assert (value.bound, value.per, value.negated) == (bound, per, negated)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("5 mg", "50 mg", False),
        ("5 mg", "0.005 g", True),
        ("30 days", "a month", True),
        ("28 days", "a month", True),
        ("27 days", "a month", False),
        ("24 months", "two years", True),
        ("24 months", "3 years", False),
        ("11 months", "a year", False),
        ("365 days", "one year", True),
        ("48 hours", "2 days", True),
        ("5 days", "5 working days", False),
        ("3 to 5 days", "3-5 days", True),
        ("3 to 5 days", "4 days", False),
        ("twice a year", "every six months", True),
        ("quarterly", "four times a year", True),
        ("quarterly", "monthly", False),
        ("at least 3 seats", "3 seats", True),
        ("at least 3 seats", "at most 3 seats", False),
        ("29 euros a month", "29 euros a year", False),
        ("29 euros a month", "€29", True),
        ("€29", "$29", False),
        ("50 cents", "€0.50", True),
        ("36", "36 months", True),
        ("9", "36 months", False),
        ("15 August 1971", "1971", True),
        ("15 August 1971", "15 August", True),
        ("15 August 1971", "16 August 1971", False),
        ("in 1971", "in 1972", False),
        ("in 1960", "the 1960s", False),
        ("the third season", "3 seasons", False),
        ("68 °F", "20 °C", True),
        ("68 °F", "21 °C", False),
        ("1 mile", "1.609 km", False),
        ("1 mile", "1609.344 m", True),
        ("9 a.m.", "09:00", True),
        ("9 a.m.", "9 p.m.", False),
        ("Monday", "Mondays", True),
        ("Monday", "Tuesday", False),
        ("35%", "thirty-five percent", True),
        ("35%", "53%", False),
    ],
)
def test_figures_are_compared_by_what_they_say(first: str, second: str, same: bool) -> None:
    (one,), (other,) = find_values(first), find_values(second)

    assert same_value(one, other) is same
    assert same_value(other, one) is same


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("5 mg", "50 mg", True),
        ("5 mg", "5 days", False),
        ("8 relay outputs", "6 relay outputs", True),
        ("8 relay outputs", "500 events", False),
        ("29 euros a month", "300 euros a year", False),
    ],
)
def test_figures_of_different_matters_do_not_contradict(
    first: str, second: str, expected: bool
) -> None:
    (one,), (other,) = find_values(first), find_values(second)

    assert comparable(one, other) is expected
