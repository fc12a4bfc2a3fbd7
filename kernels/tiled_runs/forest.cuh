// The forest of a block's runs, in shared memory: how it is walked, linked and flattened.
//
// An entry of the table names another run of the block by its index, and has that run's place above
// it. So entries are ordered as the runs' first pixels are in raster order, and an atomic minimum on
// an entry keeps the run that comes first. A root names itself.
//
// The forest is read and written in turns, with a barrier in between: no thread reads an entry that
// another may be writing. So each step first walks, then waits, then writes.
#pragma once

#include "tiled_runs/shapes.cuh"

#define INDEX_BITS 16
#define INDEX(entry) ((entry)&0xFFFFu)
#define PLACE(entry) ((entry) >> INDEX_BITS)

// Walk from a run to the entry of its root.
static __device__ __forceinline__ unsigned int find_entry(const unsigned int *table, int run)
{
    unsigned int entry = table[run];
    unsigned int next = table[INDEX(entry)];
    while (next != entry) {
        entry = next;
        next = table[INDEX(entry)];
    }
    return entry;
}

// Two runs whose trees are to be joined; none if they are the same.
struct Pair {
    int run1;
    int run2;

    __device__ __forceinline__ bool open() const
    {
        return run1 != run2;
    }
};

// Link the root that comes later to the other one, by an atomic minimum. If another thread has linked
// it in the same turn, the minimum returns that link, and what it leads to is left to be joined:
// nothing is lost.
static __device__ __forceinline__ Pair link_roots(unsigned int *table, unsigned int entry1,
                                                  unsigned int entry2)
{
    const unsigned int larger = max(entry1, entry2);
    const unsigned int smaller = min(entry1, entry2);
    unsigned int old = larger;
    if (larger != smaller) {
        old = atomicMin(&table[INDEX(larger)], smaller);
    }
    if (old == larger) {
        return {0, 0};
    }
    return {(int)INDEX(old), (int)INDEX(smaller)};
}

// Let every run of this warp's tile name its root. In each turn a run takes over what its parent
// names, so that a chain of n runs takes about log2(n) turns.
static __device__ __forceinline__ void flatten_tile(unsigned int *table, int first, int count)
{
    for (int run = first + (int)threadIdx.x; run - (int)threadIdx.x < first + count;
         run += WARP_SIZE) {
        const bool there = run < first + count;
        unsigned int entry = there ? table[run] : 0u;
        bool changed;
        do {
            const unsigned int next = there ? table[INDEX(entry)] : entry;
            __syncwarp();  // all have read
            changed = next != entry;
            if (changed) {
                table[run] = next;
            }
            entry = next;
            __syncwarp();  // all have written
        } while (__any_sync(ALL_LANES, changed));
    }
}
