// The forest of a block's runs, in shared memory: how it is walked, linked and flattened.
//
// An entry of the table names another run of the block by its index, and has that run's place above
// it. So entries are ordered as the runs' first pixels are in raster order, and an atomic minimum
// on an entry keeps the run that comes first. A root names itself.
//
// The forest is read and written in turns, with a barrier in between: no thread reads an entry that
// another may be writing. So each step first walks, then waits, then writes.
#pragma once

#include "tiled_runs/shapes.cuh"

#define INDEX_BITS 16
#define INDEX(entry) ((entry)&0xFFFFu)
#define PLACE(entry) ((entry) >> INDEX_BITS)

// Walk from some runs to the entries of their roots: takes the runs' entries, and leaves those of
// the roots. The walks go on side by side, so that they wait for shared memory together; one that
// has arrived stays where it is. All lanes must call, those with nothing to walk with `going`
// false, so that the warp stays together.
template <int COUNT>
static __device__ __forceinline__ void walk(const unsigned int *table,
                                            unsigned int (&entries)[COUNT], bool going)
{
    while (__any_sync(ALL_LANES, going)) {
        if (going) {
            going = false;
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                const unsigned int next = table[INDEX(entries[k])];
                going = going || next != entries[k];
                entries[k] = next;
            }
        }
    }
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

// Link the root that comes later to the other one, by an atomic minimum. If another thread has
// linked it in the same turn, the minimum returns that link, and what it leads to is left to be
// joined: nothing is lost. Takes the entries of both roots, and returns the pair that is left.
static __device__ __forceinline__ Pair link_roots(unsigned int *table, unsigned int entry1,
                                                  unsigned int entry2)
{
    if (entry1 == entry2) {
        return {0, 0};
    }
    const unsigned int larger = max(entry1, entry2);
    const unsigned int smaller = min(entry1, entry2);
    const unsigned int old = atomicMin(&table[INDEX(larger)], smaller);
    if (old == larger) {
        return {0, 0};
    }
    return {(int)INDEX(old), (int)INDEX(smaller)};
}

// Let every run of this warp's tile name its root. In each turn a run takes over what its parent
// names, so that a chain of n runs takes about log2(n) turns. Runs are numbered from the top down,
// and are linked to runs above: so what was flattened before needs no more turns. A lane has AHEAD
// runs under way.
template <int AHEAD>
static __device__ __forceinline__ void flatten_runs(unsigned int *table, int first, int count)
{
    for (int run = first + (int)threadIdx.x; run - (int)threadIdx.x < first + count;
         run += AHEAD * WARP_SIZE) {
        unsigned int entries[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            const bool there = run + k * WARP_SIZE < first + count;
            entries[k] = there ? table[run + k * WARP_SIZE] : table[first];
        }
        bool changed;
        do {
            unsigned int next[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                next[k] = table[INDEX(entries[k])];
            }
            __syncwarp();  // all have read
            changed = false;
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                if (next[k] != entries[k]) {
                    table[run + k * WARP_SIZE] = next[k];
                    entries[k] = next[k];
                    changed = true;
                }
            }
            __syncwarp();  // all have written
        } while (__any_sync(ALL_LANES, changed));
    }
}

static __device__ __forceinline__ void flatten_tile(unsigned int *table, int first, int count)
{
    if (count <= WARP_SIZE) {
        flatten_runs<1>(table, first, count);  // large components have few runs
    } else {
        flatten_runs<RUNS_AHEAD>(table, first, count);
    }
}
