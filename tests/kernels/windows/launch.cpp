// Runs the kernel of tiny.cu on Windows, in all orders of its threads. The exit code is 0 if all
// values are right, else 100 and the number of the order, or 1 if the module cannot be loaded.
//
// Linked with no C library, as modules are.

#include "request.h"

extern "C" {
__declspec(dllimport) void *LoadLibraryA(const char *name);
__declspec(dllimport) void *GetProcAddress(void *module, const char *name);
__declspec(dllimport) void *VirtualAlloc(void *where, ccl::u64 bytes, ccl::u32 kind, ccl::u32 access);
__declspec(dllimport) [[noreturn]] void ExitProcess(ccl::u32 code);
int _fltused;
}

using namespace ccl;

static int values[4 * 64];
static Request request;
static Fault fault;
static Progress progress;

static u8 *memory(u64 bytes) {
  constexpr u64 kMargin = 65536;
  return static_cast<u8 *>(VirtualAlloc(nullptr, bytes + 2 * kMargin, 0x3000, 4)) + kMargin;
}

static u32 run() {
  void *module = LoadLibraryA("tiny.dll");
  if (!module) return 1;
  auto launch = reinterpret_cast<u32 (*)(Request *)>(GetProcAddress(module, "ccl_launch"));
  auto workspace_bytes = reinterpret_cast<u64 (*)(const Request *)>(
      GetProcAddress(module, "ccl_workspace_bytes"));
  auto stack_bytes = reinterpret_cast<u64 (*)()>(GetProcAddress(module, "ccl_stack_bytes"));
  if (!launch || !workspace_bytes || !stack_bytes) return 1;

  int *pointer = values;
  void *arguments[] = {&pointer};
  Range range{reinterpret_cast<u64>(values), sizeof values};
  request.arguments = arguments;
  request.seed = 7;
  request.turn_limit = 1 << 20;
  request.blocks_at_once = 1;
  request.ranges = &range;
  request.range_count = 1;
  request.fault = &fault;
  for (u32 axis = 0; axis < 3; ++axis) request.grid[axis] = request.block[axis] = 1;
  request.grid[0] = 4;
  request.block[0] = 64;
  request.resident_blocks = 4;
  request.fibers = 4 * 64 + 1;
  request.workspace = memory(workspace_bytes(&request));
  request.stacks = memory((request.fibers + 2) * stack_bytes());
  for (u32 schedule = kSequential; schedule <= kRandom; ++schedule) {
    progress.next_block = progress.stop = 0;
    request.progress = &progress;
    request.schedule = schedule;
    request.resident_blocks = schedule < kSynchronous ? 1 : 4;
    request.fibers = request.resident_blocks * 64 + 1;
    for (int &value : values) value = -1;
    if (launch(&request) != kFinished) return 100 + schedule;
    for (int thread = 0; thread < 256; ++thread) {
      if (values[thread] != 63 - thread % 64 + 16) return 100 + schedule;
    }
  }
  return 0;
}

extern "C" void mainCRTStartup() { ExitProcess(run()); }
