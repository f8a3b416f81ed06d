# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Model: a compiled scene, its named numbers, and what can be done with it."""

import os
import re
import tempfile
import threading
from collections import namedtuple

import numpy as np

from . import _core, errors
from .rollout import Rollout
from .state import State

REVERSE, TANGENT, ALL = 1, 2, 3  # what a batch is made for

Number = namedtuple("Number", "name unit scale sign reason")
Number.__doc__ = """A number of a scene: name, unit, typical size, sign (1: > 0, 0: >= 0, -1: free), and the reason why
it cannot be differentiated (None: it can)."""

Jacobians = namedtuple("Jacobians", "A B C D")
Jacobians.__doc__ = """Derivatives of one step, x' = f(x, u), y = g(x, u), with x = (dq, v, act) of nx = 2 nv + na
entries, dq in the tangent chart: A (..., nx, nx), B (..., nx, nu), C (..., ny, nx), D (..., ny, nu)."""


class Model:
    """A compiled scene.

    >>> m = Model.from_string('<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body>'
    ...                       '</worldbody></mujoco>')
    >>> m["joint/j/damping"]
    0.0
    >>> m["joint/j/damping"] = 0.5
    >>> m["joint/j/damping"]
    0.5

    Sizes: `nq`, `nv`, `na`, `nu`, `nbody`, `ngeom`, `nkey`, `nsensordata`; `timestep` [s].
    """

    def __init__(self, core):
        self._core = core
        self._version = 0  # counts changes of numbers
        self._pool, self._lock = {}, threading.Lock()
        self._layout = {name: (begin, end) for name, begin, end in core.state_layout()}
        self.dtype = np.dtype(_core.REAL)
        self._numbers = None

    @classmethod
    def from_file(cls, path):
        """Reads an MJCF file; errors.FileError says file, line and remedy."""
        return cls(_core.Model.from_file(os.fspath(path)))

    @classmethod
    def from_string(cls, text, name="string.xml"):
        """Reads MJCF from a text; `name` stands for the file in messages, includes are looked up beside it."""
        return cls(_core.Model.from_string(text, os.fspath(name)))

    def __getattr__(self, name):
        if name in ("nq", "nv", "na", "nu", "nbody", "ngeom", "nkey", "nsensordata", "timestep", "hash"):
            return getattr(self._core, name)
        raise AttributeError(f"Model has no attribute {name!r}")

    def __repr__(self):
        return f"Model(nq={self.nq}, nv={self.nv}, na={self.na}, nu={self.nu}, nbody={self.nbody})"

    # ---- pickling: the model's binary form -------------------------------------------------------------------------

    def __getstate__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.vvm")
            self._core.to_binary(path)
            with open(path, "rb") as file:
                return file.read()

    def __setstate__(self, data):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.vvm")
            with open(path, "wb") as file:
                file.write(data)
            self.__init__(_core.Model.from_binary(path))

    def copy(self):
        """A model of its own with the same numbers."""
        other = Model.__new__(Model)
        other.__setstate__(self.__getstate__())
        return other

    # ---- numbers ----------------------------------------------------------------------------------------------------

    @property
    def numbers(self):
        """All numbers of the scene, in order: a list of Number."""
        if self._numbers is None:
            self._numbers = [Number(*n) for n in self._core.numbers()]
        return self._numbers

    def names(self, pattern):
        """Names of the numbers that match a pattern ('*' within one segment; without index: all components)."""
        return [self.numbers[i].name for i in self._matching(pattern)]

    def _matching(self, pattern):
        """Indices of all numbers that match."""
        exact = re.compile("[^/]*".join(re.escape(part) for part in pattern.split("*")) + r"(/\d)?")
        found = [i for i, number in enumerate(self.numbers) if exact.fullmatch(number.name)]
        if not found:
            raise KeyError(f"the scene has no number {pattern!r}; `model.numbers` lists them")
        return found

    def _indices(self, pattern):
        """Indices of those that match and have a derivative; of all that match where none has (calls then say why)."""
        return self._core.match(pattern) or self._matching(pattern)

    def __getitem__(self, name):
        """Value of a number: a float when the name names one, else an array of its components."""
        indices = self._matching(name)
        values = np.array([self._core.value(i) for i in indices])
        return float(values[0]) if len(indices) == 1 else values

    def __setitem__(self, name, value):
        """Sets numbers; what follows from them (inertias, inverse weights, ...) is computed anew."""
        indices = self._matching(name)
        values = np.broadcast_to(np.asarray(value, dtype=float), (len(indices),))
        self._core.set_values(indices, [float(x) for x in values])
        self._version += 1

    @property
    def quantities(self):
        """Names of all state quantities that can be outputs."""
        return self._core.quantities()

    def _dim(self, quantity):
        """Components of a state quantity."""
        return _core.Outputs(self._core, [quantity]).n

    # ---- states -----------------------------------------------------------------------------------------------------

    def state(self, keyframe=None, *, worlds=None, **parts):
        """The scene's own state or that of a keyframe (name or index), with parts set: state(qvel=[...]).

        worlds: that many copies; parts then may have a leading dimension of worlds.
        """
        key = -1 if keyframe is None else self._key(keyframe)
        block = self._core.initial_state(key)
        if worlds is not None:
            block = np.repeat(block[None], worlds, axis=0)
        state = State(self, block)
        for part, value in parts.items():
            if part not in self._layout or part == "all":
                raise TypeError(f"a state has no part {part!r}")
            state._set(part, value)
        return state

    def _key(self, keyframe):
        if isinstance(keyframe, str):
            names = self._core.element_names(10)
            if keyframe not in names:
                raise KeyError(f"the scene has no keyframe {keyframe!r}")
            return names.index(keyframe)
        if not 0 <= keyframe < self.nkey:
            raise IndexError(f"the scene has {self.nkey} keyframes")
        return keyframe

    def retract(self, qpos, dq):
        """qpos moved by the tangent dq (nv): quaternions turn by body-frame rotation vectors."""
        return self._core.retract(self._array(qpos), self._array(dq))

    def difference(self, qpos0, qpos1):
        """The tangent dq (nv) that takes qpos0 to qpos1."""
        return self._core.difference(self._array(qpos0), self._array(qpos1))

    def _array(self, x):
        return np.ascontiguousarray(x, dtype=self.dtype)

    # ---- rollouts ---------------------------------------------------------------------------------------------------

    def _take(self, key):
        with self._lock:
            free = self._pool.get(key)
            if free:
                return free.pop()
        return _core.Batch(self._core, *key)

    def _give_back(self, key, batch):
        with self._lock:
            self._pool.setdefault(key, []).append(batch)

    def _worlds(self, state, ctrl, applied, params):
        counts = set()
        if state is not None and state.worlds is not None:
            counts.add(state.worlds)
        counts.update(x.shape[0] for x in (ctrl, applied) if x is not None and x.ndim == 3)
        counts.update(v.shape[0] for v, n in params if v.ndim == 2 or (v.ndim == 1 and n == 1))
        if len(counts) > 1:
            raise errors.ArgumentError(f"states, controls and numbers are of different numbers of worlds: {sorted(counts)}")
        return counts.pop() if counts else None

    def _spread(self, x, worlds, ndim):
        """x with a leading dimension of worlds."""
        if x is None:
            return None
        x = self._array(x)
        if x.ndim == ndim - 1:
            x = np.broadcast_to(x, (worlds,) + x.shape)
        return np.ascontiguousarray(x)

    def rollout(self, state=None, ctrl=None, *, steps=None, applied=None, params=None, outputs=(), stride=1,
                record=True, trajectory=False, signature=False, threads=1):
        """Simulates `steps` steps.

        Args:
            state: State to start from; None: the scene's own, and then gradients of numbers include its dependence
                on them.
            ctrl: controls, (rows, nu) or (worlds, rows, nu); row k is held during step k, the last to the end.
            steps: number of steps; default: the rows of ctrl.
            applied: generalized forces, like ctrl with nv columns [N, N m].
            params: {pattern: value}, numbers that differ from the model's, with a leading dimension of worlds where
                each world has its own.
            outputs: names of state quantities to evaluate every `stride` steps.
            record: keep what derivatives need (Rollout.vjp, Rollout.jvp).
            trajectory, signature: return all states; a hash of every branch taken in each step.
            threads: used for many worlds; results do not depend on it.

        Raises:
            errors.NotFinite and others, naming step and world. A solve above its tolerance is no error:
            Rollout.converged says so.
        """
        ctrl = None if ctrl is None else self._array(ctrl)
        applied = None if applied is None else self._array(applied)
        if steps is None:
            if ctrl is None:
                raise errors.ArgumentError("steps or controls are needed")
            steps = ctrl.shape[-2]
        patterns = [(self._matching(p), np.asarray(v, dtype=self.dtype)) for p, v in (params or {}).items()]
        worlds = self._worlds(state, ctrl, applied, [(v, len(i)) for i, v in patterns])
        single = worlds is None
        n = 1 if single else worlds
        numbers = [i for indices, _ in patterns for i in indices]
        values = None
        if patterns:
            columns = []
            for indices, v in patterns:
                v = v[:, None] if v.ndim == 1 and len(indices) == 1 and not single else v
                columns.append(np.broadcast_to(v, (n, len(indices))))
            values = np.ascontiguousarray(np.concatenate(columns, axis=1))
        if state is not None and state.model is not self and state.model.hash != self.hash:
            raise errors.ArgumentError("the state belongs to another model")
        block = None if state is None else self._spread(state.block, n, 2)
        spec = _core.Outputs(self._core, list(outputs)) if outputs else None
        key = (n, threads if n > 1 else 1, ALL if record else 0)
        batch = self._take(key)
        try:
            result = batch.rollout(steps, block, self._spread(ctrl, n, 3), self._spread(applied, n, 3), numbers, values,
                                   spec, stride, record, trajectory, signature)
        except BaseException:
            self._give_back(key, batch)
            raise
        roll = Rollout(self, batch if record else None, spec, single, steps, result)
        roll._batch_key = key
        roll._ctrl_rows = ctrl.shape[-2] if ctrl is not None else 0
        if not record:
            self._give_back(key, batch)
        return roll

    def step(self, state, ctrl=None, *, applied=None, threads=1):
        """The state after one step; ctrl (..., nu), applied (..., nv)."""
        ctrl = None if ctrl is None else np.asarray(ctrl)[..., None, :]
        applied = None if applied is None else np.asarray(applied)[..., None, :]
        return self.rollout(state, ctrl, steps=1, applied=applied, record=False, threads=threads).final

    def jacobians(self, state=None, ctrl=None, *, outputs=(), threads=1):
        """Derivatives of one step (and of outputs at the state that it leaves) at a state, or at many."""
        state = self.state() if state is None else state
        ctrl = np.zeros(self.nu) if ctrl is None else ctrl
        ctrl = self._array(ctrl)[..., None, :]
        worlds = self._worlds(state, ctrl, None, [])
        n = 1 if worlds is None else worlds
        spec = _core.Outputs(self._core, list(outputs)) if outputs else None
        key = (n, threads if n > 1 else 1, TANGENT)
        batch = self._take(key)
        try:
            raw = batch.jacobian(self._spread(state.block, n, 2), self._spread(ctrl, n, 3), spec)
        finally:
            self._give_back(key, batch)
        return Jacobians(*(raw[k][0] if worlds is None else raw[k] for k in "ABCD"))

    def check(self, state=None, ctrl=None, *, steps=None, outputs, outputs_bar, wrt, tolerance=1e-6, seed=0, threads=1):
        """The gradient of sum(outputs_bar * outputs) held against differences, direction by direction.

        Args:
            outputs: names of quantities; outputs_bar: weights (steps + 1, total dim).
            wrt: as in Rollout.vjp.

        Returns:
            a dict: `directions` (name, adjoint, difference, error, verdict, ...), `resolved`, `unchanged`, `mismatch`,
            `loss`, `growth_per_s`. Verdicts: ok, kink, jump, grazing, chaotic, unresolved, mismatch (docs/gradients.md).
        """
        ctrl = None if ctrl is None else self._array(ctrl)
        if steps is None:
            steps = ctrl.shape[0]
        wrt = [wrt] if isinstance(wrt, str) else list(wrt)
        blocks = [w for w in wrt if w in ("ctrl", "qpos0", "qvel0", "act0")]
        numbers = [i for w in wrt if w not in blocks for i in self._indices(w)]
        spec = _core.Outputs(self._core, list(outputs))
        return _core.check(self._core, steps, None if state is None else state.block, ctrl, spec,
                           self._array(outputs_bar), blocks, numbers, tolerance, seed, threads)
