// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// hash.h: a 64-bit hash of bytes, for signatures, model identity and determinism tests; not against an adversary.
//
// method   eight bytes at a time: h = rotate((h k0 ^ word) k1, 29) k2, tail padded with zeros, length mixed in, then
// the
//          splitmix64 finaliser. Words are read as the machine stores them, so hashes are for one byte order.

#ifndef VISVIVA_CORE_HASH_H_
#define VISVIVA_CORE_HASH_H_

#include "visviva/base.h"

#define VV_HASH_START UINT64_C(0xcbf29ce484222325)

// Hash of `bytes` bytes, continuing from `hash` (VV_HASH_START at first).
uint64_t vv_hash_bytes(uint64_t hash, const void* data, size_t bytes);

// Hash of one word, continuing from `hash`.
uint64_t vv_hash_u64(uint64_t hash, uint64_t word);

#endif  // VISVIVA_CORE_HASH_H_
