// Rows of 32 pixels as words: operations on their bits, and how a tile's pixels become words.
#pragma once

#include "tiled_runs/shapes.cuh"

// Bits 0 to the lowest set bit of a word.
static __device__ __forceinline__ unsigned int up_to_lowest(unsigned int word)
{
    return word ^ (word - 1u);
}

// The pixels that begin a run: set, with none on the left.
static __device__ __forceinline__ unsigned int run_starts(unsigned int word)
{
    return word & ~(word << 1);
}

// Four bytes to four bits: bit k is set where byte k is not 0.
//
// Adding 127 to the lower seven bits of a byte carries into its eighth bit unless they are all 0;
// no byte overflows into the next. The product then moves the four bits side by side.
static __device__ __forceinline__ unsigned int pack_bytes(unsigned int bytes)
{
    const unsigned int set = (((bytes & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | bytes) & 0x80808080u;
    return ((set >> 7) * 0x10204080u) >> 28;
}

// The bits of 16 pixels that lie one after another, from an address that is a multiple of 16.
static __device__ __forceinline__ unsigned int pack_16(const unsigned char *pixels)
{
    const uint4 bytes = *(const uint4 *)pixels;
    return pack_bytes(bytes.x) | pack_bytes(bytes.y) << 4 | pack_bytes(bytes.z) << 8 |
           pack_bytes(bytes.w) << 12;
}

// A band: the words of its rows, and the columns that have a pixel in any of them.
struct Band {
    unsigned int top;
    unsigned int bottom;  // the same as top where a band has one row
    unsigned int columns;
    unsigned int starts;  // the columns that begin a run
#if MULTIVALUED
    unsigned int left;  // pixels of the same value as their left neighbour, also in other tiles
    unsigned int up;    // and above, and so on
    unsigned int up_left;
    unsigned int up_right;
#endif
};

// Where the runs of a band begin, of which a lane has the columns and, where values differ, the
// starts. All lanes must call.
static __device__ __forceinline__ unsigned int starts_of_lane(unsigned int columns,
                                                              unsigned int own, int lane)
{
#if MULTIVALUED
    return __shfl_sync(ALL_LANES, own, lane);
#else
    return run_starts(columns);
#endif
}

#if MULTIVALUED
#include "tiled_runs/values.cuh"
#else
// The band of this lane in a tile that begins at pixel (x, y). Pixels outside the image are not
// set. All lanes must call.
//
// Where rows begin at multiples of 16 bytes, a lane loads its own rows, 16 pixels at a time.
// Otherwise the warp loads row after row, a lane per pixel, and a ballot makes the word.
static __device__ __forceinline__ Band load_band(const unsigned char *image, int x, int y,
                                                 int width, int height)
{
    const int lane = threadIdx.x;
    unsigned int words[ROWS] = {};
    if ((((unsigned long long)image | (unsigned int)width) & 15u) == 0) {
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            const int at = y + lane * ROWS + row;
            if (at < height) {
                const unsigned char *pixels = image + (long long)at * width + x;
                words[row] = x < width ? pack_16(pixels) : 0u;
                words[row] |= x + 16 < width ? pack_16(pixels + 16) << 16 : 0u;
            }
        }
    } else {
        const unsigned char *column = image + (long long)y * width + x + lane;
#pragma unroll 8
        for (int at = 0; at < TILE_H; ++at) {
            const bool inside = x + lane < width && y + at < height;
            const unsigned int word =
                __ballot_sync(ALL_LANES, inside && column[(long long)at * width] != 0);
            words[at % ROWS] = at / ROWS == lane ? word : words[at % ROWS];
        }
    }
    const unsigned int columns = words[0] | words[ROWS - 1];
    return {words[0], words[ROWS - 1], columns, run_starts(columns)};
}
#endif

// The sum of a value over the lanes before this one. All lanes must call.
static __device__ __forceinline__ int sum_before(int value)
{
    int sum = value;
#pragma unroll
    for (int step = 1; step < WARP_SIZE; step *= 2) {
        const int other = __shfl_up_sync(ALL_LANES, sum, step);
        sum += (int)threadIdx.x >= step ? other : 0;
    }
    return sum - value;
}

// The set bits from the lowest set bit of `from` to the end of the run of `word` that it lies in.
// Adding the bit carries through the run: what the sum has lost is the run.
static __device__ __forceinline__ unsigned int run_from(unsigned int word, unsigned int from)
{
    const unsigned int lowest = from & (0u - from);
    return word & ~(word + lowest);
}
