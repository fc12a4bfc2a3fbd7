// Counts the iterations of every loop of the kernel, to find threads that never end.
//
// Included last, after the whole runtime: from here on `while` and `for` are macros.

#pragma once

#include "engine.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// Called at intervals in a long loop: stops an endless loop, and lets other threads run, since the
// loop may wait for one of them.
//
// Declared pure, although it is not, so that the compiler keeps values in registers. A GPU's
// compiler may do the same across the iterations of a loop: only volatile and atomic accesses are
// certain to see other threads' writes. Returns the number of iterations left.
CCL_NOINLINE __attribute__((pure)) inline u32 turn_slowly(const void *return_address) {
  Engine &e = ccl_engine;
  leave_straight();
  note_site(return_address);
  poll_thread();
  u64 mine = static_cast<u64>(++e.threads[e.current].polls) * e.poll_interval;
  u64 together = ++e.polls * e.poll_interval;
  u64 limit = e.request->turn_limit;
  // Iterations of a waiting thread before it lets other threads run.
  u64 waiting = static_cast<u64>(kRoundsTogether) * e.live * e.poll_interval;
  if (mine >= limit || (together / kTogether >= limit && together >= waiting)) fail(kRunaway);
  give_way();
  return e.poll_interval;
}

#if !CCL_RUNTIME_UNIT
// Always true. In the traced build it is a call, which is cheaper than two traced accesses.
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
