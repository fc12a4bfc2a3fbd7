// The checked build: what C leaves undefined, and a GPU may do in another way than this processor.
//
// The compiler adds the checks (-fsanitize), and calls one of these functions where one fails. Under
// the memory check that is a finding; the kernel continues.

#pragma once

#include "trace.h"

CCL_RUNTIME_BEGIN
namespace ccl {

#if CCL_TRACED

// In the compiler's layouts.
struct UndefinedType {
  u16 kind;
  u16 info;  // of an integer: 1 if it is signed, and twice the logarithm of its bits
  char name[1];
};

struct UndefinedPlace {
  const char *file;
  u32 line;
  u32 column;
  const UndefinedType *type;   // of the result, the shifted value or the array
  const UndefinedType *other;  // of a shift's amount or an index
};

enum Operator : u64 { kShift, kAdd, kSubtract, kMultiply, kNegate, kDivide, kIndex };

inline u32 bits_of(const UndefinedType &type) { return 1u << (type.info >> 1); }

// Returns a value of at most 64 bits, which the compiler passes without its sign.
inline i64 value_of(const UndefinedType &type, u64 value) {
  u32 unused = 64 - (bits_of(type) < 64 ? bits_of(type) : 64);
  return type.info & 1 ? static_cast<i64>(value << unused) >> unused : static_cast<i64>(value);
}

CCL_NOINLINE inline void find_undefined(const UndefinedPlace &place, Operator operation, i64 left,
                                        i64 right, u64 site) {
  if (!checking()) return;
  const Engine &e = ccl_engine;
  Access access = {kLoad,     0, 0, site, e.block->linear, e.threads[e.current].block,
                   e.current, thread_number(e.current)};
  Finding *finding = find(operation == kIndex ? kArrayBeyond : kUndefined, access);
  if (!finding || finding->times > 1) return;
  finding->bytes = operation == kIndex ? 0 : bits_of(*place.type) / 8;
  finding->buffer = operation;
  finding->offset = left;
  finding->size = static_cast<u64>(right);
  finding->variable = reinterpret_cast<u64>(place.type->name);
}

#endif

}  // namespace ccl

#if CCL_TRACED && CCL_RUNTIME_UNIT
#define CCL_UNDEFINED(NAME, OPERATION, RIGHT)                                                     \
  extern "C" CCL_HIDDEN void __ubsan_handle_##NAME(const ccl::UndefinedPlace *place,              \
                                                   ccl::u64 left, ccl::u64 right) {               \
    ccl::find_undefined(*place, ccl::OPERATION, ccl::value_of(*place->type, left),                \
                        ccl::value_of(*place->RIGHT, right),                                      \
                        reinterpret_cast<ccl::u64>(__builtin_return_address(0)));                 \
  }

CCL_UNDEFINED(add_overflow, kAdd, type)
CCL_UNDEFINED(sub_overflow, kSubtract, type)
CCL_UNDEFINED(mul_overflow, kMultiply, type)
CCL_UNDEFINED(divrem_overflow, kDivide, type)
CCL_UNDEFINED(shift_out_of_bounds, kShift, other)

extern "C" CCL_HIDDEN void __ubsan_handle_negate_overflow(const ccl::UndefinedPlace *place,
                                                          ccl::u64 value) {
  ccl::find_undefined(*place, ccl::kNegate, ccl::value_of(*place->type, value), 0,
                      reinterpret_cast<ccl::u64>(__builtin_return_address(0)));
}

extern "C" CCL_HIDDEN void __ubsan_handle_out_of_bounds(const ccl::UndefinedPlace *place,
                                                        ccl::u64 index) {
  ccl::find_undefined(*place, ccl::kIndex, ccl::value_of(*place->other, index), 0,
                      reinterpret_cast<ccl::u64>(__builtin_return_address(0)));
}
#endif
CCL_RUNTIME_END
