"""The error that every check raises."""


class DisagreementError(ValueError):
    """The record is inconsistent; the text says what and where."""
