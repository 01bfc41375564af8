"""Code points that are not what they seem, by kind. From the Unicode 15 data files."""

from __future__ import annotations

import re
from typing import Final

IGNORABLE_CLASS: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Default-ignorable code points and interlinear marks, as the inside of a character class."""
IGNORABLE: Final = re.compile(f"[{IGNORABLE_CLASS}]")

ZWNJ: Final = "\u200c"
ZWJ: Final = "\u200d"
SOFT_HYPHEN: Final = "\u00ad"
RLO: Final = "\u202e"
LRO: Final = "\u202d"
POP: Final = "\u202c"
KEYCAP: Final = "\u20e3"
STYLES: Final = "\ufe0e\ufe0f"

_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
EMOJI: Final = re.compile(f"[{_EMOJI}]")
STYLED: Final = re.compile(f"[{_EMOJI}0-9#*]")
"""What an emoji or text variation selector may follow."""
IDEOGRAPH: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
JOINING: Final = re.compile(
    "[\u0620-\u065f\u066e-\u06ff\u0700-\u074f\u0750-\u077f\u0780-\u07bf\u07c0-\u07ff\u0840-\u085f"
    "\u0860-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\u1b00-\u1bff"
    "\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U000114ff]"
)
"""Letters and marks of scripts in which a joiner or non-joiner means something."""
NO_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1980-\u19df"
    "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Scripts that may mark a place to break a line with a zero-width space."""
RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
MONGOLIAN: Final = re.compile("[\u1800-\u18af]")
FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
"""Flags of subdivisions: a black flag, tag letters, the cancel tag."""

STACKING: Final = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
OVERLAY: Final = re.compile("[\u0334-\u0338\u0488\u0489\u20d2-\u20d4\u20d8-\u20e1\u20e4-\u20eb]")
"""Marks drawn over a letter: no orthography needs them."""
STYLED_LETTERS: Final = re.compile(
    "[\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169"
    "\U0001f170-\U0001f189]"
)

LOOKALIKE: Final = {
    **dict(zip("аеорсухіјѕԁһӏԛԝ", "aeopcyxijsdhlqw", strict=True)),  # noqa: RUF001
    **dict(zip("АВЕКМНОРСТУХІЈЅԌ", "ABEKMHOPCTYXIJSG", strict=True)),  # noqa: RUF001
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True)),  # noqa: RUF001
}
"""Letters that cannot be told from Latin ones."""
SMALL_CAPITALS: Final = dict(
    zip("ɪʀʟᴀʙᴄᴅᴇꜰɢʜᴊᴋᴍɴᴏᴘꜱᴛᴜᴠᴡʏᴢ", "irlabcdefghjkmnopstuvwyz", strict=True)
)
CONFUSABLE: Final = {
    **LOOKALIKE,
    **SMALL_CAPITALS,
    **dict(zip("кмтнвпгьґЗз", "kmthbnrbr33", strict=True)),
    **dict(zip("αεικνρτυχγηωκβ", "aeiknptuxynwkb", strict=True)),
    **dict(zip("օոսհցյզ", "onuhgjq", strict=True)),
    **dict(zip("ᎠᎡᎢᎪᎬᎳᎷᎻᎽᏀᏃᏆᏎᏒᏔᏙᏚᏢᏦᏩᏴ", "DRTAEWMHYGZTSRWVSPKGB", strict=True)),
    **dict(zip("ɑɡɩ", "agi", strict=True)),  # noqa: RUF001
}
"""Letters that pass for Latin ones inside a word of Latin letters."""
