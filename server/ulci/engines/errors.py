"""Why an engine cannot be used."""


class EngineError(Exception):
    """The engine cannot be used any more; the text is shown.

    `hopeless`: a restart would fail the same way.
    """

    def __init__(self, text: str, *, hopeless: bool = False) -> None:
        super().__init__(text)
        self.hopeless = hopeless


class EngineEndedError(EngineError):
    """Its program ended while something was awaited from it."""


class OptionRejectedError(EngineError):
    """It rejects an option that was given."""

    def __init__(self, text: str) -> None:
        super().__init__(text, hopeless=True)
