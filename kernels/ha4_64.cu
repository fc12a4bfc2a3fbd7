// HA4 with two pixels per thread: A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier, "A new
// Direct Connected Component Labeling and Analysis Algorithms for GPUs", DASIP 2018, section IV.E,
// Algorithm 7, applied to Algorithms 3 to 5.
//
// The idea. In HA4 only the first pixel of a run works, and of two neighbouring pixels at most one
// is the first of a run: half of the threads are idle in every picture. So a warp takes 64 columns.
// Two ballots make one 64-bit mask, and each thread answers for the one pixel of its pair that can
// start a run. All else is HA4: strips of BLOCK_H rows, strip merge, relabelling; 4-connected.
//
// Launch shape: blocks of 32 x BLOCK_H threads, which stand for 64 x BLOCK_H pixels.
//   strip labelling: 1 x ceil(height / BLOCK_H) blocks, which walk along their strips.
//   strip merge:     ceil(width / 64) x ceil((strips - 1) / BLOCK_H) blocks.
//   relabelling:     ceil(width / 64) x ceil(height / BLOCK_H) blocks.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; must hold -1 before the first launch. A label is the linear
//              index y * width + x of a cell; -1 is background, and foreground not labelled yet.
//
// Differences from the paper:
// - As in ha4.cu: background is -1, any width and height, and a second barrier in strip labelling,
//   which VARIANT_PRINTED leaves out.
// - Algorithm 7 shifts by 64 - txb and by txb + 1, which is 64 at the first and the last pixel and
//   undefined in C; see common/runs.cuh. It also chooses the pixel of the pair inside the distance
//   operators; here pixel_of_pair() does, so that pixel and distance cannot disagree.
// - The paper does not spell out where two pixels per thread merge. Runs of two rows first touch
//   where a run of their overlap (the AND of the masks) starts, so the same choice, made in the
//   overlap, gives each pair its one candidate.
//
// harmless race, one writer: ha4_64_relabeling.labels: while some threads relabel, others read the
//   same cells on their way to a root; the old label and the new one lead to the same root.

#include "common/block_row.cuh"
#include "common/runs.cuh"
#include "common/union_find.cuh"
#include "common/variant.cuh"

#ifndef BLOCK_H
#define BLOCK_H 4
#endif

#define COLUMNS (2 * WARP_SIZE)

// The pixels of the columns from x on, in one row; all lanes of the warp get the mask. Pixels past
// the right edge, and rows that are not inside, are not set.
static __device__ __forceinline__ unsigned long long load_pixels(const unsigned char *image,
                                                                 int row_base, int x, int width,
                                                                 bool inside)
{
    const int low = x + (int)threadIdx.x;
    const int high = low + WARP_SIZE;
    return ballot_64(inside && low < width && image[row_base + low] != 0,
                     inside && high < width && image[row_base + high] != 0);
}

// Algorithm 3 with the operators of Algorithm 7. A warp stands for 64 columns in one row of the
// strip, and moves right by 64 in each turn.
//
// Invariant: the label of the first pixel of a run (of a run's part within 64 columns) is its own
// index, or that of a cell before it in the same component. The other pixels have none.
// Races: rows of the strip merge at the same time; merge() is made for that. shared_pixels is
// written and read between barriers.
extern "C" __global__ void ha4_64_strip_labeling(const unsigned char *image, int *labels, int width,
                                                 int height)
{
    __shared__ unsigned long long shared_pixels[BLOCK_H];

    const int lane = threadIdx.x;
    const int ty = threadIdx.y;
    const int y = block_row() * BLOCK_H + ty;
    const int row_base = y * width;
    // Length of the run that reaches the left edge of these 64 columns, in this row and in the one
    // above.
    int distance_y = 0;
    int distance_y1 = 0;

    for (int i = 0; i < width; i += COLUMNS) {
        const unsigned long long pixels_y = load_pixels(image, row_base, i, width, y < height);
        const int first = pixel_of_pair(pixels_y, lane);
        if (get_bit_64(pixels_y, first) && start_distance_64(pixels_y, first) == 0) {
            const int k = row_base + i + first;
            labels[k] = first == 0 ? k - distance_y : k;
        }
        if (lane == 0) {
            shared_pixels[ty] = pixels_y;
        }
        __syncthreads();  // masks and labels of all rows are there
        const unsigned long long pixels_y1 = ty > 0 ? shared_pixels[ty - 1] : 0u;
#if VARIANT != VARIANT_PRINTED
        __syncthreads();  // all rows have read; the next turn may overwrite the masks
#endif

        const unsigned long long overlap = pixels_y & pixels_y1;
        const int tx = pixel_of_pair(overlap, lane);
        if (get_bit_64(overlap, tx)) {
            const int s_dist_y = tx == 0 ? distance_y : start_distance_64(pixels_y, tx);
            const int s_dist_y1 = tx == 0 ? distance_y1 : start_distance_64(pixels_y1, tx);
            if (s_dist_y == 0 || s_dist_y1 == 0) {
                const int k = row_base + i + tx;
                merge(labels, k - s_dist_y, k - width - s_dist_y1);
            }
        }

        distance_y1 = run_at_edge_64(pixels_y1, distance_y1);
        distance_y = run_at_edge_64(pixels_y, distance_y);
    }
}

// Algorithm 4 with the operators of Algorithm 7. A warp stands for 64 columns of a border: the
// first row of a strip and the last row of the strip above.
//
// A run longer than the 64 columns is seen in parts; each part's first pixel already has a label,
// which leads to the run's start.
// Races: as in merge().
extern "C" __global__ void ha4_64_strip_merge(const unsigned char *image, int *labels, int width,
                                              int height)
{
    const int x = blockIdx.x * COLUMNS;
    const int y = (block_row() * blockDim.y + threadIdx.y + 1) * BLOCK_H;
    const int row_base = y * width;
    const bool inside = y < height;

    const unsigned long long pixels_y = load_pixels(image, row_base, x, width, inside);
    const unsigned long long pixels_y1 = load_pixels(image, row_base - width, x, width, inside);
    const unsigned long long overlap = pixels_y & pixels_y1;
    const int tx = pixel_of_pair(overlap, threadIdx.x);
    if (get_bit_64(overlap, tx)) {
        const int s_dist_y = start_distance_64(pixels_y, tx);
        const int s_dist_y1 = start_distance_64(pixels_y1, tx);
        if (s_dist_y == 0 || s_dist_y1 == 0) {
            const int k = row_base + x + tx;
            merge(labels, k - s_dist_y, k - width - s_dist_y1);
        }
    }
}

// Writes the label of pixel tx's run. Lane s / 2 holds the label of the run that starts at pixel s.
static __device__ __forceinline__ void relabel_pixel(int *labels, int row_base, int x, int tx,
                                                     unsigned long long pixels, int label)
{
    const int start = tx - start_distance_64(pixels, tx);
    const int of_run = __shfl_sync(ALL_LANES, label, start / 2);
    if (get_bit_64(pixels, tx)) {
        labels[row_base + x + tx] = of_run;
    }
}

// Algorithm 5 with the operators of Algorithm 7. The thread that answers for the first pixel of a
// run walks to the root and hands it to the run's other pixels by shuffles; each thread writes the
// two pixels that it loaded, so that a warp writes whole lines.
//
// Races: a thread writes its own pixels, while others walk through them. They read the old parent
// or the root; both lead to the root.
extern "C" __global__ void ha4_64_relabeling(const unsigned char *image, int *labels, int width,
                                             int height)
{
    const int lane = threadIdx.x;
    const int x = blockIdx.x * COLUMNS;
    const int y = block_row() * BLOCK_H + threadIdx.y;
    const int row_base = y * width;

    const unsigned long long pixels = load_pixels(image, row_base, x, width, y < height);
    const int first = pixel_of_pair(pixels, lane);
    int label = 0;
    if (get_bit_64(pixels, first) && start_distance_64(pixels, first) == 0) {
        label = find_root(labels, row_base + x + first);
    }
    relabel_pixel(labels, row_base, x, lane, pixels, label);
    relabel_pixel(labels, row_base, x, lane + WARP_SIZE, pixels, label);
}
