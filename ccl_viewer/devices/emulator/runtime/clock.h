// Times a launch inside the module: the host would include its waiting for Python's lock.
//
// The runtime is linked without libraries, so the host passes the address of the system's clock.

#pragma once

#include "request.h"

CCL_RUNTIME_BEGIN
namespace ccl {

inline u64 ticks(const Request &request) {
  if (!request.clock) return 0;
#if defined(_WIN32)
  i64 count = 0;  // QueryPerformanceCounter
  reinterpret_cast<int (*)(i64 *)>(request.clock)(&count);
  return static_cast<u64>(count);
#else
  i64 time[2] = {0, 0};  // clock_gettime: seconds and nanoseconds
  reinterpret_cast<int (*)(int, i64 *)>(request.clock)(static_cast<int>(request.clock_id), time);
  return static_cast<u64>(time[0]) * 1000000000ull + static_cast<u64>(time[1]);
#endif
}

}  // namespace ccl
CCL_RUNTIME_END
