# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Rollout: a simulation over N steps with its derivatives in both directions."""

import numpy as np

from . import errors
from .state import State

INITIAL = ("qpos0", "qvel0", "act0")


class Rollout:
    """What Model.rollout returns.

    Attributes:
        outputs: {name: array (..., rows, dim)} of the quantities asked for; row k is the state after k strides.
        final: State after the last step.
        trajectory: dict of time, qpos, qvel, act, each (..., N + 1, dim), when asked for, else None.
        residual_max: largest scaled residual of a solve, per world (a float for one world).
        converged: whether all solves reached 1e-10.
    """

    def __init__(self, model, batch, outputs, single, steps, result):
        self._model, self._batch, self._spec, self._single = model, batch, outputs, single
        self._version = model._version
        self.steps = steps
        self.converged = result["converged"]
        residual = result["residual_max"]
        self.residual_max = residual[0] if single else np.array(residual)
        self.final = State(model, self._squeeze(result["final"]))
        self._rows = result.get("outputs")
        self.outputs = {} if self._rows is None else self._split(self._rows)
        self.signature = result.get("signature")
        self.trajectory = self._trajectory(result["trajectory"]) if "trajectory" in result else None

    def _squeeze(self, x):
        return x[0] if self._single else x

    def _split(self, rows):
        parts, at = {}, 0
        for name, dim in zip(self._spec.names, self._spec.dims()):
            parts[name] = self._squeeze(rows[..., at:at + dim])
            at += dim
        return parts

    def _trajectory(self, rows):
        rows = self._squeeze(rows)
        m = self._model
        cuts = np.cumsum([1, m.nq, m.nv])
        return dict(zip(("time", "qpos", "qvel", "act"), np.split(rows, cuts, axis=-1)))

    def last(self, value):
        """Cotangent of one quantity that is `value` (dim) at the last row and zero before, for `vjp(outputs=...)`."""
        return _LastRow(value)

    def _expand(self, x, shape, what):
        """x as a C-contiguous array (worlds, *shape)."""
        if x is None:
            return None
        x = np.asarray(x, dtype=self._model.dtype)
        x = x[None] if self._single else x
        full = (self._batch_worlds(),) + shape
        if x.shape != full:
            shown = full[1:] if self._single else full
            raise errors.ArgumentError(f"{what} has the shape {x.shape[1:] if self._single else x.shape}; it needs {shown}")
        return np.ascontiguousarray(x)

    def _batch_worlds(self):
        return 1 if self._single else self.final.block.shape[0]

    def _outputs_bar(self, outputs):
        if not outputs:
            return None
        rows = next(iter(self.outputs.values())).shape[-2] if self.outputs else 0
        bar = np.zeros((self._batch_worlds(), rows, self._spec.n), dtype=self._model.dtype)
        at = dict(zip(self._spec.names, np.cumsum([0] + self._spec.dims()[:-1])))
        for name, value in outputs.items():
            if name not in at:
                raise errors.ArgumentError(f"{name} is not an output of this rollout")
            dim = self.outputs[name].shape[-1]
            part = bar[..., at[name]:at[name] + dim]
            if isinstance(value, _LastRow):
                part[:, -1, :] = np.asarray(value.value, dtype=self._model.dtype)
            else:
                part[...] = self._expand(value, (rows, dim), f"the cotangent of {name}")
        return bar

    def _require_tape(self):
        if self._batch is None:
            raise errors.ArgumentError("this rollout was not recorded; use record=True")
        if self._version != self._model._version:
            raise errors.ArgumentError("the model's numbers changed after this rollout; roll out again")

    def vjp(self, *, outputs=None, qpos=None, qvel=None, act=None, wrt=()):
        """Gradient of sum(outputs_bar * outputs) + qpos . q_N + qvel . v_N + act . act_N.

        Args:
            outputs: {name: cotangent (..., rows, dim)}, or `roll.last(value)` as cotangent.
            qpos, qvel, act: cotangents of the final state, (..., nv), (..., nv), (..., na); qpos in the tangent chart
                (a rotation vector in body axes for each quaternion).
            wrt: any of "ctrl", "applied", "qpos0", "qvel0", "act0" and patterns of numbers ("geom/*/friction/0").

        Returns:
            {key: array}: ctrl (..., N, nu), applied (..., N, nv), qpos0 (..., nv), qvel0 (..., nv), act0 (..., na), a
            pattern (..., components). `adjoint_norm` (..., N + 1) is always there.
        """
        self._require_tape()
        wrt = [wrt] if isinstance(wrt, str) else list(wrt)
        words = [w for w in wrt if w in INITIAL + ("ctrl", "applied")]
        patterns = {w: self._model._indices(w) for w in wrt if w not in words}
        numbers = [i for indices in patterns.values() for i in indices]
        m = self._model
        raw = self._batch.vjp(self._outputs_bar(outputs), self._expand(qpos, (m.nv,), "qpos"),
                              self._expand(qvel, (m.nv,), "qvel"), self._expand(act, (m.na,), "act"), numbers)
        result = {w: self._squeeze(raw[w]) for w in words}
        at = 0
        for pattern, indices in patterns.items():
            result[pattern] = self._squeeze(raw["numbers"][:, at:at + len(indices)])
            at += len(indices)
        result["adjoint_norm"] = self._squeeze(raw["adjoint_norm"])
        return result

    def _vjp_rows(self, outputs_bar, numbers):
        """The library's own result for cotangents of the whole output rows (worlds, rows, n)."""
        self._require_tape()
        return self._batch.vjp(outputs_bar, None, None, None, numbers)

    def jvp(self, *, qpos0=None, qvel0=None, act0=None, ctrl=None, numbers=None):
        """Tangents of outputs and final state when the inputs move along the given tangents.

        Args:
            qpos0 (..., nv) in the tangent chart, qvel0 (..., nv), act0 (..., na), ctrl (..., rows, nu) as given.
            numbers: {pattern: tangent (..., components)}.

        Returns:
            {"outputs": {name: (..., rows, dim)}, "qpos": (..., nv), "qvel": (..., nv), "act": (..., na)}
        """
        self._require_tape()
        m = self._model
        indices, columns = [], []
        for pattern, tangent in (numbers or {}).items():
            found = m._indices(pattern)
            indices += found
            columns.append(self._expand(np.atleast_1d(tangent) if self._single else tangent, (len(found),), pattern))
        tangents = np.ascontiguousarray(np.concatenate(columns, axis=1)) if columns else None
        rows = self._ctrl_rows
        raw = self._batch.jvp(self._expand(qpos0, (m.nv,), "qpos0"), self._expand(qvel0, (m.nv,), "qvel0"),
                              self._expand(act0, (m.na,), "act0"), self._expand(ctrl, (rows, m.nu), "ctrl"), indices,
                              tangents)
        result = {part: self._squeeze(raw[part]) for part in ("qpos", "qvel", "act")}
        result["outputs"] = self._split(raw["outputs"]) if "outputs" in raw else {}
        return result

    def close(self):
        """Gives the recording's memory back to the model's pool; derivatives are gone. Deleting does the same."""
        if self._batch is not None:
            self._model._give_back(self._batch_key, self._batch)
            self._batch = None

    def __del__(self):
        if getattr(self, "_batch", None) is not None:
            self.close()


class _LastRow:
    def __init__(self, value):
        self.value = value
