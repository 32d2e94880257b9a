"""Why an engine cannot be used."""


class EngineError(Exception):
    """The engine cannot be used any more; the text is shown.

    `hopeless`: a restart would fail the same way.
    """

    def __init__(self, text: str, *, hopeless: bool = False) -> None:
        super().__init__(text)
        self.hopeless = hopeless


class EngineEndedError(EngineError):
    """The engine's program ended while somebody waited for its answer."""


class OptionRejectedError(EngineError):
    """The engine rejects an option that the user or a server set."""

    def __init__(self, text: str) -> None:
        super().__init__(text, hopeless=True)
