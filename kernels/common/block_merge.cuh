// Union-find on a table in shared memory, by all threads of a block together.
//
// merge() of union_find.cuh lets threads read labels while others lower them. On a table in global
// memory nothing else is possible. Within a block there are barriers, so here reading and writing
// take turns: no thread reads a word that another may be writing.
#pragma once

#include "common/union_find.cuh"

// Join the trees of two cells for each thread of the block; a thread that has nothing to join
// passes the same cell twice. Every thread of the block must call this. The table must not be
// written between the block's last barrier and the call; on return all links are there to be read.
//
// In each round a thread walks to the roots of its two cells, then hooks the larger root to the
// smaller by an atomic minimum. If another thread hooked the same root in the same round, the
// atomic returns the label which that thread had written: the smaller of both is stored, and the
// next round joins the other. No link is lost, and almost every thread is done after its first
// round.
static __device__ __forceinline__ void block_merge(int *table, int label1, int label2)
{
    while (__syncthreads_or(label1 != label2)) {  // the links of the last round are there
        if (label1 != label2) {
            label1 = find_root(table, label1);
            label2 = find_root(table, label2);
        }
        __syncthreads();  // all have found their roots
        if (label1 != label2) {
            const int larger = max(label1, label2);
            label2 = min(label1, label2);
            const int old = atomicMin(&table[larger], label2);
            label1 = old == larger ? label2 : old;
        }
    }
}
