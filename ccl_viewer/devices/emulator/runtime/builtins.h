// CUDA's qualifiers, vector types, built-in variables and small functions.

#pragma once

#include "platform.h"

// Untraced, a kernel is inlined into the loop over a block's threads (launch.h); the compiler still
// emits a function, for warnings about large frames. Traced, it is called, because that loop is not
// instrumented.
#if CCL_TRACED
#define __global__ __attribute__((noinline))
#else
#define __global__ __attribute__((always_inline))
#endif
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __constant__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
// One instance per block: see shared_memory.h. The attribute says that other threads may access it,
// so that the compiler assumes nothing about its value.
#if defined(__APPLE__) && defined(CCL_HAS_DYNAMIC_SHARED)
// Here an `extern` array has no initialiser only if all variables promise to have none. So such a
// module cannot have static variables of a struct.
#define __shared__ __attribute__((used, require_constant_initialization)) thread_local
#else
#define __shared__ __attribute__((used)) thread_local
#endif

#define NULL nullptr
typedef decltype(sizeof(0)) size_t;

namespace ccl {
template <bool>
struct When;
template <>
struct When<true> {
  using Type = int;
};
}  // namespace ccl

// Assignment has the alignment of the type, even to an element of an array of numbers: there the
// compiler would take that of a number, although a GPU stores the vector as a whole. As a template
// it leaves the type trivial, so that unions with such a member can be copied.
#define CCL_ASSIGNMENT(NAME)                                                           \
  NAME &operator=(const NAME &) = default;                                             \
  template <class T, typename ccl::When<__is_same(__remove_cvref(T), NAME)>::Type = 0> \
  CCL_INLINE NAME &operator=(T &&other) {                                              \
    __builtin_memcpy(this, &other, sizeof other);                                      \
    return *this;                                                                      \
  }

#define CCL_VECTOR_TYPES(T, NAME, ALIGN2, ALIGN4)                                               \
  struct NAME##1 { T x; };                                                                      \
  struct __attribute__((aligned(ALIGN2))) NAME##2 { T x, y; CCL_ASSIGNMENT(NAME##2) };          \
  struct NAME##3 { T x, y, z; };                                                                \
  struct __attribute__((aligned(ALIGN4))) NAME##4 { T x, y, z, w; CCL_ASSIGNMENT(NAME##4) };    \
  CCL_INLINE NAME##1 make_##NAME##1(T x) { return {x}; }                                        \
  CCL_INLINE NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                \
  CCL_INLINE NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }                        \
  CCL_INLINE NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CCL_VECTOR_TYPES(signed char, char, 2, 4)
CCL_VECTOR_TYPES(unsigned char, uchar, 2, 4)
CCL_VECTOR_TYPES(short, short, 4, 8)
CCL_VECTOR_TYPES(unsigned short, ushort, 4, 8)
CCL_VECTOR_TYPES(int, int, 8, 16)
CCL_VECTOR_TYPES(unsigned int, uint, 8, 16)
CCL_VECTOR_TYPES(long long, longlong, 16, 16)
CCL_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
CCL_VECTOR_TYPES(float, float, 8, 16)
CCL_VECTOR_TYPES(double, double, 16, 16)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// Set by the engine whenever it enters a thread (launch.h). The compiler sees that no pointer
// refers to them, and keeps them in registers between calls that may switch threads. So they are
// set member by member: copying the whole struct would take their address.
#if !CCL_RUNTIME_UNIT
static uint3 threadIdx;
static uint3 blockIdx;
static dim3 blockDim;
static dim3 gridDim;
#endif
static constexpr int warpSize = 32;

// The type follows from the usual arithmetic conversions, as in CUDA's overloads of mixed types.
template <class A, class B>
CCL_INLINE constexpr auto min(A a, B b) -> decltype(+a + +b) {
  using T = decltype(+a + +b);
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}

template <class A, class B>
CCL_INLINE constexpr auto max(A a, B b) -> decltype(+a + +b) {
  using T = decltype(+a + +b);
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

CCL_INLINE constexpr int abs(int a) { return a < 0 ? -a : a; }
CCL_INLINE constexpr long abs(long a) { return a < 0 ? -a : a; }
CCL_INLINE constexpr long long abs(long long a) { return a < 0 ? -a : a; }
CCL_INLINE float abs(float a) { return __builtin_fabsf(a); }
CCL_INLINE double abs(double a) { return __builtin_fabs(a); }

// Mathematical functions that are instructions of the processor; others would need a library.
#define CCL_MATHEMATICS(NAME)                                        \
  CCL_INLINE float NAME##f(float a) { return __builtin_##NAME##f(a); } \
  CCL_INLINE double NAME(double a) { return __builtin_##NAME(a); }     \
  CCL_INLINE float NAME(float a) { return __builtin_##NAME##f(a); }

CCL_MATHEMATICS(sqrt)
CCL_MATHEMATICS(floor)
CCL_MATHEMATICS(ceil)
CCL_MATHEMATICS(trunc)
CCL_MATHEMATICS(fabs)

CCL_INLINE double fmin(double a, double b) { return b != b || a < b ? a : b; }
CCL_INLINE double fmax(double a, double b) { return b != b || a > b ? a : b; }
CCL_INLINE float fminf(float a, float b) { return b != b || a < b ? a : b; }
CCL_INLINE float fmaxf(float a, float b) { return b != b || a > b ? a : b; }

CCL_INLINE constexpr int __mulhi(int a, int b) { return static_cast<long long>(a) * b >> 32; }
CCL_INLINE constexpr unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned long long>(a) * b >> 32;
}

// Accesses with a hint for the caches.
#define CCL_HINTED_LOAD(NAME) \
  template <class T>          \
  CCL_INLINE T NAME(const T *address) { return *address; }
#define CCL_HINTED_STORE(NAME) \
  template <class T>           \
  CCL_INLINE void NAME(T *address, T value) { *address = value; }
CCL_HINTED_LOAD(__ldg)
CCL_HINTED_LOAD(__ldca)
CCL_HINTED_LOAD(__ldcg)
CCL_HINTED_LOAD(__ldcs)
CCL_HINTED_LOAD(__ldcv)
CCL_HINTED_LOAD(__ldlu)
CCL_HINTED_STORE(__stwb)
CCL_HINTED_STORE(__stcg)
CCL_HINTED_STORE(__stcs)
CCL_HINTED_STORE(__stwt)
