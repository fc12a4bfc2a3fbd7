// The event log of the traced build: everything that the threads of one launch do, in order. The
// host requests it (Request::events), for the whole grid or for one block; for other blocks, writes
// to device memory are logged as well.
//
// An access is logged just before it happens. The result of a store or an atomic function is read
// from memory at the next event of any thread: one worker runs all threads, and every change of
// memory passes through the runtime first.

#pragma once

#include "ledger.h"

CCL_RUNTIME_BEGIN
namespace ccl {

constexpr u64 kAllBlocks = ~0ull;

extern "C" CCL_HIDDEN EventLog *ccl_event_log;  // null to log nothing
CCL_VARIABLE(EventLog *ccl_event_log;)

// An access with a result that is not known yet. A wide access is logged as two.
struct PendingWrite {
  Event *event;
  u64 address;
};
static PendingWrite ccl_pending_writes[2];
static u32 ccl_pending_count;

CCL_INLINE bool logging() {
#if CCL_TRACED
  return CCL_UNLIKELY(ccl_event_log != nullptr);
#else
  return false;
#endif
}

inline void begin_events(EventLog *log) {
  ccl_event_log = log;
  ccl_pending_count = 0;
  if (log) log->count = log->lost = log->rounds = log->variable_count = 0;
}

// Reads the result of the last store or atomic function from memory.
inline void resolve_writes() {
  for (u32 i = 0; i < ccl_pending_count; ++i) {
    Event *event = ccl_pending_writes[i].event;
    __builtin_memcpy(&event->value, reinterpret_cast<const void *>(ccl_pending_writes[i].address),
                     event->bytes);
  }
  ccl_pending_count = 0;
}

inline void end_events() {
  if (logging()) resolve_writes();
  ccl_event_log = nullptr;
}

inline bool in_logged_block(u32 slot) {
  const Engine &e = ccl_engine;
  u64 block = ccl_event_log->block;
  return block == kAllBlocks || block == e.blocks[e.threads[slot].block].linear;
}

// Returns the next event in the log; null if there is no room.
inline Event *next_event(u32 slot, u32 kind, u64 site) {
  EventLog &log = *ccl_event_log;
  if (log.count == log.capacity) {
    ++log.lost;
    return nullptr;
  }
  const Engine &e = ccl_engine;
  u32 resident = e.threads[slot].block;
  Event *event = &log.events[log.count++];
  *event = {};
  event->kind = static_cast<u8>(kind);
  event->round = static_cast<u32>(log.rounds);
  event->site = site ? static_cast<int>(site - log.origin) : 0;
  event->block = static_cast<u32>(e.blocks[resident].linear);
  event->thread = static_cast<u16>(slot - resident * e.block_warps * 32);
  return event;
}

CCL_NOINLINE inline void log_access(u64 address, u32 bytes, AccessKind kind, u64 site, u32 buffer) {
  const Engine &e = ccl_engine;
  resolve_writes();
  if (!in_logged_block(e.current) && (kind == kLoad || buffer == kSharedMemory)) return;
  u64 begin = buffer == kSharedMemory ? reinterpret_cast<u64>(ccl_shared.current)
                                      : e.request->ranges[buffer].begin;
  for (u32 done = 0; done < bytes; done += 8) {
    Event *event = next_event(e.current, kind, site);
    if (!event) return;
    event->buffer = static_cast<u8>(buffer);
    event->bytes = static_cast<u8>(bytes - done < 8 ? bytes - done : 8);
    event->offset = static_cast<u32>(address + done - begin);
    __builtin_memcpy(&event->before, reinterpret_cast<const void *>(address + done), event->bytes);
    event->value = event->before;
    if (kind != kLoad) ccl_pending_writes[ccl_pending_count++] = {event, address + done};
  }
}

// Other actions of a thread: it arrives at a barrier or a warp operation, gets the result, ends.
CCL_NOINLINE inline void log_thread(u32 slot, EventKind kind, u32 operation = kNothing,
                                    u32 mask = 0, u64 brings = 0, u64 gets = 0, u32 source = 0,
                                    u64 site = 0) {
  resolve_writes();
  if (!in_logged_block(slot)) return;
  Event *event = next_event(slot, kind, site);
  if (!event) return;
  event->operation = static_cast<u8>(operation);
  event->offset = mask;
  event->before = brings;
  event->value = gets;
  event->source = static_cast<u8>(source);
}

inline void note_arrival(u32 operation, u32 mask, u64 brings, u32 source, u64 site) {
  if (logging())
    log_thread(ccl_engine.current, kArrivalEvent, operation, mask, brings, 0, source, site);
}

inline void note_end() {
  if (logging()) log_thread(ccl_engine.current, kEndEvent);
}

// A block passed a barrier; `slot` is one of its threads.
inline void log_barrier(u32 slot, u32 operation, u32 result) {
  if (logging()) log_thread(slot, kBarrierEvent, operation, 0, 0, result);
}

// The lanes of a warp got the results of an operation.
inline void log_warp_operation(u32 index, u32 operation, u32 mask, u32 lanes) {
  if (!logging()) return;
  const Warp &warp = ccl_engine.warps[index];
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    u32 lane = static_cast<u32>(__builtin_ctz(rest));
    log_thread(index * 32 + lane, kLaneEvent, operation, mask, warp.value[lane],
               operation == kSyncwarp ? 0 : warp.result[lane], warp.source[lane]);
  }
}

// A round of the synchronous schedule begins, or a wave.
inline void log_round() {
  if (logging()) ++ccl_event_log->rounds;
}

// A shared variable was placed.
inline void log_variable(const SharedVariable *variable, u32 offset) {
  if (!logging() || ccl_event_log->variable_count == kMostEventVariables) return;
  ccl_event_log->variables[ccl_event_log->variable_count++] = {
      static_cast<i64>(reinterpret_cast<u64>(variable) - ccl_event_log->origin), offset,
      variable->bytes};
}

}  // namespace ccl
CCL_RUNTIME_END
