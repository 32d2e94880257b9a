"""What is found."""


class DisagreementError(ValueError):
    """The record does not agree with itself; the text says what and where."""
