"""Symmetric matrices."""

from collections.abc import Sequence


def inverse(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """The inverse of a positive definite matrix, by Gauss and Jordan: it needs no search for a
    pivot."""
    size = len(rows)
    left = [[*row] for row in rows]
    right = [[float(column == index) for column in range(size)] for index in range(size)]
    for pivot in range(size):
        of_pivot, of_result = left[pivot], right[pivot]
        by = 1 / of_pivot[pivot]
        of_pivot[:] = [value * by for value in of_pivot]
        of_result[:] = [value * by for value in of_result]
        for index in range(size):
            factor = left[index][pivot]
            if index != pivot and factor:
                row, result = left[index], right[index]
                row[:] = [a - factor * b for a, b in zip(row, of_pivot, strict=True)]
                result[:] = [a - factor * b for a, b in zip(result, of_result, strict=True)]
    return right
