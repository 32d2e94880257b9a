"""Games for clients that run no script: pictures of boards, and previews of links.

* `board_picture`: a position as SVG, drawn with the pieces of the pages.
* `picture_answers`: the pictures of games.
* `link_preview`: title, description and picture in the head of a page, before any script runs.

Many chats and social networks do not accept SVG as the picture of a link: they show only title and
description.
"""

from .link_preview import LinkPreviews
from .picture_answers import PictureAnswers

__all__ = ["LinkPreviews", "PictureAnswers"]
