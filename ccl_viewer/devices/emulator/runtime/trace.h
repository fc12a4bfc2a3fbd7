// The traced build: hooks before each memory access.
//
// The compiler inserts a call of __sanitizer_cov_loadN or _storeN before every load and store of
// the kernel that remains after optimisation. Copies of structs are loads and stores by then
// (struct_copies.py). The hook checks the bounds, lets the schedule switch
// threads, and just before the access calls the memory check (memcheck.h) if the host requests it.

#pragma once

#include "diagnosis.h"
#include "schedules.h"

CCL_RUNTIME_BEGIN
namespace ccl {

#if CCL_TRACED

constexpr i64 kStackReserve = 2048;  // a thread with less stack left is stopped
constexpr u64 kModuleBytes = 1u << 20;
constexpr u64 kGuardBytes = 65536;  // on both sides of each buffer; memory.py keeps them free

enum Memory { kElsewhere, kDevice, kShared };

struct Place {
  Memory memory;
  u64 buffer;  // for device memory, the index among the launch's buffers
};

[[noreturn]] CCL_NOINLINE inline void fail_access(FaultKind kind, u64 address, u32 bytes,
                                                  AccessKind access, u64 buffer) {
  Fault &fault = report(kind, ccl_engine.current);
  const Request &request = *ccl_engine.request;
  bool device = kind == kStrayAccess || (kind == kMisalignedAccess && buffer < request.range_count);
  u64 begin = device ? request.ranges[buffer].begin : reinterpret_cast<u64>(ccl_shared.current);
  fault.offset = static_cast<i64>(address - begin);
  fault.bytes = bytes;
  fault.buffer = buffer;
  fault.stores = access != kLoad;
  fail();
}

// Whether an address is in this library, near its variables (built-in ones and constants).
CCL_INLINE bool in_module(u64 address) {
  return address - reinterpret_cast<u64>(&ccl_engine) + kModuleBytes < 2 * kModuleBytes;
}

[[noreturn]] CCL_NOINLINE inline void fail_wild(u64 address, u32 bytes, bool stores) {
  report_wild_access(address, bytes, stores);
  fail();
}

// Returns the memory of an address. An access out of bounds is a fault, and so is a misaligned
// access: processors allow it, GPUs do not.
CCL_INLINE Place locate(u64 address, u32 bytes, AccessKind access) {
  const Request &request = *ccl_engine.request;
  const SharedMemory &shared = ccl_shared;
  for (u64 i = 0; i < request.range_count; ++i) {
    const Range &range = request.ranges[i];
    u64 offset = address - range.begin;
    if (offset + kGuardBytes >= range.bytes + 2 * kGuardBytes) continue;
    if (CCL_UNLIKELY(address & (bytes - 1))) fail_access(kMisalignedAccess, address, bytes, access, i);
    if (CCL_UNLIKELY(offset >= range.bytes || offset + bytes > range.bytes))
      fail_access(kStrayAccess, address, bytes, access, i);
    return {kDevice, i};
  }
  u64 into_shared = address - reinterpret_cast<u64>(shared.memory) + kGuardBytes;
  if (into_shared < shared.stride * shared.resident_blocks + 2 * kGuardBytes) {
    u64 offset = address - reinterpret_cast<u64>(shared.current);
    u64 end = shared.stride - kSharedMargin;
    if (CCL_UNLIKELY(address & (bytes - 1)))
      fail_access(kMisalignedAccess, address, bytes, access, request.range_count);
    if (CCL_UNLIKELY(offset >= end || offset + bytes > end))
      fail_access(kStraySharedAccess, address, bytes, access, 0);
    return {kShared, 0};
  }
  if (CCL_UNLIKELY(address < 4096)) fail_access(kNullAccess, address, bytes, access, 0);
  if (CCL_UNLIKELY(!in_module(address))) fail_wild(address, bytes, access != kLoad);
  return {kElsewhere, 0};
}

CCL_NOINLINE inline void check_access(u64 address, u32 bytes, AccessKind kind, u64 site,
                                      Place place) {
  const Engine &e = ccl_engine;
  Access access = {kind, bytes, address, site, e.block->linear, e.threads[e.current].block,
                   e.current, thread_number(e.current)};
  if (place.memory == kDevice) {
    const Range &range = e.request->ranges[place.buffer];
    check_device(access, place.buffer, address - range.begin, range.bytes);
  } else

    check_shared(access, static_cast<i64>(address - reinterpret_cast<u64>(ccl_shared.current)),
                 address - reinterpret_cast<u64>(ccl_shared.memory));
}

CCL_NOINLINE inline void trace(u64 address, u32 bytes, AccessKind access, u64 site) {
  Thread &thread = ccl_engine.threads[ccl_engine.current];
  thread.site = site;
  u64 frame = reinterpret_cast<u64>(__builtin_frame_address(0));
  u64 low = reinterpret_cast<u64>(ccl_engine.stacks.low(ccl_engine.fiber));
  if (CCL_UNLIKELY(static_cast<i64>(frame - low) < kStackReserve)) fail(kStackOverflow);
  if (address - low < kStackBytes) return;
  Place place = locate(address, bytes, access);
  if (place.memory == kElsewhere) {
    if (access != kLoad) fail(kGlobalStore);
    return;
  }
  settle_store();
  if (place.memory == kDevice) thread.touched = address;
  if (ccl_engine.schedule == kRandom)
    preempt();
  else if (access != kLoad && place.memory == kDevice && ccl_engine.schedule == kSynchronous)
    give_way();
  if (checking()) check_access(address, bytes, access, site, place);
  if (counting())
    enter_in_ledger(address, bytes, access, site,
                    place.memory == kShared ? kSharedMemory : static_cast<u32>(place.buffer));
  if (logging())
    log_access(address, bytes, access, site,
               place.memory == kShared ? kSharedMemory : static_cast<u32>(place.buffer));
}

#endif  // CCL_TRACED

// Counts a call of an atomic function. In the traced build atomics are also traced, as stores;
// there the counting is a separate function, because code that is inlined into a kernel would be
// instrumented.
#if CCL_TRACED
CCL_NOINLINE inline void note_atomic(const volatile void *address, u32 bytes) {
  ++ccl_atomics;
  trace(reinterpret_cast<u64>(address), bytes, kAtomic,
        reinterpret_cast<u64>(__builtin_return_address(0)));
}
#else
CCL_INLINE void note_atomic(const volatile void *, u32) { ++ccl_atomics; }
#endif

}  // namespace ccl

#if CCL_TRACED && CCL_RUNTIME_UNIT
#define CCL_TRACE_HOOK(NAME, BYTES, ACCESS)                                                  \
  extern "C" CCL_HIDDEN void __sanitizer_cov_##NAME##BYTES(void *address) {                  \
    ccl::trace(reinterpret_cast<ccl::u64>(address), BYTES, ACCESS,                           \
               reinterpret_cast<ccl::u64>(__builtin_return_address(0)));                     \
  }
#define CCL_TRACE_HOOKS(BYTES)               \
  CCL_TRACE_HOOK(load, BYTES, ccl::kLoad)    \
  CCL_TRACE_HOOK(store, BYTES, ccl::kStore)

CCL_TRACE_HOOKS(1)
CCL_TRACE_HOOKS(2)
CCL_TRACE_HOOKS(4)
CCL_TRACE_HOOKS(8)
CCL_TRACE_HOOKS(16)

// The compiler also checks divisors: a division by zero ends this process, and on GPUs gives any value.
extern "C" CCL_HIDDEN void __ubsan_handle_divrem_overflow_abort(const void *, ccl::u64, ccl::u64) {
  ccl::note_site(__builtin_return_address(0));
  ccl::fail(ccl::kDivisionByZero);
}
#endif
CCL_RUNTIME_END
