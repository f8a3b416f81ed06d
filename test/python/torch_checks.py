# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The PyTorch layer: gradients against differences (gradcheck) in contact, worlds, numbers, no cut graphs (cases G1,
G2, G11)."""

import pathlib

import numpy as np
import pytest
import torch

import visviva
import visviva.torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
CREATURE = ROOT / "test/scenes/creature.xml"
BALL = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="ball" pos="0 0 0.0995"><freejoint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>"""
CART = """<mujoco><option timestep="0.01"/><worldbody>
  <body name="cart"><joint name="x" type="slide" axis="1 0 0" damping="0.1"/><geom name="g" size="0.1" mass="2"/>
    <body name="pole"><joint name="hinge" axis="0 1 0"/><geom name="p" type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/>
  </body></body></worldbody><actuator><motor joint="x" gear="3"/></actuator></mujoco>"""


def settled(model, steps=100):
    state = model.rollout(model.state(), steps=steps, record=False).final
    return [torch.tensor(x, requires_grad=True) for x in (state.qpos, state.qvel)]


def test_gradcheck_in_contact_twice():
    model = visviva.Model.from_file(CREATURE)
    qpos, qvel = settled(model)
    random = np.random.default_rng(0)
    ctrl = torch.tensor(random.uniform(-0.3, 0.3, (3, model.nu)), requires_grad=True)
    friction = torch.tensor(model["geom/*/friction/0"], requires_grad=True)

    def f(q, v, u, mu):
        roll = visviva.torch.rollout(model, (q, v), u, params={"geom/*/friction/0": mu})
        return roll.qpos, roll.qvel

    for _ in range(2):  # case G1: a second pass gives the same
        assert torch.autograd.gradcheck(f, (qpos, qvel, ctrl, friction), eps=1e-7, atol=1e-5, rtol=1e-4)


def test_retained_graph_and_untouched_seed():
    model = visviva.Model.from_string(CART)
    q, v = visviva.torch.initial(model)
    v.requires_grad_()
    roll = visviva.torch.rollout(model, (q, v), torch.ones(5, 1, dtype=torch.float64))
    seed = torch.randn_like(roll.qpos)
    kept = seed.clone()
    (first,) = torch.autograd.grad(roll.qpos, v, seed, retain_graph=True)
    (second,) = torch.autograd.grad(roll.qpos, v, seed)
    assert torch.equal(first, second) and torch.equal(seed, kept)


def test_policy_gradient_is_not_cut():
    torch.manual_seed(0)
    model = visviva.Model.from_string(CART)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).double()

    def loss():
        q, v = visviva.torch.initial(model, worlds=3)
        q = q + torch.tensor([[0.0, 0.1], [0.2, 0.0], [0.0, -0.3]], dtype=torch.float64)
        total = 0
        act = q.new_zeros(3, 0)
        for _ in range(10):
            q, v, act = visviva.torch.step(model, (q, v, act), net(torch.cat([q, v], -1)))
            total = total + q.square().sum()
        return total

    value = loss()
    value.backward()
    first = net[0].weight
    assert first.grad.abs().max() > 0
    with torch.no_grad():
        eps, direction = 1e-6, torch.randn_like(first)
        first += eps * direction
        up = loss()
        first -= 2 * eps * direction
        down = loss()
        first += eps * direction
    assert ((up - down) / (2 * eps)).item() == pytest.approx((first.grad * direction).sum().item(), rel=1e-6)


def test_worlds_equal_single_rollouts():
    model = visviva.Model.from_string(CART)
    ctrl = torch.randn(4, 7, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    mass = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
    q, v = visviva.torch.initial(model, worlds=4)
    many = visviva.torch.rollout(model, (q, v), ctrl, params={"geom/g/mass": mass}, threads=2)
    (gradient,) = torch.autograd.grad(many.qpos[:, -1, 0].sum(), mass)
    for w in range(4):
        m = mass[w].detach().clone().requires_grad_()
        one = visviva.torch.rollout(model, (q[w], v[w]), ctrl[w], params={"geom/g/mass": m})
        assert torch.equal(one.qpos, many.qpos[w])
        assert torch.autograd.grad(one.qpos[-1, 0], m)[0] == gradient[w]


def test_equals_the_core():
    model = visviva.Model.from_file(CREATURE)
    qpos, qvel = settled(model)
    ctrl = torch.zeros(8, model.nu, dtype=torch.float64, requires_grad=True)
    roll = visviva.torch.rollout(model, (qpos, qvel), ctrl)
    state = model.state(qpos=qpos.detach().numpy(), qvel=qvel.detach().numpy())
    core = model.rollout(state, ctrl.detach().numpy())
    assert np.array_equal(roll.final.block, core.final.block)
    roll.qvel[-1].sum().backward()
    expected = core.vjp(qvel=np.ones(model.nv), wrt=["ctrl", "qvel0"])
    assert np.abs(ctrl.grad.numpy() - expected["ctrl"]).max() < 1e-12
    assert np.abs(qvel.grad.numpy() - expected["qvel0"]).max() < 1e-12


def test_single_precision_tensors():
    model = visviva.Model.from_string(CART)
    q, v = visviva.torch.initial(model, dtype=torch.float32)
    u = torch.ones(3, 1, requires_grad=True)
    roll = visviva.torch.rollout(model, (q, v), u)
    assert roll.qpos.dtype == torch.float32
    roll.qpos.sum().backward()
    assert u.grad.dtype == torch.float32 and u.grad.abs().min() > 0


def test_outputs_carry_gradients():
    model = visviva.Model.from_string(BALL)
    q, v = visviva.torch.initial(model)
    v = torch.tensor([1.0, 0, 0, 0, 0, 0], dtype=torch.float64, requires_grad=True)
    roll = visviva.torch.rollout(model, (q, v), torch.zeros(50, 0, dtype=torch.float64), outputs=["energy/kinetic"])
    roll.outputs["energy/kinetic"][-1].sum().backward()
    assert v.grad[0] > 0.1


def test_errors():
    model = visviva.Model.from_string(CART)
    q, v = visviva.torch.initial(model)
    with pytest.raises(visviva.Error, match="last dimension"):
        visviva.torch.rollout(model, (q, v), torch.zeros(3, 2, dtype=torch.float64))
    with pytest.raises(visviva.Error, match="worlds"):
        visviva.torch.rollout(model, (q, v), torch.zeros(2, 3, 1, dtype=torch.float64))
    with pytest.raises(visviva.Error, match="names 1 numbers"):
        visviva.torch.rollout(model, (q, v), torch.zeros(3, 1), params={"geom/g/mass": torch.ones(1, 2)})
    u = torch.zeros(3, 1, dtype=torch.float64, requires_grad=True)
    with pytest.raises(visviva.errors.Unsupported, match="second derivatives"):
        torch.autograd.grad(visviva.torch.rollout(model, (q, v), u).qpos.sum(), u, create_graph=True)
