// A block joins the runs that links leave apart: it lists the pairs of runs that touch, within its tiles
// and at their sides, and joins them. Listed first, pairs are shared out evenly: no thread is idle
// while another joins several.
#pragma once

#include "tiled_runs/forest.cuh"
#include "tiled_runs/touching.cuh"
#include "tiled_runs/words.cuh"

// What the threads of a block share, in shared memory.
struct Block {
    unsigned int *table;          // the forest of runs, TILE_RUNS a tile
    unsigned int (*tops)[32];     // the bands of each tile, as words of their rows
    unsigned int (*bottoms)[32];
    int (*bases)[32];             // index in the table of each band's first run

    __device__ __forceinline__ unsigned int columns(int tile, int band) const
    {
        return tops[tile][band] | bottoms[tile][band];
    }

    // The run of column x of a band: the last that begins there or before.
    __device__ __forceinline__ int run(int tile, int band, int x) const
    {
        const unsigned int upto = 0xFFFFFFFFu >> (31 - x);
        return bases[tile][band] + __popc(run_starts(columns(tile, band)) & upto) - 1;
    }

    __device__ __forceinline__ bool pixel(unsigned int (*words)[32], int tile, int band, int x) const
    {
        return words[tile][band] >> x & 1u;
    }
};

// Where the other run of a pair is: at the pixel above, to the left of that or to its right, or at the
// pixel on the left.
#define UP 0
#define UP_LEFT 1
#define UP_RIGHT 2
#define TO_LEFT 3

// How many pairs there can be. Within a tile, each of up to 16 runs of a band is linked to the band below,
// or is in one pair with it. At the sides of tiles, each pixel is in one pair, or with 8 neighbours
// in two.
#define BLOCK_PAIRS                                                                                 \
    (TILES * TILE_RUNS + 2 * (TILES_X - 1) * BLOCK_H + 2 * (TILES_Y - 1) * BLOCK_W)

// Pairs of runs that are to be joined, each as a pixel of a run and the way to the other run: 2 bits for
// the way, then the tile, and 5 bits each for band and column. The run of a pixel is the last that begins
// at or before its column.
struct PairList {
    unsigned short *pairs;  // BLOCK_PAIRS of them at most
    int *count;

    static __device__ __forceinline__ unsigned short code(int way, int tile, int band, int x)
    {
        return (unsigned short)(way << 14 | tile << 10 | band << 5 | x);
    }

    __device__ __forceinline__ void add(int way, int tile, int band, int x) const
    {
        pairs[atomicAdd(count, 1)] = code(way, tile, band, x);
    }

    __device__ __forceinline__ Pair pair(const Block &block, int at) const
    {
        const int code = pairs[at];
        const int way = code >> 14;
        int tile = code >> 10 & 15;
        int band = code >> 5 & 31;
        int x = code & 31;
        const int run1 = block.run(tile, band, x);
        x += way == UP ? 0 : way == UP_RIGHT ? 1 : -1;
        tile += x >> 5;  // the tile beside, where the column lies there
        band -= way == TO_LEFT ? 0 : 1;
        tile += TILES_X * (band >> 5);
        return {run1, block.run(tile, band & 31, x & 31)};
    }
};

#if TILES > 1
// List the pairs between this warp's tile and the tile on its right: a lane a band.
static __device__ __forceinline__ void list_right(const Block &block, const PairList &list, int tile)
{
    const int band = threadIdx.x;
    const int right = tile + 1;
    const bool a = block.columns(tile, band) >> 31;
    const bool b = block.columns(right, band) & 1u;
    const bool a1 = band > 0 && block.columns(tile, band - 1) >> 31;
    const bool b1 = band > 0 && block.columns(right, band - 1) & 1u;
    if (faces(a, b, ROWS == 1 && a1, b1)) {
        list.add(TO_LEFT, right, band, 0);
    }
#if CONNECTIVITY == 8
    // The corners between this band and the next.
    if (band < 31) {
        const bool a_here = block.pixel(block.bottoms, tile, band, 31);
        const bool b_here = block.pixel(block.bottoms, right, band, 0);
        const bool a_next = block.pixel(block.tops, tile, band + 1, 31);
        const bool b_next = block.pixel(block.tops, right, band + 1, 0);
        if (corner(a_here, b_here, a_next, b_next)) {
            list.add(UP_LEFT, right, band + 1, 0);
        }
        if (corner(a_next, b_next, a_here, b_here)) {
            list.add(UP_RIGHT, tile, band + 1, 31);
        }
    }
#endif
}

// List the pairs between this warp's tile and the tile below it: a lane a column.
static __device__ __forceinline__ void list_below(const Block &block, const PairList &list, int tile)
{
    const int x = threadIdx.x;
    const int below = tile + TILES_X;
    // Bits 1 to 32 are the pixels of the tile, bits 0 and 33 those beside it, if the block has them.
    unsigned long long upper = (unsigned long long)block.bottoms[tile][31] << 1;
    unsigned long long lower = (unsigned long long)block.tops[below][0] << 1;
    if (tile % TILES_X > 0) {
        upper |= block.bottoms[tile - 1][31] >> 31;
        lower |= block.tops[below - 1][0] >> 31;
    }
    if (tile % TILES_X < TILES_X - 1) {
        upper |= (unsigned long long)(block.bottoms[tile + 1][31] & 1u) << 33;
        lower |= (unsigned long long)(block.tops[below + 1][0] & 1u) << 33;
    }
    const bool a = lower >> (x + 1) & 1u;
    const bool b = upper >> (x + 1) & 1u;
    const bool a1 = lower >> x & 1u;
    const bool b1 = upper >> x & 1u;
    if (faces(a, b, a1, b1)) {
        list.add(UP, below, 0, x);
    }
#if CONNECTIVITY == 8
    const bool a2 = lower >> (x + 2) & 1u;
    const bool b2 = upper >> (x + 2) & 1u;
    if (corner(a, b, a1, b1)) {
        list.add(UP_LEFT, below, 0, x);
    }
    if (corner(a, b, a2, b2)) {
        list.add(UP_RIGHT, below, 0, x);
    }
#endif
}
#endif

// Join all pairs of a list, by all threads of the block together. No thread may write to the table or the
// list since the block's last barrier.
static __device__ __forceinline__ void join_pairs(const Block &block, const PairList &list)
{
    int at = threadIdx.y * WARP_SIZE + threadIdx.x;
    const int count = *list.count;
    Pair pair = {0, 0};
    while (__syncthreads_or(pair.open() || at < count)) {  // all links are there
        if (!pair.open() && at < count) {
            pair = list.pair(block, at);
            at += TILES * WARP_SIZE;
        }
        const Roots roots = find_roots(block.table, pair);
        __syncthreads();  // all have walked
        pair = link_roots(block.table, pair, roots);
    }
}

// Join the runs of a block. The list has the pairs within the tiles, and no thread may write to it since
// the block's last barrier.
static __device__ __forceinline__ void join_runs(const Block &block, const PairList &list, int tile)
{
#if TILES > 1
    if (tile % TILES_X < TILES_X - 1) {
        list_right(block, list, tile);
    }
    if (tile / TILES_X < TILES_Y - 1) {
        list_below(block, list, tile);
    }
    __syncthreads();  // all pairs are listed
#endif
    join_pairs(block, list);
}
