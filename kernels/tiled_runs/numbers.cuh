// Numbers of components: a prefix sum over words of flags (Stava and Benes 2011, section 35.4.2).
#pragma once

#include "tiled_runs/shapes.cuh"

#define SCAN_THREADS 256
#define SCAN_EACH 8
#define SCAN_WORDS (SCAN_THREADS * SCAN_EACH)

// The label of a component whose first pixel is at (x, y): the pixel's index, or, where components
// are numbered, one more than the first pixels before it.
#if NUMBERED
static __device__ __forceinline__ int label_of(const unsigned int *roots, const int *ranks, int pitch,
                                               int x, int y)
{
    const long long at = (long long)y * pitch + x / 32;
    return ranks[at] + __popc(roots[at] & ((1u << x % 32) - 1u)) + 1;
}
#define BACKGROUND 0
#else
#define BACKGROUND -1
#endif

// The sum of a value over the block; all threads must call, and get it.
static __device__ __forceinline__ int block_sum(int value, int *shared)
{
    const int warp = threadIdx.x / WARP_SIZE;
    for (int step = WARP_SIZE / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    __syncthreads();  // those who read an earlier sum are done
    if (threadIdx.x % WARP_SIZE == 0) {
        shared[warp] = value;
    }
    __syncthreads();
    int sum = 0;
    for (int other = 0; other < SCAN_THREADS / WARP_SIZE; ++other) {
        sum += shared[other];
    }
    return sum;
}

// The words of a thread; those behind the last are 0. `count` is a multiple of 4.
static __device__ __forceinline__ void load_words(const unsigned int *roots, int count,
                                                  unsigned int *words)
{
    const long long first = ((long long)blockIdx.x * SCAN_THREADS + threadIdx.x) * SCAN_EACH;
#pragma unroll
    for (int four = 0; four < SCAN_EACH; four += 4) {
        uint4 loaded = {0, 0, 0, 0};
        if (first + four < count) {
            loaded = *(const uint4 *)(roots + first + four);
        }
        words[four] = loaded.x;
        words[four + 1] = loaded.y;
        words[four + 2] = loaded.z;
        words[four + 3] = loaded.w;
    }
}
