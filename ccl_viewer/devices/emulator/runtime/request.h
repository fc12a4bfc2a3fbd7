// What the host asks for in a launch, and what it is told of a fault.
//
// Python packs and unpacks these structures (library.py): keep both sides alike, and change
// kRuntimeVersion with them.

#pragma once

#include "platform.h"

namespace ccl {

constexpr u32 kRuntimeVersion = 9;

enum Schedule : u32 { kSequential, kReverse, kSynchronous, kRandom };

enum Status : u32 { kFinished, kFaulted, kCancelled };

// What a thread waits for.
enum Operation : u32 {
  kNothing,
  kSyncthreads,
  kSyncthreadsOr,
  kSyncthreadsAnd,
  kSyncthreadsCount,
  kSyncwarp,
  kBallot,
  kAny,
  kAll,
  kShfl,
  kShflUp,
  kShflDown,
  kShflXor,
  kMatchAny,
  kActivemask,
  kReturned,  // not an operation: what became of a thread that others wait for
};

enum FaultKind : u32 {
  kNoFault,
  kLaneNotInMask,      // a lane calls an operation whose mask does not name it
  kLaneMissing,        // an operation names a lane that has returned
  kBarrierMissing,     // a thread of the block has returned, others are at a barrier
  kBarrierMixed,       // threads of one block stand at barriers of different kinds
  kDeadlock,           // every thread waits
  kRunaway,            // a thread made more loop turns than allowed
  kStackOverflow,
  kSharedOverflow,     // more shared memory than a block has
  kStrayAccess,        // beyond a buffer of device memory
  kStraySharedAccess,  // beyond the shared memory of the block
  kNullAccess,
  kAssertion,
  kWildAccess,  // in no buffer, nor near one
  kMisalignedAccess,  // the address is no multiple of the size; `buffer` is their number in shared memory
};

constexpr u64 kStoresUnknown = 2;

struct Fault {
  u64 kind;
  u64 block;         // linear index of the thread's block
  u64 thread;        // linear index of the thread in its block
  u64 operation;     // Operation that it is at
  u64 mask;          // of that operation
  u64 other;         // linear index in the block of a thread that is waited for
  u64 other_state;   // Operation that this one is at
  u64 missing;       // how many threads are waited for
  i64 offset;        // of a stray or misaligned access, in bytes from the begin of the buffer
  u64 bytes;         // that it touches, or that are too many
  u64 buffer;        // index of the buffer among those of the launch
  u64 stores;        // 1 if it writes, or kStoresUnknown
  const char *text;  // of a failed assertion
  const char *file;
  u64 line;
  u64 address;       // of a wild access; all bits set if it is not known
  u64 site;          // return address in the kernel, or 0
  u64 touched_buffer;  // index of the buffer that the thread accessed last; their number if none
  u64 touched_offset;  // and where, in bytes from its begin
};

// A live buffer of device memory.
struct Range {
  u64 begin;
  u64 bytes;
};

// What the memory check has found (memcheck.h). The first time at each place of the code is told.
struct Finding {
  u64 kind;          // FindingKind
  u64 block;         // linear index of the thread's block
  u64 thread;        // linear index of the thread in its block
  u64 access;        // AccessKind
  i64 offset;        // in bytes from the begin of the buffer or shared variable
  u64 bytes;         // that are accessed
  u64 size;          // of the shared variable, in bytes
  u64 buffer;        // index of the buffer among those of the launch
  u64 other;         // of a race: linear index in the block of the other thread,
  u64 other_access;  // and what that did
  u64 site;          // return address in the kernel
  u64 times;
  u64 variable;      // address of the shared variable's control object; 0 for dynamic arrays
  u64 other_block;   // of a race: linear index of the other thread's block,
  u64 other_site;    // and where in the kernel it was; 0 if that is not known
};

// Asks for the memory check, and takes what it finds.
struct Check {
  Finding *findings;
  u64 capacity;
  u64 count;
  u8 **written;  // for each buffer of the launch a byte for each of its own: 1 once it was written
  u8 **notes;    // for each, kNoteBytes zeros for each of its words and then for each of its bytes;
                 // or null: no races are sought
};

// What was counted of one place in the code (ledger.h).
constexpr u32 kWalkLengths = 16;
struct LedgerSite {
  u64 address;       // in the code
  u64 place;         // index of the buffer among those of the launch, or kSharedPlace
  u64 kind;          // AccessKind
  u64 bytes;         // of one lane's access
  u64 requests;      // accesses of warps
  u64 accesses;      // of lanes
  u64 transactions;  // sectors of device memory that were touched; of shared memory, bank turns
  u64 fewest;        // so many would have done
  u64 worst;         // most of one access
  u64 meetings;      // atomics: the most lanes at one address, summed over accesses
  u64 most_meeting;
  u64 walks;
  u64 walk_steps;
  u64 longest_walk;
  u64 walk_lengths[kWalkLengths];  // walks of 1, 2, ... loads; the last element counts longer ones too
};

// Counts by cell of one buffer, arrays of an element for each of its own.
struct LedgerBuffer {
  u32 *counts[3];  // by AccessKind
  u32 *rounds;     // in which round of the schedule there was an atomic last,
  u32 *in_round;   // how many there were in it,
  u32 *most_in_round;
  u64 item_bytes;
};

// Asks for the ledger, and takes what is counted.
struct Ledger {
  LedgerSite *sites;  // room for kMostLedgerSites
  u64 site_count;
  LedgerBuffer *buffers;  // one for each of the launch
  u8 *logs;     // of threads, set by the engine
  u8 *chunks;   // of logs
  u64 chunk_count;
  u64 chunks_used;
  u64 free_chunk;  // the first of a list, and one more
  u8 *scratch;
  u64 round;
  u64 barriers;         // of blocks
  u64 warp_operations;
  u64 warp_lanes;       // that took part in them
};

// What a thread has done (events.h).
enum EventKind : u32 {
  kLoadEvent,   // as AccessKind
  kStoreEvent,
  kAtomicEvent,
  kArrivalEvent,  // comes to a barrier or a warp operation
  kBarrierEvent,  // its block has passed a barrier
  kLaneEvent,     // is given the result of a warp operation, as the lanes after it in the log are
  kEndEvent,      // has ended
};

struct Event {
  u64 before;    // in memory before an access; of an operation, what the thread brings
  u64 value;     // in memory after it; of an operation, what the thread gets
  u32 offset;    // of an access, in bytes from the begin of the buffer or of the block's shared
                 // memory; of an operation, its mask
  int site;      // place in the code, from EventLog::origin; 0 if it is not known
  u32 block;     // linear index of the thread's block
  u32 round;     // of the synchronous schedule; waves count, too
  u16 thread;    // linear index of the thread in its block
  u8 kind;       // EventKind
  u8 place;      // index of the buffer among those of the launch, or kSharedPlace
  u8 bytes;      // of the access, at most 8: a wider one is logged as two
  u8 operation;  // Operation
  u8 source;     // lane that a shuffle takes its value from
  u8 unused;
};

// A shared variable of the kernel.
struct EventVariable {
  i64 control;  // address of its control object, from EventLog::origin
  u64 offset;   // in the block's shared memory
  u64 bytes;    // 0: the rest of the dynamic shared memory
};

constexpr u32 kMostEventVariables = 64;

// Asks for the events of a launch, and takes them.
struct EventLog {
  Event *events;
  u64 capacity;
  u64 count;
  u64 lost;    // events for which there was no room
  u64 block;   // linear index of the block to be logged, or kAllBlocks
  u64 origin;  // address of ccl_launch
  u64 rounds;
  u64 variable_count;
  EventVariable variables[kMostEventVariables];
};

// Shared by the workers of one launch.
struct Progress {
  u64 next_block;  // the first that no worker has taken
  u32 stop;        // set by a worker that met a fault
  u32 padding;
};

// What signals are handled with (signals.h); one for all workers of the process.
struct SignalHost {
  u8 *stacks;  // one for each worker, in a row
  u64 stack_bytes;
  u64 stack_count;
  void (*sigaction)();  // the system's functions
  void (*sigaltstack)();
  void (*raise)();
  u8 previous[2][160];  // how the signals were handled before
};

struct Request {
  u64 kernel;           // index in the module's table
  void **arguments;     // one pointer to each argument's value
  u64 shared_bytes;     // dynamic
  u64 seed;             // of the random schedule
  u64 turn_limit;       // loop turns that a thread may make
  u64 blocks_at_once;   // that a worker takes from `progress`
  u8 *workspace;        // ccl_workspace_bytes() of it
  u8 *stacks;           // room for one stack more than `fibers`
  u64 fibers;
  const volatile int *cancel;  // or null; not 0 once the launch is to stop
  Progress *progress;
  const Range *ranges;
  u64 range_count;
  Fault *fault;
  u32 grid[3];
  u32 block[3];
  u32 schedule;
  u32 resident_blocks;
  u64 atomics;          // set at the end: calls of atomic functions by the threads run here
  void (*clock)();      // the system's, or null; see clock.h
  u64 clock_id;         // which of its clocks, where there are several
  u64 elapsed;          // set at the end: its ticks from begin to end
  SignalHost *signals;  // or null: wild accesses end the process
  u8 *signal_stack;     // this worker's
  Check *check;         // or null; only for the traced build, and for one worker
  Ledger *ledger;       // likewise
  EventLog *events;     // likewise
};

}  // namespace ccl
