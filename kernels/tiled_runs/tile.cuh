// A warp labels its tile, a lane per band: each run is linked to the first run above that it
// touches. With which others above it is to be joined, goes to a list.
#pragma once

#include "tiled_runs/block.cuh"

// The first pixel of a run of a band in raster order, as an index into the block. `pixels` are the
// run's columns, `place` is the index of the first pixel of the band's top row.
static __device__ __forceinline__ int first_pixel(unsigned int top, unsigned int pixels, int place)
{
    const unsigned int upper = ROWS == 2 ? top & pixels : pixels;
    return upper != 0 ? place + __ffs((int)upper) - 1 : place + BLOCK_W + __ffs((int)pixels) - 1;
}

#if MULTIVALUED
// Which runs of this lane's band touch others above than that which they are linked to.
struct Others {
    unsigned int columns;  // a column of each such run above, and of the run below, too
    unsigned int corners;  // the last column of a run that touches one above by its right corner
};

// Link each run of this lane's band to the first run above that it touches; a run that touches none
// is a root. Returns the other runs above, for list_others(). A link has no place yet: it gets its
// root's when it is flattened. No two lanes write the same entry, and nobody reads one.
static __device__ __forceinline__ Others link_bands(unsigned int *table, const Band &band, int base,
                                                    int place)
{
    const bool top = threadIdx.x == 0;  // what is above lies in another tile
    const unsigned int up = top ? 0u : band.up;
    const unsigned int up_left = top ? 0u : band.up_left;
    const unsigned int up_right = top ? 0u : band.up_right;
    const unsigned int up_starts = __shfl_up_sync(ALL_LANES, band.starts, 1);
    const int up_last = __shfl_up_sync(ALL_LANES, base, 1) - 1;

    Others others = {0, 0};
    int run = base;
    for (unsigned int rest = band.columns; rest != 0; ++run) {
        const unsigned int filled = run_from(rest, rest);
        const unsigned int next = band.starts & filled & (filled - 1u);  // of those that follow
        const unsigned int pixels = filled & ((next & (0u - next)) - 1u);
        rest &= ~pixels;
        // The pixels above that the run touches. Those side by side are of one run: they have its
        // value.
        const unsigned int above =
            (pixels & up) | (pixels & up_left) >> 1 | (pixels & up_right) << 1;
        const unsigned int touched = run_starts(above);
        const int first = up_last + __popc(up_starts & up_to_lowest(touched));
        const int root = first_pixel(pixels, pixels, place) << INDEX_BITS | run;
        const unsigned int more = touched & (touched - 1u);
        others.columns |= more & pixels;
        others.corners |= (more & ~pixels) >> 1;
        table[run] = (unsigned int)(above != 0 ? first : root);
    }
    return others;
}

// List the other runs above that runs of this lane's band touch.
static __device__ __forceinline__ void list_others(const PairList &list, const Others &others,
                                                   const Band &band, int base)
{
    const unsigned int up_starts = __shfl_up_sync(ALL_LANES, band.starts, 1);
    const int up_last = __shfl_up_sync(ALL_LANES, base, 1) - 1;
    int at = list.room(__popc(others.columns) + __popc(others.corners));
    const auto add = [&](unsigned int column, unsigned int column_above) {
        const int run1 = base + __popc(band.starts & up_to_lowest(column)) - 1;
        const int run2 = up_last + __popc(up_starts & up_to_lowest(column_above));
        list.pairs[at++] = (unsigned int)run1 << 16 | (unsigned int)run2;
    };
    for (unsigned int rest = others.columns; rest != 0; rest &= rest - 1u) {
        add(rest, rest);
    }
    for (unsigned int rest = others.corners; rest != 0; rest &= rest - 1u) {
        add(rest, rest << 1);
    }
}
#else
// Link each run of this lane's band to the first run above that it touches; a run that touches none
// is a root. Returns one column of each other run above that runs of this band touch: those are for
// list_others(). A link has no place yet: it gets its root's when it is flattened. No two lanes
// write the same entry, and nobody reads one.
static __device__ __forceinline__ unsigned int link_bands(unsigned int *table, const Band &band,
                                                          int base, int place)
{
    const int lane = threadIdx.x;
    const unsigned int up = __shfl_up_sync(ALL_LANES, band.columns, 1);
    const unsigned int bottom = __shfl_up_sync(ALL_LANES, band.bottom, 1);
    const unsigned int up_bottom = lane == 0 ? 0u : bottom;
    const unsigned int up_starts = run_starts(up);
    const int up_last = __shfl_up_sync(ALL_LANES, base, 1) - 1;

    unsigned int others = 0;
    int run = base;
    for (unsigned int rest = band.columns; rest != 0; ++run) {
        const unsigned int pixels = run_from(rest, rest);
        rest &= ~pixels;
#if CONNECTIVITY == 8
        // The pixels above that touch the run, each with all that follow in its own run: adding
        // them carries through the run, and what the sum has lost is that. Where these stretches
        // begin, one run above each is touched.
        const unsigned int upper = band.top & pixels;
        const unsigned int above = (upper | upper << 1 | upper >> 1) & up_bottom;
        const unsigned int touched = run_starts((up & ~(up + above)) | above);
        const int first = up_last + __popc(up_starts & up_to_lowest(touched));
        const int root = first_pixel(band.top, pixels, place) << INDEX_BITS | run;
        others |= touched & (touched - 1u);
        table[run] = (unsigned int)(above != 0 ? first : root);
#else
        const unsigned int above = pixels & up_bottom;
        const unsigned int upto = up_to_lowest(above);
        others |= above & up_starts & ~upto;
        const int root = first_pixel(band.top, pixels, place) << INDEX_BITS | run;
        table[run] = (unsigned int)(above != 0 ? up_last + __popc(up_starts & upto) : root);
#endif
    }
    return others;
}

// List the other runs above that runs of this lane's band touch, of which link_bands() returned a
// column each. The run below is the last that begins at or before this column.
static __device__ __forceinline__ void list_others(const PairList &list, unsigned int others,
                                                   const Band &band, int base)
{
    const unsigned int up_starts = run_starts(__shfl_up_sync(ALL_LANES, band.columns, 1));
    const int up_last = __shfl_up_sync(ALL_LANES, base, 1) - 1;
    const unsigned int starts = band.starts;
    int at = list.room(__popc(others));
    for (; others != 0; others &= others - 1u) {
        const unsigned int upto = up_to_lowest(others);
        const int run1 = base + __popc(starts & upto) - 1;
        const int run2 = up_last + __popc(up_starts & upto);
        list.pairs[at++] = (unsigned int)run1 << 16 | (unsigned int)run2;
    }
}
#endif

// What a lane knows of its tile once that is labelled.
struct TileRuns {
    Band band;
    int first;  // index in the table of the tile's first run
    int base;   // and of the band's first run
    int count;  // the tile's runs
};

// Link and flatten the runs of this warp's tile, and list what is to be joined. The block begins at
// pixel (x, y) of the image.
static __device__ __forceinline__ TileRuns label_tile(const Block &block, const PairList &list,
                                                      int tile, const unsigned char *image, int x,
                                                      int y, int width, int height)
{
    const int lane = threadIdx.x;
    const int tile_x = 32 * (tile % TILES_X);  // the tile's first pixel within the block
    const int tile_y = TILE_H * (tile / TILES_X);
    TileRuns own;
    own.band = load_band(image, x + tile_x, y + tile_y, width, height);
    const int band_runs = __popc(own.band.starts);
    own.first = tile * TILE_RUNS;
    own.base = own.first + sum_before(band_runs);
    own.count = __shfl_sync(ALL_LANES, own.base + band_runs, 31) - own.first;
    const int place = (tile_y + lane * ROWS) * BLOCK_W + tile_x;
    block.tops[tile][lane] = own.band.top;
    block.bottoms[tile][lane] = own.band.bottom;
    block.bases[tile][lane] = own.base;
#if MULTIVALUED
    block.first_columns[tile][lane] = own.band.starts;
#endif

    const auto others = link_bands(block.table, own.band, own.base, place);
    __syncwarp();  // all runs are linked
    flatten_tile(block.table, own.first, own.count);
    list_others(list, others, own.band, own.base);
    return own;
}
