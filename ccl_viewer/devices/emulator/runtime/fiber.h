// Fibers: stacks, and the switch between them.
//
// A parked fiber is one stack pointer: its stack holds the address at which it continues and the
// few registers that inline assembly cannot list as clobbered. The compiler saves all other
// registers if they are in use, which is rare. The switch is not a call, so the processor's return
// predictor stays balanced, and since most threads wait at the same place, it is mostly right.

#pragma once

#include "platform.h"

namespace ccl {

// Leaves the running fiber, stores its stack pointer in *leave, and enters the fiber with the stack
// pointer `enter`. Returns when the left fiber is entered again.
CCL_INLINE void switch_fiber(void **leave, void *enter);

#if defined(__x86_64__)

#if defined(_WIN32)
// Windows keeps the bounds of the running stack in the thread's information block.
#define CCL_SAVE_BOUNDS "pushq %%gs:0x8\n\tpushq %%gs:0x10\n\tpushq %%gs:0x1478\n\t"
#define CCL_LOAD_BOUNDS "popq %%gs:0x1478\n\tpopq %%gs:0x10\n\tpopq %%gs:0x8\n\t"
constexpr unsigned kBoundsWord = 1;      // index of the stack's allocation, limit and base
constexpr unsigned kContextWords = 4 + 5;  // a callee may use 32 bytes of its caller's frame
#else
#define CCL_SAVE_BOUNDS
#define CCL_LOAD_BOUNDS
constexpr unsigned kContextWords = 2;
#endif

CCL_INLINE void switch_fiber(void **leave, void *enter) {
  // The 128 bytes below the stack pointer may be in use.
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t" CCL_SAVE_BOUNDS
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\t"
      "popq %%rax\n\t" CCL_LOAD_BOUNDS
      "jmpq *%%rax\n"
      "1:\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+c"(leave), "+d"(enter)
      :
      : "rax", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15", "cc", "memory");
}

#elif defined(__aarch64__)

constexpr unsigned kContextWords = 0;

#if defined(_WIN32)
// Windows keeps the bounds of the running stack in the thread's information block, at x18.
#define CCL_SAVE_BOUNDS \
  "ldr x10, [x18, #0x1478]\n\t" \
  "ldr x11, [x18, #0x10]\n\t" \
  "stp x10, x11, [sp, #32]\n\t" \
  "ldr x10, [x18, #0x8]\n\t" \
  "str x10, [sp, #48]\n\t"
#define CCL_LOAD_BOUNDS \
  "ldp x10, x11, [sp, #32]\n\t" \
  "str x10, [x18, #0x1478]\n\t" \
  "str x11, [x18, #0x10]\n\t" \
  "ldr x10, [sp, #48]\n\t" \
  "str x10, [x18, #0x8]\n\t"
constexpr unsigned kBoundsWord = 4;  // allocation, limit and base of the stack
#else
#define CCL_SAVE_BOUNDS
#define CCL_LOAD_BOUNDS
#endif

#if defined(__APPLE__) || defined(_WIN32)
#define CCL_PLATFORM_REGISTER  // x18 belongs to the system, and the compiler does not use it
#else
#define CCL_PLATFORM_REGISTER "x18",
#endif

CCL_INLINE void switch_fiber(void **leave, void *enter) {
  register void **from asm("x0") = leave;
  register void *to asm("x1") = enter;
  // The context holds the address to continue at; the stack pointer must stay aligned.
  asm volatile(
      "sub sp, sp, #160\n\t"
      "stp x29, x19, [sp, #16]\n\t"
      "adr x9, 1f\n\t"
      "str x9, [sp]\n\t" CCL_SAVE_BOUNDS
      "mov x10, sp\n\t"
      "str x10, [x0]\n\t"
      "mov sp, x1\n\t" CCL_LOAD_BOUNDS
      "ldr x9, [sp]\n\t"
      "br x9\n"
      "1:\n\t"
      "ldp x29, x19, [sp, #16]\n\t"
      "add sp, sp, #160"
      : "+r"(from), "+r"(to)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", CCL_PLATFORM_REGISTER "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0",
        "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
        "v28", "v29", "v30", "v31", "cc", "memory");
}

#else
#error "The emulator has no context switch for this processor."
#endif

}  // namespace ccl

CCL_RUNTIME_BEGIN
namespace ccl {

constexpr u64 kStackBytes = 16384;
constexpr u64 kStackGuardBytes = 65536;  // unmapped, below all stacks; see memory.py
constexpr u64 kStackCanary = 0xffffffff9e3779b9ull;  // fits into an instruction
constexpr u32 kStackColours = 16;      // stacks begin in different cache sets,
constexpr u64 kStackColourBytes = 160; // but within the topmost page

// An array of stacks in the host's memory. The space of one stack below the first is unused. The
// word below a stack's low end, which is the topmost word of its neighbour and so in a committed
// page, holds a canary: a thread that overflows its stack overwrites it.
class Stacks {
 public:
  void attach(u8 *memory) { memory_ = memory; }

  // Prepares stack `index` for a switch: it will start with `entry`, which never returns.
  void *prepare(u32 index, void (*entry)()) {
    canary(index) = kStackCanary;
    u8 *top = low(index) + kStackBytes - 64 - (index % kStackColours) * kStackColourBytes;
    u64 *context = reinterpret_cast<u64 *>(reinterpret_cast<u64>(top) & ~15ull) - kContextWords;
    context[0] = reinterpret_cast<u64>(entry);
#if defined(_WIN32)
    context[kBoundsWord] = context[kBoundsWord + 1] = reinterpret_cast<u64>(low(index));
    context[kBoundsWord + 2] = reinterpret_cast<u64>(low(index) + kStackBytes);
#endif
    return context;
  }

  // Whether an address is in the guarded pages that threads reach when they overflow all stacks.
  bool below_all(u64 address) const {
    return reinterpret_cast<u64>(memory_) - address - 1 < kStackGuardBytes;
  }

  bool intact(u32 index) { return canary(index) == kStackCanary; }

  u8 *low(u32 index) const { return memory_ + (index + 1ull) * kStackBytes; }

  u64 &canary(u32 index) { return *reinterpret_cast<u64 *>(low(index) - 8); }

 private:
  u8 *memory_;
};

}  // namespace ccl
CCL_RUNTIME_END
