// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// random.c: see random.h.

#include "core/random.h"

#include <assert.h>
#include <math.h>

uint64_t vv_random_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

vvRandom vv_random_init(uint64_t seed, uint64_t stream) {
  vvRandom r = {vv_random_mix(vv_random_mix(seed) ^ (stream * UINT64_C(0xda942042e4dd58b5) + 1))};
  return r;
}

uint64_t vv_random_u64(vvRandom* random) {
  random->state += UINT64_C(0x9e3779b97f4a7c15);
  return vv_random_mix(random->state);
}

double vv_random_uniform(vvRandom* random) {
  return (double)(vv_random_u64(random) >> 11) * 0x1p-53;
}

double vv_random_normal(vvRandom* random) {
  double u = 1 - vv_random_uniform(random);  // in (0, 1]
  double v = vv_random_uniform(random);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

uint64_t vv_random_below(vvRandom* random, uint64_t n) {
  assert(n > 0);
  uint64_t first = (0 - n) % n;  // 2^64 mod n: values below it would be drawn once too often
  uint64_t x = vv_random_u64(random);
  while (x < first) x = vv_random_u64(random);
  return x % n;
}
