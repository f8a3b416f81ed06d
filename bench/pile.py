# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The pile of the benchmark: boxes of three sizes, dropped in layers of 16 into a square bin, seeded."""
import random

HEAD = """<mujoco model="pile">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
"""
WALL = '    <geom name="wall{}" type="box" pos="{} {} .4" size="{} {} .4"/>\n'
BOX = ('    <body pos="{:.4f} {:.4f} {:.4f}" euler="{:.2f} {:.2f} {:.2f}">\n      <freejoint/>\n'
       '      <geom type="box" size="{} {} {}" density="500"/>\n    </body>\n')


def text(boxes=100, seed=1):
    r = random.Random(seed)
    out = HEAD
    for k, (x, y) in enumerate(((.75, 0), (-.75, 0), (0, .75), (0, -.75))):
        out += WALL.format(k, x, y, .1 if x else .85, .1 if y else .85)
    for i in range(boxes):
        layer, place = divmod(i, 16)
        row, column = divmod(place, 4)
        size = ((.1, .1, .1), (.12, .08, .06), (.08, .08, .12))[i % 3]
        out += BOX.format(-.45 + .3 * column + r.uniform(-.03, .03), -.45 + .3 * row + r.uniform(-.03, .03),
                          .17 + .3 * layer, r.uniform(-20, 20), r.uniform(-20, 20), r.uniform(-20, 20), *size)
    return out + "  </worldbody>\n</mujoco>\n"
