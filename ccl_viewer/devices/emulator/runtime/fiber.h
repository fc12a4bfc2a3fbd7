// Fibers: stacks to run on, and the switch between them.
//
// A switch saves the registers that a called function must preserve, and nothing else: to the
// compiler it is an ordinary call. What it saves lies on the stack that it leaves, so a parked
// fiber is one stack pointer.

#pragma once

#include "platform.h"

// void ccl_switch(void **leave, void *enter): stores the stack pointer of the running fiber in
// *leave and goes on with the fiber whose stack pointer is `enter`.
extern "C" CCL_HIDDEN void ccl_switch(void **leave, void *enter);

#if defined(__x86_64__) && !defined(_WIN32)

extern "C" CCL_HIDDEN __attribute__((naked)) void ccl_switch(void **, void *) {
  // Leaves with a jump: a `ret` would be predicted to go where this fiber was called from.
  asm("pushq %rbp\n\t"
      "pushq %rbx\n\t"
      "pushq %r12\n\t"
      "pushq %r13\n\t"
      "pushq %r14\n\t"
      "pushq %r15\n\t"
      "movq %rsp, (%rdi)\n\t"
      "movq %rsi, %rsp\n\t"
      "popq %r15\n\t"
      "popq %r14\n\t"
      "popq %r13\n\t"
      "popq %r12\n\t"
      "popq %rbx\n\t"
      "popq %rbp\n\t"
      "popq %rcx\n\t"
      "jmpq *%rcx");
}

namespace ccl {
constexpr unsigned kSavedWords = 6;    // below the return address
constexpr unsigned kReturnWord = 6;    // where the return address lies
constexpr unsigned kContextWords = 8;  // keeps the stack aligned as at the entry of a function
}  // namespace ccl

#elif defined(__x86_64__) && defined(_WIN32)

extern "C" CCL_HIDDEN __attribute__((naked)) void ccl_switch(void **, void *) {
  // Windows keeps the bounds of the running stack in the thread's information block.
  asm("pushq %rbp\n\t"
      "pushq %rbx\n\t"
      "pushq %rdi\n\t"
      "pushq %rsi\n\t"
      "pushq %r12\n\t"
      "pushq %r13\n\t"
      "pushq %r14\n\t"
      "pushq %r15\n\t"
      "pushq %gs:0x8\n\t"
      "pushq %gs:0x10\n\t"
      "pushq %gs:0x1478\n\t"
      "subq $160, %rsp\n\t"
      "movups %xmm6, (%rsp)\n\t"
      "movups %xmm7, 16(%rsp)\n\t"
      "movups %xmm8, 32(%rsp)\n\t"
      "movups %xmm9, 48(%rsp)\n\t"
      "movups %xmm10, 64(%rsp)\n\t"
      "movups %xmm11, 80(%rsp)\n\t"
      "movups %xmm12, 96(%rsp)\n\t"
      "movups %xmm13, 112(%rsp)\n\t"
      "movups %xmm14, 128(%rsp)\n\t"
      "movups %xmm15, 144(%rsp)\n\t"
      "movq %rsp, (%rcx)\n\t"
      "movq %rdx, %rsp\n\t"
      "movups (%rsp), %xmm6\n\t"
      "movups 16(%rsp), %xmm7\n\t"
      "movups 32(%rsp), %xmm8\n\t"
      "movups 48(%rsp), %xmm9\n\t"
      "movups 64(%rsp), %xmm10\n\t"
      "movups 80(%rsp), %xmm11\n\t"
      "movups 96(%rsp), %xmm12\n\t"
      "movups 112(%rsp), %xmm13\n\t"
      "movups 128(%rsp), %xmm14\n\t"
      "movups 144(%rsp), %xmm15\n\t"
      "addq $160, %rsp\n\t"
      "popq %gs:0x1478\n\t"
      "popq %gs:0x10\n\t"
      "popq %gs:0x8\n\t"
      "popq %r15\n\t"
      "popq %r14\n\t"
      "popq %r13\n\t"
      "popq %r12\n\t"
      "popq %rsi\n\t"
      "popq %rdi\n\t"
      "popq %rbx\n\t"
      "popq %rbp\n\t"
      "popq %rcx\n\t"
      "jmpq *%rcx");
}

namespace ccl {
constexpr unsigned kSavedWords = 20 + 11;
constexpr unsigned kReturnWord = 31;
// The bounds of the stack lie above the vector registers, in the order in which they are popped;
// a called function may also use 32 bytes above its return address.
constexpr unsigned kDeallocationWord = 20, kLimitWord = 21, kBaseWord = 22;
constexpr unsigned kContextWords = 31 + 1 + 4 + 1;
}  // namespace ccl

#elif defined(__aarch64__)

extern "C" CCL_HIDDEN __attribute__((naked)) void ccl_switch(void **, void *) {
  asm("sub sp, sp, #176\n\t"
      "stp x19, x20, [sp, #0]\n\t"
      "stp x21, x22, [sp, #16]\n\t"
      "stp x23, x24, [sp, #32]\n\t"
      "stp x25, x26, [sp, #48]\n\t"
      "stp x27, x28, [sp, #64]\n\t"
      "stp x29, x30, [sp, #80]\n\t"
      "stp d8, d9, [sp, #96]\n\t"
      "stp d10, d11, [sp, #112]\n\t"
      "stp d12, d13, [sp, #128]\n\t"
      "stp d14, d15, [sp, #144]\n\t"
      "mov x9, sp\n\t"
      "str x9, [x0]\n\t"
      "mov sp, x1\n\t"
      "ldp x19, x20, [sp, #0]\n\t"
      "ldp x21, x22, [sp, #16]\n\t"
      "ldp x23, x24, [sp, #32]\n\t"
      "ldp x25, x26, [sp, #48]\n\t"
      "ldp x27, x28, [sp, #64]\n\t"
      "ldp x29, x30, [sp, #80]\n\t"
      "ldp d8, d9, [sp, #96]\n\t"
      "ldp d10, d11, [sp, #112]\n\t"
      "ldp d12, d13, [sp, #128]\n\t"
      "ldp d14, d15, [sp, #144]\n\t"
      "add sp, sp, #176\n\t"
      "br x30");
}

namespace ccl {
constexpr unsigned kSavedWords = 22;
constexpr unsigned kReturnWord = 11;  // x30
constexpr unsigned kContextWords = 22;
}  // namespace ccl

#else
#error "The emulator has no context switch for this processor."
#endif

CCL_RUNTIME_BEGIN
namespace ccl {

constexpr u64 kStackBytes = 16384;
constexpr u64 kStackCanary = 0x9e3779b97f4a7c15ull;
constexpr u32 kStackColours = 16;      // stacks begin at different cache sets,
constexpr u64 kStackColourBytes = 160; // yet within the topmost page

// A row of stacks in memory that the host owns. Below the first lies one stack's room unused. The
// word under a stack's low end, which is the topmost of its neighbour and so in a page that is in
// use anyway, holds a canary: a thread that overruns its stack kills it.
class Stacks {
 public:
  void attach(u8 *memory) { memory_ = memory; }

  // Makes stack `index` ready to be switched to: it will begin with `entry`, which never returns.
  void *prepare(u32 index, void (*entry)()) {
    canary(index) = kStackCanary;
    u8 *top = low(index) + kStackBytes - 64 - (index % kStackColours) * kStackColourBytes;
    u64 *context = reinterpret_cast<u64 *>(reinterpret_cast<u64>(top) & ~15ull) - kContextWords;
    for (u32 i = 0; i < kContextWords; ++i) context[i] = 0;
    context[kReturnWord] = reinterpret_cast<u64>(entry);
#if defined(_WIN32)
    context[kDeallocationWord] = reinterpret_cast<u64>(low(index));
    context[kLimitWord] = reinterpret_cast<u64>(low(index));
    context[kBaseWord] = reinterpret_cast<u64>(low(index) + kStackBytes);
#endif
    return context;
  }

  bool intact(u32 index) { return canary(index) == kStackCanary; }

  u8 *low(u32 index) const { return memory_ + (index + 1ull) * kStackBytes; }

 private:
  u64 &canary(u32 index) { return *reinterpret_cast<u64 *>(low(index) - 8); }

  u8 *memory_;
};

}  // namespace ccl
CCL_RUNTIME_END
