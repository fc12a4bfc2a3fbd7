// HA4 analysis: A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier, "A new Direct Connected
// Component Labeling and Analysis Algorithms for GPUs", DASIP 2018, section IV.D, Algorithm 6, and
// the straightforward kernel of section II.C that it is compared with.
//
// The idea. The features of components do not need labels at every pixel. After HA4's
// strip labelling and strip merge (ha4.cu), the first pixel of each run finds the root of its tree
// and adds to it what the ballot says of the whole run: with a run from x to x + count - 1 in row
// y, the number of pixels is count, the sum of x an arithmetic series, the sum of y is y * count.
// The straightforward way labels every pixel first, and then every pixel adds itself: one atomic a
// pixel and feature, all at the same address.
//
// Launch shape: blocks of 32 x 4 threads (any height), ceil(width / 32) x ceil(height / 4) blocks;
// with two pixels per thread (ha4_64_features) ceil(width / 64) blocks across.
// In:  image   uint8, height x width, 0 is background
//      labels  int32, height x width; for ha4_features the first pixel of each run, or of a part of
//              it that begins at a multiple of 32 columns, leads to the root; for the naive kernel
//              every pixel holds its root
// Out: features, each height x width, of which only the elements at roots mean anything:
//      count, sum_x, sum_y          must hold 0 before the launch
//      min_x, min_y, max_x, max_y   int32; minima must hold a number that no coordinate exceeds,
//                                   maxima 0
//      count is int32; sums are uint32, or uint64 where SUM_BITS is 64: the host chooses what the
//      grid's size asks for.
//
// Differences from the paper:
// - Sums may have 64 bits; the paper's 32 overflow on large components.
// - end_distance shifts by 32 in the last lane, which C leaves undefined: see common/runs.cuh.
// - The paper notes that min_y is known from the root's index; it is kept, as in Algorithm 6.

#include "common/block_row.cuh"
#include "common/runs.cuh"
#include "common/union_find.cuh"

#ifndef SUM_BITS
#define SUM_BITS 64
#endif

#if SUM_BITS == 64
typedef unsigned long long Sum;
#else
typedef unsigned int Sum;
#endif

// Add a run of `pixels` pixels that begins at cell k = (x, y) to its root.
static __device__ __forceinline__ void add_run(const int *labels, int *count, Sum *sum_x,
                                               Sum *sum_y, int *min_x, int *min_y, int *max_x,
                                               int *max_y, int k, int x, int y, int pixels)
{
    const int last_x = x + pixels - 1;
    const int root = find_root(labels, k);
    atomicAdd(&count[root], pixels);
    // The sum of x to last_x; one of the factors is even, so nothing is lost.
    const unsigned long long ends = (unsigned long long)x + last_x;
    atomicAdd(&sum_x[root], (Sum)(ends * (unsigned long long)pixels / 2));
    atomicAdd(&sum_y[root], (Sum)y * (Sum)pixels);
    atomicMin(&min_x[root], x);
    atomicMin(&min_y[root], y);
    atomicMax(&max_x[root], last_x);
    atomicMax(&max_y[root], y);
}

// Algorithm 6, HA4_Features. The thread of a run's first pixel walks to the root and adds the run.
//
// Invariant: no label changes here, so every run of a component ends at the same root.
// Races: runs add to the same root; each addition, minimum and maximum is one atomic operation, and
// their order does not matter.
extern "C" __global__ void ha4_features(const unsigned char *image, const int *labels, int *count,
                                        Sum *sum_x, Sum *sum_y, int *min_x, int *min_y, int *max_x,
                                        int *max_y, int width, int height)
{
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WARP_SIZE + tx;
    const int y = block_row() * blockDim.y + threadIdx.y;
    const int k = y * width + x;

    const bool p = y < height && x < width && image[k] != 0;
    const unsigned int pixels = __ballot_sync(ALL_LANES, p);
    if (p && start_distance(pixels, tx) == 0) {
        add_run(labels, count, sum_x, sum_y, min_x, min_y, max_x, max_y, k, x, y,
                end_distance(pixels, tx));
    }
}

// Algorithm 6 with the operators of Algorithm 7: a warp takes 64 columns, and each thread answers
// for the one pixel of its pair that can start a run.
//
// Invariant and races: as above.
extern "C" __global__ void ha4_64_features(const unsigned char *image, const int *labels,
                                           int *count, Sum *sum_x, Sum *sum_y, int *min_x,
                                           int *min_y, int *max_x, int *max_y, int width,
                                           int height)
{
    const int lane = threadIdx.x;
    const int left = blockIdx.x * 2 * WARP_SIZE;
    const int y = block_row() * blockDim.y + threadIdx.y;
    const int low = left + lane;
    const int high = low + WARP_SIZE;
    const unsigned long long pixels =
        ballot_64(y < height && low < width && image[y * width + low] != 0,
                  y < height && high < width && image[y * width + high] != 0);
    const int first = pixel_of_pair(pixels, lane);
    if (get_bit_64(pixels, first) && start_distance_64(pixels, first) == 0) {
        const int x = left + first;
        add_run(labels, count, sum_x, sum_y, min_x, min_y, max_x, max_y, y * width + x, x, y,
                end_distance_64(pixels, first));
    }
}

// The straightforward kernel of section II.C. The thread of each pixel adds that pixel to the root
// that its label names.
//
// Races: as above, only more of them: all pixels of a component meet at one address.
extern "C" __global__ void ha4_features_naive(const unsigned char *image, const int *labels,
                                              int *count, Sum *sum_x, Sum *sum_y, int *min_x,
                                              int *min_y, int *max_x, int *max_y, int width,
                                              int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || image[y * width + x] == 0) {
        return;
    }
    const int root = labels[y * width + x];
    atomicAdd(&count[root], 1);
    atomicAdd(&sum_x[root], (Sum)x);
    atomicAdd(&sum_y[root], (Sum)y);
    atomicMin(&min_x[root], x);
    atomicMin(&min_y[root], y);
    atomicMax(&max_x[root], x);
    atomicMax(&max_y[root], y);
}
