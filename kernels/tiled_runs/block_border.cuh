// What a block hands on: nodes for the components that touch its border, and which node each pixel
// on its four sides belongs to.
#pragma once

#include "tiled_runs/block.cuh"

// The sides of a tile that lie on the border of its block, and the roots of their pixels: top or
// bottom, and left or right, or both where a block is one tile high or wide. A lane has pixel
// `lane` of each side, and of a column also pixel 32 + lane where a tile is that high.
#define PARTS_ACROSS (TILES_Y == 1 ? 2 : 1)  // top and bottom
#define PARTS_DOWN (TILES_X == 1 ? 2 : 1)    // left and right
#define SIDE_PARTS (PARTS_ACROSS + ROWS * PARTS_DOWN)

struct Border {
    int roots[SIDE_PARTS];  // index of the root; -1 for background, and where the block goes on
};

// The side of a tile that a part is of: top, bottom, left, right from 0; -1 if it is not on the
// border.
static __device__ __forceinline__ int side_of(int part, int tile)
{
    if (part < PARTS_ACROSS) {
        const int y = tile / TILES_X;
        return TILES_Y == 1 ? part : y == 0 ? 0 : y == TILES_Y - 1 ? 1 : -1;
    }
    const int x = tile % TILES_X;
    return TILES_X == 1 ? 2 + (part - PARTS_ACROSS) % 2 : x == 0 ? 2 : x == TILES_X - 1 ? 3 : -1;
}

// The pixel of this lane on the side that a part is of.
static __device__ __forceinline__ int pixel_of(int part)
{
    return (int)threadIdx.x + (part < PARTS_ACROSS + PARTS_DOWN ? 0 : 32);
}

// The sides on which this block has a neighbour, as bits. Components that touch the grid's own edge
// alone need no node.
static __device__ __forceinline__ unsigned int open_sides(int block_y, int height)
{
    return (block_y > 0 ? 1u : 0u) | (block_y + BLOCK_H < height ? 2u : 0u) |
           (blockIdx.x > 0 ? 4u : 0u) | (blockIdx.x + 1 < gridDim.x ? 8u : 0u);
}

// Find the roots of a tile's pixels on those sides of the block that have a neighbour. All walks of
// a lane go on side by side.
static __device__ __forceinline__ Border find_border(const Block &block, int tile,
                                                     unsigned int neighbours)
{
    Border border;
    unsigned int entries[SIDE_PARTS];
    bool any = false;
    int some = 0;  // a run to walk from where there is none
#pragma unroll
    for (int part = 0; part < SIDE_PARTS; ++part) {
        const int side = side_of(part, tile);
        const int at = pixel_of(part);
        const bool across = part < PARTS_ACROSS;
        const int x = across ? at : side == 2 ? 0 : 31;
        const int y = !across ? at : side == 0 ? 0 : TILE_H - 1;
        border.roots[part] = -1;
        if (side >= 0 && (neighbours >> side & 1u) &&
            block.pixel(y % ROWS == 0 ? block.tops : block.bottoms, tile, y / ROWS, x)) {
            some = block.run(tile, y / ROWS, x);
            border.roots[part] = some;
            any = true;
        }
    }
#pragma unroll
    for (int part = 0; part < SIDE_PARTS; ++part) {
        entries[part] = any ? block.table[border.roots[part] >= 0 ? border.roots[part] : some] : 0u;
    }
    walk(block.table, entries, any);
#pragma unroll
    for (int part = 0; part < SIDE_PARTS; ++part) {
        border.roots[part] = border.roots[part] >= 0 ? (int)INDEX(entries[part]) : -1;
    }
    return border;
}

// Give each root on the border a node, which begins as a root of its own. Of the threads that come
// to the same root, the first to mark it makes its node. The entry then has the node where it had
// the place, and names itself still: so the upper half of a root's entry is what `runs` says of its
// runs.
//
// Pixels side by side often have the same root: only the first of them asks.
// No races: the entries are changed by atomics alone, and nobody reads them otherwise meanwhile.
template <typename Give>
static __device__ __forceinline__ void give_nodes(const Block &block, const Border &border,
                                                  int *nodes_given, Give give)
{
#pragma unroll
    for (int part = 0; part < SIDE_PARTS; ++part) {
        const int root = border.roots[part];
        const int before = __shfl_up_sync(ALL_LANES, root, 1);
        if (root >= 0 && (threadIdx.x == 0 || root != before)) {
            const unsigned int entry = atomicOr(&block.table[root], MARK);
            if (!(entry & MARK)) {
                const int node = atomicAdd(nodes_given, 1);
                atomicExch(&block.table[root], (IS_NODE | (unsigned int)node) << INDEX_BITS |
                                                   (unsigned int)root);
                give(node, (int)PLACE(entry));
            }
        }
    }
}

// Store what `runs` says of a tile's runs: the node of each run's root, if it has one, otherwise
// the root's place. `first` is the index in the table of the tile's first run, `count` how many it
// has. `found` is told the places of the roots without a node.
template <typename Found>
static __device__ __forceinline__ void write_runs(const unsigned int *table, int first, int count,
                                                  unsigned short *runs, Found found)
{
    const int lane = threadIdx.x;
    for (int run = lane; run - lane < count; run += RUNS_AHEAD * WARP_SIZE) {
        unsigned int entries[RUNS_AHEAD];
#pragma unroll
        for (int k = 0; k < RUNS_AHEAD; ++k) {
            const int at = run + k * WARP_SIZE;
            entries[k] = table[first + (at < count ? at : 0)];
            if (at < count && entries[k] < MARK && (int)INDEX(entries[k]) == first + at) {
                found((int)PLACE(entries[k]));
            }
        }
        walk(table, entries, true);
#pragma unroll
        for (int k = 0; k < RUNS_AHEAD; ++k) {
            if (run + k * WARP_SIZE < (count + 3) / 4 * 4) {
                runs[run + k * WARP_SIZE] = (unsigned short)PLACE(entries[k]);
            }
        }
    }
}

// Write which node each pixel on the block's border belongs to.
static __device__ __forceinline__ void write_border(const Block &block, const Border &border,
                                                    unsigned short *sides, int tile)
{
#pragma unroll
    for (int part = 0; part < SIDE_PARTS; ++part) {
        const int side = side_of(part, tile);
        if (side >= 0) {
            const int root = border.roots[part];
            const int first = part < PARTS_ACROSS
                                  ? (side == 0 ? TOP : BOTTOM) + 32 * (tile % TILES_X)
                                  : (side == 2 ? LEFT : RIGHT) + TILE_H * (tile / TILES_X);
            sides[first + pixel_of(part)] =
                (unsigned short)(root >= 0 ? PLACE(block.table[root]) & ~IS_NODE : NO_NODE);
        }
    }
}
