// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dual.h: numbers a + b e with e^2 = 0, in C++. A kernel compiled with -include dual.h -DVV_REAL=Dual -DVV_DUAL carries
// an exact forward derivative beside its values: an oracle for vvcc that shares nothing with it. Ties follow the rules
// of kernels: |x| has derivative 0 at 0, the maximum of two equal numbers takes half of each, and all of the variable's
// side is dropped where the other one is a constant (a Dual that was made from a plain number and is marked so).

#ifndef VISVIVA_TEST_DUAL_H_
#define VISVIVA_TEST_DUAL_H_

#include <math.h>
#include <cmath>

struct Dual {
  double v;       // value
  double t;       // tangent
  bool constant;  // made from a plain number
  Dual() = default;
  Dual(double value) : v(value), t(0), constant(true) {
  }
  Dual(double value, double tangent) : v(value), t(tangent), constant(false) {
  }
  explicit operator int() const {
    return static_cast<int>(v);
  }
  explicit operator double() const {
    return v;
  }
  explicit operator bool() const {
    return v != 0;
  }
  Dual operator-() const {
    return Dual(-v, -t);
  }
  Dual operator+() const {
    return *this;
  }
  Dual& operator+=(Dual b) {
    return *this = Dual(v + b.v, t + b.t);
  }
  Dual& operator-=(Dual b) {
    return *this = Dual(v - b.v, t - b.t);
  }
  Dual& operator*=(Dual b) {
    return *this = Dual(v * b.v, t * b.v + v * b.t);
  }
  Dual& operator/=(Dual b) {
    return *this = Dual(v / b.v, (t - v / b.v * b.t) / b.v);
  }
  Dual& operator++() {
    v += 1;
    return *this;
  }
  Dual& operator--() {
    v -= 1;
    return *this;
  }
  Dual operator++(int) {
    Dual r = *this;
    v += 1;
    return r;
  }
  Dual operator--(int) {
    Dual r = *this;
    v -= 1;
    return r;
  }
};

inline Dual operator+(Dual a, Dual b) {
  return a += b;
}
inline Dual operator-(Dual a, Dual b) {
  return a -= b;
}
inline Dual operator*(Dual a, Dual b) {
  return a *= b;
}
inline Dual operator/(Dual a, Dual b) {
  return a /= b;
}
inline bool operator<(Dual a, Dual b) {
  return a.v < b.v;
}
inline bool operator>(Dual a, Dual b) {
  return a.v > b.v;
}
inline bool operator<=(Dual a, Dual b) {
  return a.v <= b.v;
}
inline bool operator>=(Dual a, Dual b) {
  return a.v >= b.v;
}
inline bool operator==(Dual a, Dual b) {
  return a.v == b.v;
}
inline bool operator!=(Dual a, Dual b) {
  return a.v != b.v;
}
inline bool operator!(Dual a) {
  return a.v == 0;
}

// f(a) with derivative d; a zero tangent stays zero even where d is infinite.
inline Dual dual_chain(double f, double d, Dual a) {
  return Dual(f, a.t == 0 ? 0 : d * a.t);
}

inline Dual sqrt(Dual a) {
  return dual_chain(std::sqrt(a.v), 0.5 / std::sqrt(a.v), a);
}
inline Dual cbrt(Dual a) {
  return dual_chain(std::cbrt(a.v), 1 / (3 * std::cbrt(a.v) * std::cbrt(a.v)), a);
}
inline Dual sin(Dual a) {
  return dual_chain(std::sin(a.v), std::cos(a.v), a);
}
inline Dual cos(Dual a) {
  return dual_chain(std::cos(a.v), -std::sin(a.v), a);
}
inline Dual tan(Dual a) {
  return dual_chain(std::tan(a.v), 1 + std::tan(a.v) * std::tan(a.v), a);
}
inline Dual asin(Dual a) {
  return dual_chain(std::asin(a.v), 1 / std::sqrt(1 - a.v * a.v), a);
}
inline Dual acos(Dual a) {
  return dual_chain(std::acos(a.v), -1 / std::sqrt(1 - a.v * a.v), a);
}
inline Dual atan(Dual a) {
  return dual_chain(std::atan(a.v), 1 / (1 + a.v * a.v), a);
}
inline Dual sinh(Dual a) {
  return dual_chain(std::sinh(a.v), std::cosh(a.v), a);
}
inline Dual cosh(Dual a) {
  return dual_chain(std::cosh(a.v), std::sinh(a.v), a);
}
inline Dual tanh(Dual a) {
  return dual_chain(std::tanh(a.v), 1 - std::tanh(a.v) * std::tanh(a.v), a);
}
inline Dual exp(Dual a) {
  return dual_chain(std::exp(a.v), std::exp(a.v), a);
}
inline Dual expm1(Dual a) {
  return dual_chain(std::expm1(a.v), std::exp(a.v), a);
}
inline Dual log(Dual a) {
  return dual_chain(std::log(a.v), 1 / a.v, a);
}
inline Dual log1p(Dual a) {
  return dual_chain(std::log1p(a.v), 1 / (1 + a.v), a);
}
inline Dual exp2(Dual a) {
  return dual_chain(std::exp2(a.v), std::exp2(a.v) * M_LN2, a);
}
inline Dual log2(Dual a) {
  return dual_chain(std::log2(a.v), 1 / (a.v * M_LN2), a);
}
inline Dual log10(Dual a) {
  return dual_chain(std::log10(a.v), 1 / (a.v * M_LN10), a);
}
inline Dual asinh(Dual a) {
  return dual_chain(std::asinh(a.v), 1 / std::sqrt(a.v * a.v + 1), a);
}
inline Dual acosh(Dual a) {
  return dual_chain(std::acosh(a.v), 1 / std::sqrt(a.v * a.v - 1), a);
}
inline Dual atanh(Dual a) {
  return dual_chain(std::atanh(a.v), 1 / (1 - a.v * a.v), a);
}
inline Dual erf(Dual a) {
  return dual_chain(std::erf(a.v), M_2_SQRTPI * std::exp(-a.v * a.v), a);
}
inline Dual erfc(Dual a) {
  return dual_chain(std::erfc(a.v), -M_2_SQRTPI * std::exp(-a.v * a.v), a);
}
inline Dual trunc(Dual a) {
  return Dual(std::trunc(a.v));
}
inline Dual round(Dual a) {
  return Dual(std::round(a.v));
}
inline Dual ldexp(Dual a, int n) {
  return Dual(std::ldexp(a.v, n), std::ldexp(a.t, n));
}
inline Dual fdim(Dual a, Dual b) {
  return Dual(std::fdim(a.v, b.v), a.v > b.v ? a.t - b.t : 0);
}
inline Dual fma(Dual a, Dual b, Dual c) {
  return Dual(std::fma(a.v, b.v, c.v), a.t * b.v + a.v * b.t + c.t);
}
inline Dual copysign(Dual a, Dual b) {
  double s = std::copysign(1, b.v);
  return Dual(std::copysign(a.v, b.v), a.v > 0 ? s * a.t : a.v < 0 ? -s * a.t : 0);
}
inline Dual floor(Dual a) {
  return Dual(std::floor(a.v));
}
inline Dual ceil(Dual a) {
  return Dual(std::ceil(a.v));
}
inline Dual fabs(Dual a) {
  return Dual(std::fabs(a.v), a.v > 0 ? a.t : a.v < 0 ? -a.t : 0);
}

inline Dual atan2(Dual y, Dual x) {
  double r2 = x.v * x.v + y.v * y.v;
  return Dual(std::atan2(y.v, x.v), (y.t == 0 && x.t == 0) ? 0 : (x.v * y.t - y.v * x.t) / r2);
}

inline Dual hypot(Dual a, Dual b) {
  double r = std::hypot(a.v, b.v);
  return Dual(r, (a.t == 0 && b.t == 0) ? 0 : (a.v * a.t + b.v * b.t) / r);
}

inline Dual pow(Dual a, Dual p) {
  double f = std::pow(a.v, p.v), t = 0;
  if (a.t != 0) t += p.v * std::pow(a.v, p.v - 1) * a.t;
  if (p.t != 0) t += f * std::log(a.v) * p.t;
  return Dual(f, t);
}

inline Dual fmod(Dual a, Dual b) {
  double n = std::trunc(a.v / b.v);
  return Dual(std::fmod(a.v, b.v), a.t - n * b.t);
}

// At equality: the mean, or 0 where one side is a constant.
inline Dual dual_tie(Dual a, Dual b) {
  return Dual(a.v, (a.constant || b.constant) ? 0 : 0.5 * (a.t + b.t));
}
inline Dual fmax(Dual a, Dual b) {
  return a.v > b.v ? a : a.v < b.v ? b : dual_tie(a, b);
}
inline Dual fmin(Dual a, Dual b) {
  return a.v < b.v ? a : a.v > b.v ? b : dual_tie(a, b);
}

#endif  // VISVIVA_TEST_DUAL_H_
