// Runs of set bits in the bit masks that a warp's ballots give: Hennequin et al. 2018, Algorithm 1
// (32 pixels, one a lane) and Algorithm 7 (64 pixels, two a lane).
//
// Bit i of `pixels` is pixel i of the warp's columns. The paper's formulas shift a word by its own
// width for the first pixel (start) and the last (end), which C leaves undefined; the cases are
// taken apart here. Masks are unsigned, so shifts to the right bring in zeros.
#pragma once

#include "common/warp.cuh"

// How many set pixels lie directly to the left of position tx (0..32), without a gap.
//
// For a lane whose own pixel is set this is the distance to the start of its run: 0 at the start.
// At tx = 32 it is the length of the run that ends at the mask's right edge.
static __device__ __forceinline__ int start_distance(unsigned int pixels, int tx)
{
    return tx == 0 ? 0 : __clz(~(pixels << (WARP_SIZE - tx)));
}

// Length of the run that reaches a mask's right edge; 0 if the last pixel is not set. `before` is
// the length of the run that reaches the mask's left edge from further left: it counts if all of
// the mask is set.
static __device__ __forceinline__ int run_at_edge(unsigned int pixels, int before)
{
    const int distance = start_distance(pixels, WARP_SIZE);
    return distance == WARP_SIZE ? before + distance : distance;
}

// How many set pixels lie at position tx (0..31) and directly to the right of it, the first counted
// whether it is set or not. At the start of a run this is the run's length.
static __device__ __forceinline__ int end_distance(unsigned int pixels, int tx)
{
    return __ffs((int)~((pixels >> tx) >> 1));
}

// The mask of 64 pixels: lane t gives pixel t and pixel t + 32. All lanes must call.
static __device__ __forceinline__ unsigned long long ballot_64(bool low, bool high)
{
    const unsigned int pixels_low = __ballot_sync(ALL_LANES, low);
    const unsigned int pixels_high = __ballot_sync(ALL_LANES, high);
    return ((unsigned long long)pixels_high << 32) | pixels_low;
}

// Whether pixel tx (0..63) of a mask is set.
static __device__ __forceinline__ bool get_bit_64(unsigned long long pixels, int tx)
{
    return (pixels >> tx) & 1u;
}

// The pixel that a lane answers for, of the two at 2 * lane and 2 * lane + 1: the first that is
// set, and the second if none is (the paper's txb). The other one cannot be the start of a run.
static __device__ __forceinline__ int pixel_of_pair(unsigned long long pixels, int lane)
{
    return 2 * lane + (get_bit_64(pixels, 2 * lane) ? 0 : 1);
}

// As start_distance, in a mask of 64 pixels; tx is 0..64.
static __device__ __forceinline__ int start_distance_64(unsigned long long pixels, int tx)
{
    return tx == 0 ? 0 : __clzll((long long)~(pixels << (2 * WARP_SIZE - tx)));
}

// As end_distance, in a mask of 64 pixels; tx is 0..63.
static __device__ __forceinline__ int end_distance_64(unsigned long long pixels, int tx)
{
    return __ffsll((long long)~((pixels >> tx) >> 1));
}

// As run_at_edge, for a mask of 64 pixels.
static __device__ __forceinline__ int run_at_edge_64(unsigned long long pixels, int before)
{
    const int distance = start_distance_64(pixels, 2 * WARP_SIZE);
    return distance == 2 * WARP_SIZE ? before + distance : distance;
}
