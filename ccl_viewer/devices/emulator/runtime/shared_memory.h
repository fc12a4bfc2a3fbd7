// __shared__: variables with a separate instance in every resident block.
//
// The kernel's shared variables are thread_local for the compiler, which is told to emulate thread
// locals: before a use it calls __emutls_get_address with the variable's control object. This
// implementation returns the variable's place in the memory of the running thread's block. Nothing
// is copied when blocks alternate.

#pragma once

#include "memcheck.h"
#include "platform.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// In the compiler's layout.
struct SharedVariable {
  u64 bytes;
  u64 alignment;
  u64 place;  // ours: number of the launch << 32 | offset; the compiler leaves it 0
  void *initial;
};

constexpr u32 kSharedStaticLimit = 49152;  // bytes per block, as on every GPU
constexpr u8 kSharedPoison = 0xa5;         // shared memory starts without useful values
constexpr u32 kSharedMargin = 256;         // unused bytes between blocks

// The memory of the running block, and the allocation of variables in this launch.
struct SharedMemory {
  u8 *current;           // memory of the running block
  u8 *memory;            // of resident block 0
  u64 stride;            // from block to block
  u32 resident_blocks;
  u32 launch;            // its number, to recognise places of earlier launches
  u32 static_bytes;      // allocated so far, without gaps
  u32 variables;         // number of static variables
  u32 dynamic_bytes;
};

extern "C" CCL_HIDDEN SharedMemory ccl_shared;
CCL_VARIABLE(SharedMemory ccl_shared;)

CCL_INLINE void fill_bytes(u8 *memory, u8 value, u64 bytes) { __builtin_memset(memory, value, bytes); }

[[noreturn]] void shared_overflow(u64 bytes, const void *return_address);
void log_variable(const SharedVariable *variable, u32 offset);  // events.h

// All dynamic arrays begin at the start of the block's memory; static variables follow.
inline u32 dynamic_room() { return (ccl_shared.dynamic_bytes + 255u) & ~255u; }

// Free bytes before and between the static variables; 0 without the memory check.
inline u32 shared_gaps() {
  u32 gaps = ccl_shared.variables < kMostSharedExtents ? ccl_shared.variables : kMostSharedExtents;
  return checking() ? gaps * kSharedGap : 0;
}

CCL_NOINLINE inline void *place_shared(SharedVariable *variable,
                                        const void *return_address) {
  SharedMemory &shared = ccl_shared;
  u32 offset = 0;
  if (variable->bytes != 0) {
    u32 alignment = variable->alignment < 16 ? 16 : static_cast<u32>(variable->alignment);
    ++shared.variables;
    u32 begin = dynamic_room() + shared_gaps();
    offset = (begin + shared.static_bytes + alignment - 1) & ~(alignment - 1);
    u64 end = offset - begin + variable->bytes;
    if (end > kSharedStaticLimit) shared_overflow(end, return_address);
    shared.static_bytes = static_cast<u32>(end);
    watch_extent(offset, static_cast<u32>(variable->bytes), reinterpret_cast<u64>(variable));
    for (u32 block = 0; block < shared.resident_blocks; ++block) {
      fill_bytes(shared.memory + block * shared.stride + offset, kSharedPoison, variable->bytes);
      forget_shared(block * shared.stride + offset, variable->bytes);
    }
  } else {
    watch_extent(0, shared.dynamic_bytes, reinterpret_cast<u64>(variable));
  }
  log_variable(variable, offset);
  variable->place = static_cast<u64>(shared.launch) << 32 | offset;
  return shared.current + offset;
}

// Initialises the memory of one block; new static variables are poisoned at their first use.
inline void poison_shared(u8 *memory) {
  settle_store();
  u64 bytes = ccl_shared.static_bytes == 0
                  ? ccl_shared.dynamic_bytes
                  : dynamic_room() + shared_gaps() + ccl_shared.static_bytes;
  if (bytes == 0) return;
  fill_bytes(memory, kSharedPoison, bytes);
  forget_shared(static_cast<u64>(memory - ccl_shared.memory), bytes);
}

}  // namespace ccl

#if CCL_RUNTIME_UNIT
extern "C" CCL_HIDDEN inline __attribute__((used)) void *__emutls_get_address(
    ccl::SharedVariable *variable) {
  ccl::u64 place = variable->place;
  if (CCL_LIKELY(place >> 32 == ccl::ccl_shared.launch))
    return ccl::ccl_shared.current + static_cast<ccl::u32>(place);
  return ccl::place_shared(variable, __builtin_return_address(0));
}
#endif
CCL_RUNTIME_END

// Target of an `extern __shared__` array, and its initialiser, which the compiler expects and which
// does nothing; compiler.py writes one for each array.
#if defined(__APPLE__)
#define CCL_SHARED_SYMBOL(name) "___emutls_v." name
#else
#define CCL_SHARED_SYMBOL(name) "__emutls_v." name
#endif
#define CCL_DYNAMIC_SHARED(name, initialiser)                                             \
  extern "C" CCL_HIDDEN ccl::SharedVariable ccl_dynamic_##name asm(CCL_SHARED_SYMBOL(#name)); \
  extern "C" __attribute__((used)) ccl::SharedVariable ccl_dynamic_##name = {0, 16, 0, nullptr}; \
  extern "C" CCL_HIDDEN void ccl_initialise_##name() asm(initialiser);                       \
  extern "C" void ccl_initialise_##name() {}
