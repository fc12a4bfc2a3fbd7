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

// Walk from some runs to the entries of their roots. The walks go on side by side, so that they wait
// for shared memory together; one that has arrived stays where it is. Takes the runs' entries, and
// leaves those of the roots.
template <int COUNT>
static __device__ __forceinline__ void walk(const unsigned int *table, unsigned int (&entries)[COUNT])
{
    bool going;
    do {
        going = false;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) {
            const unsigned int next = table[INDEX(entries[k])];
            going = going || next != entries[k];
            entries[k] = next;
        }
    } while (going);
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

// The roots of a pair, once both are found.
struct Roots {
    unsigned int entries[2];
};

static __device__ __forceinline__ Roots find_roots(const unsigned int *table, const Pair &pair)
{
    Roots roots = {{0, 0}};
    if (pair.open()) {
        roots = {{table[pair.run1], table[pair.run2]}};
        walk(table, roots.entries);
    }
    return roots;
}

// Link the root that comes later to the other one, by an atomic minimum. If another thread has linked
// it in the same turn, the minimum returns that link, and what it leads to is left to be joined:
// nothing is lost. Returns the pair that is left.
static __device__ __forceinline__ Pair link_roots(unsigned int *table, const Pair &pair,
                                                  const Roots &roots)
{
    if (!pair.open() || roots.entries[0] == roots.entries[1]) {
        return {0, 0};
    }
    const unsigned int larger = max(roots.entries[0], roots.entries[1]);
    const unsigned int smaller = min(roots.entries[0], roots.entries[1]);
    const unsigned int old = atomicMin(&table[INDEX(larger)], smaller);
    if (old == larger) {
        return {0, 0};
    }
    return {(int)INDEX(old), (int)INDEX(smaller)};
}

// Let every run of this warp's tile name its root. Runs are numbered from the top down, and a run is
// linked to one above. So each turn flattens the next 32 runs, and its walks are short: they end one
// step above these runs, because all before are flat.
static __device__ __forceinline__ void flatten_tile(unsigned int *table, int first, int count)
{
    const int lane = threadIdx.x;
    for (int run = first + lane; run - lane < first + count; run += WARP_SIZE) {
        const bool there = run < first + count;
        unsigned int entry[1] = {there ? table[run] : 0u};
        if (there) {
            walk(table, entry);
        }
        __syncwarp();  // all have walked
        if (there) {
            table[run] = entry[0];
        }
        __syncwarp();  // all have written
    }
}
