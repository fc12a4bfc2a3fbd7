// Numbers of components, in raster order of their first pixels.
//
// A bit for each pixel flags the first pixel of each component. The number of a component is one
// more than the flags before its own. A prefix sum over words of 32 flags (Stava and Benes 2011,
// section 35.4.2) is kept in two parts: `ranks`, uint16, says how many flags lie before a word in
// its chunk of SCAN_WORDS words, and `offsets`, int32, how many before a chunk.
#pragma once

#include "tiled_runs/words.cuh"

#define SCAN_THREADS 256
#define SCAN_EACH 8  // words of a thread
#define SCAN_WORDS (SCAN_THREADS * SCAN_EACH)

// The flags before a pixel in its word.
static __device__ __forceinline__ int flags_before(const unsigned int *flags, int pixel)
{
    return __popc(flags[pixel / 32] & ((1u << pixel % 32) - 1u));
}

// The flags of a grid, and the two parts of their prefix sum.
struct Numbers {
    const unsigned int *roots;
    const unsigned short *ranks;
    const int *offsets;
    int pitch;  // words in a row

    // The index of a word.
    __device__ __forceinline__ long long word(int x, int y) const
    {
        return (long long)y * pitch + x;
    }

    // The flags before a word.
    __device__ __forceinline__ int before(long long word) const
    {
        return offsets[word / SCAN_WORDS] + ranks[word];
    }

    // The number of the component whose first pixel is at (x, y).
    __device__ __forceinline__ int of(int x, int y) const
    {
        const long long at = word(x / 32, y);
        return before(at) + flags_before(roots + at, x % 32) + 1;
    }
};

// Lower the flag of a pixel whose component is part of another.
//
// Threads may lower flags of the same word: hence the atomic.
static __device__ __forceinline__ void lower_flag(unsigned int *roots, int pitch, int width,
                                                  unsigned int pixel)
{
    const unsigned int y = pixel / (unsigned int)width;
    const unsigned int x = pixel - y * (unsigned int)width;
    atomicAnd(&roots[(long long)y * pitch + x / 32], ~(1u << x % 32));
}

// The sum of a value over the threads of the block before this one, and over all of them. All
// threads must call. `shared` has an element for each warp.
struct BlockSum {
    int before;
    int all;
};

static __device__ __forceinline__ BlockSum block_sum(int value, int *shared)
{
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;
    int sum = value;
#pragma unroll
    for (int step = 1; step < WARP_SIZE; step *= 2) {
        const int other = __shfl_up_sync(ALL_LANES, sum, step);
        sum += lane >= step ? other : 0;
    }
    __syncthreads();  // those who read an earlier sum are done
    if (lane == WARP_SIZE - 1) {
        shared[warp] = sum;
    }
    __syncthreads();  // the sums of all warps are there
    BlockSum result = {sum - value, 0};
#pragma unroll
    for (int other = 0; other < SCAN_THREADS / WARP_SIZE; ++other) {
        result.before += other < warp ? shared[other] : 0;
        result.all += shared[other];
    }
    return result;
}

// Count the flags before each of COUNT words, and in all, by one warp. A lane has words side by
// side.
template <int COUNT>
static __device__ __forceinline__ void rank_words(const unsigned int *words, int *ranks, int *total)
{
    const int each = (COUNT + WARP_SIZE - 1) / WARP_SIZE;
    const int first = threadIdx.x * each;
    int counts[each];
    int own = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
        counts[k] = first + k < COUNT ? __popc(words[first + k]) : 0;
        own += counts[k];
    }
    int rank = sum_before(own);
#pragma unroll
    for (int k = 0; k < each; ++k) {
        if (first + k < COUNT) {
            ranks[first + k] = rank;
        }
        rank += counts[k];
    }
    if (threadIdx.x == WARP_SIZE - 1) {
        *total = rank;
    }
}

// Write the ranks of a chunk's words, and return how many flags it has. A thread has SCAN_EACH
// words, which it loads four at a time; `word_count` is a multiple of 4.
static __device__ __forceinline__ int rank_chunk(const unsigned int *roots, unsigned short *ranks,
                                                 int word_count, int *shared)
{
    const long long first = ((long long)blockIdx.x * SCAN_THREADS + threadIdx.x) * SCAN_EACH;
    unsigned int words[SCAN_EACH];
#pragma unroll
    for (int four = 0; four < SCAN_EACH; four += 4) {
        uint4 loaded = {0, 0, 0, 0};
        if (first + four < word_count) {
            loaded = *(const uint4 *)(roots + first + four);
        }
        words[four] = loaded.x;
        words[four + 1] = loaded.y;
        words[four + 2] = loaded.z;
        words[four + 3] = loaded.w;
    }
    int own = 0;
#pragma unroll
    for (int k = 0; k < SCAN_EACH; ++k) {
        own += __popc(words[k]);
    }
    const BlockSum sum = block_sum(own, shared);
    int rank = sum.before;
#pragma unroll
    for (int four = 0; four < SCAN_EACH; four += 4) {
        unsigned short of[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            of[k] = (unsigned short)rank;
            rank += __popc(words[four + k]);
        }
        if (first + four < word_count) {
            *(ushort4 *)(ranks + first + four) = make_ushort4(of[0], of[1], of[2], of[3]);
        }
    }
    return sum.all;
}
