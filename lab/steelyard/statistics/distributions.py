"""The distributions for intervals and tests, from scipy.special alone: scipy.stats takes seconds to load."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special


def student_quantile(share: float, freedom: float) -> float:
    """The value that `share` of Student's t distribution with `freedom` degrees of freedom lies below."""
    return float(special.stdtrit(freedom, share))


def student_tail(values: ArrayLike, freedom: int) -> NDArray[np.float64]:
    """The share of Student's t distribution above each of `values`, in their shape."""
    return np.asarray(special.stdtr(freedom, -np.asarray(values, float)))


def noncentral_student_share(value: float, freedom: float, shift: float) -> float:
    """The share of the noncentral t distribution, of noncentrality `shift`, that lies below `value`."""
    return float(special.nctdtr(freedom, shift, value))


def beta_quantile(share: float, first: float, second: float) -> float:
    """The value that `share` of the beta distribution with these two shapes lies below."""
    return float(special.betaincinv(first, second, share))


def fisher_quantile(share: float, numerator: int, denominator: int) -> float:
    """The value that `share` of Fisher's F distribution with these degrees of freedom lies below."""
    return float(special.fdtri(numerator, denominator, share))


def chi_squared_quantile(share: float, freedom: float) -> float:
    """The value that `share` of the chi-squared distribution with `freedom` degrees of freedom lies below."""
    return float(special.chdtri(freedom, 1 - share))
