// A flag that many threads raise and the host reads.
#pragma once

#include "common/variant.cuh"

// Raise a flag.
//
// The papers store 1 in every thread that changes a label. The memory takes these stores to one
// address one after the other: on an H200 that was more than half the time of a first scan of Label
// Equivalence. The project's variant looks first whether the flag is up, and most threads store
// nothing. Its read is volatile, so that it is not served from a cache that does not get the store.
// Races: threads that raise the flag at the same time all store 1.
template <typename Flag> static __device__ __forceinline__ void raise_flag(Flag *flag)
{
#if VARIANT == VARIANT_PROJECT
    if (*(volatile Flag *)flag != 0) {
        return;
    }
#endif
    *flag = 1;
}
