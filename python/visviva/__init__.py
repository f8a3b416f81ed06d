# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""visviva: a differentiable physics engine.

>>> import visviva
>>> model = visviva.Model.from_string('''<mujoco><worldbody>
...   <geom name="floor" type="plane" size="1 1 1"/>
...   <body name="ball" pos="0 0 0.3"><freejoint/><geom name="ball" size="0.1"/></body>
... </worldbody></mujoco>''')
>>> state = model.state(qvel=[1, 0, 0, 0, 0, 0])
>>> roll = model.rollout(state, steps=200, outputs=["body/ball/pos"])
>>> grad = roll.vjp(outputs={"body/ball/pos": roll.last([1, 0, 0])}, wrt=["qvel0", "geom/*/friction/0"])
>>> grad["qvel0"].shape, grad["geom/*/friction/0"].shape
((6,), (2,))

Numbers of a scene are named ELEMENT/NAME/ATTRIBUTE[/INDEX] (docs/names.md); units are SI and radians. Submodules:
`visviva.torch` and `visviva.jax` (the
physics as a layer), `visviva.errors`.
"""

from . import _core, errors

_core.set_errors(errors.CLASSES)

from .errors import Error  # noqa: E402
from .fit import fit  # noqa: E402
from .model import Jacobians, Model, Number  # noqa: E402
from .rollout import Rollout  # noqa: E402
from .state import State  # noqa: E402

__version__ = _core.__version__
__all__ = ["Error", "Jacobians", "Model", "Number", "Rollout", "State", "errors", "fit"]
