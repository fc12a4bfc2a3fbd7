// A warp turns the words of its tile back into pixels and writes their labels.
#pragma once

#include "tiled_runs/words.cuh"

#if NUMBERED
#define BACKGROUND 0
#else
#define BACKGROUND (-1)
#endif

// What `runs` says of four runs of a tile; nothing where these are behind the last.
static __device__ __forceinline__ ushort4 load_codes(const unsigned short *runs, int first,
                                                     int count)
{
    return first < count ? *(const ushort4 *)(runs + first) : make_ushort4(0, 0, 0, 0);
}

// Write the labels of a tile that begins at pixel (tile_x, tile_y) of the image. A lane knows the
// rows of its band, where their runs begin, and the number of the band's first run in `run_labels`,
// which has the label of each run.
//
// Eight lanes write a row, four pixels each, where rows begin at multiples of four pixels,
// otherwise a lane per pixel.
static __device__ __forceinline__ void write_tile(const int *run_labels, unsigned int top,
                                                  unsigned int bottom, unsigned int own_starts,
                                                  int base, int *labels, int tile_x, int tile_y,
                                                  int width, int height)
{
    const int lane = threadIdx.x;
    const unsigned int columns = top | bottom;
    if ((((unsigned long long)labels >> 2 | (unsigned int)width) & 3u) == 0) {
        const int x = lane % 8 * 4;
        int *out = labels + (long long)(tile_y + lane / 8 * ROWS) * width + tile_x + x;
        const bool inside = tile_x + x < width;
#pragma unroll 2
        for (int band = lane / 8; band < 32; band += 4) {
            const unsigned int filled = __shfl_sync(ALL_LANES, columns, band);
            const unsigned int starts = starts_of_lane(filled, own_starts, band);
            const int before = __shfl_sync(ALL_LANES, base, band) - 1;
            int of_column[4];  // the label of each column's run
            int run = before + __popc(starts & ((1u << x) - 1u));
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                run += starts >> (x + k) & 1u;
                of_column[k] = filled >> (x + k) & 1u ? run_labels[run] : BACKGROUND;
            }
#pragma unroll
            for (int row = 0; row < ROWS; ++row) {
                int four[4];
#if ROWS == 2
                const unsigned int pixels =
                    __shfl_sync(ALL_LANES, row == 0 ? top : bottom, band) >> x;
#else
                const unsigned int pixels = filled >> x;
#endif
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    four[k] = pixels >> k & 1u ? of_column[k] : BACKGROUND;
                }
                if (inside && tile_y + band * ROWS + row < height) {
                    // Stored past the caches: nobody reads labels here.
                    __stcs((int4 *)(out + (long long)row * width),
                           make_int4(four[0], four[1], four[2], four[3]));
                }
            }
            out += (long long)4 * ROWS * width;
        }
    } else {
        int *out = labels + (long long)tile_y * width + tile_x + lane;
        const unsigned int upto = 0xFFFFFFFFu >> (31 - lane);
#pragma unroll 4
        for (int y = 0; y < TILE_H; ++y) {
            const int band = y / ROWS;
            const unsigned int filled = __shfl_sync(ALL_LANES, columns, band);
            const unsigned int starts = starts_of_lane(filled, own_starts, band);
            const int run = __shfl_sync(ALL_LANES, base, band) + __popc(starts & upto) - 1;
            const unsigned int pixels =
                __shfl_sync(ALL_LANES, y % ROWS == 0 ? top : bottom, band);
            if (tile_y + y < height && tile_x + lane < width) {
                *out = pixels >> lane & 1u ? run_labels[run] : BACKGROUND;
            }
            out += width;
        }
    }
}
