#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""vv run --picture: both files decode, have the right size, show something, and the film moves."""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.environ.get("VV_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
VV = os.environ.get("VV") or os.path.join(ROOT, "build", "vv")
SCENE = os.path.join(ROOT, "test", "scenes", "cube.xml")


def read_png(data):
    """Width, height, rows of filtered bytes undone (8 bit RGB)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, size = 8, b"", None
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0], "bad check sum"
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += 12 + n
    width, height, depth, color = size
    assert (depth, color) == (8, 2), "not 8 bit RGB"
    raw = zlib.decompress(packed)
    assert len(raw) == height * (1 + 3 * width), "wrong length"
    return width, height, raw


def lzw(data, width):
    """Decodes GIF's codes."""
    clear, end = 1 << width, (1 << width) + 1
    out, table, bits, nbits, at, size, last = bytearray(), [], 0, 0, 0, width + 1, None
    while True:
        while nbits < size:
            bits |= data[at] << nbits
            at, nbits = at + 1, nbits + 8
        code, bits, nbits = bits & ((1 << size) - 1), bits >> size, nbits - size
        if code == clear:
            table, size, last = [bytes([i]) for i in range(clear)] + [b"", b""], width + 1, None
            continue
        if code == end:
            return bytes(out), at
        if last is None:
            entry = table[code]
        else:
            assert code <= len(table), "code out of reach"
            entry = table[code] if code < len(table) else last + last[:1]
            if len(table) < 4096:
                table.append(last + entry[:1])
        if len(table) == 1 << size and size < 12:
            size += 1
        out += entry
        last = entry


def read_gif(data):
    """Width, height, and per frame (delay, pixels)."""
    assert data[:6] == b"GIF89a", "no GIF"
    width, height, flags = struct.unpack("<HHB", data[6:11])
    at, frames, delay = 13 + 3 * (2 << (flags & 7)), [], 0
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                delay = struct.unpack("<H", data[at + 4:at + 6])[0]
            at += 2
            while data[at]:
                at += 1 + data[at]
            at += 1
            continue
        assert data[at] == 0x2C, "unknown block"
        code_width, at, packed = data[at + 10], at + 11, b""
        while data[at]:
            packed += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        pixels, used = lzw(packed, code_width)
        assert len(pixels) == width * height, "wrong number of pixels"
        assert used == len(packed), "bytes after the end"
        frames.append((delay, pixels))
    return width, height, frames


def draw(name, *extra):
    subprocess.run([VV, "run", SCENE, "--time", "0.4", "--picture", name, "--quiet", *extra], check=True)
    with open(name, "rb") as file:
        return file.read()


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = draw(os.path.join(folder, "a sheet.png"))
        width, height, raw = read_png(data)
        assert width == 3 * 486 + 6 and height == 3 * 366 + 6, f"sheet of {width} x {height}"
        assert len(set(raw[::97])) > 40, "the sheet is nearly empty"
        assert data == draw(os.path.join(folder, "again.png"), "--threads", "2"), "two threads draw something else"
        width, height, frames = read_gif(draw(os.path.join(folder, "film.GIF")))
        assert (width, height, len(frames)) == (480, 360, 11), f"{len(frames)} frames of {width} x {height}"
        assert all(delay == 4 for delay, _ in frames), "wrong delays"
        assert any(p != 255 for p in frames[3][1]), "the film stands still"
        assert 255 not in frames[0][1], "holes in the first frame"
        bad = subprocess.run([VV, "run", SCENE, "--steps", "1", "--picture", os.path.join(folder, "x.jpg")],
                             capture_output=True, text=True)
        assert bad.returncode == 2 and "png" in bad.stderr and bad.stderr.count("\n") == 1, bad.stderr
        bad = subprocess.run([VV, "run", SCENE, "--steps", "1", "--picture", os.path.join(folder, "no", "x.png")],
                             capture_output=True, text=True)
        assert bad.returncode == 2 and bad.stderr.count("\n") == 1, bad.stderr
    print("5 passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    sys.exit(main())
