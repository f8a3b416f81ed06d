# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""State: all that a simulation goes on from, as one array with named views."""

import numpy as np


class BodyState:
    """Pose and velocity of a body's frame, read from a state: `state.body("cube").pos`."""

    def __init__(self, state, name):
        self._state, self._name = state, name

    def _get(self, attribute):
        return self._state.quantity(f"body/{self._name}/{attribute}")

    @property
    def pos(self):
        """Position of the frame's origin, world axes [m], shape (..., 3)."""
        return self._get("pos")

    @property
    def quat(self):
        """Orientation (w, x, y, z), body to world, shape (..., 4)."""
        return self._get("quat")

    @property
    def linvel(self):
        """Velocity of the origin, world axes [m/s], shape (..., 3)."""
        return self._get("linvel")

    @property
    def angvel(self):
        """Angular velocity, body axes [rad/s], shape (..., 3)."""
        return self._get("angvel")


class State:
    """The state of one world, or of many: `block` has the shape (size,) or (worlds, size).

    `time`, `qpos`, `qvel`, `act` and `warmstart` are views of it, to be read and written in place. Continuing from a
    copy of a state repeats a simulation bit by bit.
    """

    def __init__(self, model, block):
        self.model = model
        self.block = np.ascontiguousarray(block, dtype=model.dtype)
        if self.block.ndim not in (1, 2) or self.block.shape[-1] != model._layout["all"][1]:
            raise ValueError(f"a state of this model has {model._layout['all'][1]} entries, not {self.block.shape}")

    def _view(self, part):
        begin, end = self.model._layout[part]
        return self.block[..., begin:end]

    def _set(self, part, value):
        self._view(part)[...] = value

    time = property(lambda s: s._view("time"), lambda s, x: s._set("time", x), doc="Time [s], shape (..., 1).")
    qpos = property(lambda s: s._view("qpos"), lambda s, x: s._set("qpos", x),
                    doc="Configuration, quaternions (w, x, y, z) [m, rad], shape (..., nq).")
    qvel = property(lambda s: s._view("qvel"), lambda s, x: s._set("qvel", x),
                    doc="Velocity, angular part in body axes [m/s, rad/s], shape (..., nv).")
    act = property(lambda s: s._view("act"), lambda s, x: s._set("act", x), doc="Activations, shape (..., na).")
    warmstart = property(lambda s: s._view("warmstart"), lambda s, x: s._set("warmstart", x),
                         doc="Last acceleration, where the next solve starts, shape (..., nv).")

    @property
    def worlds(self):
        """Number of worlds, None for a single one."""
        return self.block.shape[0] if self.block.ndim == 2 else None

    def copy(self):
        """A copy of its own."""
        return State(self.model, self.block.copy())

    def body(self, name):
        """Pose and velocity of a body."""
        return BodyState(self, name)

    def quantity(self, name, ctrl=None):
        """A state quantity (docs/names.md) at this state under the controls `ctrl` (zeros without), shape (..., dim)."""
        ctrl = None if ctrl is None else np.asarray(ctrl)[..., None, :]
        return self.model.rollout(self, ctrl, steps=0, outputs=[name], record=False).outputs[name][..., 0, :]

    def __repr__(self):
        where = "" if self.worlds is None else f", {self.worlds} worlds"
        return f"State(nq={self.model.nq}, nv={self.model.nv}, na={self.model.na}{where})"
