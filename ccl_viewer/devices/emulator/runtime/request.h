// The host's request for a launch, and the report of a fault.
//
// Python packs and unpacks these structures (library.py): keep both sides equal, and change
// kRuntimeVersion with them.

#pragma once

#include "platform.h"

namespace ccl {

constexpr u32 kRuntimeVersion = 12;

enum Schedule : u32 { kSequential, kReverse, kSynchronous, kRandom };

enum Status : u32 { kFinished, kFaulted, kCancelled };

// Operations that a thread can wait in.
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
  kReturned,  // not an operation: state of a thread that others wait for
};

enum FaultKind : u32 {
  kNoFault,
  kLaneNotInMask,      // a lane calls an operation with a mask that does not include it
  kLaneMissing,        // an operation names a lane that has returned
  kBarrierMissing,     // a thread of the block has returned, others are at a barrier
  kBarrierMixed,       // threads of one block are at barriers of different kinds
  kDeadlock,           // every thread waits
  kRunaway,            // a thread made more loop iterations than allowed
  kStackOverflow,
  kSharedOverflow,     // more shared memory than a block has
  kStrayAccess,        // out of the bounds of a buffer of device memory
  kStraySharedAccess,  // out of the bounds of the block's shared memory
  kNullAccess,
  kAssertion,
  kWildAccess,  // not in a buffer or near one
  kMisalignedAccess,  // `buffer` is the number of buffers for shared memory
  kGlobalStore,       // to a variable of the kernel's file
  kDivisionByZero,
};

constexpr u64 kStoresUnknown = 2;

struct Fault {
  u64 kind;
  u64 block;         // linear index of the thread's block
  u64 thread;        // linear index of the thread in its block
  u64 operation;     // Operation that the thread is at
  u64 mask;          // of that operation
  u64 other;         // linear index in the block of a missing thread
  u64 other_state;   // Operation that the missing thread is at
  u64 missing;       // number of missing threads
  i64 offset;        // of a stray or misaligned access, in bytes from the start of the buffer
  u64 bytes;         // of the access, or of too much shared memory
  u64 buffer;        // index of the buffer among those of the launch
  u64 stores;        // 1 for a write, or kStoresUnknown
  const char *text;  // of a failed assertion
  const char *file;
  u64 line;
  u64 address;       // of a wild access; all bits set if unknown
  u64 site;          // return address in the kernel, or 0
  u64 touched_buffer;  // index of the last accessed buffer; the number of buffers if none
  u64 touched_offset;  // and the place, in bytes from its start
};

// A live buffer of device memory.
struct Range {
  u64 begin;
  u64 bytes;
};

// A finding of the memory check (memcheck.h). Only the first at each place in the code is reported.
struct Finding {
  u64 kind;          // FindingKind
  u64 block;         // linear index of the thread's block
  u64 thread;        // linear index of the thread in its block
  u64 access;        // AccessKind
  i64 offset;        // in bytes from the start of the buffer or shared variable; or the left operand
  u64 bytes;         // of the access, or of the operands
  u64 size;          // of the shared variable, in bytes; or the right operand
  u64 buffer;        // index of the buffer among those of the launch; or Operator (undefined.h)
  u64 other;         // for a race: linear index in the block of the other thread,
  u64 other_access;  // and its AccessKind
  u64 site;          // return address in the kernel
  u64 times;
  u64 variable;      // address of the shared variable's control object, or of the type's name
  u64 other_block;   // for a race: linear index of the other thread's block,
  u64 other_site;    // and its place in the kernel; 0 if unknown
  u64 effects;       // for a race: StoreEffect bits
};

// Requests the memory check, and receives its findings.
struct Check {
  Finding *findings;
  u64 capacity;
  u64 count;
  u8 **written;  // for each buffer, one byte per byte: 1 after a write
  u8 **notes;    // for each, kNoteBytes zeros for each of its words and then for each of its bytes;
                 // or null: no races are sought
};

// Counts at one place in the code (ledger.h).
constexpr u32 kWalkLengths = 16;
struct LedgerSite {
  u64 address;       // in the code
  u64 buffer;        // index of the buffer among those of the launch, or kSharedMemory
  u64 kind;          // AccessKind
  u64 bytes;         // of one lane's access
  u64 requests;      // accesses of warps
  u64 accesses;      // of lanes
  u64 transactions;  // touched sectors of device memory, or turns of shared memory's banks
  u64 minimum_transactions;    // that would suffice
  u64 worst_transactions;      // of one access
  u64 address_conflicts;       // for atomics: the most lanes at one address, summed over accesses
  u64 most_address_conflicts;  // of one access
  u64 walks;
  u64 walk_steps;
  u64 longest_walk;
  u64 walk_lengths[kWalkLengths];  // walks of 1, 2, ... loads; the last includes longer ones
};

// Counts by cell of one buffer, in arrays with one element per element.
struct LedgerBuffer {
  u32 *counts[3];  // by AccessKind
  u32 *rounds;     // round of the schedule of the last atomic,
  u32 *in_round;   // number of atomics in it,
  u32 *most_in_round;
  u64 item_bytes;
};

// Requests the ledger, and receives the counts.
struct Ledger {
  LedgerSite *sites;  // room for kMostLedgerSites
  u64 site_count;
  LedgerBuffer *buffers;  // one for each buffer of the launch
  u8 *logs;     // logs of threads, set by the engine
  u8 *chunks;   // chunks of logs
  u64 chunk_count;
  u64 chunks_used;
  u64 free_chunk;  // index of the list's first chunk, plus 1
  u8 *scratch;
  u64 round;
  u64 barriers;         // passed by blocks
  u64 warp_operations;
  u64 warp_lanes;       // lanes that took part
};

// An event of a thread (events.h).
enum EventKind : u32 {
  kLoadEvent,   // as AccessKind
  kStoreEvent,
  kAtomicEvent,
  kArrivalEvent,  // arrives at a barrier or a warp operation
  kBarrierEvent,  // its block passed a barrier
  kLaneEvent,     // gets the result of a warp operation; events of other lanes follow
  kEndEvent,      // ended
};

struct Event {
  u64 before;    // in memory before an access; for an operation, the thread's input
  u64 value;     // in memory after it; for an operation, the thread's result
  u32 offset;    // of an access, in bytes from the begin of the buffer or of the block's shared
                 // memory; of an operation, its mask
  int site;      // place in the code, relative to EventLog::origin; 0 if unknown
  u32 block;     // linear index of the thread's block
  u32 round;     // of the synchronous schedule; waves count, too
  u16 thread;    // linear index of the thread in its block
  u8 kind;       // EventKind
  u8 buffer;     // index of the buffer among those of the launch, or kSharedMemory
  u8 bytes;      // of the access, at most 8: a wider one is logged as two
  u8 operation;  // Operation
  u8 source;     // lane that a shuffle takes its value from
  u8 unused;
};

// A shared variable of the kernel.
struct EventVariable {
  i64 control;  // address of its control object, relative to EventLog::origin
  u64 offset;   // in the block's shared memory
  u64 bytes;    // 0: the rest of the dynamic shared memory
};

constexpr u32 kMostEventVariables = 64;

// Requests the events of a launch, and receives them.
struct EventLog {
  Event *events;
  u64 capacity;
  u64 count;
  u64 lost;    // events that did not fit
  u64 block;   // linear index of the block to log, or kAllBlocks
  u64 origin;  // address of ccl_launch
  u64 rounds;
  u64 variable_count;
  EventVariable variables[kMostEventVariables];
};

// Receives what kernels print (print.h); shared by the workers of one launch.
struct PrintOutput {
  u64 *words;
  u64 capacity;
  u64 used;
  u64 lost;  // calls that did not fit
};

// Shared by the workers of one launch.
struct Progress {
  u64 next_block;  // the first that no worker has taken yet
  u32 stop;        // set by a worker after a fault
  u32 padding;
};

// Data for the signal handler (signals.h), shared by all workers of the process.
struct SignalHost {
  u8 *stacks;  // one for each worker, in a row
  u64 stack_bytes;
  u64 stack_count;
  void (*sigaction)();  // the system's functions
  void (*sigaltstack)();
  void (*raise)();
  u8 previous[2][160];  // previous handlers
};

struct Request {
  u64 kernel;           // index in the module's table
  void **arguments;     // one pointer to each argument's value
  u64 shared_bytes;     // dynamic
  u64 seed;             // of the random schedule
  u64 turn_limit;       // limit of a thread's loop iterations
  u64 blocks_at_once;   // blocks that a worker takes from `progress` at a time
  u8 *workspace;        // of ccl_workspace_bytes() bytes
  u8 *stacks;           // space for one stack more than `fibers`
  u64 fibers;
  const volatile int *cancel;  // or null; non-zero to stop the launch
  Progress *progress;
  const Range *ranges;
  u64 range_count;
  Fault *fault;
  u32 grid[3];
  u32 block[3];
  u32 schedule;
  u32 resident_blocks;
  u64 atomics;          // set at the end: calls of atomic functions by this worker's threads
  void (*clock)();      // the system's, or null; see clock.h
  u64 clock_id;         // number of the clock, if there are several
  u64 elapsed;          // set at the end: ticks of the launch
  SignalHost *signals;  // or null, then wild accesses end the process
  u8 *signal_stack;     // this worker's
  Check *check;         // or null; only for the traced build with one worker
  Ledger *ledger;       // likewise
  EventLog *events;     // likewise
  PrintOutput *output;  // or null; printf then does nothing
};

}  // namespace ccl
