// Runs of set bits in the bit mask that a warp's ballot gives: Hennequin et al. 2018, Algorithm 1.
//
// Bit i of `pixels` is the pixel of lane i. The paper's formulas shift a 32-bit word by 32 for the
// first lane (start) and the last lane (end), which C leaves undefined; the cases are taken apart
// here. Masks are unsigned, so shifts to the right bring in zeros.
#pragma once

#define WARP_SIZE 32
#define ALL_LANES 0xFFFFFFFFu

// How many set pixels lie directly to the left of position tx (0..32), without a gap.
//
// For a lane whose own pixel is set this is the distance to the start of its run: 0 at the start.
// At tx = 32 it is the length of the run that ends at the mask's right edge.
static __device__ __forceinline__ int start_distance(unsigned int pixels, int tx)
{
    return tx == 0 ? 0 : __clz(~(pixels << (WARP_SIZE - tx)));
}
