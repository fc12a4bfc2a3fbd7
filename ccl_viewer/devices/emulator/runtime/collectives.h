// Barriers of a block, and collective operations of a warp.

#pragma once

#include "diagnosis.h"
#include "schedules.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// Parks the running thread until the operation that it waits in is complete.
CCL_INLINE void wait_in(Operation operation) {
  Thread &thread = ccl_engine.threads[ccl_engine.current];
  u32 warp = ccl_engine.current >> 5;
  thread.operation = static_cast<u16>(operation);
  if (CCL_UNLIKELY(ccl_engine.warps[warp].at_activemask)) settle_activemask(warp);
  park();
  thread.operation = kNothing;
}

// ---------------------------------------------------------------------------------------------
// Blocks

inline u32 barrier_result(Operation operation, u32 votes) {
  switch (operation) {
    case kSyncthreadsOr: return votes != 0;
    case kSyncthreadsAnd: return votes == ccl_engine.block_threads;
    case kSyncthreadsCount: return votes;
    default: return 0;
  }
}

inline void release_block(u32 last_slot) {
  Engine &e = ccl_engine;
  u32 first = e.threads[last_slot].block * e.block_warps;
  for (u32 warp = first; warp < first + e.block_warps; ++warp) {
    u32 self = warp == last_slot >> 5 ? 1u << (last_slot & 31) : 0;
    e.now.insert_lanes(warp, e.warps[warp].existing & ~self);
  }
}

CCL_NOINLINE inline u32 barrier(Operation operation, bool vote) {
  Engine &e = ccl_engine;
  leave_straight();
  note_arrival(operation, 0, vote, 0, reinterpret_cast<u64>(__builtin_return_address(0)));
  note_site(__builtin_return_address(0));
  Block &block = *e.block;
  u32 slot = e.current;
  if (CCL_UNLIKELY(block.returned)) fail_barrier(kBarrierMissing, slot, operation);
  if (block.arrived == 0) {
    block.operation = operation;
    block.votes = 0;
  } else if (CCL_UNLIKELY(block.operation != operation)) {
    report(kBarrierMixed, slot).operation = operation;
    e.request->fault->other_state = block.operation;
    fail();
  }
  block.votes += vote;
  if (++block.arrived < e.block_threads) {
    wait_in(operation);
  } else {
    block.arrived = 0;
    block.result = barrier_result(operation, block.votes);
    order_block(e.threads[slot].block);
    note_barrier(e.threads[slot].block * e.block_warps, e.block_warps);
    log_barrier(slot, operation, block.result);
    release_block(slot);
    preempt();
  }
  return block.result;
}

// ---------------------------------------------------------------------------------------------
// Warps

constexpr u64 kShflPoison = 0xa5a5a5a5a5a5a5a5ull;  // value of a lane that does not take part

inline Gathering *find_gathering(Warp &warp, u32 operation, u32 mask, u32 &leader) {
  for (u32 rest = warp.leaders; rest; rest &= rest - 1) {
    leader = first_lane(rest);
    Gathering &gathering = warp.gatherings[leader];
    if (gathering.mask == mask && gathering.operation == operation) return &gathering;
  }
  return nullptr;
}

inline u32 lanes_with_value(const Warp &warp, u32 lanes, u64 value) {
  u32 same = 0;
  for (u32 rest = lanes; rest; rest &= rest - 1)
    if (warp.value[first_lane(rest)] == value) same |= rest & -rest;
  return same;
}

// Gives every lane its result.
inline void conclude(Warp &warp, const Gathering &gathering) {
  u32 lanes = gathering.arrived;
  u64 common = 0;
  switch (gathering.operation) {
    case kSyncwarp: return;
    case kBallot: common = gathering.votes; break;
    case kAny: common = gathering.votes != 0; break;
    case kAll: common = gathering.votes == lanes; break;
    case kMatchAny:
      for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 lane = first_lane(rest);
        warp.result[lane] = lanes_with_value(warp, lanes, warp.value[lane]);
      }
      return;
    default:  // the shuffles
      for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 lane = first_lane(rest), source = warp.source[lane];
        warp.result[lane] = lanes >> source & 1 ? warp.value[source] : kShflPoison;
      }
      return;
  }
  for (u32 lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1) warp.result[lane] = common;
}

// One lane's part in a warp operation: it passes a value, and gets its result when all lanes in the
// mask (that exist in the block) have arrived. The last lane continues without a switch.
CCL_NOINLINE inline u64 gather(Operation operation, u32 mask, u64 value, u32 source) {
  Engine &e = ccl_engine;
  leave_straight();
  note_arrival(operation, mask, value, source,
               reinterpret_cast<u64>(__builtin_return_address(0)));
  note_site(__builtin_return_address(0));
  u32 lane = e.current & 31, bit = 1u << lane;
  Warp &warp = e.warps[e.current >> 5];
  u32 named = mask & warp.existing;
  if (CCL_UNLIKELY(!(mask & bit))) {
    report(kLaneNotInMask, e.current).operation = operation;
    e.request->fault->mask = mask;
    fail();
  }
  if (CCL_UNLIKELY(named & warp.returned))
    fail_gathering(kLaneMissing, e.current, Gathering{operation, mask, bit, 0});
  u32 leader;
  Gathering *gathering = find_gathering(warp, operation, mask, leader);
  if (!gathering) {
    leader = lane;
    warp.leaders |= bit;
    gathering = &warp.gatherings[lane];
    *gathering = {operation, mask, 0, 0};
  }
  warp.value[lane] = value;
  warp.source[lane] = static_cast<u8>(source);
  gathering->arrived |= bit;
  if (value) gathering->votes |= bit;
  if (gathering->arrived != named) {
    wait_in(operation);
  } else {
    warp.leaders &= ~(1u << leader);
    conclude(warp, *gathering);
    note_warp_operation(e.current >> 5, gathering->arrived, warp.existing);
    log_warp_operation(e.current >> 5, operation, mask, gathering->arrived);
    if (operation == kSyncwarp) order_lanes(e.current >> 5, gathering->arrived);
    e.now.insert_lanes(e.current >> 5, named & ~bit);
    preempt();
  }
  return warp.result[lane];
}

// __activemask: returns the lanes that arrive before no lane of the warp can run any more.
inline void settle_activemask(u32 index) {
  Engine &e = ccl_engine;
  Warp &warp = e.warps[index];
  u32 lanes = warp.at_activemask;
  if (lanes == 0 || (e.now.lanes(index) | e.later.lanes(index))) return;
  warp.at_activemask = 0;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    warp.value[first_lane(rest)] = 0;
    warp.result[first_lane(rest)] = lanes;
  }
  log_warp_operation(index, kActivemask, lanes, lanes);
  e.now.insert_lanes(index, lanes);
}

CCL_NOINLINE inline u32 activemask() {
  leave_straight();
  note_arrival(kActivemask, 0, 0, 0, reinterpret_cast<u64>(__builtin_return_address(0)));
  note_site(__builtin_return_address(0));
  Warp &warp = ccl_engine.warps[ccl_engine.current >> 5];
  u32 lane = ccl_engine.current & 31;
  warp.at_activemask |= 1u << lane;
  wait_in(kActivemask);
  return static_cast<u32>(warp.result[lane]);
}

// Returns the lane from which a shuffle takes its value; `width` lanes form a segment. As in
// hardware, a lane outside the segment is replaced by the calling lane.
inline u32 shfl_lane(u32 lane, int source, int width) {
  u32 last = static_cast<u32>(width) - 1;
  return (lane & ~last) | (static_cast<u32>(source) & last);
}
inline u32 shfl_up_lane(u32 lane, u32 delta, int width) {
  u32 in_segment = lane & (static_cast<u32>(width) - 1);
  return delta > in_segment ? lane : lane - delta;
}
inline u32 shfl_down_lane(u32 lane, u32 delta, int width) {
  u32 in_segment = lane & (static_cast<u32>(width) - 1);
  return delta >= static_cast<u32>(width) - in_segment ? lane : lane + delta;
}
inline u32 shfl_xor_lane(u32 lane, int mask, int width) {
  u32 other = (lane ^ static_cast<u32>(mask)) & 31;
  return other > (lane | (static_cast<u32>(width) - 1)) ? lane : other;
}

// Values of any type up to eight bytes are passed as 64 bits.
template <class T>
CCL_INLINE u64 to_bits(T value) {
  u64 bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
CCL_INLINE T from_bits(u64 bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

inline u32 running_lane() { return ccl_engine.current & 31; }
CCL_NOINLINE inline u32 running_lanes() { return ccl_engine.warps[ccl_engine.current >> 5].existing; }

}  // namespace ccl

// Inlined, so that the runtime's return address is in the kernel and its line tables.
CCL_INLINE void __syncthreads() { ccl::barrier(ccl::kSyncthreads, false); }
CCL_INLINE int __syncthreads_or(int predicate) {
  return static_cast<int>(ccl::barrier(ccl::kSyncthreadsOr, predicate != 0));
}
CCL_INLINE int __syncthreads_and(int predicate) {
  return static_cast<int>(ccl::barrier(ccl::kSyncthreadsAnd, predicate != 0));
}
CCL_INLINE int __syncthreads_count(int predicate) {
  return static_cast<int>(ccl::barrier(ccl::kSyncthreadsCount, predicate != 0));
}

CCL_INLINE void __syncwarp(unsigned int mask = 0xffffffffu) { ccl::gather(ccl::kSyncwarp, mask, 0, 0); }
CCL_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return static_cast<unsigned int>(ccl::gather(ccl::kBallot, mask, predicate != 0, 0));
}
CCL_INLINE int __any_sync(unsigned int mask, int predicate) {
  return static_cast<int>(ccl::gather(ccl::kAny, mask, predicate != 0, 0));
}
CCL_INLINE int __all_sync(unsigned int mask, int predicate) {
  return static_cast<int>(ccl::gather(ccl::kAll, mask, predicate != 0, 0));
}
CCL_INLINE unsigned int __activemask() { return ccl::activemask(); }

#define CCL_WARP_VALUE_OPERATIONS(T)                                                          \
  CCL_INLINE T __shfl_sync(unsigned int mask, T value, int source, int width = 32) {              \
    ccl::u32 lane = ccl::shfl_lane(ccl::running_lane(), source, width);                       \
    return ccl::from_bits<T>(ccl::gather(ccl::kShfl, mask, ccl::to_bits(value), lane));       \
  }                                                                                           \
  CCL_INLINE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {   \
    ccl::u32 lane = ccl::shfl_up_lane(ccl::running_lane(), delta, width);                     \
    return ccl::from_bits<T>(ccl::gather(ccl::kShflUp, mask, ccl::to_bits(value), lane));     \
  }                                                                                           \
  CCL_INLINE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) { \
    ccl::u32 lane = ccl::shfl_down_lane(ccl::running_lane(), delta, width);                   \
    return ccl::from_bits<T>(ccl::gather(ccl::kShflDown, mask, ccl::to_bits(value), lane));   \
  }                                                                                           \
  CCL_INLINE T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {           \
    ccl::u32 lane = ccl::shfl_xor_lane(ccl::running_lane(), lanes, width);                    \
    return ccl::from_bits<T>(ccl::gather(ccl::kShflXor, mask, ccl::to_bits(value), lane));    \
  }                                                                                           \
  CCL_INLINE unsigned int __match_any_sync(unsigned int mask, T value) {                          \
    return static_cast<unsigned int>(                                                         \
        ccl::gather(ccl::kMatchAny, mask, ccl::to_bits(value), 0));                           \
  }                                                                                           \
  CCL_INLINE unsigned int __match_all_sync(unsigned int mask, T value, int *all) {                \
    unsigned int lanes = ccl::running_lanes() & mask;                                         \
    *all = __match_any_sync(mask, value) == lanes;                                            \
    return *all ? lanes : 0;                                                                  \
  }

CCL_WARP_VALUE_OPERATIONS(int)
CCL_WARP_VALUE_OPERATIONS(unsigned int)
CCL_WARP_VALUE_OPERATIONS(long)
CCL_WARP_VALUE_OPERATIONS(unsigned long)
CCL_WARP_VALUE_OPERATIONS(long long)
CCL_WARP_VALUE_OPERATIONS(unsigned long long)
CCL_WARP_VALUE_OPERATIONS(float)
CCL_WARP_VALUE_OPERATIONS(double)
CCL_RUNTIME_END
