// State of the engine: the warps, blocks and threads of the wave, and the launch.
//
// All of it is static memory. Each worker loads its own copy of the library.

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
// Threads that wait for each other in loops all iterate. This factor limits their total iterations,
// relative to one thread's limit, until a thread ends.
constexpr u32 kTogether = 16;
// But each thread may run this many times.
constexpr u32 kRoundsTogether = 2;
// A loop around a barrier iterates seldom and waits often: a wait counts as this many iterations.
constexpr u32 kTurnsPerPark = 8;

// A warp operation that waits for lanes. A warp may have several, with different masks.
struct Gathering {
  u32 operation;
  u32 mask;
  u32 arrived;
  u32 votes;  // lanes with a non-zero value
};

struct Warp {
  u32 existing;       // existing lanes: the last warp may be incomplete
  u32 returned;       // lanes with an ended thread
  u32 leaders;        // lanes that started a gathering, which is gatherings[lane]
  u32 at_activemask;  // lanes that wait in __activemask
  Gathering gatherings[32];
  u64 value[32];   // input of each lane,
  u64 result[32];  // its result,
  u8 source[32];   // and the lane that it reads from
};

struct Block {
  uint3 index;
  u32 returned;   // threads that have ended
  u32 arrived;    // threads at the barrier
  u32 operation;  // kind of the barrier
  u32 votes;      // number of non-zero predicates
  u32 result;
  u8 *shared;
  u64 linear;  // index in the grid
};

struct alignas(16) Thread {
  void *context;  // stack pointer while parked, otherwise null
  u32 fiber;      // fiber on which it is parked
  u32 turns;      // iterations until the next poll, while parked
  u32 polls;      // polls in its loops
  u16 operation;  // operation that it waits in
  u16 block;      // resident block, fixed by the slot
  u64 site;       // return address of the kernel's last call of the runtime, or 0
  u64 touched;    // last accessed address in device memory, or 0; traced build only
};

constexpr u32 kMaximumResidentBlocks = 4096;  // about as many as on the largest GPUs

struct Engine {
  // The running thread.
  u32 current;  // slot
  u32 fiber;
  u32 starting;  // slot that the next entered fiber starts
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
  u64 claimed, claimed_end;  // blocks taken from the host but not started
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
  u64 park_polls;     // likewise, one per kParksBetweenPolls parks
  u32 poll_interval;  // in loop iterations
  u64 random;         // state of the random schedule, see trace.h
};

extern "C" CCL_HIDDEN Engine ccl_engine;
CCL_VARIABLE(Engine ccl_engine;)

// Loop iterations until the running thread polls (loops.h).
#if !CCL_RUNTIME_UNIT
static u32 ccl_turns_left;
#endif

// State of the running thread in the kernels' unit, so that the compiler can keep it in registers:
// the built-in variables and the remaining iterations. See launch.h.
extern "C" CCL_HIDDEN void ccl_enter_grid(const u32 *grid, const u32 *block);
extern "C" CCL_HIDDEN void ccl_enter_block(const uint3 &index);
// Takes an entry of ccl_thread_indices; returns the previous thread's remaining iterations.
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
