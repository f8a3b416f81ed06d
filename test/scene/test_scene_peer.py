# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""MJCF read as MuJoCo reads it: many small scenes, compiled by both, compared array by array; and written by
`vv convert`, compiled by MuJoCo again and compared with the original. Scenes that MuJoCo refuses must be refused."""

import json
import os
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peer"))
import models  # noqa: E402
import peer  # noqa: E402

VV = peer.VV
results = [0, 0]
work = tempfile.TemporaryDirectory()
mujoco.set_mju_user_warning(lambda text: None)


def check(name, good, *seen):
    results[0 if good else 1] += 1
    if not good:
        print("wrong:", name, *seen)


def near(a, b, tolerance=1e-14):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance * (1 + np.abs(b))))


def vv(*arguments):
    return subprocess.run([VV, *arguments], capture_output=True, text=True, timeout=60)


class Info:
    """Numbers of `vv info --json` by element and index."""

    def __init__(self, path):
        p = vv("info", path, "--json")
        self.error = p.stderr
        self.numbers = None
        if p.returncode == 0:
            report = json.loads(p.stdout)
            self.counts = report["counts"]
            self.states = report["states"]
            self.numbers = {n["name"]: n["value"] for n in report["numbers"]}

    def get(self, element, model_name, index, attribute):
        """Value or list of values of an attribute; None where there is none."""
        name = f"{element}/{model_name.replace('/', '%2F') or '#' + str(index)}/{attribute}"
        name = name.replace("*", "%2A").replace(",", "%2C").replace(" ", "%20")
        if name in self.numbers:
            return self.numbers[name]
        out = []
        while f"{name}/{len(out)}" in self.numbers:
            out.append(self.numbers[f"{name}/{len(out)}"])
        return out or None


def ten(model, i):
    """Mass, mass x center, moments about the body's origin."""
    mass, center = model.body_mass[i], model.body_ipos[i]
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body_iquat[i])
    rotation = rotation.reshape(3, 3)
    tensor = rotation @ np.diag(model.body_inertia[i]) @ rotation.T
    tensor += mass * (center @ center * np.eye(3) - np.outer(center, center))
    return [mass, *(mass * center), *np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]


def same_turn(a, b):
    return a is not None and (near(a, b, 1e-12) or near(-np.asarray(a), b, 1e-12))


def compare_bodies(name, m, info):
    for i in range(m.nbody):
        label = m.body(i).name
        if i > 0:
            check(f"{name} body {i} inertia", near(info.get("body", label, i, "inertia10"), ten(m, i), 1e-11),
                  info.get("body", label, i, "inertia10"), ten(m, i))
            check(f"{name} body {i} weight", near(info.get("body", label, i, "invweight"), m.body_invweight0[i], 1e-9),
                  info.get("body", label, i, "invweight"), m.body_invweight0[i])
        check(f"{name} body {i} pos", near(info.get("body", label, i, "lpos"), m.body_pos[i]))
        check(f"{name} body {i} quat", same_turn(info.get("body", label, i, "lquat"), m.body_quat[i]),
              info.get("body", label, i, "lquat"), m.body_quat[i])
    for v in range(m.nv):
        weight = info.numbers[f"dof/#{v}/invweight/0"]
        check(f"{name} dof {v} weight", near(weight, m.dof_invweight0[v], 1e-9), weight, m.dof_invweight0[v])


def compare_joints(name, m, info):
    for j in range(m.njnt):
        label, kind = m.joint(j).name, m.jnt_type[j]
        get = lambda attribute: info.get("joint", label, j, attribute)  # noqa: E731
        check(f"{name} joint {j} limited", (get("range") is not None) == bool(m.jnt_limited[j]))
        if m.jnt_limited[j]:
            check(f"{name} joint {j} range", near(get("range"), m.jnt_range[j], 1e-15), get("range"), m.jnt_range[j])
            check(f"{name} joint {j} margin", near(get("margin"), m.jnt_margin[j], 0))
            check(f"{name} joint {j} solref", near(get("solreflimit"), m.jnt_solref[j], 0))
            check(f"{name} joint {j} solimp", near(get("solimplimit"), m.jnt_solimp[j], 0))
        stiffness = m.jnt_stiffness[j] if np.ndim(m.jnt_stiffness[j]) == 0 else m.jnt_stiffness[j][0]
        check(f"{name} joint {j} stiffness", near(get("stiffness"), [stiffness], 0))
        v = m.jnt_dofadr[j]
        damping = m.dof_damping[v] if np.ndim(m.dof_damping[v]) == 0 else m.dof_damping[v][0]
        check(f"{name} joint {j} damping", near(get("damping"), [damping], 0))
        check(f"{name} joint {j} armature", near(get("armature"), m.dof_armature[v], 0))
        if kind in (2, 3):
            check(f"{name} joint {j} axis", near(get("laxis"), m.jnt_axis[j], 1e-14), get("laxis"), m.jnt_axis[j])
        if kind != 0:
            check(f"{name} joint {j} pos", near(get("lpos"), m.jnt_pos[j], 1e-14), get("lpos"), m.jnt_pos[j])
    check(f"{name} qpos0", near([info.numbers[f"qpos0/{i}"] for i in range(m.nq)], m.qpos0, 1e-14))
    check(f"{name} qpos_spring", near([info.numbers[f"qpos_spring/{i}"] for i in range(m.nq)], m.qpos_spring, 1e-14))


SIZES = {2: 1, 3: 2, 4: 3, 5: 2, 6: 3}


def compare_geoms(name, m, info):
    for g in range(m.ngeom):
        label, kind = m.geom(g).name, m.geom_type[g]
        get = lambda attribute: info.get("geom", label, g, attribute)  # noqa: E731
        check(f"{name} geom {g} pos", near(get("lpos"), m.geom_pos[g], 1e-14), get("lpos"), m.geom_pos[g])
        check(f"{name} geom {g} quat", same_turn(get("lquat"), m.geom_quat[g]), get("lquat"), m.geom_quat[g])
        n = SIZES.get(int(kind), 0)
        check(f"{name} geom {g} size", near(get("dim")[:n], m.geom_size[g][:n], 1e-15), get("dim"), m.geom_size[g])
        if get("friction") is not None:
            check(f"{name} geom {g} friction", near(get("friction"), m.geom_friction[g], 0))
            check(f"{name} geom {g} solref", near(get("solref"), m.geom_solref[g], 0), get("solref"), m.geom_solref[g])
            check(f"{name} geom {g} solimp", near(get("solimp"), m.geom_solimp[g], 0))
            check(f"{name} geom {g} rest", near([get("solmix"), get("margin"), get("gap")],
                                                [m.geom_solmix[g], m.geom_margin[g], m.geom_gap[g]], 0))
    for s in range(m.nsite):
        label = m.site(s).name
        check(f"{name} site {s} pos", near(info.get("site", label, s, "lpos"), m.site_pos[s], 1e-14))
        check(f"{name} site {s} quat", same_turn(info.get("site", label, s, "lquat"), m.site_quat[s]))


def compare_rest(name, m, info):
    check(f"{name} option", near([info.numbers["opt/timestep"], info.numbers["opt/impratio"]],
                                 [m.opt.timestep, m.opt.impratio], 0))
    check(f"{name} gravity", near([info.numbers[f"opt/gravity/{i}"] for i in range(3)], m.opt.gravity, 0))
    for i in range(m.nu):
        label = m.actuator(i).name
        n = 1
        if m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_SITE:
            n = 6
        elif m.actuator_trntype[i] != mujoco.mjtTrn.mjTRN_TENDON:
            n = {0: 6, 1: 3}.get(int(m.jnt_type[m.actuator_trnid[i][0]]), 1)
        check(f"{name} gear {i}", near(info.get("actuator", label, i, "gear"), m.actuator_gear[i][:n], 0))
        limited = info.get("actuator", label, i, "ctrlrange")
        check(f"{name} ctrlrange {i}", (limited is not None) == bool(m.actuator_ctrllimited[i])
              and (limited is None or near(limited, m.actuator_ctrlrange[i], 0)))
    sizes = {"nq": m.nq, "nv": m.nv, "nu": m.nu, "bodies": m.nbody, "joints": m.njnt, "geoms": m.ngeom, "sites": m.nsite,
             "sensors": m.nsensor, "sensordata": m.nsensordata, "keyframes": m.nkey, "trees": m.ntree}
    check(f"{name} counts", all(info.counts[k] == v for k, v in sizes.items()), info.counts, sizes)


def compare_pairs(name, path, info):
    """Pairs that may touch, against MuJoCo's contacts when everything is within the margin of everything."""
    m = mujoco.MjModel.from_xml_path(path)
    m.geom_margin[:] = m.body_margin[:] = 1000
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    label = lambda g: m.geom(g).name or f"#{g}"  # noqa: E731
    theirs = {(label(c.geom[0]), label(c.geom[1])) for c in d.contact}
    ours = {tuple(s.split("/")[1:3]) for s in info.states if s.startswith("contact/") and s.endswith("/force")}
    check(f"{name} pairs", ours == theirs, ours - theirs, theirs - ours)


LOOKS = {"geom_user", "body_user", "jnt_user", "site_user", "actuator_user", "sensor_user", "geom_rgba", "geom_matid", "geom_dataid", "geom_group", "site_matid", "site_rgba", "names", "names_map"}
KEPT = ("body_", "jnt_", "dof_", "geom_", "site_", "actuator_", "sensor_", "key_", "qpos", "exclude_")


def compare_models(name, a, b):
    """Two MuJoCo models: everything that a step depends on."""
    for field in dir(a):
        if not field.startswith(KEPT) or field in LOOKS or "bvh" in field or field.startswith(("body_plugin", "geom_plugin")):
            continue
        x, y = getattr(a, field), getattr(b, field)
        if not isinstance(x, np.ndarray) or field in ("body_sameframe", "geom_sameframe", "site_sameframe", "body_simple", "site_size"):
            continue
        good = x.shape == y.shape and bool(np.all(np.abs(x.astype(float) - y) <= 4e-15 * (1 + np.abs(x))))
        check(f"{name} converted: {field}", good, x, y)
    check(f"{name} converted: flags", (a.opt.disableflags ^ b.opt.disableflags) & 0xffff == 0)
    for field in ("timestep", "gravity", "impratio", "cone"):
        check(f"{name} converted: option {field}", np.array_equal(getattr(a.opt, field), getattr(b.opt, field)))


def compare(name, path):
    """A scene that both must read."""
    m = mujoco.MjModel.from_xml_path(path)
    info = Info(path)
    check(f"{name} is read", info.numbers is not None, info.error)
    if info.numbers is None:
        return
    compare_rest(name, m, info)
    compare_bodies(name, m, info)
    compare_joints(name, m, info)
    compare_geoms(name, m, info)
    if name != "names":
        compare_pairs(name, path, info)
    out = os.path.join(work.name, "converted.xml")
    p = vv("convert", path, out)
    check(f"{name} is written", p.returncode == 0, p.stderr)
    if p.returncode == 0:
        compare_models(name, m, mujoco.MjModel.from_xml_path(out))
        again = os.path.join(work.name, "again.xml")
        vv("convert", out, again)
        with open(out) as one, open(again) as two:
            check(f"{name} is written the same again", one.read() == two.read())


def text_file(text):
    path = os.path.join(work.name, "scene.xml")
    with open(path, "w") as file:
        file.write(text)
    return path


def body(inside, head="", tail=""):
    return f"<mujoco>{head}<worldbody>{inside}</worldbody>{tail}</mujoco>"


BALL = '<geom type="sphere" size="0.1"/>'
ROUND = '<geom size="0.1"/><geom type="capsule" size="0.1 0.2"/>'
READ = {
    "pairs": body(
        f'<geom type="plane" size="1 1 1"/><geom type="plane" size="1 1 1" pos="0 0 -1"/>{ROUND}<body name="fixed">{ROUND}</body><body name="a"><freejoint/>{ROUND}'
        f'<geom size="0.1" contype="2" conaffinity="4"/><body name="b"><joint/>{ROUND}<body name="c">{ROUND}<body name="d"><joint/>{ROUND}</body></body></body></body>'
        '<body name="e"><joint/><geom size="0.1" contype="4" conaffinity="0"/><geom size="0.1" contype="0" conaffinity="3"/></body>'
        f'<body name="f">{BALL}<body name="g"><joint/>{BALL}<body name="h"><joint/>{BALL}</body></body></body>', '',
        '<contact><exclude body1="a" body2="d"/><exclude body1="world" body2="h"/></contact>'),
    "pairs, parents too": body(
        f'<body name="a"><joint/>{BALL}<body name="b"><joint/>{BALL}<body name="c">{BALL}</body></body></body>',
        '<option><flag filterparent="disable"/></option>'),
    "nested defaults": body(
        '<body childclass="a"><joint name="j"/><geom class="b" size="0.1"/><geom/><body childclass="main"><joint type="ball"/>'
        '<geom size="0.2"/></body></body>',
        '<default><geom friction="0.9" size="0.3"/><joint damping="0.5"/><default class="a"><joint type="slide" axis="1 0 0"/>'
        '<geom density="500"/><default class="b"><geom friction="0.7 0.01" solref="0.05" solimp="0.8"/></default></default></default>'),
    "two default sections": body(
        '<body><joint class="a"/><geom class="a" size="0.1"/></body>',
        '<default><default class="a"><geom margin="0.01"/></default><geom density="10"/></default>'
        '<default><geom density="20" friction="2"/></default>'),
    "degrees": body(
        '<body euler="30 40 50"><joint name="h" range="-90 45" ref="10" springref="20" stiffness="3" damping="2"/>'
        '<joint type="slide" range="-90 45" ref="10" springref="20"/><geom type="box" size="0.1 0.2 0.3" axisangle="1 2 3 70"/></body>'),
    "radians, sequences": body(
        f'<body euler="0.3 0.4 0.5">{BALL}<joint range="-1 1"/></body><body euler="0.1 0.2 0.3"><freejoint/>{BALL}</body>',
        '<compiler angle="radian" eulerseq="ZYx"/>'),
    "orientations": body(
        '<body><freejoint/><geom type="box" size="0.1 0.2 0.3" zaxis="1 2 3"/><geom type="box" size="0.1 0.2 0.3" zaxis="0 0 -1" pos="1 0 0"/>'
        '<geom type="box" size="0.1 0.2 0.3" xyaxes="0 1 0 -1 0 0" pos="2 0 0"/><geom type="box" size="0.1 0.2 0.3" quat="1 2 3 4" pos="3 0 0"/>'
        '<geom type="box" size=".1 .2 .3" xyaxes="-1 0 0 0 -1 0.5"/><geom type="box" size=".1 .2 .3" xyaxes="-1 0 0 0 1 0"/>'
        '<geom type="box" size=".1 .2 .3" xyaxes="1 0.1 0 0 -1 0"/></body>'),
    "segments": body(
        '<body pos="0 0 1"><freejoint/><geom type="capsule" fromto="0 0 0 1 2 3" size="0.1"/><geom type="cylinder" fromto="0 0 1 0 0 0" size="0.1"/>'
        '<geom type="box" fromto="0 0 0 0 1 0" size="0.2"/><geom type="ellipsoid" fromto="1 0 0 0 0 0" size="0.2"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/><site type="capsule" fromto="0 0 0 1 1 0" size="0.1"/></body>'),
    "shells": body(
        '<body><freejoint/><geom type="capsule" size="0.1 0.2" shellinertia="true"/></body><body pos="9 0 0"><freejoint/>'
        '<geom type="box" size="0.1 0.2 0.3" shellinertia="true" mass="2"/><geom type="cylinder" size="0.1 0.2" pos="0.5 0 0" shellinertia="true"/>'
        '</body><body pos="0 9 0"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3" shellinertia="true"/><geom size="0.3" shellinertia="true"/></body>',
        '<option><flag contact="disable"/></option>'),
    "frames": body(
        '<frame pos="1 0 0" euler="0 0 90"><body name="b" pos="0 2 0"><joint axis="1 0 0" pos="0.1 0 0"/><frame pos="0.1 0.2 0.3" euler="10 20 30">'
        '<geom size="0.1"/><joint type="slide" axis="0 1 0"/><site name="s" euler="0 0 20"/><frame euler="0 45 0"><geom type="box" size="0.1 0.2 0.3"/>'
        '<body name="c"><freejoint/></body></frame></frame></body></frame>'.replace('<freejoint/>', '<joint/><geom size="0.1"/>')),
    "frames with childclass": body(
        '<frame childclass="a"><body><joint/><geom/></body><frame childclass="b"><body><joint/><geom/></body><geom class="a"/></frame></frame>',
        '<default><geom size="0.1" contype="0" conaffinity="0"/><default class="a"><geom size="0.2"/></default><default class="b"><geom size="0.3"/></default></default>'),
    "groups of inertia": body(
        '<body><freejoint/><geom type="box" size="0.5 0.5 0.5" group="2"/><geom size="0.1" group="3"/></body>',
        '<compiler inertiagrouprange="3 4"/>'),
    "inertia from geoms, always": body(
        f'<body><freejoint/><inertial pos="1 0 0" mass="3" diaginertia="1 1 1"/>{BALL}</body><body pos="0 2 0"><freejoint/>'
        '<inertial pos="0.1 0 0" mass="3" diaginertia="1 2 1.5" euler="10 20 30"/><geom size="0.1" mass="0"/></body>',
        '<compiler inertiafromgeom="true"/>'),
    "inertial": body(
        '<body><freejoint/><inertial pos="0.1 0.2 0.3" mass="2" fullinertia="1 1.1 1.2 0.1 0.2 -0.1"/></body><body><joint/>'
        '<inertial pos="0 0 0" mass="1.5" diaginertia="0.02 0.02 0.02" quat="1 1 0 0"/><geom size="0.1"/></body>'),
    "bounds, balance, total": body(
        f'<body><joint/><inertial pos="0 0 0" mass="0.001" diaginertia="1e-9 1e-9 1e-9"/><body pos="1 0 0">{BALL}<joint/></body></body>'
        '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1.486e-6 2e-7 8.31e-7"/></body>',
        '<compiler boundmass="0.01" boundinertia="1e-7" balanceinertia="true" settotalmass="5"/>'),
    "limits": body(
        f'<body><joint range="-10 10" limited="false"/>{BALL}<body><joint limited="true" range="-1 1"/>{BALL}</body></body>'
        f'<body><joint range="0 0"/>{BALL}</body>', '<compiler autolimits="false"/>'),
    "free joint with defaults": body(
        f'<body><joint type="free"/>{BALL}</body><body pos="1 0 0"><freejoint/>{BALL}</body>',
        '<default><joint damping="0.1" armature="0.2" stiffness="3" margin="0.1"/></default>'),
    "several joints": body(
        '<body quat="1 1 0 0"><joint type="slide" axis="1 0 0" ref="0.1"/><joint type="slide" axis="0 1 0.2"/><joint axis="1 1 1" pos="0.1 0 0" ref="30"/>'
        '<geom type="box" size="0.1 0.2 0.3"/><body pos="0 0 1"><joint type="ball" pos="0 0 0.1" stiffness="2"/><geom type="capsule" size="0.1 0.2"/>'
        '</body></body>'),
    "bodies and geoms interleaved": body(
        '<geom name="g0" size="0.1"/><body name="b1"><body name="b2"><geom name="g2" size="0.1" contype="0" conaffinity="0"/><joint/></body>'
        '<geom name="g1" size="0.2" contype="0" conaffinity="0"/><joint/></body><geom name="g3" size="0.1" pos="5 0 0"/>'
        '<body name="b4"><geom size="0.1" contype="0" conaffinity="0"/></body>'),
    "fixed bodies": body(
        f'<body pos="0 0 1" euler="10 0 0"><geom type="plane" size="1 1 1"/><body pos="0 0 3"><joint/>{BALL}<body pos="0 0 0.5">{BALL}<body pos="0 0 1"><joint/>{BALL}'
        '</body></body></body></body>'),
    "massless with a welded child": body(f'<body><joint/><body pos="0 0 1">{BALL}</body></body>'),
    "actuators": body(
        f'<body><joint name="a"/><joint name="s" type="slide"/>{BALL}<body pos="0 0 1"><joint name="b" type="ball"/>{BALL}</body></body>',
        '<default><motor ctrlrange="-1 2" gear="3"/><default class="m"><general forcerange="-5 5"/></default></default>',
        '<actuator><motor joint="a"/><motor joint="s" ctrllimited="false" class="m"/><general joint="a" gear="7" name="x"/>'
        '<motor jointinparent="b" gear="1 2 3"/><general joint="b" gear="1 2 3" ctrlrange="0 1" ctrllimited="true"/></actuator>'),
    "sensors": body(
        f'<body name="b"><joint name="a"/>{BALL}<site name="s" pos="0.1 0 0"/><geom name="g" size="0.05"/><body name="c" pos="0 0 1"><joint type="ball" name="q"/>{BALL}</body></body>',
        '', '<sensor><jointpos joint="a" cutoff="2" noise="0.1"/><jointvel name="v" joint="a"/><ballquat joint="q"/><ballangvel joint="q"/>'
        '<framepos objtype="site" objname="s" reftype="body" refname="c"/><framequat objtype="geom" objname="g"/><framexaxis objtype="xbody" objname="b"/>'
        '<frameyaxis objtype="body" objname="b"/><framezaxis objtype="site" objname="s"/><framelinvel objtype="site" objname="s" reftype="xbody" refname="b"/>'
        '<frameangvel objtype="body" objname="c"/><framelinacc objtype="geom" objname="g"/><frameangacc objtype="body" objname="c"/></sensor>'),
    "keyframes": body(
        f'<body><freejoint/>{BALL}</body><body pos="2 0 0"><joint/>{BALL}</body>', '',
        '<keyframe><key name="k" time="1.5" qpos="1 2 3 2 0 0 0 0.5" qvel="1 2 3 4 5 6 7"/><key/><key ctrl=""/><key qpos="1 2" qvel="1"/></keyframe>'),
    "excludes": body(
        f'<geom type="plane" size="1 1 1"/><body name="a"><freejoint/>{BALL}</body><body name="b"><freejoint/>{BALL}</body>', '',
        '<contact><exclude body1="b" body2="a"/><exclude name="e" body1="world" body2="a"/></contact>'),
    "options": body(
        f'<body><freejoint/>{BALL}</body>',
        '<option timestep="0.005" gravity="1 2 3" impratio="10" cone="elliptic" solver="CG" iterations="7" tolerance="1e-5" jacobian="dense" '
        'integrator="Euler" magnetic="1 2 3" ls_iterations="3"><flag gravity="disable" contact="disable" energy="enable" multiccd="disable"/></option>'
        '<option impratio="3"/><size njmax="500" nconmax="100" nkey="3"/><statistic extent="2" center="0 0 1"/>'
        '<visual><map znear="0.01"/><rgba haze="0 0 0 1"/></visual>',
        '<custom><numeric name="n" data="1 2"/><text name="t" data="x"/></custom>'),
    "looks": body(
        '<light pos="0 0 3" dir="0 0 -1"/><camera name="c" pos="0 0 1" xyaxes="1 0 0 0 1 0"/><body><freejoint/><geom size="0.1" rgba="1 0 0 1" material="m" user="1 2"/></body>',
        '<asset><texture name="t" builtin="checker" width="10" height="10" type="2d"/><material name="m" texture="t" reflectance="0.1"/></asset>'),
    "names": body(
        f'<body name="a/b c*,d &amp; &quot;"><joint name="ä"/>{BALL}</body>'),
}

REFUSED = {
    "range without limited": body(f'<body><joint range="-1 1"/>{BALL}</body>', '<compiler autolimits="false"/>'),
    "range upside down": body(f'<body><joint range="1 -1" limited="true"/>{BALL}</body>'),
    "no mass": body('<body><joint/></body>'),
    "massless geom": body('<body><joint/><geom size="0.1" mass="0"/></body>'),
    "A + B < C": body('<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1.486e-6 2e-7 8.31e-7"/></body>'),
    "indefinite inertia": body('<body><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 5 0 0"/></body>'),
    "nested free joint": body(f'<body>{BALL}<joint/><body><freejoint/>{BALL}</body></body>'),
    "free joint under a fixed body": body(f'<body><body><freejoint/>{BALL}</body></body>'),
    "seven dofs": body(f'<body><freejoint/><joint/>{BALL}</body>'),
    "ball then hinge": body(f'<body><joint type="ball"/><joint/>{BALL}</body>'),
    "plane that moves": body('<body><joint/><geom type="plane" size="1 1 1"/><geom size="0.1"/></body>'),
    "condim 2": body('<geom size="0.1" condim="2"/>'),
    "no size": body('<geom/>'),
    "one size for a box": body('<geom type="box" size="0.1"/>'),
    "pos and fromto": body('<geom type="capsule" size="0.1" pos="1 0 0" fromto="0 0 0 1 0 0"/>'),
    "fromto of a sphere": body('<geom size="0.1" fromto="0 0 0 1 0 0"/>'),
    "fromto without length": body('<geom type="capsule" size="0.1" fromto="1 0 0 1 0 0"/>'),
    "zero quaternion": body('<geom size="0.1" quat="0 0 0 0"/>'),
    "two orientations": body('<geom size="0.1" quat="1 0 0 0" euler="1 0 0"/>'),
    "zero axis": body(f'<body><joint axis="0 0 0"/>{BALL}</body>'),
    "repeated name": body('<geom name="a" size="0.1"/><geom name="a" size="0.1"/>'),
    "unknown class": body('<geom class="a" size="0.1"/>'),
    "repeated class": body('', '<default><default class="a"/><default class="a"/></default>'),
    "renamed main": body('', '<default class="x"/>'),
    "unknown attribute": body('<geom size="0.1" frictoin="1"/>'),
    "unknown element": body('<gem size="0.1"/>'),
    "unknown section": '<mujoco><wordbody/></mujoco>',
    "unknown keyword": body('<geom type="cube" size="0.1 0.1 0.1"/>'),
    "too many numbers": body('<geom size="1 2 3 4"/>'),
    "too few numbers": body('<geom size="1" pos="1 2"/>'),
    "not a number": body('<geom size="0.1" pos="1 2 x"/>'),
    "number with a comma": body('<geom size="0.1" pos="1, 2, 3"/>'),
    "integer with a fraction": body('<geom size="0.1" condim="3.5"/>'),
    "actuator without joint": body('', '', '<actuator><motor/></actuator>'),
    "actuator of an unknown joint": body('', '', '<actuator><motor joint="a"/></actuator>'),
    "sensor of an unknown joint": body('', '', '<sensor><jointpos joint="a"/></sensor>'),
    "sensor of a wrong joint": body(f'<body><freejoint name="f"/>{BALL}</body>', '', '<sensor><jointpos joint="f"/></sensor>'),
    "sensor half a reference": body('', '', '<sensor><framepos objtype="body" objname="world" reftype="body"/></sensor>'),
    "cutoff of an axis": body('', '', '<sensor><framexaxis objtype="body" objname="world" cutoff="1"/></sensor>'),
    "keyframe too long": body(f'<body><joint/>{BALL}</body>', '', '<keyframe><key qpos="1 2 3"/></keyframe>'),
    "unknown attribute of looks": body('<camera pos="0 0 1" foo="1"/>'),
    "unknown element of looks": '<mujoco><visual><foo/></visual></mujoco>',
    "unknown attribute of a section": '<mujoco><size foo="1"/></mujoco>',
    "exclude of an unknown body": body('', '', '<contact><exclude body1="a" body2="world"/></contact>'),
    "inertial in the world": body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'),
    "joint in the world": body('<joint/>'),
    "attribute of worldbody": '<mujoco><worldbody pos="0 0 1"/></mujoco>',
    "global coordinates": body('', '<compiler coordinate="global"/>'),
    "bad sequence": body('<geom size="0.1" euler="1 0 0"/>', '<compiler eulerseq="xyw"/>'),
    "negative mass": body('<body><joint/><geom size="0.1" mass="-1"/></body>'),
    "wrong root": '<scene/>',
    "not closed": '<mujoco><worldbody></mujoco>',
    "empty": "",
    "control range upside down": body(f'<body><joint name="j"/>{BALL}</body>', '', '<actuator><motor joint="j" ctrllimited="true" ctrlrange="1 0"/></actuator>'),
    "full and diagonal inertia": body('<body><joint/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" diaginertia="1 1 1"/></body>'),
    "full inertia and quat": body('<body><joint/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" quat="0 1 0 0"/></body>'),
}

for name, text in READ.items():
    compare(name, text_file(text))
for name, path in peer.scenes().items():
    if models.refusal(path) is None:  # make peers judges the reasons of those refused
        compare(name, path)
for name, text in REFUSED.items():
    path = text_file(text)
    try:
        mujoco.MjModel.from_xml_path(path)
        theirs = "read"
    except ValueError as error:
        theirs = str(error)
    check(f"{name}: MuJoCo refuses too", theirs != "read")
    p = vv("info", path)
    lines = p.stderr.splitlines()
    check(f"{name} is refused", p.returncode == 2 and len(lines) == 1 and lines[0].startswith(f"vv: {path}") and p.stdout == "",
          p.stderr, p.stdout[:80])

print(f"{results[0]} passed, {results[1]} failed, 0 skipped")
sys.exit(results[1] > 0)
