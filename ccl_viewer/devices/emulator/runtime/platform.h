// Types and attributes that the rest of the runtime is written with.
//
// The runtime shares one translation unit with the kernel, so it includes no system header: a
// kernel may use any name that NVRTC leaves free. Everything lives in namespace ccl.

#pragma once

#ifndef CCL_TRACED
#define CCL_TRACED 0
#endif

// What a unit holds: all of a module; the runtime alone; or the kernels alone, to be linked with the
// runtime. The traced build is compiled in these two parts, since most of its time would go to the
// same runtime for each module. The untraced one is whole, so that the kernel is inlined.
#define CCL_WHOLE 0
#define CCL_RUNTIME_ALONE 1
#define CCL_KERNELS_ALONE 2
#ifndef CCL_PART
#define CCL_PART CCL_WHOLE
#endif

namespace ccl {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

static_assert(sizeof(void *) == 8 && sizeof(u32) == 4 && sizeof(u64) == 8, "64-bit systems only");

}  // namespace ccl

// Hidden: every loaded copy of the library has these for itself, and calls bind within it.
#define CCL_HIDDEN __attribute__((visibility("hidden")))
#if CCL_PART == CCL_KERNELS_ALONE
#define CCL_NOINLINE __attribute__((noinline, gnu_inline))  // the runtime's unit has it
#define CCL_VARIABLE(...)
#elif CCL_PART == CCL_RUNTIME_ALONE
#define CCL_NOINLINE __attribute__((noinline, used))
#define CCL_VARIABLE(...) __VA_ARGS__
#else
#define CCL_NOINLINE __attribute__((noinline))
#define CCL_VARIABLE(...) __VA_ARGS__
#endif
#define CCL_INLINE inline __attribute__((always_inline))
#define CCL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define CCL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#if defined(_WIN32)
#define CCL_EXPORT extern "C" __declspec(dllexport)
#else
#define CCL_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// The traced build counts the runtime's own code out of the instrumentation.
#define CCL_RUNTIME_BEGIN \
  _Pragma("clang attribute push(__attribute__((no_sanitize(\"coverage\"))), apply_to = function)")
#define CCL_RUNTIME_END _Pragma("clang attribute pop")
