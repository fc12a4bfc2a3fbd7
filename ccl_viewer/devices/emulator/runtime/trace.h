// The traced build: what happens before each access to memory.
//
// The compiler puts a call of __sanitizer_cov_loadN or _storeN before every load and store of the
// kernel that it leaves in place. Here the access is checked, and the schedule has its say.

#pragma once

#include "diagnosis.h"
#include "schedules.h"

CCL_RUNTIME_BEGIN
namespace ccl {

#if CCL_TRACED

constexpr i64 kStackReserve = 2048;  // a thread that has less left is stopped
constexpr u64 kModuleBytes = 1u << 20;
constexpr u64 kGuardBytes = 65536;  // on both sides of each buffer; memory.py keeps them free

enum Place { kElsewhere, kDevice, kShared };

[[noreturn]] CCL_NOINLINE inline void fail_access(FaultKind kind, u64 address, u32 bytes,
                                                  bool stores, u64 buffer) {
  Fault &fault = report(kind, ccl_engine.current);
  u64 begin = kind == kStrayAccess ? ccl_engine.request->ranges[buffer].begin
                                   : reinterpret_cast<u64>(ccl_shared.current);
  fault.offset = static_cast<i64>(address - begin);
  fault.bytes = bytes;
  fault.buffer = buffer;
  fault.stores = stores;
  fail();
}

// Whether an address lies in this library, near its variables: the built-in ones and constants.
CCL_INLINE bool in_module(u64 address) {
  return address - reinterpret_cast<u64>(&ccl_engine) + kModuleBytes < 2 * kModuleBytes;
}

[[noreturn]] CCL_NOINLINE inline void fail_wild(u64 address, u32 bytes, bool stores) {
  report_wild_access(address, bytes, stores);
  fail();
}

// In which memory an address lies; an access beyond its bounds is a fault.
CCL_INLINE Place locate(u64 address, u32 bytes, bool stores) {
  const Request &request = *ccl_engine.request;
  const SharedMemory &shared = ccl_shared;
  for (u64 i = 0; i < request.range_count; ++i) {
    const Range &range = request.ranges[i];
    u64 offset = address - range.begin;
    if (offset + kGuardBytes >= range.bytes + 2 * kGuardBytes) continue;
    if (CCL_UNLIKELY(offset >= range.bytes || offset + bytes > range.bytes))
      fail_access(kStrayAccess, address, bytes, stores, i);
    return kDevice;
  }
  u64 into_shared = address - reinterpret_cast<u64>(shared.memory) + kGuardBytes;
  if (into_shared < shared.stride * shared.resident_blocks + 2 * kGuardBytes) {
    u64 offset = address - reinterpret_cast<u64>(shared.current);
    if (CCL_UNLIKELY(offset + bytes > shared.stride - kSharedMargin))
      fail_access(kStraySharedAccess, address, bytes, stores, 0);
    return kShared;
  }
  if (CCL_UNLIKELY(address < 4096)) fail_access(kNullAccess, address, bytes, stores, 0);
  if (CCL_UNLIKELY(!in_module(address))) fail_wild(address, bytes, stores);
  return kElsewhere;
}

CCL_NOINLINE inline void trace(u64 address, u32 bytes, bool stores) {
  u64 frame = reinterpret_cast<u64>(__builtin_frame_address(0));
  u64 low = reinterpret_cast<u64>(ccl_engine.stacks.low(ccl_engine.fiber));
  if (CCL_UNLIKELY(static_cast<i64>(frame - low) < kStackReserve)) fail(kStackOverflow);
  if (address - low < kStackBytes) return;
  Place place = locate(address, bytes, stores);
  if (place == kElsewhere) return;
  if (ccl_engine.schedule == kRandom)
    preempt();
  else if (stores && place == kDevice)
    give_way();
}

#endif  // CCL_TRACED

// Before each call of an atomic function: counts it. In the traced build atomics are also traced,
// as stores; there the counting has a function of its own, because what is inlined into a kernel is
// instrumented with it.
#if CCL_TRACED
CCL_NOINLINE inline void note_atomic(const volatile void *address, u32 bytes) {
  ++ccl_atomics;
  trace(reinterpret_cast<u64>(address), bytes, true);
}
#else
CCL_INLINE void note_atomic(const volatile void *, u32) { ++ccl_atomics; }
#endif

}  // namespace ccl

#if CCL_TRACED
#define CCL_TRACE_HOOKS(BYTES)                                                                 \
  extern "C" CCL_HIDDEN void __sanitizer_cov_load##BYTES(void *address) {                      \
    ccl::trace(reinterpret_cast<ccl::u64>(address), BYTES, false);                             \
  }                                                                                            \
  extern "C" CCL_HIDDEN void __sanitizer_cov_store##BYTES(void *address) {                     \
    ccl::trace(reinterpret_cast<ccl::u64>(address), BYTES, true);                              \
  }

CCL_TRACE_HOOKS(1)
CCL_TRACE_HOOKS(2)
CCL_TRACE_HOOKS(4)
CCL_TRACE_HOOKS(8)
CCL_TRACE_HOOKS(16)
#endif
CCL_RUNTIME_END
