// What the engine knows: the warps, blocks and threads of the wave, and the launch that they serve.
//
// All of it is plain static memory. Each worker has loaded a copy of the library of its own.

#pragma once

#include "builtins.h"
#include "fiber.h"
#include "ready_set.h"
#include "request.h"
#include "shared_memory.h"

CCL_RUNTIME_BEGIN
namespace ccl {

constexpr u32 kTurnsBetweenPolls = 1u << 18;
constexpr u32 kParksBetweenPolls = 1u << 14;
// Threads that wait for each other in loops all turn; together they may make so many times the
// turns of one before the first must have ended.
constexpr u32 kTogether = 16;
// Yet each may have its turn so many times.
constexpr u32 kRoundsTogether = 2;
// A loop around a barrier turns seldom and waits often: a wait counts for so many turns of a loop.
constexpr u32 kTurnsPerPark = 8;

// A warp operation that waits for lanes. Several may be under way in a warp, with other masks.
struct Gathering {
  u32 operation;
  u32 mask;
  u32 arrived;
  u32 votes;  // lanes whose value is not 0
};

struct Warp {
  u32 existing;       // lanes that the block has: the last warp may be short
  u32 returned;       // lanes whose thread has ended
  u32 leaders;        // lanes that opened a gathering, which is gatherings[lane]
  u32 at_activemask;  // lanes that wait in __activemask
  Gathering gatherings[32];
  u64 value[32];   // what each lane brings,
  u64 result[32];  // what it is given,
  u8 source[32];   // and from which lane it wants a value
};

struct Block {
  uint3 index;
  u32 returned;   // threads that have ended
  u32 arrived;    // threads that stand at the barrier
  u32 operation;  // which kind of barrier that is
  u32 votes;      // how many brought a predicate other than 0
  u32 result;
  u8 *shared;
  u64 linear;  // index in the grid
};

struct alignas(16) Thread {
  void *context;  // stack pointer while parked, else null
  u32 fiber;      // on which it is parked
  u32 turns;      // until the next poll, while parked
  u32 polls;      // that its loops have made
  u16 operation;  // that it waits in
  u16 block;      // resident block, fixed by the slot
  u64 site;       // return address in the kernel of its last call of the runtime, or 0
  u64 touched;    // address in device memory that it accessed last, or 0; traced build only
};

constexpr u32 kMaximumResidentBlocks = 4096;  // about what the largest GPUs hold

struct Engine {
  // The running thread.
  u32 current;  // slot
  u32 fiber;
  u32 starting;  // slot that the next fiber to be entered is to begin
  volatile u32 straight;  // whether the resident block runs in a loop: see start_straight in engine.h
  Block *block;
  // The wave.
  ReadySet now;    // can run
  ReadySet later;  // can run once `now` is empty
  Thread *threads;
  Warp *warps;
  Block *blocks;
  u32 live;  // threads that have not ended
  u32 schedule;
  u32 resident_blocks;
  u32 block_threads;
  u32 block_warps;
  u32 slots;
  u64 claimed, claimed_end;  // blocks taken from the host and not yet begun
  u64 grid_blocks;
  // Fibers.
  Stacks stacks;
  void **fiber_contexts;  // of idle fibers
  u32 *idle;
  u32 idle_count;
  u32 fibers;
  void *host;  // context of ccl_launch
  // The launch.
  const Request *request;
  void (*call)(void **arguments);
  u32 status;
  u32 parks;
  u64 polls;          // of all threads since one has ended
  u64 park_polls;     // likewise, of kParksBetweenPolls parks each
  u32 poll_interval;  // in loop turns
  u64 random;         // state of the random schedule, see trace.h
};

extern "C" CCL_HIDDEN Engine ccl_engine;
CCL_VARIABLE(Engine ccl_engine;)

// Loop turns until the running thread polls (loops.h).
#if !CCL_RUNTIME_UNIT
static u32 ccl_turns_left;
#endif

// What the kernels' unit keeps of the running thread for itself, so that the compiler can keep it in
// registers: the built-in variables, and the turns left. launch.h.
extern "C" CCL_HIDDEN void ccl_enter_grid(const u32 *grid, const u32 *block);
extern "C" CCL_HIDDEN void ccl_enter_block(const uint3 &index);
// Takes an entry of ccl_thread_indices; returns the turns left to the thread before.
extern "C" CCL_HIDDEN u32 ccl_enter_thread(u32 index, u32 turns);
extern "C" CCL_HIDDEN u32 ccl_get_turns();

// Calls of atomic functions in this launch, by the threads that this worker ran.
extern "C" CCL_HIDDEN u64 ccl_atomics;
CCL_VARIABLE(u64 ccl_atomics;)

// threadIdx by linear index in the block: x, y and z in 10 bits each, x lowest.
extern "C" CCL_HIDDEN u32 ccl_thread_indices[1024];
CCL_VARIABLE(u32 ccl_thread_indices[1024];)

}  // namespace ccl
CCL_RUNTIME_END
