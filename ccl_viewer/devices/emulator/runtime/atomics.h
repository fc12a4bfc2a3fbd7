// CUDA's atomic functions: relaxed, on device and shared memory.

#pragma once

#include "trace.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// Repeats until no other thread interfered, for operations that processors lack.
template <class T, class Bits, class F>
CCL_INLINE T update(T *address, F change) {
  Bits *place = reinterpret_cast<Bits *>(address);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
  for (;;) {
    Bits wanted = __builtin_bit_cast(Bits, change(__builtin_bit_cast(T, old)));
    if (__atomic_compare_exchange_n(place, &old, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return __builtin_bit_cast(T, old);
  }
}

}  // namespace ccl

#define CCL_ATOMIC(NAME, T, BUILTIN)                     \
  CCL_INLINE T NAME(T *address, T value) {               \
    ccl::note_atomic(address, sizeof(T));                \
    return BUILTIN(address, value, __ATOMIC_RELAXED);    \
  }

#define CCL_ATOMIC_INTEGER(T)                                                               \
  CCL_ATOMIC(atomicAdd, T, __atomic_fetch_add)                                              \
  CCL_ATOMIC(atomicMin, T, __atomic_fetch_min)                                              \
  CCL_ATOMIC(atomicMax, T, __atomic_fetch_max)                                              \
  CCL_ATOMIC(atomicAnd, T, __atomic_fetch_and)                                              \
  CCL_ATOMIC(atomicOr, T, __atomic_fetch_or)                                                \
  CCL_ATOMIC(atomicXor, T, __atomic_fetch_xor)                                              \
  CCL_ATOMIC(atomicExch, T, __atomic_exchange_n)                                            \
  CCL_INLINE T atomicCAS(T *address, T expected, T value) {                                 \
    ccl::note_atomic(address, sizeof(T));                                                   \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED,         \
                                __ATOMIC_RELAXED);                                          \
    return expected;                                                                        \
  }

CCL_ATOMIC_INTEGER(int)
CCL_ATOMIC_INTEGER(unsigned int)
CCL_ATOMIC_INTEGER(unsigned long long)
CCL_ATOMIC(atomicSub, int, __atomic_fetch_sub)
CCL_ATOMIC(atomicSub, unsigned int, __atomic_fetch_sub)
CCL_ATOMIC(atomicMin, long long, __atomic_fetch_min)
CCL_ATOMIC(atomicMax, long long, __atomic_fetch_max)
CCL_ATOMIC(atomicAnd, long long, __atomic_fetch_and)
CCL_ATOMIC(atomicOr, long long, __atomic_fetch_or)
CCL_ATOMIC(atomicXor, long long, __atomic_fetch_xor)

CCL_INLINE float atomicAdd(float *address, float value) {
  ccl::note_atomic(address, 4);
  return ccl::update<float, unsigned int>(address, [&](float old) { return old + value; });
}
CCL_INLINE double atomicAdd(double *address, double value) {
  ccl::note_atomic(address, 8);
  return ccl::update<double, ccl::u64>(address, [&](double old) { return old + value; });
}
CCL_INLINE float atomicExch(float *address, float value) {
  ccl::note_atomic(address, 4);
  return ccl::update<float, unsigned int>(address, [&](float) { return value; });
}
// Counts up to `last`, then restarts at 0; counts down from `last` to 0, then restarts at `last`.
CCL_INLINE unsigned int atomicInc(unsigned int *address, unsigned int last) {
  ccl::note_atomic(address, 4);
  return ccl::update<unsigned int, unsigned int>(
      address, [&](unsigned int old) { return old >= last ? 0u : old + 1; });
}
CCL_INLINE unsigned int atomicDec(unsigned int *address, unsigned int last) {
  ccl::note_atomic(address, 4);
  return ccl::update<unsigned int, unsigned int>(
      address, [&](unsigned int old) { return old == 0 || old > last ? last : old - 1; });
}

// Of a block, and of all devices: here the same.
#define CCL_ATOMIC_SCOPES(NAME)                                         \
  template <class T, class... Values>                                   \
  CCL_INLINE T NAME##_block(T *address, Values... values) {             \
    return NAME(address, values...);                                    \
  }                                                                     \
  template <class T, class... Values>                                   \
  CCL_INLINE T NAME##_system(T *address, Values... values) {            \
    return NAME(address, values...);                                    \
  }
CCL_ATOMIC_SCOPES(atomicAdd)
CCL_ATOMIC_SCOPES(atomicSub)
CCL_ATOMIC_SCOPES(atomicMin)
CCL_ATOMIC_SCOPES(atomicMax)
CCL_ATOMIC_SCOPES(atomicAnd)
CCL_ATOMIC_SCOPES(atomicOr)
CCL_ATOMIC_SCOPES(atomicXor)
CCL_ATOMIC_SCOPES(atomicExch)
CCL_ATOMIC_SCOPES(atomicCAS)
CCL_ATOMIC_SCOPES(atomicInc)
CCL_ATOMIC_SCOPES(atomicDec)

CCL_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CCL_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CCL_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CCL_RUNTIME_END
