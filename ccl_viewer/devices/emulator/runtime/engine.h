// The engine: runs the threads of resident blocks on fibers, in a schedule's order.
//
// One *wave* of blocks is resident at a time. Each of its threads has a slot; the 32 slots of a
// warp are consecutive, so a warp is a 32-bit group in the ready sets. Threads that do not wait are
// called one after the other on the same fiber. A thread that must wait *parks*: it keeps its
// fiber, and another fiber continues with the next thread.

#pragma once

#include "events.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// ---------------------------------------------------------------------------------------------
// Leaving

// Abandons all remaining threads and returns to the host.
[[noreturn]] inline void leave(Status status) {
  void *abandoned;
  ccl_engine.status = status;
  switch_fiber(&abandoned, ccl_engine.host);
  __builtin_unreachable();
}

// Returns the linear index in its block of the thread in a slot.
inline u32 thread_number(u32 slot) {
  Engine &e = ccl_engine;
  return slot - e.threads[slot].block * e.block_warps * 32;
}

// Starts the report of a thread's fault.
inline Fault &report(FaultKind kind, u32 slot) {
  Fault &fault = *ccl_engine.request->fault;
  const Request &request = *ccl_engine.request;
  fault.site = ccl_engine.threads[slot].site;
  fault.touched_buffer = request.range_count;
  u64 touched = ccl_engine.threads[slot].touched;
  for (u64 i = 0; i < request.range_count; ++i) {
    u64 offset = touched - request.ranges[i].begin;
    if (offset >= request.ranges[i].bytes) continue;
    fault.touched_buffer = i;
    fault.touched_offset = offset;
  }
  fault.kind = kind;
  fault.block = ccl_engine.blocks[ccl_engine.threads[slot].block].linear;
  fault.thread = thread_number(slot);
  fault.operation = ccl_engine.threads[slot].operation;
  return fault;
}

[[noreturn]] CCL_NOINLINE inline void fail() {
  __atomic_store_n(&ccl_engine.request->progress->stop, 1, __ATOMIC_RELAXED);
  leave(kFaulted);
}

[[noreturn]] CCL_NOINLINE inline void fail(FaultKind kind) {
  report(kind, ccl_engine.current);
  fail();
}

// Stores the running thread's place in the kernel, for the report of a fault.
CCL_INLINE void note_site(const void *return_address) {
  ccl_engine.threads[ccl_engine.current].site = reinterpret_cast<u64>(return_address);
}

[[noreturn]] CCL_NOINLINE inline void shared_overflow(u64 bytes, const void *return_address) {
  note_site(return_address);
  report(kSharedOverflow, ccl_engine.current).bytes = bytes;
  fail();
}

inline bool is_to_stop() {
  const Request &request = *ccl_engine.request;
  if (request.cancel && *request.cancel) return true;
  return __atomic_load_n(&request.progress->stop, __ATOMIC_RELAXED);
}

// Called between waves, when no thread runs.
inline void poll() {
  if (is_to_stop()) leave(kCancelled);
}

// Called while a thread runs, and reports its place: a time limit often stops an endless loop
// before the limit of iterations.
inline void poll_thread() {
  if (!is_to_stop()) return;
  report(kNoFault, ccl_engine.current);
  leave(kCancelled);
}

[[noreturn]] void fail_deadlocked();  // diagnosis.h

// ---------------------------------------------------------------------------------------------
// Blocks

// Takes the next block of the grid; false if none is left.
inline bool claim_block(u64 &linear) {
  Engine &e = ccl_engine;
  if (e.claimed == e.claimed_end) {
    u64 many = e.request->blocks_at_once;
    e.claimed = __atomic_fetch_add(&e.request->progress->next_block, many, __ATOMIC_RELAXED);
    if (e.claimed >= e.grid_blocks) {
      e.claimed = e.claimed_end = e.grid_blocks;
      return false;
    }
    e.claimed_end = e.claimed + many < e.grid_blocks ? e.claimed + many : e.grid_blocks;
  }
  linear = e.claimed++;
  if (e.schedule == kReverse) linear = e.grid_blocks - 1 - linear;
  return true;
}

inline u32 existing_lanes(u32 warp_of_block) {
  u32 left = ccl_engine.block_threads - warp_of_block * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

// Most kernels have no barriers. So the sequential schedule starts each block as a plain loop over
// its threads (Caller in launch.h) without any bookkeeping, which is reconstructed when a thread is
// about to wait.
inline void start_straight() {
  Engine &e = ccl_engine;
  e.straight = true;
  e.live = e.block_threads;
  e.now.insert(0);
}

CCL_NOINLINE inline void make_up_books() {
  Engine &e = ccl_engine;
  u32 ended = e.current;  // threads before the running one
  e.straight = false;
  e.threads[ended].polls = 0;
  if (ended != 0) e.polls = e.park_polls = 0;
  e.live = e.block_threads - ended;
  e.block->returned = ended;
  e.block->arrived = 0;
  for (u32 i = 0; i < e.block_warps; ++i) {
    Warp &warp = e.warps[i];
    u32 before = ended >= i * 32 + 32 ? ~0u : ended <= i * 32 ? 0 : (1u << (ended & 31)) - 1;
    u32 running = ended >> 5 == i ? 1u << (ended & 31) : 0;
    warp.existing = existing_lanes(i);
    warp.returned = before & warp.existing;
    warp.leaders = warp.at_activemask = 0;
    e.now.insert_lanes(i, warp.existing & ~before & ~running);
  }
}

// Called before the running thread may have to wait.
CCL_INLINE void leave_straight() {
  if (CCL_UNLIKELY(ccl_engine.straight)) make_up_books();
}

inline void start_block(u32 resident, u64 linear) {
  Engine &e = ccl_engine;
  Block &block = e.blocks[resident];
  const u32 *grid = e.request->grid;
  u64 rows = linear / grid[0];
  block.index.x = static_cast<u32>(linear - rows * grid[0]);
  block.index.z = static_cast<u32>(rows / grid[1]);
  block.index.y = static_cast<u32>(rows - static_cast<u64>(block.index.z) * grid[1]);
  block.linear = linear;
  poison_shared(block.shared);
#if !CCL_TRACED
  if (e.schedule == kSequential) return start_straight();
#endif
  block.returned = block.arrived = 0;
  for (u32 i = 0; i < e.block_warps; ++i) {
    u32 index = resident * e.block_warps + i;
    Warp &warp = e.warps[index];
    warp.existing = existing_lanes(i);
    warp.returned = warp.leaders = warp.at_activemask = 0;
    e.now.insert_lanes(index, warp.existing);
  }
  e.live += e.block_threads;
}

// Makes the next blocks resident; false at the end of the grid.
inline bool start_wave() {
  Engine &e = ccl_engine;
  u32 resident = 0;
  u64 linear;
  while (resident < e.resident_blocks && claim_block(linear)) start_block(resident++, linear);
  e.block = nullptr;
  return resident != 0;
}

// ---------------------------------------------------------------------------------------------
// Threads

// Sets the built-in variables and the remaining iterations for the next thread; returns the
// remaining iterations of the previous one.
CCL_INLINE u32 enter(u32 slot, u32 turns = 0) {
  Engine &e = ccl_engine;
  Block *block = e.blocks + e.threads[slot].block;
  e.current = slot;
  if (block != e.block) {
    e.block = block;
    ccl_enter_block(block->index);
    ccl_shared.current = block->shared;
  }
  return ccl_enter_thread(ccl_thread_indices[thread_number(slot)], turns);
}

u32 pick_random();  // schedules.h

// Returns the first thread of a wave or a round.
inline u32 pick_first() {
  Engine &e = ccl_engine;
  if (e.schedule == kReverse) return e.now.previous(e.slots - 1);
  return e.schedule == kRandom ? pick_random() : e.now.next(0);
}

CCL_NOINLINE inline u32 pick_when_none_ready() {
  Engine &e = ccl_engine;
  if (e.live == 0) {
    poll();
    if (!start_wave()) leave(kFinished);
    log_round();
  } else if (!e.later.empty()) {
    note_round();
    log_round();
    ReadySet swap = e.now;
    e.now = e.later;
    e.later = swap;
  } else {
    fail_deadlocked();
  }
  return pick_first();
}

// Chooses the next thread and removes it from the ready set.
CCL_INLINE u32 pick() {
  Engine &e = ccl_engine;
  u32 slot;
  if (e.schedule == kReverse)
    slot = e.now.previous(e.current - 1);
#if CCL_TRACED
  else if (e.schedule == kRandom)
    slot = pick_random();
#endif
  else
    slot = e.now.next(e.current + 1);
  if (CCL_UNLIKELY(slot == kNone)) slot = pick_when_none_ready();
  e.now.remove(slot);
  return slot;
}

[[noreturn]] void run_fiber();

CCL_INLINE u32 take_fiber() {
  Engine &e = ccl_engine;
  if (CCL_LIKELY(e.idle_count != 0)) return e.idle[--e.idle_count];
  u32 fiber = e.fibers++;
  e.fiber_contexts[fiber] = e.stacks.prepare(fiber, run_fiber);
  return fiber;
}

// Called at intervals while threads wait for each other. Stops threads that do so forever, for
// example in a loop around a barrier, where counting iterations would take too long.
CCL_NOINLINE inline void poll_waiting() {
  Engine &e = ccl_engine;
  poll_thread();
  u64 turns = ++e.park_polls * kParksBetweenPolls * kTurnsPerPark;
  if (turns >= e.request->turn_limit) fail(kRunaway);
}

// Leaves the running thread, which is in a ready set or will be put there by the thread that it
// waits for. Returns when it is chosen again.
CCL_INLINE void park() {
  Engine &e = ccl_engine;
  if (CCL_UNLIKELY(!e.stacks.intact(e.fiber))) fail(kStackOverflow);
  if (CCL_UNLIKELY(++e.parks % kParksBetweenPolls == 0)) poll_waiting();
  u32 me = e.current;
  u32 slot = pick();
  if (slot == me) return;
  Thread &mine = e.threads[me];
  Thread &other = e.threads[slot];
  mine.fiber = e.fiber;
  if (other.context) {
    mine.turns = enter(slot, other.turns);
    e.fiber = other.fiber;
    switch_fiber(&mine.context, other.context);
  } else {
    mine.turns = ccl_get_turns();
    e.starting = slot;
    e.fiber = take_fiber();
    switch_fiber(&mine.context, e.fiber_contexts[e.fiber]);
  }
  mine.context = nullptr;
}

// Lets other threads run first: until the next round, or as the random schedule decides.
inline void give_way() {
  Engine &e = ccl_engine;
  leave_straight();
  (e.schedule == kRandom ? e.now : e.later).insert(e.current);
  park();
}

void settle_activemask(u32 warp);                 // collectives.h
void check_awaited(u32 slot);                     // diagnosis.h

// Marks the running thread as ended.
CCL_INLINE void retire() {
  Engine &e = ccl_engine;
  u32 slot = e.current;
  Warp &warp = e.warps[slot >> 5];
  note_end();
  warp.returned |= 1u << (slot & 31);
  e.block->returned++;
  e.live--;
  e.polls = e.park_polls = 0;
  if (warp.returned == warp.existing) align_warp(slot >> 5);
  if (CCL_UNLIKELY(warp.leaders | warp.at_activemask | e.block->arrived)) {
    check_awaited(slot);
    settle_activemask(slot >> 5);
  }
}

// Whether the thread after the one that has just ended is the next in order: not started, in the
// same warp and in the same row of the block. Then hardly anything but threadIdx.x changes. This is
// the case for most threads of most kernels.
CCL_INLINE bool step_in_warp(u32 slot) {
  Engine &e = ccl_engine;
  u32 next = slot + 1;
  if ((next & 31) == 0 || e.schedule == kReverse || e.schedule == kRandom) return false;
  if (!e.now.contains(next) || e.threads[next].context) return false;
  u32 index = ccl_thread_indices[thread_number(next)];
  if ((index & 1023) == 0) return false;
  e.now.remove(next);
  e.current = next;
  ccl_enter_thread(index, 0);
  return true;
}

// Runs the current thread from start to end; in a block that runs straight, also the following
// threads.
CCL_INLINE void run_thread(u32 fiber) {
  Engine &e = ccl_engine;
  Thread &thread = e.threads[e.current];
  thread.polls = 0;
  thread.site = thread.touched = 0;
  e.call(e.request->arguments);
  if (e.straight) {
    e.straight = false;
    e.live = 0;
    e.polls = e.park_polls = 0;
    return;
  }
  if (CCL_UNLIKELY(!e.stacks.intact(fiber))) fail(kStackOverflow);
  retire();
}

// Main function of every fiber: starts a thread, and after its end continues with another. If that
// one is parked on another fiber, this fiber becomes idle.
[[noreturn]] inline void run_fiber() {
  Engine &e = ccl_engine;
  u32 me = e.fiber;
  u32 slot = e.starting;
  for (;;) {
    enter(slot);
    run_thread(me);
    while (step_in_warp(e.current)) run_thread(me);
    slot = pick();
    Thread &other = e.threads[slot];
    if (other.context == nullptr) continue;
    e.idle[e.idle_count++] = me;
    enter(slot, other.turns);
    e.fiber = other.fiber;
    switch_fiber(&e.fiber_contexts[me], other.context);
    slot = e.starting;
  }
}

}  // namespace ccl
CCL_RUNTIME_END
