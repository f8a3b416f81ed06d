# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of random poses beside MuJoCo's: number, order, gap, point and normal, pair of shapes by pair of shapes.

usage: contacts.py [poses] [pair ...]    e.g. contacts.py 2000 box-box

A pose counts as equal when both engines find the same contacts, each to 1e-6 (analytic pairs) or 1e-4 (pairs of MuJoCo's
general convex collider), in any order; "in order" is the share with the same order (exact ties between faces of aligned
boxes fall to rounding). Half of the poses are free, the others have aligned axes, exactly or with a small turn.
"""
import ctypes
import os
import sys

import mujoco
import numpy as np
from peer import BUILD, tighten

SHAPES = {"plane": "size='5 5 1'", "sphere": "size='.2'", "capsule": "size='.12 .25'", "ellipsoid": "size='.3 .2 .12'",
          "cylinder": "size='.2 .15'", "box": "size='.25 .15 .1'"}
ORDER = list(SHAPES)
GENERAL = {("sphere", "ellipsoid"), ("capsule", "ellipsoid"), ("capsule", "cylinder"), ("ellipsoid", "ellipsoid"),
           ("ellipsoid", "cylinder"), ("ellipsoid", "box"), ("cylinder", "cylinder"), ("cylinder", "box")}
LEAST = {False: 0.995, True: 0.97}  # share of poses that must be equal: analytic, general


class Info(ctypes.Structure):
    _fields_ = [("geom1", ctypes.c_int), ("geom2", ctypes.c_int), ("dim", ctypes.c_int), ("point", ctypes.c_double * 3),
                ("normal", ctypes.c_double * 3), ("gap", ctypes.c_double), ("force", ctypes.c_double * 3),
                ("torque", ctypes.c_double * 3)]


class Engine:
    """A scene in visviva, reached through the shared library."""

    def __init__(self, text):
        self.lib = ctypes.CDLL(os.path.join(BUILD, "libvisviva.so"))
        pointer = ctypes.c_void_p
        self.context, self.model, self.work, spec = pointer(), pointer(), pointer(), pointer()
        self.call("vv_context_create", None, ctypes.byref(self.context))
        report = ctypes.create_string_buffer(4096)
        raw = text.encode()
        self.call("vv_spec_read_text", self.context, raw, ctypes.c_size_t(len(raw)), b"scene", ctypes.byref(spec), report)
        self.call("vv_compile", self.context, spec, ctypes.byref(self.model), report)
        self.call("vv_rigid_work_create", self.context, self.model, ctypes.byref(self.work))

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: status {status}")

    def contacts(self, q, v):
        q = np.ascontiguousarray(q)
        self.lib.vv_rigid_evaluate(self.model, q.ctypes.data_as(ctypes.c_void_p),
                                   v.ctypes.data_as(ctypes.c_void_p), None, None, None, None, None, self.work)
        out, info = [], Info()
        while self.lib.vv_query_contact(self.work, len(out), ctypes.byref(info)) == 0:
            out.append((info.geom1, info.geom2, np.array([info.gap, *info.point, *info.normal])))
        return out


def rotation(rng, aligned):
    q = rng.normal(size=4)
    if aligned:
        q = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]][rng.integers(6)],
                     dtype=float) + rng.choice([0, 1e-3, 1e-2]) * rng.normal(size=4)
    return q / np.linalg.norm(q)


def scene(one, two, margin):
    geom = [f"<body><freejoint/><geom type='{s}' {SHAPES[s]} margin='{margin}'/></body>" if s != "plane" else
            f"<geom type='plane' {SHAPES[s]} margin='{margin}'/>" for s in (one, two)]
    return f"<mujoco><option gravity='0 0 0'/><worldbody>{geom[0]}{geom[1]}</worldbody></mujoco>"


def compare(one, two, poses, margin, rng):
    text = scene(one, two, margin)
    peer = tighten(mujoco.MjModel.from_xml_string(text))
    if (one, two) in GENERAL:  # the one contact of least penetration, searched to the end
        peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MULTICCD
        peer.opt.ccd_iterations, peer.opt.ccd_tolerance = 1000, 1e-14
    data, own = mujoco.MjData(peer), Engine(text)
    tolerance = 1e-4 if (one, two) in GENERAL else 1e-6
    v, touching, equal, in_order, worst, first = np.zeros(peer.nv), 0, 0, 0, 0.0, None
    while touching < poses:
        aligned = bool(rng.integers(2))
        q = np.array(peer.qpos0)
        for k in range(0, peer.nq, 7):
            q[k + 3:k + 7] = rotation(rng, aligned)
        direction = rng.normal(size=3)
        reach = 0.35 if one == "plane" else 0.6
        q[-7:-4] = q[0:3] * (peer.nq > 7) + rng.uniform(0.02, reach) * direction / np.linalg.norm(direction)
        data.qpos[:] = q
        mujoco.mj_kinematics(peer, data)
        mujoco.mj_comPos(peer, data)
        mujoco.mj_collision(peer, data)
        mine = own.contacts(q, v)
        peers = [np.concatenate([[c.dist], c.pos, c.frame[:3]]) for c in data.contact]
        if not mine and not peers:
            continue
        touching += 1
        error = np.inf
        if len(mine) == len(peers):
            ordered = max(np.abs(a[2] - b).max() for a, b in zip(mine, peers))
            error = max(min(np.abs(a[2] - b).max() for a in mine) for b in peers)
            in_order += ordered < tolerance
        if error < tolerance:
            equal += 1
            worst = max(worst, error)
        elif first is None or os.environ.get("VV_LIST"):
            first = (q, len(mine), len(peers), error)
            if os.environ.get("VV_LIST"):
                print(aligned, len(mine), len(peers), error, [round(p[0], 6) for p in peers],
                      [round(p[2][0], 6) for p in mine], flush=True)
    return equal / touching, in_order / touching, worst, first


def main():
    poses = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    only, failed, n = sys.argv[2:], 0, 0
    for i, one in enumerate(ORDER):
        for two in ORDER[max(i, 1):]:
            if only and f"{one}-{two}" not in only:
                continue
            for margin in (0, 0.02):
                rng = np.random.default_rng(7)
                share, order, worst, first = compare(one, two, poses, margin, rng)
                ok = share >= LEAST[(one, two) in GENERAL]
                n, failed = n + 1, failed + (not ok)
                print(f"{one + '-' + two:20s} margin {margin:<5g} equal {share:7.4f} in order {order:7.4f}  largest "
                      f"difference {worst:.1e}{'' if ok else '  FAIL'}", flush=True)
                if first and not ok:
                    print(f"    first other: {first[1]} contacts beside {first[2]}, difference {first[3]:.2g}, qpos "
                          f"{np.array2string(first[0], precision=17, max_line_width=1000, separator=',')}")
    print(f"{n - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
