// Counts the turns of every loop of the kernel, so that a thread that never ends is found.
//
// Included last, after all of the runtime: from here on `while` and `for` are macros.

#pragma once

#include "engine.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// Now and then in a long loop: stops a runaway, and lets other threads run, for which a loop that
// waits for one of them may be waiting.
//
// Called pure, which it is not, so that the compiler keeps what it holds in registers. That may be
// no more than a GPU's compiler keeps over the turns of a loop: what others write is only sure to be
// seen through volatile and atomic accesses. Returns how many turns are left.
CCL_NOINLINE __attribute__((pure)) inline u32 turn_slowly(const void *return_address) {
  Engine &e = ccl_engine;
  leave_straight();
  note_site(return_address);
  poll_thread();
  u64 mine = static_cast<u64>(++e.threads[e.current].polls) * e.poll_interval;
  u64 together = ++e.polls * e.poll_interval;
  u64 limit = e.request->turn_limit;
  // Each thread that waits in a loop for another makes so many turns before it lets others run.
  u64 waiting = static_cast<u64>(kRoundsTogether) * e.live * e.poll_interval;
  if (mine >= limit || (together / kTogether >= limit && together >= waiting)) fail(kRunaway);
  give_way();
  return e.poll_interval;
}

#if !CCL_RUNTIME_UNIT
// Always true. In the traced build it is a call, which costs less than two traced accesses.
#if CCL_TRACED
#define CCL_TURN_SITE __builtin_return_address(0)
static __attribute__((noinline)) bool turn() {
#else
#define CCL_TURN_SITE nullptr
CCL_INLINE bool turn() {
#endif
  if (CCL_UNLIKELY(--ccl_turns_left == 0)) ccl_turns_left = turn_slowly(CCL_TURN_SITE);
  return true;
}
#endif

CCL_NOINLINE inline void sleep() { give_way(); }

}  // namespace ccl
CCL_RUNTIME_END

#if !CCL_RUNTIME_UNIT
inline void __nanosleep(unsigned int) { ccl::sleep(); }

#define while(...) while (ccl::turn() && (__VA_ARGS__))
#define for(...) for (__VA_ARGS__) if (!ccl::turn()) {} else
#endif
