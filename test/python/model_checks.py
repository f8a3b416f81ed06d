# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The Python package's core: names, states, rollouts, derivatives in both directions, many worlds, errors."""

import doctest
import importlib
import pathlib
import pickle
import threading

import numpy as np
import pytest

import visviva

ROOT = pathlib.Path(__file__).resolve().parents[2]
CREATURE = ROOT / "test/scenes/creature.xml"
CUBE = ROOT / "samples/cube-toss/cube.xml"
SLIDER = """<mujoco><option timestep="0.01"/><worldbody>
  <body name="cart"><joint name="x" type="slide" axis="1 0 0" damping="0.1"/><geom name="g" size="0.1" mass="2"/></body>
</worldbody><actuator><motor name="push" joint="x" gear="3"/></actuator>
<sensor><jointpos name="at" joint="x"/></sensor></mujoco>"""


@pytest.fixture(scope="module")
def creature():
    return visviva.Model.from_file(CREATURE)


def random_state(model, seed, worlds=None):
    random = np.random.default_rng(seed)
    state = model.state(worlds=worlds)
    state.qvel = 0.3 * random.normal(size=state.qvel.shape)
    return state


def test_numbers():
    m = visviva.Model.from_string(SLIDER)
    assert m["geom/g/mass"] == 2
    assert m["geom/g/friction"].shape == (3,)
    assert m.names("actuator/push/gear/0") == ["actuator/push/gear/0"]
    before = m.step(m.state(), [1.0]).qvel[0]
    m["geom/g/mass"] = 4
    after = m.step(m.state(), [1.0]).qvel[0]
    assert before == pytest.approx(2 * after, rel=1e-3)
    with pytest.raises(KeyError, match="no number"):
        m["geom/h/mass"]
    with pytest.raises(visviva.Error):
        m["geom/g/mass"] = -1
    assert m["geom/g/mass"] == 4


def test_errors_are_exceptions_with_the_message():
    with pytest.raises(visviva.errors.FileError, match=r"string.xml:1: unknown element"):
        visviva.Model.from_string("<mujoco><wrong/></mujoco>")
    with pytest.raises(visviva.errors.FileError):
        visviva.Model.from_file("/nowhere.xml")
    m = visviva.Model.from_string(SLIDER)
    with pytest.raises(visviva.errors.NotFinite, match="step 0") as caught:
        m.rollout(m.state(qvel=[np.nan]), steps=1)
    assert caught.value.step == 0
    with pytest.raises(ValueError, match="shape"):
        m.rollout(m.state(), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="not recorded"):
        m.rollout(m.state(), steps=2, record=False).vjp(qpos=[1], wrt="ctrl")
    with pytest.raises(ValueError, match="no-such"):
        m.rollout(m.state(), steps=2, outputs=["no-such"])


def test_changed_numbers_are_noticed():
    m = visviva.Model.from_string(SLIDER)
    roll = m.rollout(m.state(), np.ones((3, 1)))
    m["geom/g/mass"] = 3
    with pytest.raises(ValueError, match="changed after"):
        roll.vjp(qpos=[1], wrt="ctrl")


def test_pickle(creature):
    again = pickle.loads(pickle.dumps(creature))
    assert again.hash == creature.hash
    state = random_state(creature, 0)
    copy = pickle.loads(pickle.dumps(state))
    assert np.array_equal(again.rollout(copy, steps=20).final.block, creature.rollout(state, steps=20).final.block)


def test_recording_changes_no_bit(creature):
    state = random_state(creature, 1)
    ctrl = np.random.default_rng(1).uniform(-1, 1, (30, creature.nu))
    with_tape = creature.rollout(state, ctrl, record=True, signature=True)
    without = creature.rollout(state, ctrl, record=False, signature=True)
    assert np.array_equal(with_tape.final.block, without.final.block)
    assert with_tape.signature == without.signature


def test_continuing_is_the_same(creature):
    state = random_state(creature, 2)
    half = creature.rollout(state, steps=10).final
    assert np.array_equal(creature.rollout(half, steps=10).final.block, creature.rollout(state, steps=20).final.block)


def test_worlds_do_not_depend_on_threads(creature):
    state = random_state(creature, 3, worlds=7)
    ctrl = np.random.default_rng(3).uniform(-1, 1, (7, 15, creature.nu))
    bar = np.random.default_rng(4).normal(size=(7, creature.nv))
    rolls = [creature.rollout(state, ctrl, threads=t) for t in (1, 2, 5)]
    grads = [r.vjp(qvel=bar, wrt=["ctrl", "qvel0", "geom/*/friction/0"]) for r in rolls]
    for r, g in zip(rolls[1:], grads[1:]):
        assert np.array_equal(r.final.block, rolls[0].final.block)
        assert all(np.array_equal(g[k], grads[0][k]) for k in g)
    one = creature.rollout(visviva.State(creature, state.block[4]), ctrl[4])
    assert np.array_equal(one.final.block, rolls[0].final.block[4])
    same = one.vjp(qvel=bar[4], wrt=["ctrl", "qvel0", "geom/*/friction/0"])  # the same sweep: that without numbers rounds otherwise
    assert np.array_equal(same["ctrl"], grads[0]["ctrl"][4])


def test_forward_equals_reverse(creature):
    m, random = creature, np.random.default_rng(5)
    state = random_state(m, 5)
    ctrl = random.uniform(-1, 1, (20, m.nu))
    quantity = m.quantities[1]
    roll = m.rollout(state, ctrl, outputs=[quantity])
    bar = {quantity: random.normal(size=roll.outputs[quantity].shape)}
    qbar, vbar = random.normal(size=m.nv), random.normal(size=m.nv)
    dq, dv, du = random.normal(size=m.nv), random.normal(size=m.nv), random.normal(size=ctrl.shape)
    names = "geom/*/friction/0"
    dn = random.normal(size=len(m.names(names)))
    g = roll.vjp(outputs=bar, qpos=qbar, qvel=vbar, wrt=["ctrl", "qpos0", "qvel0", names])
    t = roll.jvp(qpos0=dq, qvel0=dv, ctrl=du, numbers={names: dn})
    left = (g["ctrl"] * du).sum() + g["qpos0"] @ dq + g["qvel0"] @ dv + g[names] @ dn
    right = (bar[quantity] * t["outputs"][quantity]).sum() + qbar @ t["qpos"] + vbar @ t["qvel"]
    assert left == pytest.approx(right, rel=1e-9)


def test_worlds_with_their_own_numbers():
    m = visviva.Model.from_string(SLIDER)
    mass = np.array([1.0, 2.0, 5.0])
    roll = m.rollout(m.state(worlds=3), np.ones((3, 10, 1)), params={"geom/g/mass": mass}, outputs=["sensor/at"])
    for w in range(3):
        m["geom/g/mass"] = mass[w]
        assert np.array_equal(m.rollout(m.state(), np.ones((10, 1))).final.block, roll.final.block[w])
    m["geom/g/mass"] = 2
    roll = m.rollout(m.state(worlds=3), np.ones((3, 10, 1)), params={"geom/g/mass": mass})
    gradient = roll.vjp(qpos=np.ones((3, 1)), wrt="geom/g/mass")["geom/g/mass"][:, 0]
    eps = 1e-6
    ends = [m.rollout(m.state(worlds=3), np.ones((3, 10, 1)), params={"geom/g/mass": mass + s * eps}).final.qpos
            for s in (1, -1)]
    assert gradient == pytest.approx((ends[0] - ends[1])[:, 0] / (2 * eps), rel=1e-6)


def test_jacobians(creature):
    m = creature
    state = m.rollout(random_state(m, 6), steps=40).final
    J = m.jacobians(state, np.zeros(m.nu), outputs=["energy/kinetic"])
    n = 2 * m.nv + m.na
    assert J.A.shape == (n, n) and J.B.shape == (n, m.nu) and J.C.shape == (1, n) and J.D.shape == (1, m.nu)
    eps, column = 1e-6, m.nv + 1
    ends = []
    for sign in (1, -1):
        moved = state.copy()
        moved.qvel[1] += sign * eps
        ends.append(m.step(moved, np.zeros(m.nu)))
    dq = m.difference(ends[1].qpos, ends[0].qpos) / (2 * eps)
    dv = (ends[0].qvel - ends[1].qvel) / (2 * eps)
    assert J.A[:, column] == pytest.approx(np.concatenate([dq, dv]), rel=1e-5, abs=1e-6)


def test_check():
    m = visviva.Model.from_string(SLIDER)
    result = m.check(m.state(), np.ones((20, 1)), outputs=["sensor/at"], outputs_bar=np.ones((21, 1)),
                     wrt=["ctrl", "qvel0", "geom/g/mass", "joint/x/damping"])
    assert result["mismatch"] == 0 and len(result["directions"]) > 20
    assert {d["verdict"] for d in result["directions"]} == {"ok"}


def test_threads_of_python(creature):
    state = random_state(creature, 7)
    right = creature.rollout(state, steps=50).final.block
    ends = [None] * 4

    def work(i):
        for _ in range(5):
            ends[i] = creature.rollout(state, steps=50).final.block

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert all(np.array_equal(e, right) for e in ends)


def test_inputs_without_copy_and_of_other_types():
    m = visviva.Model.from_string(SLIDER)
    as_list = m.rollout(m.state(), [[1.0], [2.0]]).final.block
    as_float32 = m.rollout(m.state(), np.array([[1.0], [2.0]], dtype=np.float32)).final.block
    assert np.array_equal(as_list, as_float32)
    strided = np.ones((4, 2))[:, :1]
    assert np.array_equal(m.rollout(m.state(), strided).final.block, m.rollout(m.state(), np.ones((4, 1))).final.block)


def test_keyframes_and_bodies():
    m = visviva.Model.from_file(CUBE)
    state = m.state(qpos=[1, 2, 3, 1, 0, 0, 0])
    assert state.body("cube").pos == pytest.approx([1, 2, 3])
    assert state.body("cube").quat == pytest.approx([1, 0, 0, 0])
    with pytest.raises(KeyError):
        m.state("none")
    with pytest.raises(IndexError):
        m.state(17)


@pytest.mark.parametrize("name", ["visviva", "visviva.model"])
def test_examples_in_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
