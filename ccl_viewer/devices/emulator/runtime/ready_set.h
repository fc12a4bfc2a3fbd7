// A set of thread slots with a fast search for the next member.
//
// It has one bit per slot, and one summary bit per word of 64 slots.

#pragma once

#include "platform.h"

CCL_RUNTIME_BEGIN
namespace ccl {

constexpr u32 kNone = 0xffffffffu;

class ReadySet {
 public:
  // The caller provides the memory, bytes_for(slots) bytes, which are cleared here.
  void attach(u64 *memory, u32 slots) {
    slots_ = slots;
    u32 words = (slots + 63) / 64;
    words_ = memory;
    summary_ = memory + words;
    summaries_ = (words + 63) / 64;
    for (u32 i = 0; i < words + summaries_; ++i) memory[i] = 0;
  }

  static u64 bytes_for(u64 slots) {
    u64 words = (slots + 63) / 64;
    return 8 * (words + (words + 63) / 64);
  }

  void insert(u32 slot) {
    words_[slot >> 6] |= 1ull << (slot & 63);
    summary_[slot >> 12] |= 1ull << (slot >> 6 & 63);
  }

  void insert_lanes(u32 warp, u32 lanes) {
    if (lanes == 0) return;
    words_[warp >> 1] |= static_cast<u64>(lanes) << (warp & 1) * 32;
    summary_[warp >> 7] |= 1ull << (warp >> 1 & 63);
  }

  void remove(u32 slot) {
    u64 rest = words_[slot >> 6] & ~(1ull << (slot & 63));
    words_[slot >> 6] = rest;
    if (rest == 0) summary_[slot >> 12] &= ~(1ull << (slot >> 6 & 63));
  }

  bool contains(u32 slot) const { return words_[slot >> 6] >> (slot & 63) & 1; }

  u32 lanes(u32 warp) const { return static_cast<u32>(words_[warp >> 1] >> (warp & 1) * 32); }

  bool empty() const {
    for (u32 i = 0; i < summaries_; ++i)
      if (summary_[i]) return false;
    return true;
  }

  // Returns the first member at or after a slot, cyclically; kNone if the set is empty.
  u32 next(u32 from) const {
    u32 slot = ascend(from);
    return slot != kNone ? slot : ascend(0);
  }

  // Returns the last member at or before a slot, cyclically; kNone if the set is empty.
  u32 previous(u32 from) const {
    u32 slot = descend(from);
    return slot != kNone ? slot : descend(slots_ - 1);
  }

 private:
  u32 ascend(u32 from) const {
    if (from >= slots_) return kNone;
    u32 word = from >> 6;
    u64 bits = words_[word] >> (from & 63);
    if (bits) return from + __builtin_ctzll(bits);
    ++word;
    u32 summary = word >> 6;
    if (summary >= summaries_) return kNone;
    bits = summary_[summary] & ~0ull << (word & 63);
    while (bits == 0) {
      if (++summary >= summaries_) return kNone;
      bits = summary_[summary];
    }
    word = summary * 64 + __builtin_ctzll(bits);
    return word * 64 + __builtin_ctzll(words_[word]);
  }

  u32 descend(u32 from) const {
    if (from >= slots_) return kNone;  // also for 0 - 1
    u32 word = from >> 6;
    u64 bits = words_[word] << (63 - (from & 63));
    if (bits) return from - __builtin_clzll(bits);
    if (word == 0) return kNone;
    --word;
    u32 summary = word >> 6;
    bits = summary_[summary] & ~0ull >> (63 - (word & 63));
    while (bits == 0) {
      if (summary == 0) return kNone;
      bits = summary_[--summary];
    }
    word = summary * 64 + 63 - __builtin_clzll(bits);
    return word * 64 + 63 - __builtin_clzll(words_[word]);
  }

  u64 *words_;
  u64 *summary_;
  u32 slots_;
  u32 summaries_;
};

}  // namespace ccl
CCL_RUNTIME_END
