# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The physics as a function of JAX: `rollout` and `step`, inside jit, grad, vmap and scan.

    jax.config.update("jax_enable_x64", True)
    model = visviva.Model.from_file("cube.xml")
    qpos, qvel = visviva.jax.initial(model)
    loss = lambda mu: visviva.jax.rollout(model, (qpos, qvel), ctrl, params={"geom/cube/friction/0": mu}).qpos[-1, 0]
    jax.jit(jax.grad(loss))(0.5)

Calls run on the CPU as XLA custom calls; vmap makes one call with many worlds of it. The engine computes in float64;
float32 arrays are converted. Reverse mode by default (custom_vjp), forward mode (jax.jvp, jax.jacfwd) with
mode="forward". Built with VV_JAX=1 pip install .
"""

import functools
from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _core, errors

if not hasattr(_core, "jax_calls"):
    raise ImportError("visviva was built without the calls for JAX; install it with: VV_JAX=1 pip install .")

for _name, _call in _core.jax_calls.items():
    jax.ffi.register_ffi_target(_name, _call, platform="cpu")

Trajectory = namedtuple("Trajectory", "qpos qvel act outputs")
Trajectory.__doc__ = """States after each step: qpos (..., N, nq), qvel (..., N, nv), act (..., N, na); outputs: {name:
(..., N, dim)}."""


def initial(model, keyframe=None):
    """The scene's own state, or a keyframe's, as arrays (qpos, qvel)."""
    state = model.state(keyframe)
    return jnp.asarray(state.qpos), jnp.asarray(state.qvel)


def _plan(model, outputs, names, threads):
    """Index of the plan for these arguments; made once for each model."""
    plans = model.__dict__.setdefault("_jax_plans", {})
    key = (outputs, names, threads)
    if key not in plans:
        columns = [f"qpos[{i}]" for i in range(model.nq)] + [f"qvel[{i}]" for i in range(model.nv)]
        columns += [f"act[{i}]" for i in range(model.na)]
        numbers = [i for name in names for i in model._matching(name)]
        plans[key] = _core.jax_plan(model._core, columns + list(outputs), numbers, threads)
    return plans[key]


def _like(x, shape):
    return jax.ShapeDtypeStruct(shape, x.dtype)


def _simulate(plan, record, operands):
    qpos, ctrl = operands[0], operands[3]
    lead = qpos.shape[:-1]
    rows = _like(qpos, lead + (ctrl.shape[-2], _core.jax_plan_width(plan)))
    number = jax.ShapeDtypeStruct(lead, jnp.int32)
    call = jax.ffi.ffi_call("vv_rollout", (rows, number), vmap_method="broadcast_all")
    return call(*operands, plan=np.int64(plan), record=np.int32(record))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _reverse(plan, *operands):
    return _simulate(plan, False, operands)[0]


def _reverse_fwd(plan, *operands):
    rows, number = _simulate(plan, True, operands)
    return rows, (operands, number)


def _reverse_bwd(plan, kept, rows_bar):
    operands, number = kept
    call = jax.ffi.ffi_call("vv_reverse", tuple(_like(x, x.shape) for x in operands), vmap_method="broadcast_all")
    return call(*operands, number, rows_bar, plan=np.int64(plan))


_reverse.defvjp(_reverse_fwd, _reverse_bwd)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _forward(plan, *operands):
    return _simulate(plan, False, operands)[0]


@_forward.defjvp
def _forward_jvp(plan, operands, tangents):
    rows = _forward(plan, *operands)
    call = jax.ffi.ffi_call("vv_forward", _like(rows, rows.shape), vmap_method="broadcast_all")
    return rows, call(*operands, *tangents, plan=np.int64(plan))


def rollout(model, state, ctrl, *, params=None, outputs=(), threads=1, mode="reverse"):
    """Simulates one step for each row of `ctrl`.

    Args:
        state: (qpos, qvel) or (qpos, qvel, act), each (..., dim) with the same leading dimensions.
        ctrl: (..., N, nu) with those leading dimensions.
        params: {pattern: value}, numbers of the scene: (components) or (..., components); a number alone may be a
            scalar or (...).
        outputs: names of state quantities wanted beside the states.
        threads: used for many worlds; results do not depend on it.
        mode: "reverse" (jax.grad, jax.vjp) or "forward" (jax.jvp, jax.jacfwd).

    Returns:
        Trajectory.
    """
    if mode not in ("reverse", "forward"):
        raise errors.ArgumentError(f'mode is {mode!r}; it can be "reverse" or "forward"')
    qpos, qvel, *rest = [jnp.asarray(x) for x in state]
    dtype, lead = qpos.dtype, qpos.shape[:-1]
    act = rest[0] if rest else jnp.zeros(lead + (model.na,), dtype)
    ctrl = jnp.asarray(ctrl, dtype)
    for what, x, width in (("qpos", qpos, model.nq), ("qvel", qvel, model.nv), ("act", act, model.na)):
        if x.shape != lead + (width,):
            raise errors.ArgumentError(f"{what} has the shape {x.shape}; it needs {lead + (width,)}")
    if ctrl.ndim != len(lead) + 2 or ctrl.shape[:-2] != lead or ctrl.shape[-1] != model.nu:
        raise errors.ArgumentError(f"ctrl has the shape {ctrl.shape}; it needs {lead + ('N', model.nu)}")
    columns = []
    for name, value in (params or {}).items():
        count = len(model._matching(name))
        value = jnp.asarray(value, dtype)
        if value.ndim == 0 or (count == 1 and value.shape == lead):
            value = value[..., None]
        columns.append(jnp.broadcast_to(value, lead + (count,)))
    values = jnp.concatenate(columns, -1) if columns else jnp.zeros(lead + (0,), dtype)
    plan = _plan(model, tuple(outputs), tuple(params or ()), threads)
    call = _reverse if mode == "reverse" else _forward
    rows = call(plan, qpos, qvel.astype(dtype), act.astype(dtype), ctrl, values)
    cuts = np.cumsum([model.nq, model.nv, model.na] + [model._dim(name) for name in outputs])
    parts = jnp.split(rows, cuts[:-1], axis=-1) if outputs else jnp.split(rows, cuts[:2], axis=-1)
    return Trajectory(parts[0], parts[1], parts[2], dict(zip(outputs, parts[3:])))


def step(model, state, ctrl, *, params=None, threads=1, mode="reverse"):
    """One step: arrays (qpos, qvel, act) after it; ctrl (..., nu)."""
    ctrl = jnp.asarray(ctrl)
    roll = rollout(model, state, ctrl[..., None, :], params=params, threads=threads, mode=mode)
    return roll.qpos[..., 0, :], roll.qvel[..., 0, :], roll.act[..., 0, :]
