// printf: as on a GPU, a thread only stores the format and the arguments, and the host formats them
// after the launch (printing.py).

#pragma once

#include "engine.h"

CCL_RUNTIME_BEGIN
namespace ccl {

enum PrintKind : u32 { kSigned, kUnsigned, kFloating, kText };

struct PrintArgument {
  u32 kind;
  u32 bytes;
  u64 value;
};

template <class T>
struct PrintedAs {
  static CCL_INLINE PrintArgument make(T value) {
    if constexpr (__is_pointer(T))
      return {kUnsigned, 8, reinterpret_cast<u64>(value)};
    else if constexpr (__is_floating_point(T))
      return {kFloating, 8, __builtin_bit_cast(u64, static_cast<double>(value))};
    else
      return {static_cast<T>(-1) < static_cast<T>(1) ? kSigned : kUnsigned, sizeof(T),
              static_cast<u64>(value)};
  }
};
template <>
struct PrintedAs<const char *> {
  static CCL_INLINE PrintArgument make(const char *text) {
    return {kText, 0, reinterpret_cast<u64>(text)};
  }
};
template <>
struct PrintedAs<char *> : PrintedAs<const char *> {};

constexpr u32 kMostTextWords = 32;

inline u64 words_of(const char *text) {
  u32 bytes = 0;
  while (bytes < 8 * kMostTextWords - 1 && text[bytes]) ++bytes;
  return bytes / 8 + 1;
}

// A record in words: its length, block, thread, format, and for each argument its kind and bytes,
// and its value or text.
CCL_NOINLINE inline void print(const char *format, const PrintArgument *arguments, u32 count) {
  const Engine &e = ccl_engine;
  PrintOutput *output = e.request->output;
  if (!output) return;
  u64 length = 4 + count;
  for (u32 i = 0; i < count; ++i)
    length += arguments[i].kind == kText
                  ? words_of(reinterpret_cast<const char *>(arguments[i].value))
                  : 1;
  u64 begin = __atomic_fetch_add(&output->used, length, __ATOMIC_RELAXED);
  if (begin + length > output->capacity) {
    __atomic_fetch_add(&output->lost, 1, __ATOMIC_RELAXED);
    return;
  }
  u64 *word = output->words + begin;
  *word++ = length;
  *word++ = e.block->linear;
  *word++ = thread_number(e.current);
  *word++ = reinterpret_cast<u64>(format);
  for (u32 i = 0; i < count; ++i) {
    const PrintArgument &argument = arguments[i];
    bool is_text = argument.kind == kText;
    const char *text = reinterpret_cast<const char *>(argument.value);
    u64 words = is_text ? words_of(text) : 1;
    *word++ = static_cast<u64>(is_text ? words * 8 : argument.bytes) << 32 | argument.kind;
    if (!is_text) *word = argument.value;
    for (u64 at = 0, end = 0; is_text && at < words * 8; ++at) {
      end |= text[end ? 0 : at] == 0;
      reinterpret_cast<char *>(word)[at] = end || at == words * 8 - 1 ? 0 : text[at];
    }
    word += words;
  }
}

}  // namespace ccl

// Returns the number of arguments, as on a GPU.
template <class... Arguments>
__attribute__((noinline)) int printf(const char *format, Arguments... arguments) {
  ccl::PrintArgument list[sizeof...(Arguments) + 1] = {
      ccl::PrintedAs<Arguments>::make(arguments)..., {}};
  ccl::print(format, list, sizeof...(Arguments));
  return sizeof...(Arguments);
}
CCL_RUNTIME_END
