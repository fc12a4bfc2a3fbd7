// A block joins the runs that links leave apart: it lists the pairs of runs that touch, within its
// tiles and at their sides, and joins them. Listed first, pairs are shared out evenly: no thread is
// idle while another joins several.
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
#if MULTIVALUED
    unsigned int (*first_columns)[32];  // where the runs of each band begin
#endif

    __device__ __forceinline__ unsigned int columns(int tile, int band) const
    {
        return tops[tile][band] | bottoms[tile][band];
    }

    __device__ __forceinline__ unsigned int starts(int tile, int band) const
    {
#if MULTIVALUED
        return first_columns[tile][band];
#else
        return run_starts(columns(tile, band));
#endif
    }

    // The run of column x of a band; there must be a pixel in it.
    __device__ __forceinline__ int run(int tile, int band, int x) const
    {
        const unsigned int upto = 0xFFFFFFFFu >> (31 - x);
        return bases[tile][band] + __popc(starts(tile, band) & upto) - 1;
    }

    __device__ __forceinline__ bool pixel(unsigned int (*words)[32], int tile, int band,
                                          int x) const
    {
        return words[tile][band] >> x & 1u;
    }
};

// How many pairs there can be: in each of 31 bands of a tile, up to 16, as each run above is
// linked, or in one pair, or, as runs of two values can touch crosswise, 32; at the sides of tiles,
// each pixel is in one pair, or with 8 neighbours in two.
#if MULTIVALUED && CONNECTIVITY == 8
#define TILE_PAIRS 1024
#else
#define TILE_PAIRS 512
#endif
#define SIDE_PAIRS (CONNECTIVITY == 8 ? 2 : 1)
#define BLOCK_PAIRS \
    (TILES * TILE_PAIRS + SIDE_PAIRS * ((TILES_X - 1) * BLOCK_H + (TILES_Y - 1) * BLOCK_W))

// Pairs of runs that are to be joined.
struct PairList {
    unsigned int *pairs;  // run1 << 16 | run2, BLOCK_PAIRS of them at most
    int *count;

    // Make room for some pairs of a thread; returns where the first is to be.
    __device__ __forceinline__ int room(int own) const
    {
        return own > 0 ? atomicAdd(count, own) : 0;
    }

    __device__ __forceinline__ void add(int run1, int run2) const
    {
        pairs[atomicAdd(count, 1)] = (unsigned int)run1 << 16 | (unsigned int)run2;
    }
};

#if TILES > 1 && MULTIVALUED
// List the pairs between this warp's tile and the tiles on its left and above: a lane per band,
// then a column. Where a pixel touches those above and above on the left, these two touch each
// other, and one pair is enough.
static __device__ __forceinline__ void list_sides(const Block &block, const PairList &list,
                                                  int tile, const Band &band)
{
    const int lane = threadIdx.x;
    const bool has_left = tile % TILES_X > 0;
    const bool has_right = tile % TILES_X < TILES_X - 1;
    const unsigned int up_left = band.up_left & ~band.up;
    const unsigned int up_right = band.up_right & ~band.up;
    if (has_left && (band.left & 1u)) {
        list.add(block.run(tile, lane, 0), block.run(tile - 1, lane, 31));
    }
    if (has_left && lane > 0 && (up_left & 1u)) {
        list.add(block.run(tile, lane, 0), block.run(tile - 1, lane - 1, 31));
    }
    if (has_right && lane > 0 && up_right >> 31) {
        list.add(block.run(tile, lane, 31), block.run(tile + 1, lane - 1, 0));
    }
    if (tile / TILES_X == 0) {
        return;  // all lanes together
    }
    const int above = tile - TILES_X;
    // Of pixels side by side in one run, the first is enough.
    const unsigned int faces = band.up & ~(band.up << 1 & ~band.starts);
    const bool face = __shfl_sync(ALL_LANES, faces, 0) >> lane & 1u;
    const bool left_corner = __shfl_sync(ALL_LANES, up_left, 0) >> lane & 1u;
    const bool right_corner = __shfl_sync(ALL_LANES, up_right, 0) >> lane & 1u;
    if (face) {
        list.add(block.run(tile, 0, lane), block.run(above, 31, lane));
    }
    if (left_corner && (lane > 0 || has_left)) {
        list.add(block.run(tile, 0, lane),
                 block.run(lane > 0 ? above : above - 1, 31, (lane - 1) & 31));
    }
    if (right_corner && (lane < 31 || has_right)) {
        list.add(block.run(tile, 0, lane),
                 block.run(lane < 31 ? above : above + 1, 31, (lane + 1) & 31));
    }
}
#elif TILES > 1
// List the pairs between this warp's tile and the tile on its right: a lane per band.
static __device__ __forceinline__ void list_right(const Block &block, const PairList &list,
                                                  int tile)
{
    const int band = threadIdx.x;
    const int right = tile + 1;
    const bool a = block.columns(tile, band) >> 31;
    const bool b = block.columns(right, band) & 1u;
    const bool a1 = band > 0 && block.columns(tile, band - 1) >> 31;
    const bool b1 = band > 0 && block.columns(right, band - 1) & 1u;
    if (faces(a, b, ROWS == 1 && a1, b1)) {
        list.add(block.run(tile, band, 31), block.run(right, band, 0));
    }
#if CONNECTIVITY == 8
    // The corners between this band and the next.
    if (band < 31) {
        const bool a_here = block.pixel(block.bottoms, tile, band, 31);
        const bool b_here = block.pixel(block.bottoms, right, band, 0);
        const bool a_next = block.pixel(block.tops, tile, band + 1, 31);
        const bool b_next = block.pixel(block.tops, right, band + 1, 0);
        if (corner(a_here, b_here, a_next, b_next)) {
            list.add(block.run(tile, band, 31), block.run(right, band + 1, 0));
        }
        if (corner(a_next, b_next, a_here, b_here)) {
            list.add(block.run(tile, band + 1, 31), block.run(right, band, 0));
        }
    }
#endif
}

// List the pairs between this warp's tile and the tile below it: a lane per column.
static __device__ __forceinline__ void list_below(const Block &block, const PairList &list,
                                                  int tile)
{
    const int x = threadIdx.x;
    const int below = tile + TILES_X;
    // Bits 1 to 32 are the pixels of the tile, bits 0 and 33 those beside it, if the block has
    // them.
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
        list.add(block.run(below, 0, x), block.run(tile, 31, x));
    }
#if CONNECTIVITY == 8
    const bool a2 = lower >> (x + 2) & 1u;
    const bool b2 = upper >> (x + 2) & 1u;
    if (corner(a, b, a1, b1)) {
        const int left = x > 0 ? tile : tile - 1;
        list.add(block.run(below, 0, x), block.run(left, 31, (x - 1) & 31));
    }
    if (corner(a, b, a2, b2)) {
        const int right = x < 31 ? tile : tile + 1;
        list.add(block.run(below, 0, x), block.run(right, 31, (x + 1) & 31));
    }
#endif
}
#endif

// Join all pairs of a list, by all threads of the block together. With 8 neighbours a tile is
// larger and has more pairs for each thread, so a thread has two under way and waits for both
// together. No thread may write to the table or the list since the block's last barrier.
#define PAIRS_AHEAD ROWS

static __device__ __forceinline__ void join_pairs(unsigned int *table, const PairList &list)
{
    int at = threadIdx.y * WARP_SIZE + threadIdx.x;
    const int count = *list.count;
    Pair open[PAIRS_AHEAD] = {};
    bool left = false;
    while (__syncthreads_or(left || at < count)) {  // all links are there
        unsigned int entries[2 * PAIRS_AHEAD];
        bool any = false;
#pragma unroll
        for (int k = 0; k < PAIRS_AHEAD; ++k) {
            if (!open[k].open() && at < count) {
                open[k] = {(int)(list.pairs[at] >> 16), (int)(list.pairs[at] & 0xFFFFu)};
                at += TILES * WARP_SIZE;
            }
            entries[2 * k] = entries[2 * k + 1] = 0;
            if (open[k].open()) {
                entries[2 * k] = table[open[k].run1];
                entries[2 * k + 1] = table[open[k].run2];
                any = true;
            }
        }
        walk(table, entries, any);
        __syncthreads();  // all have walked
        left = false;
#pragma unroll
        for (int k = 0; k < PAIRS_AHEAD; ++k) {
            if (open[k].open()) {
                open[k] = link_roots(table, entries[2 * k], entries[2 * k + 1]);
                left = left || open[k].open();
            }
        }
    }
}

// Join the runs of a block. The list has the pairs within the tiles, and no thread may write to it
// since the block's last barrier.
static __device__ __forceinline__ void join_runs(const Block &block, const PairList &list, int tile,
                                                 const Band &band)
{
#if TILES > 1
#if MULTIVALUED
    list_sides(block, list, tile, band);
#else
    if (tile % TILES_X < TILES_X - 1) {
        list_right(block, list, tile);
    }
    if (tile / TILES_X < TILES_Y - 1) {
        list_below(block, list, tile);
    }
#endif
    __syncthreads();  // all pairs are listed
#endif
    join_pairs(block.table, list);
}
