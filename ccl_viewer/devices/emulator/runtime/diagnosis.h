// Finds the missing threads when others wait forever, and the buffer near a wild access.

#pragma once

#include "engine.h"

CCL_RUNTIME_BEGIN
namespace ccl {

inline bool is_barrier(u32 operation) {
  return operation >= kSyncthreads && operation <= kSyncthreadsCount;
}

inline bool has_returned(u32 slot) {
  return ccl_engine.warps[slot >> 5].returned >> (slot & 31) & 1;
}

inline u32 state_of(u32 slot) {
  return has_returned(slot) ? static_cast<u32>(kReturned) : ccl_engine.threads[slot].operation;
}

// Whether a thread waits for others and has not been released.
inline bool waits(u32 slot) {
  Engine &e = ccl_engine;
  return e.threads[slot].operation != kNothing && !e.now.contains(slot) && !e.later.contains(slot);
}

// Adds a missing thread and the number of missing threads to a report.
inline void name_missing(Fault &fault, u32 slot, u32 many) {
  fault.other = thread_number(slot);
  fault.other_state = state_of(slot);
  fault.missing = many;
}

inline u32 first_lane(u32 lanes) { return static_cast<u32>(__builtin_ctz(lanes)); }

// A warp operation waits for a lane that will not arrive.
[[noreturn]] inline void fail_gathering(FaultKind kind, u32 slot, const Gathering &gathering) {
  const Warp &warp = ccl_engine.warps[slot >> 5];
  u32 missing = gathering.mask & warp.existing & ~gathering.arrived;
  if (missing & warp.returned) missing &= warp.returned;
  Fault &fault = report(kind, slot);
  fault.operation = gathering.operation;
  fault.mask = gathering.mask;
  name_missing(fault, (slot & ~31u) + first_lane(missing), __builtin_popcount(missing));
  fail();
}

// A thread of the block waits at a barrier that others will not reach.
[[noreturn]] inline void fail_barrier(FaultKind kind, u32 slot, u32 operation) {
  Engine &e = ccl_engine;
  Fault &fault = report(kind, slot);
  fault.operation = operation;
  u32 first = slot - thread_number(slot);
  u32 many = 0;
  for (u32 i = e.block_threads; i-- > 0;) {
    u32 other = first + i;
    if (other == slot || (is_barrier(e.threads[other].operation) && waits(other))) continue;
    if (kind == kBarrierMissing && !has_returned(other)) continue;
    name_missing(fault, other, ++many);
  }
  fail();
}

// Called when a thread has ended while threads of its warp or block wait.
CCL_NOINLINE inline void check_awaited(u32 slot) {
  Engine &e = ccl_engine;
  const Warp &warp = e.warps[slot >> 5];
  u32 bit = 1u << (slot & 31);
  for (u32 rest = warp.leaders; rest; rest &= rest - 1) {
    u32 leader = first_lane(rest);
    if (warp.gatherings[leader].mask & bit)
      fail_gathering(kLaneMissing, (slot & ~31u) + leader, warp.gatherings[leader]);
  }
  if (e.block->arrived == 0) return;
  u32 waiting = slot - thread_number(slot);
  while (!is_barrier(e.threads[waiting].operation) || !waits(waiting)) ++waiting;
  fail_barrier(kBarrierMissing, waiting, e.block->operation);
}

// Reports an access to an address outside all buffers.
inline void report_wild_access(u64 address, u64 bytes, u64 stores) {
  const Request &request = *ccl_engine.request;
  Fault &fault = report(kWildAccess, ccl_engine.current);
  fault.address = address;
  fault.bytes = bytes;
  fault.stores = stores;
  fault.buffer = request.range_count;
  u64 nearest = ~0ull;
  for (u64 i = 0; i < request.range_count; ++i) {
    const Range &range = request.ranges[i];
    bool before = address < range.begin;
    u64 distance = before ? range.begin - address : address - range.begin;
    if (!before) distance = distance < range.bytes ? 0 : distance - range.bytes;
    if (distance >= nearest) continue;
    nearest = distance;
    fault.buffer = i;
    fault.offset = static_cast<i64>(address - range.begin);
  }
}

// No thread can run, although not all have ended.
[[noreturn]] CCL_NOINLINE inline void fail_deadlocked() {
  Engine &e = ccl_engine;
  u32 slot = 0;
  while (e.threads[slot].operation == kNothing) ++slot;
  u32 operation = e.threads[slot].operation;
  if (is_barrier(operation)) fail_barrier(kDeadlock, slot, operation);
  const Warp &warp = e.warps[slot >> 5];
  for (u32 rest = warp.leaders; rest; rest &= rest - 1) {
    const Gathering &gathering = warp.gatherings[first_lane(rest)];
    if (gathering.arrived >> (slot & 31) & 1) fail_gathering(kDeadlock, slot, gathering);
  }
  report(kDeadlock, slot);
  fail();
}

}  // namespace ccl
CCL_RUNTIME_END

namespace ccl {
[[noreturn]] CCL_NOINLINE __attribute__((no_sanitize("coverage", "undefined"))) inline void assertion_failed(
    const char *text, const char *file, u64 line) {
  Fault &fault = report(kAssertion, ccl_engine.current);
  fault.text = text;
  fault.file = file;
  fault.line = line;
  fail();
}
}  // namespace ccl

#define assert(condition) \
  ((condition) ? static_cast<void>(0) : ccl::assertion_failed(#condition, __FILE__, __LINE__))
