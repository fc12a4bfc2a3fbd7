// Turns a wild access into the report of a fault: handles the system's signals for accesses to
// unmapped memory (SIGSEGV, SIGBUS) during a launch.
//
// A handler is global to the process, but each worker has a copy of this library, and one copy's
// handler serves them all. It runs on a separate stack, since the fiber's may be full. These stacks
// belong to the host and form an array with one for each worker. So the address of the handler's
// frame identifies the worker, and the low end of that worker's stack holds the function of its
// copy of the library to call. Other signals go to the previous handler.
//
// The handler does not jump out: it changes the registers with which the thread continues, and
// returns, so that the system restores the rest.

#pragma once

#include "diagnosis.h"

CCL_RUNTIME_BEGIN
namespace ccl {

#if defined(_WIN32)

// Windows would handle such an access on the fiber's stack, which has no space for that.
struct CatchSignals {
  explicit CatchSignals(const Request &) {}
};

#else

#if defined(__APPLE__)
struct SignalAction {
  void (*handler)(int, void *, void *);
  u32 mask;
  u32 flags;
};
struct SignalStack {
  void *low;
  u64 bytes;
  int flags;
};
constexpr int kSignals[] = {11, 10};
constexpr u32 kActionFlags = 0x40 | 0x1;  // SA_SIGINFO, SA_ONSTACK
constexpr u32 kAddressWord = 3;           // in siginfo_t, in words of 8 bytes
#else
struct SignalAction {
  void (*handler)(int, void *, void *);
  u64 mask[16];
  u32 flags;
  void *restorer;
};
struct SignalStack {
  void *low;
  int flags;
  u64 bytes;
};
constexpr int kSignals[] = {11, 7};
constexpr u32 kActionFlags = 0x4 | 0x08000000;
constexpr u32 kAddressWord = 2;
#endif
constexpr int kAddressUnknown = 0x80;  // code of a signal without an address
static_assert(sizeof(SignalAction) <= sizeof(SignalHost::previous[0]), "room for what was before");

// At the low end of a worker's signal stack. Returns false for other signals.
struct FaultHandler {
  bool (*handle)(u64 address, void *context);
};

extern "C" CCL_HIDDEN SignalHost *ccl_signal_host;
CCL_VARIABLE(SignalHost *ccl_signal_host;)

// The registers with which the interrupted thread continues.
struct Registers {
  u64 *stack;
  u64 *program;
  u64 stores;  // whether it was a write: 0, 1, or kStoresUnknown
};

inline Registers registers_of(void *context) {
  u8 *bytes = static_cast<u8 *>(context);
#if defined(__APPLE__)
  bytes = *reinterpret_cast<u8 **>(bytes + 48);
#endif
  u64 *words = reinterpret_cast<u64 *>(bytes);
#if defined(__APPLE__) && defined(__x86_64__)
  return {words + 9, words + 18, *reinterpret_cast<u32 *>(bytes + 4) >> 1 & 1};
#elif defined(__APPLE__)
  return {words + 33, words + 34, *reinterpret_cast<u32 *>(bytes + 8) >> 6 & 1};
#elif defined(__x86_64__)
  return {words + 20, words + 21, words[24] >> 1 & 1};
#else
  return {words + 54, words + 55, kStoresUnknown};
#endif
}

// The worker continues here, on its host's stack.
[[noreturn]] inline void give_up_launch() { fail(); }

inline bool handle_fault(u64 address, void *context) {
  Engine &e = ccl_engine;
  Registers registers = registers_of(context);
  if (e.stacks.below_all(address))
    report(kStackOverflow, e.current);
  else
    report_wild_access(address, 0, registers.stores);
  u64 top = (reinterpret_cast<u64>(e.host) - 512) & ~15ull;
#if defined(__x86_64__)
  top -= 8;  // as after a call
#endif
  *registers.stack = top;
  *registers.program = reinterpret_cast<u64>(&give_up_launch);
  return true;
}

inline void set_action(int signal, const void *action, void *previous) {
  using Function = int (*)(int, const void *, void *);
  reinterpret_cast<Function>(ccl_signal_host->sigaction)(signal, action, previous);
}

inline void set_stack(const SignalHost &host, const SignalStack *stack, SignalStack *previous) {
  using Function = int (*)(const SignalStack *, SignalStack *);
  reinterpret_cast<Function>(host.sigaltstack)(stack, previous);
}

inline void handle_signal(int signal, void *info, void *context) {
  SignalHost &host = *ccl_signal_host;
  int code = static_cast<int *>(info)[2];
  u64 address = code == kAddressUnknown ? ~0ull : static_cast<u64 *>(info)[kAddressWord];
  u64 offset = reinterpret_cast<u64>(__builtin_frame_address(0)) - reinterpret_cast<u64>(host.stacks);
  if (code > 0 && offset < host.stack_count * host.stack_bytes) {
    u8 *low = host.stacks + offset / host.stack_bytes * host.stack_bytes;
    FaultHandler *handler = reinterpret_cast<FaultHandler *>(low);
    if (handler->handle && handler->handle(address, context)) return;
  }
  // The access is retried, or the signal sent again, with the previous handler.
  for (u32 i = 0; i < 2; ++i)
    if (kSignals[i] == signal) set_action(signal, host.previous[i], nullptr);
  if (code <= 0) reinterpret_cast<int (*)(int)>(host.raise)(signal);
}

// While it exists, the running worker's accesses to unmapped memory are faults of its kernel.
class CatchSignals {
 public:
  explicit CatchSignals(const Request &request) : host_(request.signals) {
    if (!host_) return;
    handler_ = reinterpret_cast<FaultHandler *>(request.signal_stack);
    handler_->handle = handle_fault;
    SignalStack stack = {};
    stack.low = handler_;
    stack.bytes = host_->stack_bytes;
    set_stack(*host_, &stack, &before_);
  }
  ~CatchSignals() {
    if (!host_) return;
    set_stack(*host_, &before_, nullptr);
    handler_->handle = nullptr;
  }

 private:
  const SignalHost *host_;
  FaultHandler *handler_;
  SignalStack before_;
};

#endif

}  // namespace ccl

#if CCL_RUNTIME_UNIT
// Handles the signals of the whole process until ccl_release_signals; called once for all workers
// of a launch.
CCL_EXPORT void ccl_catch_signals(ccl::SignalHost *host) {
#if !defined(_WIN32)
  ccl::ccl_signal_host = host;
  ccl::SignalAction action = {};
  action.handler = ccl::handle_signal;
  action.flags = ccl::kActionFlags;
  for (ccl::u32 i = 0; i < 2; ++i) ccl::set_action(ccl::kSignals[i], &action, host->previous[i]);
#endif
}

CCL_EXPORT void ccl_release_signals(ccl::SignalHost *host) {
#if !defined(_WIN32)
  for (ccl::u32 i = 0; i < 2; ++i)
    ccl::set_action(ccl::kSignals[i], host->previous[i], nullptr);
#endif
}
#endif
CCL_RUNTIME_END
