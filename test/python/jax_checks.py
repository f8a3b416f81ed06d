# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The JAX layer: reverse and forward mode against differences and the core, in jit, vmap, scan (cases G4, G2)."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import visviva
import visviva.jax

jax.config.update("jax_enable_x64", True)

ROOT = pathlib.Path(__file__).resolve().parents[2]
CREATURE = ROOT / "test/scenes/creature.xml"
CART = """<mujoco><option timestep="0.01"/><worldbody>
  <body name="cart"><joint name="x" type="slide" axis="1 0 0" damping="0.1"/><geom name="g" size="0.1" mass="2"/>
    <body name="pole"><joint name="hinge" axis="0 1 0"/><geom name="p" type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/>
  </body></body></worldbody><actuator><motor joint="x" gear="3"/></actuator></mujoco>"""


def settled(model, steps=100):
    state = model.rollout(model.state(), steps=steps, record=False).final
    return jnp.asarray(state.qpos), jnp.asarray(state.qvel)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_derivatives_in_contact(mode):
    model = visviva.Model.from_file(CREATURE)
    qpos, qvel = settled(model)
    ctrl = jnp.asarray(np.random.default_rng(0).uniform(-0.3, 0.3, (3, model.nu)))
    friction = jnp.asarray(model["geom/*/friction/0"])

    def f(q, v, u, mu):
        roll = visviva.jax.rollout(model, (q, v), u, params={"geom/*/friction/0": mu}, mode=mode)
        return roll.qpos, roll.qvel

    modes = ["rev"] if mode == "reverse" else ["fwd"]
    check_grads(f, (qpos, qvel, ctrl, friction), order=1, modes=modes, eps=1e-7, atol=1e-5, rtol=1e-4)


def loss_of(model, q, v):
    def loss(u):
        return jnp.square(visviva.jax.rollout(model, (q, v), u).qpos).sum()

    return loss


def test_jit_grad_equals_the_core():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)
    u = jnp.ones((6, 1))
    gradient = jax.jit(jax.grad(loss_of(model, q, v)))(u)
    names = ["qpos[0]", "qpos[1]"]
    roll = model.rollout(model.state(), np.ones((6, 1)), outputs=names)
    bars = {n: 2 * roll.outputs[n] * (np.arange(7) > 0)[:, None] for n in names}
    assert np.abs(np.asarray(gradient) - roll.vjp(outputs=bars, wrt="ctrl")["ctrl"]).max() < 1e-12


def test_vmap_is_one_call_with_the_same_results():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)
    controls = jnp.asarray(np.random.default_rng(1).normal(size=(5, 6, 1)))
    loss = loss_of(model, q, v)
    many = jax.jit(jax.vmap(jax.grad(loss)))(controls)
    assert jnp.array_equal(many, jnp.stack([jax.grad(loss)(u) for u in controls]))
    text = jax.jit(jax.vmap(loss)).lower(controls).as_text()
    assert text.count("vv_rollout") == 1 and "while" not in text


def test_jacrev_equals_jacfwd():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)
    u = jnp.asarray(np.random.default_rng(2).normal(size=(4, 1)))
    reverse = jax.jacrev(lambda u: visviva.jax.rollout(model, (q, v), u).qpos)(u)
    forward = jax.jacfwd(lambda u: visviva.jax.rollout(model, (q, v), u, mode="forward").qpos)(u)
    assert np.allclose(reverse, forward, rtol=1e-12, atol=1e-14)


def test_scan_over_steps_equals_a_rollout():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)

    def scanned(u):
        def one(state, u):
            q, v, _ = visviva.jax.step(model, state, u)
            return (q, v), q

        return jnp.square(jax.lax.scan(one, (q, v), u)[1]).sum()

    u = jnp.ones((6, 1))
    value, gradient = jax.jit(jax.value_and_grad(scanned))(u)
    assert value == pytest.approx(float(loss_of(model, q, v)(u)), rel=1e-13)
    assert np.allclose(gradient, jax.grad(loss_of(model, q, v))(u), rtol=1e-11)


def test_policy_gradient_against_differences():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)
    q = q + jnp.asarray([0.0, 0.2])
    random = np.random.default_rng(3)
    weights = [jnp.asarray(random.normal(size=s)) * 0.5 for s in ((4, 8), (8, 1))]

    def loss(weights):
        def one(state, _):
            u = jnp.tanh(jnp.concatenate(state) @ weights[0]) @ weights[1]
            q, v, _ = visviva.jax.step(model, state, u)
            return (q, v), jnp.square(q).sum()

        return jax.lax.scan(one, (q, v), length=10)[1].sum()

    check_grads(jax.jit(loss), (weights,), order=1, modes=["rev"], eps=1e-6, atol=1e-7, rtol=1e-6)
    assert jnp.abs(jax.grad(loss)(weights)[0]).max() > 0


def test_worlds_with_their_own_numbers():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)
    u = jnp.ones((6, 1))
    end = lambda mass: visviva.jax.rollout(model, (q, v), u, params={"geom/g/mass": mass}).qpos[-1, 0]
    masses = jnp.asarray([1.0, 2.0, 5.0])
    slopes = jax.vmap(jax.grad(end))(masses)
    differences = (jax.vmap(end)(masses + 1e-6) - jax.vmap(end)(masses - 1e-6)) / 2e-6
    assert np.allclose(slopes, differences, rtol=1e-6)


def test_float32_and_errors():
    model = visviva.Model.from_string(CART)
    q, v = (x.astype(jnp.float32) for x in visviva.jax.initial(model))
    u = jnp.ones((3, 1), jnp.float32)
    gradient = jax.grad(lambda u: visviva.jax.rollout(model, (q, v), u).qpos.sum())(u)
    assert gradient.dtype == jnp.float32 and jnp.abs(gradient).min() > 0
    with pytest.raises(visviva.Error, match="shape"):
        visviva.jax.rollout(model, (q, v), jnp.ones((3, 2)))
    with pytest.raises(Exception, match="not finite"):
        visviva.jax.rollout(model, (q, v * jnp.nan), u).qpos.block_until_ready()


def test_recordings_that_are_gone_are_made_again():
    model = visviva.Model.from_string(CART)
    q, v = visviva.jax.initial(model)
    u = jnp.ones((4, 1))
    value, pull = jax.vjp(lambda u: visviva.jax.rollout(model, (q, v), u).qpos, u)
    first = pull(jnp.ones_like(value))[0]
    for _ in range(70):
        jax.vjp(lambda u: visviva.jax.rollout(model, (q, v), u).qpos, u)
    assert jnp.array_equal(first, pull(jnp.ones_like(value))[0])
