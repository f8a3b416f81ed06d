// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// random.h: seeded random numbers, the same on every machine.
//
// method   splitmix64 (Steele, Lea, Flood, OOPSLA 2014): a counter and a finaliser. Streams made from a seed and a
//          stream number start at unrelated places of the one 2^64 cycle.

#ifndef VISVIVA_CORE_RANDOM_H_
#define VISVIVA_CORE_RANDOM_H_

#include "visviva/base.h"

typedef struct vvRandom {
  uint64_t state;
} vvRandom;

// A bijection of 64 bits that scatters neighbours.
uint64_t vv_random_mix(uint64_t x);

vvRandom vv_random_init(uint64_t seed, uint64_t stream);
uint64_t vv_random_u64(vvRandom* random);

// Uniform in [0, 1), a multiple of 2^-53.
double vv_random_uniform(vvRandom* random);

// Normal, mean 0, variance 1 (Box and Muller, the cosine half).
double vv_random_normal(vvRandom* random);

// Uniform integer in 0..n-1, n > 0, without bias.
uint64_t vv_random_below(vvRandom* random, uint64_t n);

#endif  // VISVIVA_CORE_RANDOM_H_
