# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Gradients of 50-step rollouts, twice: `vv check` on our own rollout, and `vv grad` against differences of MuJoCo's.

The loss is a random linear functional of the final qpos, qvel and act. `vv check` takes all controls, the initial state and
every differentiable number that `vv info` lists. A rollout begins at a driven state (peer.drive without settling); its seed
is given for the scenes of LADDER, else it is the first of SEEDS for which at least 95 % of the directions of controls and
initial state are resolved with unchanged signature, or the best of them (the next best of three, where the numbers then
leave less than 90 % resolved). What is resolved depends on how the motion branches, not on whether the gradient is right:
a mismatch in any of the runs is a failure.

For MuJoCo's side the number is changed in the file's elements and the scene compiled again (mass, density, friction,
damping, size, position, gravity, ...), or the control, the initial position (along a tangent), velocity or activation
is; eight central differences, step halved each time, are extrapolated twice (Richardson); of the three neighbours that
agree best the middle one counts, their spread is its error e.

A direction is resolved when e <= 1e-7 s, and the contacts and constraint states of all steps stand still; then
|g - D| <= 1e-6 s is demanded. s is the largest of |D|, 1e-3 x the block's largest |D|, and the slope that moves the loss
by a thousandth of itself over the number's typical size. Where the ladder resolves only
e <= 1e-6 s, 1e-5 s is. At least 90 % of directions must be resolved one way or the other.
"""
import json
import os
import tempfile

import mujoco
import numpy as np

import models
import peer

STEPS, RUNGS = 50, 8
TOLERANCE, LOOSE = 1e-6, 1e-5
SHARE, ENOUGH = 0.9, 0.95
SEEDS = range(14)


def without_looks(spec):
    """Drops materials and textures, which make compiling slow."""
    for geom in spec.geoms:
        geom.material = ""
    for item in list(spec.materials) + list(spec.textures):
        spec.delete(item)
    return spec


class Rollout:
    """MuJoCo's rollout as a function of one changed number."""

    def __init__(self, path, seed, seconds):
        self.path = path
        self.model = peer.load(path, peer.EXACT)
        self.spec = without_looks(mujoco.MjSpec.from_file(path))
        rng = np.random.default_rng(100 + seed)
        start = peer.drive(self.model, seed, seconds, 0)
        self.q, self.v, self.act = start.qpos.copy(), start.qvel.copy(), start.act.copy()
        self.u = peer.random_controls(self.model, STEPS, rng)
        self.weights = rng.standard_normal(self.model.nq + self.model.nv + self.model.na)
        self.start = start
        self.loss, self.signature = self.run(self.model, self.q, self.v, self.u)

    def run(self, model, q, v, u):
        d = mujoco.MjData(model)
        d.qpos[:], d.qvel[:], d.act[:] = q, v, self.act
        d.mocap_pos[:], d.mocap_quat[:] = self.start.mocap_pos, self.start.mocap_quat
        signature = []
        for row in u:
            d.ctrl[:] = row
            mujoco.mj_step(model, d)
            signature += [d.contact.geom.tobytes(), d.efc_id.tobytes(), d.efc_state.tobytes()]
        return float(self.weights @ np.concatenate([d.qpos, d.qvel, d.act])), hash(tuple(signature))

    def ladder(self, f, step):
        """Best extrapolated difference, its error, whether the signature stood still on the rungs it uses."""
        d, still = [], []
        for k in range(RUNGS):
            e = step / 2**k
            (plus, sp), (minus, sm) = f(e), f(-e)
            d.append((plus - minus) / (2 * e))
            still.append(sp == self.signature and sm == self.signature)
        first = [(4 * d[k + 1] - d[k]) / 3 for k in range(RUNGS - 1)]
        second = [(16 * first[k + 1] - first[k]) / 15 for k in range(RUNGS - 2)]
        spread = [max(abs(second[i + 1] - second[i]), abs(second[i + 2] - second[i + 1])) for i in range(RUNGS - 4)]
        k = int(np.argmin(spread))
        return second[k + 1], spread[k], all(still[k:])

    def with_control(self, step, actuator):
        def f(e):
            u = self.u.copy()
            u[step, actuator] += e
            return self.run(self.model, self.q, self.v, u)
        return f

    def with_state(self, dof, velocity):
        unit = np.zeros(self.model.nv)
        unit[dof] = 1

        def f(e):
            if velocity:
                return self.run(self.model, self.q, self.v + e * unit, self.u)
            q = self.q.copy()
            mujoco.mj_integratePos(self.model, q, unit, e)
            return self.run(self.model, q, self.v, self.u)
        return f

    def with_number(self, element, attribute, index, unit=1.0):
        old = getattr(element, attribute)
        scalar = np.ndim(old) == 0
        old = old if scalar else np.array(old, float)

        def put(x):
            setattr(element, attribute, x)

        def f(e):
            if scalar:
                put(old + unit * e)
            else:
                x = old.copy()
                x[index] += unit * e
                put(x)
            try:
                return self.run(peer.tighten(self.spec.compile(), peer.EXACT), self.q, self.v, self.u)
            finally:
                put(old)
        return f


def numbers(path):
    """Names of the differentiable numbers of a scene, as vv info lists them."""
    listed = json.loads(peer.vv(["info", path, "--json"]))["numbers"]
    return {n["name"] for n in listed if n["differentiable"]}


def patterns(names):
    """What --wrt takes for all of these numbers; default classes are sums of them."""
    split = [name.split("/") for name in names]
    wide = {f"{s[0]}/*/{s[2]}" for s in split if s[0] not in ("opt", "compiler", "default")}
    return sorted(wide | {f"opt/{s[1]}" for s in split if s[0] == "opt"})


# Attributes: (name in visviva, attribute in MuJoCo's spec, least step of the ladder). Steps are a thousandth of the value,
# or the least step where that is larger; for vectors the least step goes with every component.
GEOM = (("friction", "friction", 1e-5), ("solref", "solref", 1e-5), ("solimp", "solimp", 1e-5), ("size", "size", 1e-5),
        ("pos", "pos", 2e-5), ("fromto", "fromto", 2e-5), ("density", "density", 1e-2), ("mass", "mass", 1e-4),
        ("margin", "margin", 1e-6), ("solmix", "solmix", 1e-4))
JOINT = (("pos", "pos", 2e-5), ("axis", "axis", 2e-5), ("damping", "damping", 1e-4), ("stiffness", "stiffness", 1e-3),
         ("armature", "armature", 1e-5), ("range", "range", 2e-5), ("margin", "margin", 1e-6), ("ref", "ref", 2e-5),
         ("springref", "springref", 2e-5), ("solreflimit", "solref_limit", 1e-5), ("solimplimit", "solimp_limit", 1e-5))
BODY = (("pos", "pos", 2e-5), ("mass", "mass", 1e-4), ("ipos", "ipos", 2e-5), ("diaginertia", "inertia", 1e-7),
        ("fullinertia", "fullinertia", 1e-7))
AT_LEAST_ZERO = ("mass", "density", "damping", "stiffness", "armature", "margin", "friction", "solmix")
MOTOR = (("gear", "gear", 1e-4), ("ctrlrange", "ctrlrange", 1e-3), ("forcerange", "forcerange", 1e-3))


def candidates(rollout):
    """(attribute, name in visviva, spec element, attribute in the spec, index, step) of every number to be taken."""
    known = numbers(rollout.path)
    degrees = rollout.spec.compiler.degree
    out = []
    groups = (("geom", rollout.spec.geoms, GEOM), ("joint", rollout.spec.joints, JOINT),
              ("body", rollout.spec.bodies, BODY), ("actuator", rollout.spec.actuators, MOTOR))
    for kind, elements, attributes in groups:
        for e in elements:
            for attribute, theirs, least in attributes:
                values = np.atleast_1d(np.asarray(getattr(e, theirs), float))
                scalar = np.ndim(getattr(e, theirs)) == 0
                for i, value in enumerate(values):
                    name = f"{kind}/{e.name}/{attribute}"
                    name = name if name in known else f"{name}/{i}"
                    if not e.name or name not in known or not np.isfinite(value):
                        continue
                    if value == 0 and attribute in AT_LEAST_ZERO:  # no room for central differences
                        continue
                    turns = kind == "joint" and attribute in ("range", "ref", "springref")
                    angle = degrees and turns and e.type != mujoco.mjtJoint.mjJNT_SLIDE
                    unit = 180 / np.pi if angle else 1.0
                    step = max(least * unit, 1e-3 * abs(value) if attribute not in ("pos", "fromto", "ref") else 0)
                    out.append((attribute, name, e, theirs, None if scalar else i, step, unit))
    return out


def directions(rollout, count, rng):
    """(block, key in the gradient, index, function, step of the ladder)."""
    model = rollout.model
    out = []
    for k in range(0, STEPS, STEPS // 5):
        for j in rng.permutation(model.nu)[:2]:
            out.append(("ctrl", "ctrl", (k, int(j)), rollout.with_control(k, j), 1e-3))
    for i in sorted(rng.permutation(model.nv)[:10]):
        out.append(("qpos0", "qpos0", (int(i),), rollout.with_state(i, False), 2e-5))
        out.append(("qvel0", "qvel0", (int(i),), rollout.with_state(i, True), 1e-3))
    by_kind = {}
    for c in candidates(rollout):
        by_kind.setdefault(c[1].split("/")[0] + "/" + c[0], []).append(c)
    picked = []
    while len(picked) < count and any(by_kind.values()):  # one of each kind in turn
        for kind in sorted(by_kind):
            if by_kind[kind] and len(picked) < count:
                picked.append(by_kind[kind].pop(int(rng.integers(len(by_kind[kind])))))
    for attribute, name, element, theirs, index, step, unit in picked:
        out.append((attribute, name, (), rollout.with_number(element, theirs, index, unit), step / unit))
    for i in range(3):
        out.append(("gravity", f"opt/gravity/{i}", (), rollout.with_number(rollout.spec.option, "gravity", i), 1e-2))
    step = 1e-3 * model.opt.timestep
    out.append(("timestep", "opt/timestep", (), rollout.with_number(rollout.spec.option, "timestep", None), step))
    return out


def write_inputs(rollout, folder):
    """Arguments shared by vv grad and vv check."""
    model = rollout.model
    peer.write_state(os.path.join(folder, "s.json"), rollout.start)
    head = ["step"] + [f"qpos[{i}]" for i in range(model.nq)] + [f"qvel[{i}]" for i in range(model.nv)]
    head += [f"act[{i}]" for i in range(model.na)]
    peer.write_rows(os.path.join(folder, "w.csv"), [np.concatenate([[STEPS], rollout.weights])], head)
    args = [rollout.path, "--steps", STEPS, "--init", os.path.join(folder, "s.json"), "--loss",
            "linear:" + os.path.join(folder, "w.csv")]
    if model.nu:
        peer.write_rows(os.path.join(folder, "u.csv"), rollout.u)
        args += ["--ctrl", os.path.join(folder, "u.csv")]
    return args


def against_mujoco(rollout, args, count, rng, folder):
    """Ladder of MuJoCo's own rollout; counts, worst error and what is wrong."""
    wanted = directions(rollout, count, rng)
    names = [key for block, key, index, f, step in wanted if not index]
    wrt = (["ctrl"] if rollout.model.nu else []) + ["qpos0", "qvel0"] + names
    out = os.path.join(folder, "g.json")
    peer.vv(["grad", *args, "--wrt", ",".join(wrt), "--out", out])
    with open(out) as file:
        gradient = json.load(file)
    rows, largest = [], {}
    for block, key, index, f, step in wanted:
        value = gradient["grad"][key]
        for i in index:
            value = value[i]
        while isinstance(value, list):
            value = value[0]
        difference, error, still = rollout.ladder(f, step)
        floor = 1e-6 * max(1.0, abs(rollout.loss)) / step
        rows.append((block, key, index, value, difference, error, still, floor))
        largest[block] = max(largest.get(block, 0.0), abs(difference))
    result = {"directions": len(rows), "tight": 0, "loose": 0, "moved": 0, "worst": 0.0, "wrong": []}
    for block, key, index, value, difference, error, still, floor in rows:
        s = max(abs(difference), 1e-3 * largest[block], floor)
        if not still:
            result["moved"] += 1
            continue
        if error > 1e-6 * s:
            continue
        tight = error <= 1e-7 * s
        result["tight" if tight else "loose"] += 1
        off = abs(value - difference) / s
        if tight:
            result["worst"] = max(result["worst"], off)
        if not off <= (TOLERANCE if tight else LOOSE):
            result["wrong"].append(f"{key}{list(index) if index else ''}: {value:.9g}, MuJoCo {difference:.9g}")
    result["loss_difference"] = abs(rollout.loss - gradient["loss"]) / max(1.0, abs(rollout.loss))
    return result


def own_check(args, wrt):
    """Verdicts of vv check."""
    data = json.loads(peer.vv(["check", *args, "--wrt", wrt, "--json"], allowed=(0, 1)))
    verdicts = {}
    for d in data["directions"]:
        verdicts[d["verdict"]] = verdicts.get(d["verdict"], 0) + 1
    wrong = [f"{d.get('name', d.get('mixture'))}: {d['adjoint']:.9g}, difference {d['difference']:.9g}"
             for d in data["directions"] if d["verdict"] == "mismatch"]
    return {"directions": len(data["directions"]), "verdicts": verdicts, "wrong": wrong}


def state_names(model):
    return (["ctrl"] if model.nu else []) + ["qpos0", "qvel0"] + (["act0"] if model.na else [])


def one_start(path, seed, seconds, count):
    """Both comparisons from one driven state; count 0: `vv check` only."""
    rollout = Rollout(path, seed, seconds)
    with tempfile.TemporaryDirectory() as folder:
        args = write_inputs(rollout, folder)
        check = own_check(args, ",".join(state_names(rollout.model) + patterns(numbers(path))))
        return check, against_mujoco(rollout, args, count, np.random.default_rng(seed), folder) if count else None


def rank_seeds(path, seconds):
    """SEEDS in the order in which their rollouts branch least, up to the first that branches little enough; and the
    mismatches met on the way."""
    shares, wrong = [], []
    for seed in SEEDS:
        rollout = Rollout(path, seed, seconds)
        with tempfile.TemporaryDirectory() as folder:
            check = own_check(write_inputs(rollout, folder), ",".join(state_names(rollout.model)))
        wrong += [f"seed {seed}: {w}" for w in check["wrong"]]
        shares.append((-check["verdicts"].get("ok", 0) / max(1, check["directions"]), seed))
        if -shares[-1][0] >= ENOUGH:
            break
    return [seed for share, seed in sorted(shares)], wrong


def resolved(check):
    return check["verdicts"].get("ok", 0) + len(check["wrong"]) >= SHARE * check["directions"]


def chosen_start(path, seconds):
    """Seed, and the check from there, of the first of three seeds for which enough is resolved; all their mismatches."""
    seeds, wrong = rank_seeds(path, seconds)
    for seed in seeds[:3]:
        check, _ = one_start(path, seed, seconds, 0)
        wrong += check["wrong"]
        if resolved(check):
            break
    check["wrong"] = wrong
    return seed, check


def scene(name, path, seeds=None, seconds=1.0, count=0):
    """Both comparisons of one scene, summed over its starts; a dict for the report."""
    result = {"scene": name, "seeds": seeds}
    try:
        no = models.refusal(path)
        if no:  # parity judges the reason
            return {**result, "refused": no[0] or no[1], "failures": []}
        if not peer.load(path).nv:
            return {**result, "refused": "nothing moves", "failures": []}
        if seeds:
            starts = [one_start(path, seed, seconds, count) for seed in seeds]
        else:
            seed, check = chosen_start(path, seconds)
            starts, result["seeds"] = [(check, None)], [seed]
        summarize(result, [s[0] for s in starts], [s[1] for s in starts if s[1]])
    except Exception as error:  # the scene is reported as failed, the others go on
        result["failures"] = [f"{type(error).__name__}: {error}"]
    return result


def summarize(result, checks, others):
    verdicts = {}
    for check in checks:
        for word, n in check["verdicts"].items():
            verdicts[word] = verdicts.get(word, 0) + n
    result["check"] = {"directions": sum(c["directions"] for c in checks), "verdicts": verdicts,
                       "wrong": sum((c["wrong"] for c in checks), [])}
    if others:
        result["mujoco"] = {key: sum(o[key] for o in others) for key in ("directions", "tight", "loose", "moved")}
        result["mujoco"]["wrong"] = sum((o["wrong"] for o in others), [])
        for key in ("worst", "loss_difference"):
            result["mujoco"][key] = max(o[key] for o in others)
    result["failures"] = failures(result)


def failures(result):
    check, other = result["check"], result.get("mujoco")
    out = [f"check: {w}" for w in check["wrong"][:4]]
    if not resolved(check):
        out.append(f"check: only {check['verdicts'].get('ok', 0)} of {check['directions']} directions resolved and unchanged "
                   f"{check['verdicts']}")
    if not other:
        return out
    out += [f"MuJoCo: {w}" for w in other["wrong"][:4]]
    if other["tight"] + other["loose"] < SHARE * other["directions"]:
        out.append(f"MuJoCo: only {other['tight'] + other['loose']} of {other['directions']} directions resolved and unchanged")
    return out


def line(r):
    if "check" not in r:
        return f"{r['scene']:20} " + (f"FAILED  {r['failures'][0]}" if r["failures"] else f"refused: {r['refused']}")
    check, other = r["check"], r.get("mujoco")
    verdict = "FAILED  " + "; ".join(r["failures"]) if r["failures"] else "ok"
    ladder = f"{'':44}" if not other else (f"{other['directions']:6} {other['tight']:6} {other['loose']:6} {other['moved']:6} "
                                           f"{len(other['wrong']):6} {other['worst']:9.1e}")
    return f"{r['scene']:20} {check['directions']:6} {check['verdicts'].get('ok', 0):6} {len(check['wrong']):6}   {ladder}  {verdict}"


HEAD = (f"{'':20} {'vv check':>20}   {'MuJoCo, its own rollout':>44}\n{'scene':20} {'number':>6} {'ok':>6} {'wrong':>6}   "
        f"{'number':>6} {'1e-6':>6} {'1e-5':>6} {'moved':>6} {'wrong':>6} {'worst':>9}")
