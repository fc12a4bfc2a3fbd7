// Functions that the compiler expects from a C library, since the module links none.
//
// So a module is the same on every system, and the user does not have to wait minutes for the first
// build of the C library's parts, as on some systems.

#pragma once

#include "platform.h"

#define CCL_LIBRARY_FUNCTION \
  extern "C" CCL_HIDDEN __attribute__((used, no_builtin, no_sanitize("coverage", "undefined")))

#if CCL_RUNTIME_UNIT
CCL_LIBRARY_FUNCTION void *memset(void *memory, int value, decltype(sizeof(0)) bytes) {
  ccl::u8 *place = static_cast<ccl::u8 *>(memory);
  ccl::u8 *end = place + bytes;
  ccl::u64 word = static_cast<ccl::u8>(value) * 0x0101010101010101ull;
  for (; end - place >= 8; place += 8) __builtin_memcpy(place, &word, 8);
  while (place < end) *place++ = static_cast<ccl::u8>(value);
  return memory;
}

CCL_LIBRARY_FUNCTION void *memcpy(void *to, const void *from, decltype(sizeof(0)) bytes) {
  ccl::u8 *target = static_cast<ccl::u8 *>(to);
  const ccl::u8 *source = static_cast<const ccl::u8 *>(from);
  for (; bytes != 0; --bytes) *target++ = *source++;
  return to;
}

CCL_LIBRARY_FUNCTION void *memmove(void *to, const void *from, decltype(sizeof(0)) bytes) {
  ccl::u8 *target = static_cast<ccl::u8 *>(to);
  const ccl::u8 *source = static_cast<const ccl::u8 *>(from);
  if (target <= source || target >= source + bytes) return memcpy(to, from, bytes);
  while (bytes-- != 0) target[bytes] = source[bytes];
  return to;
}

CCL_LIBRARY_FUNCTION int memcmp(const void *a, const void *b, decltype(sizeof(0)) bytes) {
  const ccl::u8 *left = static_cast<const ccl::u8 *>(a);
  const ccl::u8 *right = static_cast<const ccl::u8 *>(b);
  for (; bytes != 0; --bytes, ++left, ++right)
    if (*left != *right) return *left < *right ? -1 : 1;
  return 0;
}

#if defined(_WIN32)
// The entry point of a library; nothing to initialise.
extern "C" int DllMainCRTStartup(void *, unsigned int, void *) { return 1; }
// Marks the use of floating point, for a C library.
extern "C" CCL_HIDDEN int _fltused;
int _fltused;
#endif
#endif
