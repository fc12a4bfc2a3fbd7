// Entry points for the host, and the table of the module's kernels.

#pragma once

#include "atomics.h"
#include "bits.h"
#include "clock.h"
#include "collectives.h"
#include "print.h"
#include "signals.h"
#include "undefined.h"

CCL_RUNTIME_BEGIN
namespace ccl {

template <class T>
constexpr u32 is_pointer = 0;
template <class T>
constexpr u32 is_pointer<T *> = 1;
template <class T>
constexpr u32 is_pointer<T *__restrict__> = 1;
template <class T>
constexpr u32 is_pointer<T *const> = 1;

struct KernelEntry {
  const char *name;
  void (*call)(void **arguments);
  u32 parameter_count;
  const u32 *parameters;  // bytes of each, the sign bit set for pointers
};

template <class... Parameters>
struct Signature {
  static constexpr u32 parameters[sizeof...(Parameters) + 1] = {
      (static_cast<u32>(sizeof(Parameters)) | is_pointer<Parameters> << 31)..., 0};
};

#if !CCL_RUNTIME_UNIT
// Unpacks arguments and runs a kernel.
template <auto kernel>
struct Caller;

template <class... Parameters, void (*kernel)(Parameters...)>
struct Caller<kernel> {
  template <u32... I>
  struct Indices {};
  template <class T, T... I>
  struct Sequence {
    using type = Indices<I...>;
  };

  // Runs the current thread, and the following ones while the block runs straight. The kernel is
  // inlined, so this becomes a plain loop over the threads.
  static CCL_INLINE void run(Parameters... arguments) {
    Engine &e = ccl_engine;
    const u64 &canary = e.stacks.canary(e.fiber);
    for (;;) {
      u32 row = e.current - threadIdx.x;
      for (u32 x = threadIdx.x;;) {
        ccl_turns_left = e.poll_interval;
        kernel(arguments...);
        if (CCL_UNLIKELY(!e.straight)) return;
        if (CCL_UNLIKELY(canary != kStackCanary)) fail(kStackOverflow);
        if (++x == blockDim.x) break;
        threadIdx.x = x;
        e.current = row + x;
      }
      e.current = row + blockDim.x;
      threadIdx.x = 0;
      if (++threadIdx.y < blockDim.y) continue;
      threadIdx.y = 0;
      if (++threadIdx.z == blockDim.z) return;
    }
  }

  template <u32... I>
  static CCL_INLINE void unpack(void **arguments, Indices<I...>) {
    run(*static_cast<Parameters *>(arguments[I])...);
  }

  static void call(void **arguments) {
    unpack(arguments, typename __make_integer_seq<Sequence, u32, sizeof...(Parameters)>::type());
  }

  static KernelEntry describe(const char *name) {
    return {name, call, sizeof...(Parameters), Signature<Parameters...>::parameters};
  }
};
#endif

// Defined at the end of the translation unit, by compiler.py.
extern const u32 kKernelCount;
KernelEntry kernel_entry(u32 index);

// ---------------------------------------------------------------------------------------------
// Memory of a launch

// Allocates pieces of the workspace.
struct Dealer {
  u8 *memory;
  u64 used;
  u8 *take(u64 bytes) {
    u8 *piece = memory + used;
    used += (bytes + 255) & ~255ull;
    return piece;
  }
};

// Whole pages plus a cache line, so that blocks do not compete for the same cache sets.
inline u64 shared_stride(const Request &request) {
  u64 gaps = request.check ? kMostSharedExtents * kSharedGap : 0;
  u64 bytes = kSharedStaticLimit + request.shared_bytes + gaps;
  return ((bytes + 256 + kSharedMargin + 4095) & ~4095ull) + 320;
}

inline u32 warps_of(const Request &request) {
  return (request.block[0] * request.block[1] * request.block[2] + 31) / 32;
}

// Assigns memory to every part of the engine; with a null workspace it only computes the size.
inline u64 deal_workspace(const Request &request, Engine &e) {
  Dealer dealer = {request.workspace, 0};
  u64 blocks = request.resident_blocks;
  u64 warps = blocks * warps_of(request);
  u8 *now = dealer.take(ReadySet::bytes_for(warps * 32));
  u8 *later = dealer.take(ReadySet::bytes_for(warps * 32));
  e.threads = reinterpret_cast<Thread *>(dealer.take(warps * 32 * sizeof(Thread)));
  e.warps = reinterpret_cast<Warp *>(dealer.take(warps * sizeof(Warp)));
  e.blocks = reinterpret_cast<Block *>(dealer.take(blocks * sizeof(Block)));
  e.fiber_contexts = reinterpret_cast<void **>(dealer.take(request.fibers * sizeof(void *)));
  e.idle = reinterpret_cast<u32 *>(dealer.take(request.fibers * sizeof(u32)));
  ccl_shared.stride = shared_stride(request);
  ccl_shared.memory = dealer.take(blocks * ccl_shared.stride);
  if (request.check) {
    Memcheck &m = ccl_memcheck;
    m.intervals = reinterpret_cast<u32 *>(dealer.take(blocks * sizeof(u32)));
    m.clocks = reinterpret_cast<u32 *>(dealer.take(warps * 32 * 32 * sizeof(u32)));
    m.bytes = reinterpret_cast<SharedByte *>(
        dealer.take(blocks * ccl_shared.stride * sizeof(SharedByte)));
  }
  if (request.ledger) {
    Ledger &ledger = *request.ledger;
    ledger.logs = dealer.take(warps * 32 * sizeof(LedgerLog));
    ledger.scratch = dealer.take(32 * kMostLaneEntries * sizeof(WarpAccess));
    ledger.chunk_count = warps * 32 * 4 + 32 * (kMostLaneEntries / kChunkEntries + 1);
    ledger.chunks = dealer.take(ledger.chunk_count * sizeof(LedgerChunk));
  }
  if (request.workspace) {
    e.now.attach(reinterpret_cast<u64 *>(now), static_cast<u32>(warps * 32));
    e.later.attach(reinterpret_cast<u64 *>(later), static_cast<u32>(warps * 32));
  }
  return dealer.used;
}

// ---------------------------------------------------------------------------------------------
// The launch

inline void set_dimensions(const Request &request) {
  static u32 last[3];
  const u32 *block = request.block;
  ccl_enter_grid(request.grid, block);
  if (block[0] == last[0] && block[1] == last[1] && block[2] == last[2]) return;
  for (u32 i = 0; i < 3; ++i) last[i] = block[i];
  u32 *index = ccl_thread_indices;
  for (u32 z = 0; z < block[2]; ++z)
    for (u32 y = 0; y < block[1]; ++y)
      for (u32 x = 0; x < block[0]; ++x) *index++ = x | y << 10 | z << 20;
}

inline void set_shared(const Request &request) {
  ccl_shared.launch++;
  ccl_shared.static_bytes = ccl_shared.variables = 0;
  ccl_shared.dynamic_bytes = static_cast<u32>(request.shared_bytes);
  ccl_shared.resident_blocks = request.resident_blocks;
  begin_memcheck(request.check, request.resident_blocks,
                 request.resident_blocks * warps_of(request) * 32);
  begin_ledger(request.ledger, request.resident_blocks * warps_of(request) * 32);
  begin_events(request.events);
}

inline void set_engine(const Request &request, Engine &e) {
  KernelEntry entry = kernel_entry(static_cast<u32>(request.kernel));
  e.request = &request;
  e.call = entry.call;
  e.schedule = request.schedule;
  e.resident_blocks = request.resident_blocks;
  e.block_threads = request.block[0] * request.block[1] * request.block[2];
  e.block_warps = warps_of(request);
  e.slots = e.resident_blocks * e.block_warps * 32;
  e.grid_blocks = static_cast<u64>(request.grid[0]) * request.grid[1] * request.grid[2];
  e.claimed = e.claimed_end = 0;
  e.live = e.parks = e.straight = 0;
  e.polls = e.park_polls = 0;
  e.idle_count = e.fibers = 0;
  e.poll_interval = request.turn_limit < kTurnsBetweenPolls
                        ? static_cast<u32>(request.turn_limit)
                        : kTurnsBetweenPolls;
  e.stacks.attach(request.stacks);
  for (u32 block = 0; block < e.resident_blocks; ++block) {
    e.blocks[block].shared = ccl_shared.memory + block * ccl_shared.stride;
    for (u32 i = 0; i < e.block_warps * 32; ++i)
      e.threads[block * e.block_warps * 32 + i] = {nullptr, 0, 0, 0, kNothing,
                                                  static_cast<u16>(block)};
  }
}

// Runs the blocks of a grid, or this worker's share.
inline u32 run_blocks(Request &request) {
  Engine &e = ccl_engine;
  deal_workspace(request, e);
  set_dimensions(request);
  set_shared(request);
  set_engine(request, e);
  if (e.schedule == kRandom) begin_random(request.seed);
  e.status = kFinished;
  ccl_atomics = 0;
  if (request.cancel && *request.cancel) return kCancelled;
  if (!start_wave()) return kFinished;
  e.current = 0;
  e.starting = pick_first();
  e.now.remove(e.starting);
  e.fiber = take_fiber();
  {
    CatchSignals until_the_end(request);
    switch_fiber(&e.host, e.fiber_contexts[e.fiber]);
  }
  end_memcheck();
  end_events();
  request.atomics = ccl_atomics;
  return e.status;
}

#if !CCL_RUNTIME_UNIT
extern "C" CCL_HIDDEN void ccl_enter_grid(const u32 *grid, const u32 *block) {
  gridDim.x = grid[0];
  gridDim.y = grid[1];
  gridDim.z = grid[2];
  blockDim.x = block[0];
  blockDim.y = block[1];
  blockDim.z = block[2];
}

extern "C" CCL_HIDDEN void ccl_enter_block(const uint3 &index) {
  blockIdx.x = index.x;
  blockIdx.y = index.y;
  blockIdx.z = index.z;
}

extern "C" CCL_HIDDEN u32 ccl_enter_thread(u32 index, u32 turns) {
  threadIdx.x = index & 1023;
  threadIdx.y = index >> 10 & 1023;
  threadIdx.z = index >> 20;
  u32 before = ccl_turns_left;
  ccl_turns_left = turns;
  return before;
}

extern "C" CCL_HIDDEN u32 ccl_get_turns() { return ccl_turns_left; }
#endif

}  // namespace ccl

#if CCL_RUNTIME_UNIT
CCL_EXPORT ccl::u32 ccl_runtime_version() { return ccl::kRuntimeVersion; }

CCL_EXPORT ccl::u32 ccl_kernel_count() { return ccl::kKernelCount; }

CCL_EXPORT const char *ccl_kernel_name(ccl::u32 index) { return ccl::kernel_entry(index).name; }

CCL_EXPORT ccl::u32 ccl_parameter_count(ccl::u32 index) {
  return ccl::kernel_entry(index).parameter_count;
}

CCL_EXPORT ccl::u32 ccl_parameter(ccl::u32 index, ccl::u32 parameter) {
  return ccl::kernel_entry(index).parameters[parameter];
}

// Returns the bytes of workspace that a request needs; its workspace must be null.
CCL_EXPORT ccl::u64 ccl_workspace_bytes(const ccl::Request *request) {
  ccl::Engine scratch;
  return ccl::deal_workspace(*request, scratch);
}

CCL_EXPORT ccl::u64 ccl_stack_bytes() { return ccl::kStackBytes; }

// Runs the blocks of a grid, or this worker's share, and times it; returns a Status.
CCL_EXPORT ccl::u32 ccl_launch(ccl::Request *request) {
  ccl::u64 begin = ccl::ticks(*request);
  ccl::u32 status = ccl::run_blocks(*request);
  request->elapsed = ccl::ticks(*request) - begin;
  return status;
}
#endif
CCL_RUNTIME_END
