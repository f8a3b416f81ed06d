# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The physics as a layer of PyTorch: `step` and `rollout` with exact gradients.

    model = visviva.Model.from_file("cube.xml")
    qpos, qvel = visviva.torch.initial(model, worlds=64)
    roll = visviva.torch.rollout(model, (qpos, qvel), ctrl, params={"geom/cube/friction/0": mu})
    loss = (roll.qpos[:, -1, :3] - target).square().sum()
    loss.backward()

Tensors live on the CPU. The engine computes in its own precision (float64); tensors of other types are converted, and
results come back in the type of qpos. Gradients with respect to qpos are those of the normalised quaternions.
"""

from collections import namedtuple

import numpy as np
import torch

from . import errors

Trajectory = namedtuple("Trajectory", "qpos qvel act outputs final")
Trajectory.__doc__ = """States after each step: qpos (..., N, nq), qvel (..., N, nv), act (..., N, na); outputs: {name:
(..., N, dim)}; final: the State to go on from (no gradient flows through it)."""


def initial(model, worlds=None, keyframe=None, dtype=torch.float64):
    """The scene's own state (or a keyframe's) as tensors (qpos, qvel), with a leading dimension of worlds."""
    state = model.state(keyframe, worlds=worlds)
    return torch.tensor(state.qpos, dtype=dtype), torch.tensor(state.qvel, dtype=dtype)


class _Rollout(torch.autograd.Function):
    """Rows of (qpos, qvel, act, outputs) after each step; everything batched."""

    @staticmethod
    def forward(ctx, model, names, outputs, threads, warmstart, holder, qpos, qvel, act, ctrl, *values):
        dtype = model.dtype
        state = model.state(worlds=qpos.shape[0])
        state.qpos = qpos.detach().numpy()
        state.qvel = qvel.detach().numpy()
        if model.na:
            state.act = act.detach().numpy()
        if warmstart is not None:
            state.warmstart = warmstart
        params = {n: v.detach().numpy().astype(dtype, copy=False) for n, v in zip(names, values)}
        columns = [f"qpos[{i}]" for i in range(model.nq)] + [f"qvel[{i}]" for i in range(model.nv)]
        columns += [f"act[{i}]" for i in range(model.na)]
        wanted = ctx.needs_input_grad
        roll = model.rollout(state, ctrl.detach().numpy(), params=params, outputs=columns + list(outputs),
                             threads=threads, record=any(wanted))
        holder.append(roll.final)
        ctx.roll, ctx.names, ctx.qpos, ctx.types = roll, names, state.qpos, [x.dtype for x in (qpos, qvel, act, ctrl, *values)]
        ctx.sizes = [v.shape[-1] for v in values]
        rows = roll._rows[:, 1:]
        return torch.from_numpy(np.ascontiguousarray(rows)).to(qpos.dtype)

    @staticmethod
    def backward(ctx, rows_bar):
        if torch.is_grad_enabled():  # create_graph=True: a gradient without a graph would be a silent zero later
            raise errors.Unsupported("second derivatives of a rollout are not built yet; use create_graph=False")
        roll, model = ctx.roll, ctx.roll._model
        bar = np.zeros((rows_bar.shape[0], rows_bar.shape[1] + 1, rows_bar.shape[2]), dtype=model.dtype)
        bar[:, 1:] = rows_bar.numpy()
        numbers = [i for name in ctx.names for i in model._matching(name)]
        wanted = ctx.needs_input_grad[6:]
        raw = roll._vjp_rows(bar, numbers if any(wanted[4:]) else [])
        grads = [None] * len(wanted)
        if wanted[0]:
            grads[0] = model._core.to_ambient(np.ascontiguousarray(ctx.qpos), raw["qpos0"])
        grads[1], grads[2], grads[3] = raw["qvel0"], raw["act0"], raw["ctrl"]
        at = 0
        for i, size in enumerate(ctx.sizes):
            grads[4 + i] = raw["numbers"][:, at:at + size] if any(wanted[4:]) else None
            at += size
        tensors = [torch.from_numpy(np.ascontiguousarray(g)).to(t) if w and g is not None else None
                   for g, w, t in zip(grads, wanted, ctx.types)]
        return (None,) * 6 + tuple(tensors)


def _batched(x, worlds, width, what):
    """x with a leading dimension of worlds and a last one of width."""
    if x.shape[-1:] != (width,):
        raise errors.ArgumentError(f"{what} has the shape {tuple(x.shape)}; its last dimension must be {width}")
    return x.expand(worlds, *x.shape) if worlds is not None else x


def rollout(model, state, ctrl, *, params=None, outputs=(), threads=1, warmstart=None):
    """Simulates one step for each row of `ctrl`.

    Args:
        state: (qpos, qvel) or (qpos, qvel, act) tensors, each (dim) or (worlds, dim).
        ctrl: (N, nu), or (worlds, N, nu) with a batched state.
        params: {pattern: tensor}, numbers of the scene: (components) shared by all worlds or (worlds, components); a
            number alone may be a scalar or (worlds).
        outputs: names of state quantities wanted beside the states, e.g. "sensor/NAME".
        threads: used for many worlds; results do not depend on it.
        warmstart: accelerations (as State.warmstart) where the first solve starts; they change only last bits.

    Returns:
        Trajectory.

    Raises:
        errors.NotFinite and others, naming world and step; errors.Unsupported for second derivatives (create_graph).
    """
    qpos, qvel, *rest = state
    single = qpos.ndim == 1
    if any(x.ndim != qpos.ndim for x in (qvel, *rest)) or ctrl.ndim != qpos.ndim + 1:
        raise errors.ArgumentError("states and controls must all have a dimension of worlds, or none")
    worlds = None if not single else 1
    act = rest[0] if rest else qpos.new_zeros(qpos.shape[:-1] + (model.na,))
    qpos, qvel, act = (_batched(x, worlds, n, w) for x, n, w in
                       ((qpos, model.nq, "qpos"), (qvel, model.nv, "qvel"), (act, model.na, "act")))
    ctrl = _batched(ctrl, worlds, model.nu, "ctrl")
    n = qpos.shape[0]
    names, values = [], []
    for name, value in (params or {}).items():
        count = len(model._matching(name))
        value = torch.as_tensor(value)
        if value.ndim == 0 or (count == 1 and value.ndim == 1 and value.shape[0] != 1):
            value = value[..., None]
        if value.shape[-1] != count:
            raise errors.ArgumentError(f"{name} names {count} numbers; the tensor has the shape {tuple(value.shape)}")
        names.append(name)
        values.append(value.expand(n, count))
    holder = []
    rows = _Rollout.apply(model, names, tuple(outputs), threads, warmstart, holder, qpos, qvel, act, ctrl, *values)
    if single:
        rows = rows[0]
    parts = torch.split(rows, [model.nq, model.nv, model.na, rows.shape[-1] - model.nq - model.nv - model.na], dim=-1)
    named, at = {}, 0
    for name in outputs:
        dim = holder[0].model._dim(name)
        named[name] = parts[3][..., at:at + dim]
        at += dim
    final = holder[0]
    if single:
        final = type(final)(model, final.block[0])
    return Trajectory(parts[0], parts[1], parts[2], named, final)


def step(model, state, ctrl, *, params=None, threads=1):
    """One step: tensors (qpos, qvel, act) after it. Arguments as in `rollout`, with ctrl (nu) or (worlds, nu)."""
    roll = rollout(model, state, ctrl.unsqueeze(-2), params=params, threads=threads)
    return roll.qpos[..., 0, :], roll.qvel[..., 0, :], roll.act[..., 0, :]
