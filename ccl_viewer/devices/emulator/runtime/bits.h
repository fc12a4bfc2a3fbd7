// CUDA's bit intrinsics, defined for every argument (clang's own are undefined at 0).

#pragma once

#include "platform.h"

CCL_INLINE constexpr int __popc(unsigned int a) { return __builtin_popcount(a); }
CCL_INLINE constexpr int __popcll(unsigned long long a) { return __builtin_popcountll(a); }

CCL_INLINE constexpr int __clz(int a) {
  return a == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(a));
}
CCL_INLINE constexpr int __clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}

// Position of the lowest set bit, from 1; 0 if no bit is set.
CCL_INLINE constexpr int __ffs(int a) { return __builtin_ffs(a); }
CCL_INLINE constexpr int __ffsll(long long a) { return __builtin_ffsll(a); }

CCL_INLINE constexpr unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
CCL_INLINE constexpr unsigned long long __brevll(unsigned long long a) {
  return __builtin_bitreverse64(a);
}

// Bits of high:low, shifted; the upper (left) or lower (right) half. The shift counts modulo 32;
// the clamping forms stop at 32.
CCL_INLINE constexpr unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                                  unsigned int shift) {
  return ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32;
}
CCL_INLINE constexpr unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                                  unsigned int shift) {
  return (static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31);
}
CCL_INLINE constexpr unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                                   unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
CCL_INLINE constexpr unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                                   unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Four bytes of y:x, each chosen by a nibble of the selector; bit 3 of a nibble spreads the sign.
CCL_INLINE constexpr unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (unsigned int i = 0; i < 4; ++i) {
    unsigned int byte = bytes >> 8 * (selector >> 4 * i & 7) & 255;  // a nibble's top bit is unused
    result |= byte << 8 * i;
  }
  return result;
}

CCL_INLINE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
CCL_INLINE unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
CCL_INLINE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
CCL_INLINE float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
CCL_INLINE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
CCL_INLINE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
