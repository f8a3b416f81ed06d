# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a scene from recorded motion (docs/fit.md)."""

import os

from . import _core


def fit(problem, recording=None, *, out=None, seed=0, threads=1):
    """Runs the fit that a problem file describes.

    Args:
        problem: path of PROBLEM.yaml.
        recording: path of a CSV that replaces the problem's own recording.
        out: where to write the scene with the fitted numbers; None: nowhere.
        seed: chooses the episodes held out by share.
        threads: the result does not depend on it.

    Returns:
        a dict: `numbers` {name: {start, value, standard_error, at_bound, unit}}, `error` {signal: {before, fitted,
        held_out_before, held_out}} (rms in the signal's unit), `iterations`, `seconds`.
    """
    text = [os.fspath(p) if p is not None else None for p in (problem, recording, out)]
    return _core.fit(text[0], text[1], text[2], seed, threads)
