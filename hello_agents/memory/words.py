"""Words: what a text is searched by. Letters and digits, and pairs of signs where a script has no spaces."""

from __future__ import annotations

import re
import unicodedata

_UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\u1100-\u11ff\uf900-\ufaff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3\U00020000-\U0003ffff"
)
"""Chinese, Japanese, Korean; Thai, Lao, Burmese, Khmer."""
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0df3\u1ab0-\u1aff\u20d0-\u20f0"
)
"""Signs that belong to a word and are no letters: accents and the vowels of many scripts."""

# Compiled by `re` when they are first used: compiling takes longer than importing does.
_PIECE = rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\W_]|[{_MARKS}]))+(?:'(?![{_UNSPACED}])[^\W_]+)*"
_ASCII_PIECE = r"[a-z0-9]+(?:'[a-z0-9]+)*"
_SIGN = rf"[{_UNSPACED}]"


def words(text: str) -> list[str]:
    """The words of a text in order, repetitions included, in the form in which texts are compared.

    Upper and lower case are one, and so are full and half width. A possessive `'s` is dropped. Chinese, Japanese,
    Korean and the like are cut into overlapping pairs of signs, which needs no dictionary; a lone sign stays itself.
    """
    if text.isascii():
        return [_plain(word) for word in re.findall(_ASCII_PIECE, text.lower())]
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("\u2019", "'")
    found: list[str] = []
    for piece in re.findall(_PIECE, text):
        if not is_unspaced(piece[0]):
            found.append(_plain(piece))
        elif len(piece) == 1:
            found.append(piece)
        else:
            found.extend(piece[at : at + 2] for at in range(len(piece) - 1))
    return found


def is_unspaced(sign: str) -> bool:
    """Whether a sign is of a script that puts no spaces between words."""
    return re.match(_SIGN, sign) is not None


def _plain(word: str) -> str:
    return word.removesuffix("'s")
