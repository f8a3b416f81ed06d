// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// hash.c: see hash.h.

#include "core/hash.h"

#include <string.h>

#include "core/random.h"

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash * UINT64_C(0xe7037ed1a0b428db) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash << 29) | (hash >> 35);
  return hash * UINT64_C(0xd6e8feb86659fd93);
}

uint64_t vv_hash_u64(uint64_t hash, uint64_t word) {
  return vv_random_mix(mix(hash, word));
}

uint64_t vv_hash_bytes(uint64_t hash, const void* data, size_t bytes) {
  const unsigned char* p = data;
  size_t left = bytes;
  while (left >= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    hash = mix(hash, word);
    p += 8;
    left -= 8;
  }
  if (left > 0) {
    uint64_t word = 0;
    memcpy(&word, p, left);
    hash = mix(hash, word);
  }
  return vv_random_mix(mix(hash, bytes));
}
