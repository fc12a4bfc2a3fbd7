// The interleaving schedules, in which threads let others run before they have to wait.
//
// synchronous: before each store or atomic to device memory, until all threads have reached theirs.
// random: anywhere, with random numbers from the launch's seed, so a seed identifies one run.

#pragma once

#include "engine.h"

CCL_RUNTIME_BEGIN
namespace ccl {

// Parameters of a launch in the random schedule. They are drawn anew for each launch, because some
// races show when single steps alternate and others when a whole warp runs far ahead.
struct RandomPlay {
  u32 switch_below;      // a thread lets others run if 16 random bits are below this
  u32 new_warp_below;    // a new warp is favoured if 16 random bits are below this
  u32 favourite;         // slot where the search for the next thread begins
};

extern "C" CCL_HIDDEN RandomPlay ccl_play;
CCL_VARIABLE(RandomPlay ccl_play;)

// SplitMix64.
inline u64 draw() {
  u64 z = ccl_engine.random += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

inline u32 below(u64 bits, u32 bound) {
  return static_cast<u32>((bits & 0xffffffffu) * bound >> 32);
}

inline void begin_random(u64 seed) {
  constexpr u32 kAlways = 1u << 16;
  constexpr u32 kSwitch[] = {kAlways, kAlways / 2, kAlways / 8, kAlways / 64};
  constexpr u32 kNewWarp[] = {kAlways, kAlways, kAlways / 16, kAlways / 256};
  ccl_engine.random = seed;
  ccl_play.switch_below = kSwitch[draw() & 3];
  ccl_play.new_warp_below = kNewWarp[draw() & 3];
  ccl_play.favourite = below(draw(), ccl_engine.slots);
}

inline u32 pick_random() {
  u64 bits = draw();
  if ((bits >> 32 & 0xffff) < ccl_play.new_warp_below)
    ccl_play.favourite = below(bits, ccl_engine.slots);
  return ccl_engine.now.next((ccl_play.favourite & ~31u) + (bits >> 48 & 31));
}

// A point at which the random schedule may switch.
CCL_INLINE void preempt() {
#if CCL_TRACED
  if (ccl_engine.schedule == kRandom && (draw() & 0xffff) < ccl_play.switch_below) give_way();
#endif
}

}  // namespace ccl
CCL_RUNTIME_END
