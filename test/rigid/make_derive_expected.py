# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Writes derive_expected.h: what MuJoCo 4.0.0 derives from derive.xml. Run by hand when the scene changes."""

import os

import mujoco
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
m = mujoco.MjModel.from_xml_path(os.path.join(here, "derive.xml"))


def inertia(i):
    """mass, mass * center, moments about the body's origin in its axes"""
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.body_iquat[i])
    R = R.reshape(3, 3)
    r, mass = m.body_ipos[i], m.body_mass[i]
    I = R @ np.diag(m.body_inertia[i]) @ R.T + mass * (r @ r * np.eye(3) - np.outer(r, r))
    return [mass, *(mass * r), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]


arrays = {
    "body_lpos": m.body_pos, "body_lquat": m.body_quat,
    "body_inertia10": np.array([inertia(i) for i in range(m.nbody)]),
    "body_invweight": m.body_invweight0, "dof_invweight": m.dof_invweight0,
    "jnt_lpos": m.jnt_pos, "jnt_laxis": m.jnt_axis, "geom_lpos": m.geom_pos, "geom_lquat": m.geom_quat,
    "geom_dim": m.geom_size, "site_lpos": m.site_pos, "site_lquat": m.site_quat,
    "qpos0": m.qpos0, "qpos_spring": m.qpos_spring,
}
with open(os.path.join(here, "derive_expected.h"), "w") as out:
    out.write("// SPDX-FileCopyrightText: The visviva authors\n// SPDX-License-Identifier: Apache-2.0\n//\n")
    out.write(f"// derive_expected.h: numbers that MuJoCo {mujoco.__version__} derives from derive.xml, written by\n")
    out.write("// make_derive_expected.py.\n\n")
    for name, values in arrays.items():
        values = np.ravel(values)
        out.write(f"static const double expected_{name}[] = {{")
        out.write(",".join(("\n    " if i % 4 == 0 else " ") + "%.17g" % v for i, v in enumerate(values)))
        out.write("};\n\n")
