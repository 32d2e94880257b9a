"""Accounts on the page: people sign up, in and out, and no other site can act in their name.

    browser -> own_pages (is this our page?) -> answers -> guesses, passwords -> storage
                                                sessions: the cookie

* `answers`: signing up, in and out, passwords, tokens for programs, and tickets for the WebSocket.
* `own_pages`: refuses requests from pages of other sites, and reads those of our own.
* `sessions`: the cookie of a browser that is signed in.
* `guesses`: how often a name, an address and the two together may be tried.
* `passwords`: Argon2id in worker threads, a few at a time.

The WebSocket trusts no cookie. A signed-in page gets a ticket here, which is good for one login
within a minute, and sends it there as its token.
"""

from .answers import AccountAnswers

__all__ = ["AccountAnswers"]
