# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The models compared: every model file of dm-control 1.0.50's suite and gymnasium 1.4.0's assets, the variants that the
suite's modules make of their files (made here anew, since the modules import much), and the scenes of test/scenes.

A model that has a mesh, a height field, a spatial tendon, adhesion, a slider-crank or a plugin may be refused; every
other refusal is a failure.
"""
import glob
import importlib.util
import os
import shutil
import subprocess
import xml.etree.ElementTree as ET

ROOT = os.environ.get("VV_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("VV_BUILD") or os.path.join(ROOT, "build")
VV = os.environ.get("VV") or os.path.join(BUILD, "vv")
# Reasons for which a model may be refused, and the XPath of what they name.
REASONS = {"mesh": (".//geom[@mesh]", ".//geom[@type='mesh']", ".//skin"),
           "height field": (".//geom[@hfield]", ".//geom[@type='hfield']"), "spatial tendon": (".//spatial",),
           "adhesion": (".//actuator/adhesion",), "slider-crank": (".//actuator/*[@cranksite]",),
           "plugin": (".//plugin", ".//extension")}


def package_file(package, *parts):
    """A file inside an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the Python package {package} is not installed")
    return os.path.join(list(spec.submodule_search_locations)[0], *parts)


def suite_file(name):
    return package_file("dm_control", "suite", name + ".xml")


def without(root, names):
    """Removes (tag, name) elements; name None: all of the tag."""
    for parent in list(root.iter()):
        for child in list(parent):
            if (child.tag, child.get("name")) in names or (child.tag, None) in names:
                parent.remove(child)


def cartpole(poles):
    root = ET.parse(suite_file("cartpole")).getroot()
    parent = root.find("./worldbody/body/body")
    for i in range(2, poles + 1):
        child = ET.SubElement(parent, "body", name=f"pole_{i}", pos="0 0 1", childclass="pole")
        ET.SubElement(child, "joint", name=f"hinge_{i}")
        ET.SubElement(child, "geom", name=f"pole_{i}")
        parent = child
    root.find("./worldbody/geom").set("pos", f"0 0 {1 - poles - .05}")
    return root


def swimmer(bodies):
    root = ET.parse(suite_file("swimmer")).getroot()
    parent, limit = root.find("./worldbody/body"), 360 / bodies
    actuator, sensor = ET.SubElement(root, "actuator"), ET.SubElement(root, "sensor")
    for i in range(bodies - 1):
        child = ET.SubElement(parent, "body", name=f"segment_{i}", pos="0 .1 0")
        ET.SubElement(child, "geom", {"class": "visual", "name": f"visual_{i}"})
        ET.SubElement(child, "geom", {"class": "inertial", "name": f"inertial_{i}"})
        ET.SubElement(child, "site", name=f"site_{i}")
        ET.SubElement(child, "joint", name=f"joint_{i}", range=f"{-limit} {limit}")
        ET.SubElement(actuator, "motor", name=f"motor_{i}", joint=f"joint_{i}")
        ET.SubElement(sensor, "velocimeter", name=f"velocimeter_{i}", site=f"site_{i}")
        ET.SubElement(sensor, "gyro", name=f"gyro_{i}", site=f"site_{i}")
        parent = child
    return root


def lqr(bodies, actuators):
    """A chain of sliders on springs (15 to 25 in the suite, here equally spaced) with tendons between them for looks."""
    root = ET.parse(suite_file("lqr")).getroot()
    parent = root.find("./worldbody")
    actuator, tendon = ET.SubElement(root, "actuator"), ET.SubElement(root, "tendon")
    for i in range(bodies):
        child = ET.SubElement(parent, "body", name=f"body_{i}", pos=".25 0 .1" if i == 0 else ".25 0 0")
        joint = ET.SubElement(child, "joint", name=f"joint_{i}")
        joint.set("stiffness", str(15 + 10 * (i + 1) / (bodies + 1)))
        ET.SubElement(child, "geom", name=f"geom_{i}")
        ET.SubElement(child, "site", name=f"site_{i}")
        if i < actuators:
            ET.SubElement(actuator, "motor", name=f"motor_{i}", joint=f"joint_{i}")
        if i:
            spatial = ET.SubElement(tendon, "spatial", name=f"tendon_{i - 1}")
            ET.SubElement(spatial, "site", site=f"site_{i - 1}")
            ET.SubElement(spatial, "site", site=f"site_{i}")
        parent = child
    return root


def manipulator(*props):
    root = ET.parse(suite_file("manipulator")).getroot()
    every = {"ball", "target_ball", "cup", "peg", "target_peg", "slot"}
    without(root, {("body", name) for name in every - set(props)})
    return root


def stacker(boxes):
    root = ET.parse(suite_file("stacker")).getroot()
    without(root, {("body", f"box{i}") for i in range(boxes, 4)})
    return root


def quadruped(ball):
    root = ET.parse(suite_file("quadruped")).getroot()
    names = {("geom", "terrain"), ("rangefinder", None)}
    if not ball:
        names |= {("geom", "wall_" + side) for side in ("px", "py", "nx", "ny")} | {("body", "ball"), ("site", "target")}
    without(root, names)
    return root


VARIANTS = {
    "cartpole_2": lambda: cartpole(2), "cartpole_3": lambda: cartpole(3), "swimmer_6": lambda: swimmer(6),
    "swimmer_15": lambda: swimmer(15), "lqr_2_1": lambda: lqr(2, 1), "lqr_6_2": lambda: lqr(6, 2),
    "manipulator_ball": lambda: manipulator("ball", "target_ball"),
    "manipulator_peg": lambda: manipulator("peg", "target_peg"),
    "manipulator_cup": lambda: manipulator("ball", "target_ball", "cup"),
    "manipulator_slot": lambda: manipulator("peg", "target_peg", "slot"),
    "stacker_2": lambda: stacker(2), "quadruped_walk": lambda: quadruped(False), "quadruped_fetch": lambda: quadruped(True),
}


def made_variants():
    """Name and path of the variants, written below BUILD/peers."""
    folder = os.path.join(BUILD, "peers", "suite")
    os.makedirs(folder, exist_ok=True)
    shutil.copytree(package_file("dm_control", "suite", "common"), os.path.join(folder, "common"), dirs_exist_ok=True)
    out = {}
    for name, make in VARIANTS.items():
        out["dm/" + name] = path = os.path.join(folder, name + ".xml")
        temporary = f"{path}.{os.getpid()}"
        ET.ElementTree(make()).write(temporary)
        os.replace(temporary, path)
    return out


def packages():
    """Name and path of every model of the two packages."""
    out = {"dm/" + os.path.basename(p)[:-4]: p for p in sorted(glob.glob(suite_file("*")))}
    out.update(made_variants())
    assets = package_file("gymnasium", "envs", "mujoco", "assets", "*.xml")
    out.update({"gym/" + os.path.basename(p)[:-4]: p for p in sorted(glob.glob(assets))})
    return out


def own():
    """Name and path of the scenes of test/scenes."""
    return {os.path.basename(p)[:-4]: p for p in sorted(glob.glob(os.path.join(ROOT, "test", "scenes", "*.xml")))}


def refusal(path):
    """None for a model that loads, else (reason or None, the message). What is named first may be another of its features."""
    run = subprocess.run([VV, "info", path, "--quiet"], capture_output=True, text=True, timeout=60)
    if run.returncode == 0:
        return None
    message = run.stderr.strip().replace(os.path.dirname(path) + os.sep, "")
    root = ET.parse(path).getroot()
    found = [reason for reason, paths in REASONS.items() if any(root.find(p) is not None for p in paths)]
    return (found[0] if found and run.returncode == 2 else None), message
