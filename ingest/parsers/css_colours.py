"""Colours of CSS, as far as telling text from what is painted behind it takes."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_FUNCTION: Final = re.compile(
    r"(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]{0,120})\)", re.IGNORECASE
)
_MIX: Final = re.compile(r"color-mix\(\s*in [^,()]{1,40},(.{1,200})\)\Z", re.DOTALL)
_EITHER: Final = re.compile(r"light-dark\((.{1,200})\)\Z", re.DOTALL)
_SHARE: Final = re.compile(r"\s*([\d.]+)%\s*")
_ARGUMENTS: Final = re.compile(r"[\s,/]+")
_COMMA: Final = re.compile(r",(?![^()]*\))")
_ALPHA_OF_NOTHING: Final = 0.05
_NAMES: Final = (
    "aliceblue=f0f8ff antiquewhite=faebd7 aqua=00ffff aquamarine=7fffd4 azure=f0ffff "
    "beige=f5f5dc bisque=ffe4c4 black=000000 blanchedalmond=ffebcd blue=0000ff "
    "blueviolet=8a2be2 brown=a52a2a burlywood=deb887 cadetblue=5f9ea0 chartreuse=7fff00 "
    "chocolate=d2691e coral=ff7f50 cornflowerblue=6495ed cornsilk=fff8dc crimson=dc143c "
    "cyan=00ffff darkblue=00008b darkcyan=008b8b darkgoldenrod=b8860b darkgray=a9a9a9 "
    "darkgreen=006400 darkgrey=a9a9a9 darkkhaki=bdb76b darkmagenta=8b008b "
    "darkolivegreen=556b2f darkorange=ff8c00 darkorchid=9932cc darkred=8b0000 "
    "darksalmon=e9967a darkseagreen=8fbc8f darkslateblue=483d8b darkslategray=2f4f4f "
    "darkslategrey=2f4f4f darkturquoise=00ced1 darkviolet=9400d3 deeppink=ff1493 "
    "deepskyblue=00bfff dimgray=696969 dimgrey=696969 dodgerblue=1e90ff firebrick=b22222 "
    "floralwhite=fffaf0 forestgreen=228b22 fuchsia=ff00ff gainsboro=dcdcdc ghostwhite=f8f8ff "
    "gold=ffd700 goldenrod=daa520 gray=808080 green=008000 greenyellow=adff2f grey=808080 "
    "honeydew=f0fff0 hotpink=ff69b4 indianred=cd5c5c indigo=4b0082 ivory=fffff0 khaki=f0e68c "
    "lavender=e6e6fa lavenderblush=fff0f5 lawngreen=7cfc00 lemonchiffon=fffacd "
    "lightblue=add8e6 lightcoral=f08080 lightcyan=e0ffff lightgoldenrodyellow=fafad2 "
    "lightgray=d3d3d3 lightgreen=90ee90 lightgrey=d3d3d3 lightpink=ffb6c1 lightsalmon=ffa07a "
    "lightseagreen=20b2aa lightskyblue=87cefa lightslategray=778899 lightslategrey=778899 "
    "lightsteelblue=b0c4de lightyellow=ffffe0 lime=00ff00 limegreen=32cd32 linen=faf0e6 "
    "magenta=ff00ff maroon=800000 mediumaquamarine=66cdaa mediumblue=0000cd "
    "mediumorchid=ba55d3 mediumpurple=9370db mediumseagreen=3cb371 mediumslateblue=7b68ee "
    "mediumspringgreen=00fa9a mediumturquoise=48d1cc mediumvioletred=c71585 "
    "midnightblue=191970 mintcream=f5fffa mistyrose=ffe4e1 moccasin=ffe4b5 navajowhite=ffdead "
    "navy=000080 oldlace=fdf5e6 olive=808000 olivedrab=6b8e23 orange=ffa500 orangered=ff4500 "
    "orchid=da70d6 palegoldenrod=eee8aa palegreen=98fb98 paleturquoise=afeeee "
    "palevioletred=db7093 papayawhip=ffefd5 peachpuff=ffdab9 peru=cd853f pink=ffc0cb "
    "plum=dda0dd powderblue=b0e0e6 purple=800080 rebeccapurple=663399 red=ff0000 "
    "rosybrown=bc8f8f royalblue=4169e1 saddlebrown=8b4513 salmon=fa8072 sandybrown=f4a460 "
    "seagreen=2e8b57 seashell=fff5ee sienna=a0522d silver=c0c0c0 skyblue=87ceeb "
    "slateblue=6a5acd slategray=708090 slategrey=708090 snow=fffafa springgreen=00ff7f "
    "steelblue=4682b4 tan=d2b48c teal=008080 thistle=d8bfd8 tomato=ff6347 turquoise=40e0d0 "
    "violet=ee82ee wheat=f5deb3 white=ffffff whitesmoke=f5f5f5 yellow=ffff00 "
    "yellowgreen=9acd32 "
    "canvas=ffffff field=ffffff canvastext=000000 fieldtext=000000 window=ffffff windowtext=000000"
)
TRANSPARENT: Final = "transparent"


@dataclass(frozen=True, slots=True)
class Colour:
    red: int
    green: int
    blue: int

    def near(self, other: Colour) -> bool:
        """Whether text of one on the other cannot be read: channels within 24 of 255."""
        return (
            max(
                abs(self.red - other.red),
                abs(self.green - other.green),
                abs(self.blue - other.blue),
            )
            <= 24  # noqa: PLR2004 - contrast ratio of at most about 1.2
        )


WHITE: Final = Colour(255, 255, 255)
BLACK: Final = Colour(0, 0, 0)
_NAMED: Final[Mapping[str, str]] = dict(pair.split("=") for pair in "".join(_NAMES).split())


def colour(value: str) -> Colour | str | None:
    """Return a colour, `TRANSPARENT`, or None where it is not known."""
    value = value.strip().lower()
    if value == TRANSPARENT:
        return TRANSPARENT
    if value in _NAMED:
        return _hex(_NAMED[value])
    if value.startswith("#"):
        return _hex(value[1:])
    if "(" not in value:
        return None
    if (mixed := _MIX.match(value)) is not None:
        return _mixed(_COMMA.split(mixed[1]))
    if (either := _EITHER.match(value)) is not None:
        return colour(_COMMA.split(either[1])[0])
    match = _FUNCTION.search(value)
    return None if match is None else _of_function(match[1], match[2])


def colours_in(value: str) -> list[Colour | str]:
    """Return the colours that a longer value, such as a gradient, names."""
    pieces = re.findall(r"#[0-9a-f]{3,8}|[a-z-]+\([^()]*\)|[a-z]+", value.lower())
    found = [colour(piece) for piece in pieces if not piece.startswith(("to", "at"))]
    return [each for each in found if each is not None]


def _mixed(sides: Sequence[str]) -> Colour | str | None:
    """Return two colours mixed by their shares, in the space of the screen whatever was asked."""
    if len(sides) != 2:  # noqa: PLR2004
        return None
    shares = [_SHARE.search(side) for side in sides]
    one, other = (colour(_SHARE.sub(" ", side)) for side in sides)
    if not isinstance(one, Colour) or not isinstance(other, Colour):
        return one if one == other else None
    first, second = shares
    share = float(first[1]) / 100 if first else 1 - float(second[1]) / 100 if second else 0.5
    pairs = ((one.red, other.red), (one.green, other.green), (one.blue, other.blue))
    return _rgb([a * share + b * (1 - share) for a, b in pairs])


def _of_function(name: str, inside: str) -> Colour | str | None:
    parts = [part for part in _ARGUMENTS.split(inside.strip()) if part]
    if name == "color":
        parts = parts[1:]
    if len(parts) not in (3, 4):
        return None
    try:
        alpha = _number(parts[3], 1.0) if len(parts) == 4 else 1.0  # noqa: PLR2004
        channels = _SPACES[name](parts[:3])
    except (ValueError, OverflowError):
        return None
    return TRANSPARENT if alpha <= _ALPHA_OF_NOTHING else _rgb(channels)


def _number(part: str, whole: float) -> float:
    """Return a number; `100%` is `whole`.

    Raises:
        ValueError: It is none, or no finite one.
    """
    if part == "none":
        return 0.0
    number = float(part[:-1]) / 100 * whole if part.endswith("%") else float(part)
    if not math.isfinite(number):
        raise ValueError("a channel is not finite")
    return number


def _angle(part: str) -> float:
    for unit, full in (("grad", 400.0), ("rad", math.tau), ("turn", 1.0), ("deg", 360.0)):
        if part.endswith(unit):
            return _number(part[: -len(unit)], 0.0) / full
    return _number(part, 360.0) / 360.0


def _of_rgb(parts: Sequence[str]) -> Sequence[float]:
    return [_number(part, 255.0) for part in parts]


def _of_hsl(parts: Sequence[str]) -> Sequence[float]:
    saturation, light = (
        min(1.0, max(0.0, _number(part.removesuffix("%"), 0.0) / 100)) for part in parts[1:]
    )
    return [255 * c for c in colorsys.hls_to_rgb(_angle(parts[0]) % 1.0, light, saturation)]


def _of_hwb(parts: Sequence[str]) -> Sequence[float]:
    white, black = (max(0.0, _number(part.removesuffix("%"), 0.0) / 100) for part in parts[1:])
    if white + black >= 1.0:
        return [255 * white / (white + black)] * 3
    pure = colorsys.hls_to_rgb(_angle(parts[0]) % 1.0, 0.5, 1.0)
    return [255 * (c * (1 - white - black) + white) for c in pure]


def _of_screen(parts: Sequence[str]) -> Sequence[float]:
    return [255 * _number(part, 1.0) for part in parts]


def _of_lab(parts: Sequence[str]) -> Sequence[float]:
    return _from_lab(
        *(_number(part, whole) for part, whole in zip(parts, (100, 125, 125), strict=True))
    )


def _of_lch(parts: Sequence[str]) -> Sequence[float]:
    light, chroma = _number(parts[0], 100.0), _number(parts[1], 150.0)
    turn = math.tau * _angle(parts[2])
    return _from_lab(light, chroma * math.cos(turn), chroma * math.sin(turn))


def _from_lab(light: float, a: float, b: float) -> Sequence[float]:
    """CIE Lab (D50) to the screen's channels, CSS Color 4, by way of XYZ with the matrix for D50."""
    fy = (light + 16) / 116
    x, y, z = (
        w * (f**3 if f > 6 / 29 else 3 * (6 / 29) ** 2 * (f - 4 / 29))
        for f, w in ((fy + a / 500, 0.9643), (fy, 1.0), (fy - b / 200, 0.8251))
    )
    return [
        _gamma(3.1341 * x - 1.6172 * y - 0.4907 * z),
        _gamma(-0.9788 * x + 1.9161 * y + 0.0335 * z),
        _gamma(0.0719 * x - 0.2290 * y + 1.4052 * z),
    ]


def _of_oklab(parts: Sequence[str]) -> Sequence[float]:
    return _from_oklab(
        *(_number(part, whole) for part, whole in zip(parts, (1.0, 0.4, 0.4), strict=True))
    )


def _of_oklch(parts: Sequence[str]) -> Sequence[float]:
    chroma, turn = _number(parts[1], 0.4), math.tau * _angle(parts[2])
    return _from_oklab(_number(parts[0], 1.0), chroma * math.cos(turn), chroma * math.sin(turn))


def _from_oklab(light: float, a: float, b: float) -> Sequence[float]:
    """Ottosson 2020, "A perceptual color space for image processing"."""
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return [
        _gamma(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
        _gamma(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
        _gamma(-0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short),
    ]


def _gamma(channel: float) -> float:
    bounded = min(1.0, max(0.0, channel))
    bent = 12.92 * bounded if bounded <= 0.0031308 else 1.055 * bounded ** (1 / 2.4) - 0.055  # noqa: PLR2004 - sRGB
    return 255 * bent


_SPACES: Final[Mapping[str, Callable[[Sequence[str]], Sequence[float]]]] = {
    "rgb": _of_rgb,
    "rgba": _of_rgb,
    "hsl": _of_hsl,
    "hsla": _of_hsl,
    "hwb": _of_hwb,
    "lab": _of_lab,
    "lch": _of_lch,
    "oklab": _of_oklab,
    "oklch": _of_oklch,
    "color": _of_screen,
}


def _rgb(numbers: Sequence[float]) -> Colour:
    red, green, blue = (max(0, min(255, round(number))) for number in numbers)
    return Colour(red, green, blue)


def _hex(digits: str) -> Colour | str | None:
    match = re.match(r"[0-9a-f]+", digits)
    found = match[0] if match else ""
    if len(found) in (3, 4):
        found = "".join(digit * 2 for digit in found)
    if len(found) not in (6, 8):
        return None
    if len(found) == 8 and int(found[6:], 16) <= 12:  # noqa: PLR2004 - alpha of a twentieth
        return TRANSPARENT
    return Colour(int(found[:2], 16), int(found[2:4], 16), int(found[4:6], 16))
