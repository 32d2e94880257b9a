"""The error that every check raises."""


class DisagreementError(ValueError):
    """The record does not agree with itself; the text says what and where."""
