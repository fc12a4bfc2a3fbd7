// Types and attributes of the runtime.
//
// The runtime's headers are part of the kernel's translation unit, so they include no system
// header: a kernel may use any name that NVRTC leaves free. Everything is in namespace ccl.

#pragma once

#ifndef CCL_TRACED
#define CCL_TRACED 0
#endif

// A module is linked from two units: the runtime, which is compiled once, and its kernels, which
// compile in a fraction of that time. Both include these headers.
#ifndef CCL_RUNTIME_UNIT
#define CCL_RUNTIME_UNIT 0
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

// Hidden: every loaded copy of the library has its own, and calls bind within the copy.
#define CCL_HIDDEN __attribute__((visibility("hidden")))
// Functions that are not inlined, and variables, are defined in the runtime unit and only declared
// in the unit of the kernels.
#if CCL_RUNTIME_UNIT
#define CCL_NOINLINE __attribute__((noinline, used))
#define CCL_VARIABLE(...) __VA_ARGS__
#else
#define CCL_NOINLINE __attribute__((noinline, gnu_inline))
#define CCL_VARIABLE(...)
#endif
#define CCL_INLINE inline __attribute__((always_inline))
#define CCL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define CCL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#if defined(_WIN32)
#define CCL_EXPORT extern "C" __declspec(dllexport)
#else
#define CCL_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// The traced build does not instrument the runtime, nor does the checked build.
#define CCL_RUNTIME_BEGIN \
  _Pragma("clang attribute push(__attribute__((no_sanitize(\"coverage\", \"undefined\"))), apply_to = function)")
#define CCL_RUNTIME_END _Pragma("clang attribute pop")
