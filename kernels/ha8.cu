// HA8: an extension of HA4 to eight neighbours, made for this project. HA4 is that of A. Hennequin,
// L. Lacassagne, L. Cabaret, Q. Meunier, "A new Direct Connected Component Labeling and Analysis
// Algorithms for GPUs", DASIP 2018, section IV, which is 4-connected; see ha4.cu.
//
// The idea. As in HA4, ballots show runs of pixels, and only where a run starts is anything merged.
// With eight neighbours a run also touches a run of the row above that ends one column before it
// starts, or starts one column after it ends. Both show in the column where the later of the two
// runs starts: there the other run either is still present or has ended in the column just before.
// So one look to the left is all that HA8 adds, and runs that touch to the right are found by the
// run that they touch.
//
// Launch shape: blocks of 32 x BLOCK_H threads.
//   strip labelling: 1 x ceil(height / BLOCK_H) blocks, which walk along their strips.
//   strip merge:     ceil(width / 32) x ceil((strips - 1) / BLOCK_H) blocks.
//   relabelling:     HA4's own kernel (ha4_relabeling), which does not depend on the connectivity.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; must hold -1 before the first launch. A label is the linear
//              index y * width + x of a cell; -1 is background, and foreground not labelled yet.
//
// Differences from HA4 as published: what ha4.cu lists (background -1, any width and height, a
// second barrier), the look to the left, and that strip merge reads the 32 columns before its own
// as well: a run that ended there is reached through the first pixel of its part in them, the only
// one that has a label.

#include "common/block_row.cuh"
#include "common/runs.cuh"
#include "common/union_find.cuh"

#ifndef BLOCK_H
#define BLOCK_H 4
#endif

// Merge the runs of two rows that touch in this column and did not touch before it.
//
// p says whether the pixel k is set, before how many set pixels lie directly to its left; p1 and
// before1 say the same of the pixel k - width above. So k - before is the start of the run that the
// pixel belongs to, or, if it is not set, of the run that has just ended.
static __device__ __forceinline__ void merge_touching(int *labels, int k, int width, bool p,
                                                      int before, bool p1, int before1)
{
    const bool starts = p && before == 0;
    const bool starts1 = p1 && before1 == 0;
    const bool present = p || before > 0;
    const bool present1 = p1 || before1 > 0;
    if ((starts && present1) || (starts1 && present)) {
        merge(labels, k - before, k - width - before1);
    }
}

// Strip labelling, after HA4's Algorithm 3. A thread stands for one column of 32 in one row of the
// strip, and moves right by 32 in each turn.
//
// Invariant: the label of the first pixel of a run (of a run's part within 32 columns) is its own
// index, or that of a cell before it in the same component. The other pixels have none.
// Races: rows of the strip merge at the same time; merge() is made for that. shared_pixels is
// written and read between barriers.
extern "C" __global__ void ha8_strip_labeling(const unsigned char *image, int *labels, int width,
                                              int height)
{
    __shared__ unsigned int shared_pixels[BLOCK_H];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int y = block_row() * BLOCK_H + ty;
    const int line_base = y * width + tx;
    // Length of the run that reaches the left edge of these 32 columns, in this row and in the one
    // above. Lane 0 needs it for runs that go on as well as for runs that end there.
    int distance_y = 0;
    int distance_y1 = 0;

    for (int i = 0; i < width; i += WARP_SIZE) {
        const int k = line_base + i;
        const bool p = y < height && i + tx < width && image[k] != 0;
        const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);

        if (p && start_distance(pixels_y, tx) == 0) {
            labels[k] = tx == 0 ? k - distance_y : k;
        }
        if (tx == 0) {
            shared_pixels[ty] = pixels_y;
        }
        __syncthreads();  // masks and labels of all rows are there
        const unsigned int pixels_y1 = ty > 0 ? shared_pixels[ty - 1] : 0u;
        __syncthreads();  // all rows have read; the next turn may overwrite the masks

        const bool p1 = (pixels_y1 >> tx) & 1u;
        const int before = tx == 0 ? distance_y : start_distance(pixels_y, tx);
        const int before1 = tx == 0 ? distance_y1 : start_distance(pixels_y1, tx);
        merge_touching(labels, k, width, p, before, p1, before1);

        distance_y1 = run_at_edge(pixels_y1, distance_y1);
        distance_y = run_at_edge(pixels_y, distance_y);
    }
}

// Strip merge, after HA4's Algorithm 4. A thread stands for one column of a border: the first row
// of a strip and the last row of the strip above.
//
// A run longer than 32 columns is seen in parts; each part's first pixel already has a label, which
// leads to the run's start. The masks of the 32 columns before tell lane 0 where the part starts
// that reaches its left edge.
// Races: as in merge().
extern "C" __global__ void ha8_strip_merge(const unsigned char *image, int *labels, int width,
                                           int height)
{
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WARP_SIZE + tx;
    const int y = (block_row() * blockDim.y + threadIdx.y + 1) * BLOCK_H;
    const bool inside = y < height && x < width;
    // The columns before are inside for every lane, even where this warp's own columns are not.
    const bool left_inside = y < height && blockIdx.x > 0;
    const int k = y * width + x;
    const int k1 = k - width;

    const bool p = inside && image[k] != 0;
    const bool p1 = inside && image[k1] != 0;
    const bool left = left_inside && image[k - WARP_SIZE] != 0;
    const bool left1 = left_inside && image[k1 - WARP_SIZE] != 0;
    const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);
    const unsigned int pixels_y1 = __ballot_sync(ALL_LANES, p1);
    const unsigned int left_pixels_y = __ballot_sync(ALL_LANES, left);
    const unsigned int left_pixels_y1 = __ballot_sync(ALL_LANES, left1);

    const int before =
        tx == 0 ? start_distance(left_pixels_y, WARP_SIZE) : start_distance(pixels_y, tx);
    const int before1 =
        tx == 0 ? start_distance(left_pixels_y1, WARP_SIZE) : start_distance(pixels_y1, tx);
    if (inside) {
        merge_touching(labels, k, width, p, before, p1, before1);
    }
}
