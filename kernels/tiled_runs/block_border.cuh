// What a block hands on: nodes for the components that touch its border, and which node each pixel on
// its four sides belongs to.
#pragma once

#include "tiled_runs/block.cuh"

// The sides of a tile that lie on the border of its block, and the roots of their pixels. A lane has
// pixel `lane` of each side, and of the columns on the left and right also pixel 32 + lane where a
// tile is that high.
struct Border {
    bool outer[4];
    int roots[4][ROWS];  // index of the root; -1 for background
};

static __device__ __forceinline__ Border find_border(const Block &block, int tile)
{
    const int lane = threadIdx.x;
    Border border;
    border.outer[0] = tile / TILES_X == 0;
    border.outer[1] = tile / TILES_X == TILES_Y - 1;
    border.outer[2] = tile % TILES_X == 0;
    border.outer[3] = tile % TILES_X == TILES_X - 1;
#pragma unroll
    for (int side = 0; side < 4; ++side) {
#pragma unroll
        for (int half = 0; half < ROWS; ++half) {
            border.roots[side][half] = -1;
            if (border.outer[side] && (half == 0 || side >= 2)) {
                const int at = 32 * half + lane;
                const int x = side < 2 ? lane : side == 2 ? 0 : 31;
                const int y = side >= 2 ? at : side == 0 ? 0 : TILE_H - 1;
                const int band = y / ROWS;
                if (block.pixel(y % ROWS == 0 ? block.tops : block.bottoms, tile, band, x)) {
                    const unsigned int root = find_entry(block.table, block.run(tile, band, x));
                    border.roots[side][half] = (int)INDEX(root);
                }
            }
        }
    }
    return border;
}

// Mark the roots of components that touch the block's border.
static __device__ __forceinline__ void mark_border(const Block &block, const Border &border)
{
#pragma unroll
    for (int side = 0; side < 4; ++side) {
#pragma unroll
        for (int half = 0; half < ROWS; ++half) {
            if (border.roots[side][half] >= 0) {
                atomicOr(&block.table[border.roots[side][half]], MARK);
            }
        }
    }
}

// The code of a run in `runs`: of its root, if that has one, otherwise the root's place.
static __device__ __forceinline__ unsigned int code_of(const unsigned int *table, int run)
{
    unsigned int entry = table[run];
    while (!(entry & MARK)) {
        const unsigned int next = table[INDEX(entry)];
        if (next == entry) {
            return PLACE(entry);
        }
        entry = next;
    }
    return INDEX(entry);
}

// Write which node each pixel on the block's border belongs to.
static __device__ __forceinline__ void write_border(const Block &block, const Border &border,
                                                    unsigned short *sides, int tile)
{
    const int starts[4] = {TOP + 32 * (tile % TILES_X), BOTTOM + 32 * (tile % TILES_X),
                           LEFT + TILE_H * (tile / TILES_X), RIGHT + TILE_H * (tile / TILES_X)};
#pragma unroll
    for (int side = 0; side < 4; ++side) {
#pragma unroll
        for (int half = 0; half < ROWS; ++half) {
            if (border.outer[side] && (half == 0 || side >= 2)) {
                const int root = border.roots[side][half];
                sides[starts[side] + 32 * half + (int)threadIdx.x] =
                    (unsigned short)(root >= 0 ? INDEX(block.table[root]) & ~IS_NODE : NO_NODE);
            }
        }
    }
}
