"""What titles, bold sentences, headings and summaries literally say, as properties that hypothesis tries to break.

`tests/headlines/<part>/test_<chapter>.py` asks them of a chapter and its sections: `says` names the page and the words
that a property is about, and the property takes its numbers from the library, not from the formula that proves them.
What no test can ask stands in the module's `NOT_ASKED`, with the reason.  `test_headlines.py` sees that every headline
is one or the other.  The edit that must break a property, the overclaim that the sentence could have been, stands in
`tests/breaks/<part>/<chapter>.yml`.
"""
