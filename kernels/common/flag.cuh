// A flag that many threads raise and the host reads.
#pragma once

// Raise a flag, unless it is up already.
//
// Every thread that changes a label would store the same 1 at the same address, and the memory takes
// these stores one after the other: on an H200 that was more than half the time of a first scan.
// Most threads see the flag up and store nothing. The read is volatile, so that it is not served from
// a cache that never hears of the store.
// Races: threads that read 0 at the same time all store 1.
template <typename Flag> static __device__ __forceinline__ void raise_flag(Flag *flag)
{
    if (*(volatile Flag *)flag == 0) {
        *flag = 1;
    }
}
