# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as exceptions: one class for each status of the C library, with its message.

Every class is an Error; most are also the built-in exception that a Python programmer would expect. `step` and
`element` say where it happened, -1 where that has no meaning.
"""


class Error(Exception):
    """Any failure of the library."""

    step = -1
    element = -1


class ArgumentError(Error, ValueError):
    """A name, shape or value that the call cannot take."""


class OutOfMemory(Error, MemoryError):
    """No memory was left."""


class CapacityError(Error):
    """A workspace or tape is full."""


class NotConverged(Error, ArithmeticError):
    """A solve stayed above its tolerance."""


class SingularError(Error, ArithmeticError):
    """A factorization failed."""


class NotFinite(Error, ArithmeticError):
    """NaN or infinity appeared; `step` says where."""


class FileError(Error, ValueError):
    """A file that cannot be read, written or understood; the message begins with FILE:LINE."""


class Unsupported(Error, NotImplementedError):
    """Known, but not built yet or not differentiable; the message says which and why."""


class Cancelled(Error):
    """The work was asked to stop."""


CLASSES = {
    1: ArgumentError,
    2: OutOfMemory,
    3: CapacityError,
    4: NotConverged,
    5: SingularError,
    6: NotFinite,
    7: FileError,
    8: Unsupported,
    9: Cancelled,
}
