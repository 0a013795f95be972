"""An axis of a figure, or its colour scale: label with unit, range and scale."""

from dataclasses import dataclass

import numpy as np

from hdp._types import Floats


@dataclass(frozen=True)
class Axis:
    """An axis of a figure, or a scale of colours.

    Parameters
    ----------
    label : str
        What it shows, with the unit.
    domain : tuple of float, optional
        Range; fitted to what is drawn unless given.
    scale : {"linear", "log"}
        Scale.
    ticks : tuple of float, optional
        Where numbers stand at the axis; at round places unless given.

    Raises
    ------
    ValueError
        If the scale is unknown or the label is empty.

    Examples
    --------
    >>> from hdp.explore import Axis
    >>> Axis("privacy budget (nats)", domain=(0.1, 10.0), scale="log").decades()
    [0.1, 1.0, 10.0]
    """

    label: str
    domain: tuple[float, float] | None = None
    scale: str = "linear"
    ticks: tuple[float, ...] | None = None

    def __post_init__(self):
        if self.scale not in ("linear", "log"):
            raise ValueError(f"scale must be 'linear' or 'log', got {self.scale!r}")
        if not self.label.strip():
            raise ValueError("label must name the quantity and its unit, got an empty string")

    def decades(self) -> list[float]:
        """Powers of ten in the range of a logarithmic axis, with 2 and 5 between them if the range is short."""
        assert self.domain, "an axis has ticks of its own where it has a domain"
        low, high = np.log10(self.domain)
        steps = (1, 2, 5) if high - low < 2 else (1,)
        ticks = [float(f"{m}e{k}") for k in range(int(np.floor(low)), int(np.ceil(high)) + 1) for m in steps]
        return [t for t in ticks if self.domain[0] <= t <= self.domain[1]]

    def grid(self, samples: int, ahead: int = 0) -> Floats:
        """Points that cut the range into so many `samples`, both ends included, equally spaced on the scale.

        With `ahead`, as many of them later.
        """
        return self._at((np.arange(samples + 1) + ahead) / samples)

    def centres(self, cells: int) -> Floats:
        """Middles of so many `cells` over the range, equally wide on the scale; their edges are ``grid(cells)``."""
        return self._at((np.arange(cells) + 0.5) / cells)

    def _at(self, fraction):
        low, high = self.domain
        if self.scale == "log":
            return 10 ** (np.log10(low) + (np.log10(high) - np.log10(low)) * fraction)
        return low + (high - low) * fraction
