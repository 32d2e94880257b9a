"""Letters of other scripts that look like Latin ones.

From Unicode's table of confusables (UTS 39): letters that look like one Latin letter or digit,
after NFKC and case folding, and the Cyrillic and Greek small letters that look like Latin capitals
in a terminal. Besides, what that table leaves out: small capitals, Coptic letters, and letters in
boxes and circles. Libraries hold the whole table, a megabyte, and report whether a text is
suspicious; this module only makes keys that are equal for names that look alike, for which these
few hundred letters are enough. I, l, 1 and | are one letter, and so are O and 0: no text font
distinguishes them all. Pairs of letters that look like one (rn, m) are left out: in a terminal they
do not.
https://www.unicode.org/reports/tr39/#Confusable_Detection
"""

DASHES = str.maketrans(
    dict.fromkeys("\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2796\ufe58", "-")
)

_ALIKE = {
    "2": "\u01a8\u03e9\u14bf\ua645\ua6ef\ua75b",
    "3": "\u021d\u025c\u0292\u0437\u04e1\u2ccd\ua76b\U000118ca\U00016f3b\U0001d206",
    "4": "\u13ce\U000118cf",
    "5": "\u01bd\U000118db",
    "6": "\u0431\u13ee\u2cd3",
    "7": "\U000104fa\U0001d212",
    "8": "\u0223\u09ea\u0a6a\u0b03\U0001031a",
    "9": "\u09ed\u0a67\u0b68\u0d6d\u2ccb\ua76f\U000118cc\U000118d6",
    "a": "\u0251\u03b1\u0430\u13aa\u15c5\u1d00\u237a\u2c81\ua4ee\U000102a0\U00016f40",
    "b": "\u0185\u0299\u03b2\u0432\u044c\u13cf\u13f4\u1472\u15af\u15f7\u2c83\ua4d0\ua7b5"
    "\U00010282\U000102a1\U00010301",
    "c": "\u0441\u13df\u1d04\u2ca5\ua4da\U000102a2\U00010302\U0001043d\U0001051c\U000118e9"
    "\U000118f2\U0001f74c",
    "d": "\u0501\u13a0\u13e7\u146f\u15de\u15ea\u1d05\ua4d2\ua4d3",
    "e": "\u03b5\u0435\u04bd\u13ac\u1d07\u212e\u22ff\u2c89\u2d39\ua4f0\uab32\U00010286"
    "\U000118c6\U000118ce",
    "f": "\u03dd\u0584\u15b4\u1e9d\ua4dd\ua730\ua799\uab35\U00010287\U000102a5\U00010525"
    "\U000118c2\U0001d213",
    "g": "\u018d\u0261\u0262\u050d\u0581\u13c0\u13f3\u1d83\ua4d6",
    "h": "\u029c\u043d\u04bb\u0570\u13bb\u13c2\u157c\u2c8f\ua4e7\U000102cf",
    "j": "\u0237\u029d\u03f3\u0458\u13ab\u148d\u1d0a\ua4d9",
    "k": "\u03ba\u043a\u13e6\u16d5\u1d0b\u2c95\ua4d7\U00010518",
    "l": "\u0131\u01c0\u0269\u026a\u029f\u03b9\u0456\u04cf\u06f1\u13a5\u13de\u14aa\u16c1\u2223"
    "\u2373\u23fd\u2502\u2c93\u2cd1\u2d4f\ua4e1\ua4f2\ua647\U0001028a\U00010309\U00010320"
    "\U00010443\U00010526\U000118c3\U000118d2\U00016f16\U00016f28\U0001d22a",
    "m": "\u03bc\u03fb\u043c\u13b7\u15f0\u16d6\u1d0d\u2c99\ua4df\U000102b0\U00010311",
    "n": "\u0274\u03b7\u0578\u057c\u2c9b\ua4e0\U00010513",
    "o": "\u03bf\u03c3\u043e\u0585\u06f5\u0966\u09e6\u0a66\u0ae6\u0b20\u0b66\u0be6\u0c02\u0c66"
    "\u0c82\u0ce6\u0d02\u0d20\u0d66\u0d82\u0e50\u0ed0\u101d\u1040\u10ff\u12d0\u1d0f\u1d11"
    "\u2c9f\u2d54\u3007\ua4f3\uab3d\U00010292\U000102ab\U0001042c\U000104ea\U00010516"
    "\U000114d0\U000118c8\U000118d5\U000118d7\U000118e0",
    "p": "\u03c1\u0440\u13e2\u146d\u1d18\u2374\u2ca3\ua4d1\U00010295",
    "q": "\u051b\u0563\u0566\u2d55\ua7af",
    "r": "\u0280\u0433\u13a1\u13b1\u13d2\u1587\u1d26\u2c85\ua4e3\uab47\uab48\U000104dc"
    "\U00016f35\U0001d216",
    "s": "\u0455\u057f\u13d5\u13da\ua4e2\ua731\U00010296\U00010448\U000118c1\U00016f3a",
    "t": "\u03c4\u0442\u13a2\u1d1b\u22a4\u27d9\u2ca7\ua4d4\U00010297\U000102b1\U00010315"
    "\U00016f0a\U0001f768",
    "u": "\u028b\u03c5\u057d\u1200\u144c\u1d1c\u222a\u22c3\ua4f4\ua79f\uab4e\uab52\U000104f6"
    "\U000118d8\U00016f42",
    "v": "\u03bd\u0475\u06f7\u13d9\u142f\u1d20\u2228\u22c1\u2d38\ua4e6\ua6df\U0001051d"
    "\U00011706\U000118c0\U00016f08\U0001d20d",
    "w": "\u026f\u0461\u051d\u0561\u13b3\u13d4\u1d21\ua4ea\U0001170a\U0001170e\U0001170f"
    "\U000118e6\U000118ef",
    "x": "\u00d7\u03c7\u0445\u1541\u157d\u166d\u166e\u16b7\u2573\u292b\u292c\u2a2f\u2cad\u2d5d"
    "\ua4eb\uab53\U00010290\U000102b4\U00010317\U00010322\U00010527\U000118ec",
    "y": "\u0263\u028f\u03b3\u0443\u04af\u10e7\u13a9\u13bd\u1d8c\u1eff\u2ca9\ua4ec\uab5a"
    "\U000102b2\U000118c4\U000118dc\U00016f43",
    "z": "\u03b6\u13c3\u1d22\u2c8d\ua4dc\U000102f5\U000118c9\U000118e5",
}

UNFOLDED = str.maketrans({
    "\u0397": "h", "\u039d": "n", "\u03a5": "y", "\u03d2": "y", "\u03f2": "c", "\u03f9": "c",
})  # fmt: skip
"""Greek letters whose small or usual forms look like another letter: translated before folding."""

_BOXES = {
    chr(first + at): chr(ord("a") + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)
}
"""Letters in black circles and boxes, and those that make flags, which NFKC leaves alone."""

_ASCII = {"i": "l", "1": "l", "|": "l", "0": "o"}

LATIN = DASHES | str.maketrans(
    _ASCII
    | {letter: _ASCII.get(latin, latin) for letter, latin in _BOXES.items()}
    | {letter: latin for latin, letters in _ALIKE.items() for letter in letters}
)
"""A translation table for folded letters."""
