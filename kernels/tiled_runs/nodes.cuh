// The forest of nodes, in device memory: it joins the components of blocks.
#pragma once

#include "tiled_runs/shapes.cuh"

// The entry of the root of a node. As in flatten_tile(), the node stores each step of the walk, so
// that walks that lead through it take longer steps. The reads are volatile, so that they come from
// the cache that all blocks share.
//
// Race: another thread may lower the node between the read and the store, which undoes that. The
// node names an ancestor all the same, and whoever lowered it goes on to join what it named before.
// A root is changed by the atomic minimum of join_nodes() alone.
static __device__ __forceinline__ unsigned long long find_node(volatile unsigned long long *nodes,
                                                               unsigned int node)
{
    unsigned long long entry = nodes[node];
    if ((unsigned int)entry == node) {
        return entry;
    }
    unsigned long long next = nodes[(unsigned int)entry];
    while (next != entry) {
        nodes[node] = next;
        entry = next;
        next = nodes[(unsigned int)entry];
    }
    return entry;
}

// Join the trees of two nodes. The upper half of an entry is a pixel's index, so the root of a tree
// is the node whose first pixel comes first in raster order. `joined` is told the first pixel of a
// component that has become part of another: once for each, as a root is linked once.
//
// Neither side has to arrive at its root: as in Rem's algorithm (Dijkstra 1976), the side whose
// entry comes later takes over the entry of the other, and what it named before is left to be
// joined. A root is linked so by an atomic minimum, which returns the link of a thread that came
// first. A thread that has linked a root lets it name the tree's root, as in find_node(): as all
// threads do so, a chain of n nodes takes about log2(n) turns, where those who have to walk along
// it would take n.
//
// Race: as in find_node(). A store may undo what another thread has written, but that thread goes
// on to join what it wrote with what it found, so all stay connected in the end.
template <typename Joined>
static __device__ __forceinline__ void join_nodes(unsigned long long *nodes, unsigned int node1,
                                                  unsigned int node2, Joined joined)
{
    volatile unsigned long long *entries = nodes;
    unsigned long long entry1 = entries[node1];
    unsigned long long entry2 = entries[node2];
    bool linked = false;
    // One loop for both parts: the lanes of a warp that have linked do not wait for those that
    // walk.
    while (entry1 != entry2) {
        if (entry1 < entry2) {
            const unsigned int node = node1;
            const unsigned long long entry = entry1;
            node1 = node2;
            entry1 = entry2;
            node2 = node;
            entry2 = entry;
        }
        if ((unsigned int)entry1 != node1) {
            entries[node1] = entry2;
        } else {
            const unsigned long long old = atomicMin(&nodes[node1], entry2);
            linked = old == entry1;
            if (linked) {
                joined((unsigned int)(entry1 >> 32));
            }
            entry1 = old;
        }
        if (linked) {
            entry1 = entry2;
        } else {
            node1 = (unsigned int)entry1;
            entry1 = entries[node1];
        }
        node2 = (unsigned int)entry2;
        entry2 = entries[node2];
    }
}

// A side of a row or column of blocks, as seen from one of its blocks.
struct Side {
    const unsigned short *sides;
    int block;
    int side;
    int length;           // pixels of the block on it
    bool before, after;   // whether it goes on in the block before and the block after this one

    // The node of a pixel, as an index into `nodes`; -1 for background, and outside the image. The
    // pixel may lie one beyond the block's.
    __device__ __forceinline__ int node(int at) const
    {
        const int beyond = at < 0 ? -1 : at >= length ? 1 : 0;
        if ((beyond < 0 && !before) || (beyond > 0 && !after)) {
            return -1;
        }
        const int of = block + beyond;
        const int node = sides[(long long)of * SIDE_PIXELS + side + at - beyond * length];
        return node == NO_NODE ? -1 : of * BLOCK_NODES + node;
    }
};

static __device__ __forceinline__ void list_pair(unsigned int (*pairs)[2], int *listed, int a,
                                                 int b)
{
    const int at = atomicAdd(listed, 1);
    pairs[at][0] = (unsigned int)a;
    pairs[at][1] = (unsigned int)b;
}
