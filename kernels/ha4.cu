// HA4: A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier, "A new Direct Connected Component
// Labeling and Analysis Algorithms for GPUs", DASIP 2018, section IV, Algorithms 1 to 5.
//
// The idea. The picture is cut into horizontal strips of BLOCK_H rows; a block labels a strip, each
// warp one of its rows. A ballot tells every lane which of the warp's 32 pixels are set, so a lane
// sees the run (the paper: segment) of its pixel without touching memory, and only the first pixel
// of a run reads or writes labels. Runs that touch runs of the row above are merged by
// union-find. Then the strips' borders are merged, and last every pixel gets the root of its run.
// Three launches, whatever the picture; 4-connected.
//
// Launch shape: blocks of 32 x BLOCK_H threads.
//   strip labelling: 1 x ceil(height / BLOCK_H) blocks; a block walks along its strip, 32 columns
//                    at a time, so it knows where runs began that reach in from the left.
//   strip merge:     ceil(width / 32) x ceil((strips - 1) / BLOCK_H) blocks; a warp merges 32
//                    columns of one border.
//   relabelling:     ceil(width / 32) x ceil(height / BLOCK_H) blocks.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; must hold -1 before the first launch. A label is the linear
//              index y * width + x of a cell; -1 is background, and foreground not labelled yet
//              (before relabelling only the first pixel of a run, or of a part of it, has a label).
//
// Differences from the paper:
// - Background is -1, not 0, so that pixel (0, 0), whose index is 0, can be foreground.
// - The paper wants a width that is a multiple of 32. Here lanes past the right edge take part in
//   every ballot and barrier with a pixel that is not set; the last strip may be short likewise.
// - Algorithm 3 has one barrier between the store and the load of shared_pixels. A warp that is
//   done early with its 32 columns then overwrites the mask that its neighbour has still to read.
//   The second barrier closes that gap; it is the one correction of VARIANT_PAPER. VARIANT_PRINTED
//   leaves it out, to see the race.
// - The distance operators avoid shifts by 32 (see common/runs.cuh).
// - variant=shared labels strips in shared memory first, which the paper calls inefficient, to
//   measure that: ha4_strip_labeling_shared, the last kernel here.
//
// harmless race, one writer: ha4_relabeling.labels: while some threads relabel, others read the
//   same cells on their way to a root; the old label and the new one lead to the same root.
// harmless race, minimum: ha4_strip_labeling_shared.strip: a walk of merge() reads a parent while
//   another thread lowers it; an old parent is still an ancestor.

#include "common/block_row.cuh"
#include "common/runs.cuh"
#include "common/union_find.cuh"
#include "common/variant.cuh"

#ifndef BLOCK_H
#define BLOCK_H 4
#endif
#ifndef STRIP_W
#define STRIP_W 32  // columns that a strip has room for in shared memory
#endif

// Algorithm 3, HA4_Strip_Labeling. A thread stands for one column of 32 in one row of the strip,
// and moves right by 32 in each turn.
//
// Invariant: the label of the first pixel of a run (of a run's part within 32 columns) is its own
// index, or that of a cell before it in the same component. The other pixels have none.
// Races: rows of the strip merge at the same time; merge() is made for that. shared_pixels is
// written and read between barriers.
extern "C" __global__ void ha4_strip_labeling(const unsigned char *image, int *labels, int width,
                                              int height)
{
    __shared__ unsigned int shared_pixels[BLOCK_H];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int y = block_row() * BLOCK_H + ty;
    const int line_base = y * width + tx;
    // Length of the run that reaches the left edge of these 32 columns, in this row and in the one
    // above. With these, lane 0 finds the start of a run that began left of the 32 columns.
    int distance_y = 0;
    int distance_y1 = 0;

    for (int i = 0; i < width; i += WARP_SIZE) {
        const int k = line_base + i;
        const bool p = y < height && i + tx < width && image[k] != 0;
        const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);
        int s_dist_y = start_distance(pixels_y, tx);

        if (p && s_dist_y == 0) {
            labels[k] = tx == 0 ? k - distance_y : k;
        }
        if (tx == 0) {
            shared_pixels[ty] = pixels_y;
        }
        __syncthreads();  // masks and labels of all rows are there
        const unsigned int pixels_y1 = ty > 0 ? shared_pixels[ty - 1] : 0u;
#if VARIANT != VARIANT_PRINTED
        __syncthreads();  // all rows have read; the next turn may overwrite the masks
#endif
        const bool p1 = (pixels_y1 >> tx) & 1u;
        int s_dist_y1 = start_distance(pixels_y1, tx);
        if (tx == 0) {
            s_dist_y = distance_y;
            s_dist_y1 = distance_y1;
        }
        // Two runs that touch share a column where one of them starts: merge there, and only there.
        if (p && p1 && (s_dist_y == 0 || s_dist_y1 == 0)) {
            merge(labels, k - s_dist_y, k - width - s_dist_y1);
        }

        distance_y1 = run_at_edge(pixels_y1, distance_y1);
        distance_y = run_at_edge(pixels_y, distance_y);
    }
}

// Algorithm 4, HA4_Strip_Merge. A thread stands for one column of a border: the first row of a
// strip and the last row of the strip above. Where a run of one starts over or under a run of the
// other, their trees are merged.
//
// A run longer than the 32 columns is seen in parts; each part's first pixel already has a label,
// which leads to the run's start.
// Races: as in merge().
extern "C" __global__ void ha4_strip_merge(const unsigned char *image, int *labels, int width,
                                           int height)
{
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WARP_SIZE + tx;
    const int y = (block_row() * blockDim.y + threadIdx.y + 1) * BLOCK_H;
    const bool inside = y < height && x < width;
    const int k = y * width + x;
    const int k1 = k - width;

    const bool p = inside && image[k] != 0;
    const bool p1 = inside && image[k1] != 0;
    const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);
    const unsigned int pixels_y1 = __ballot_sync(ALL_LANES, p1);
    if (p && p1) {
        const int s_dist_y = start_distance(pixels_y, tx);
        const int s_dist_y1 = start_distance(pixels_y1, tx);
        if (s_dist_y == 0 || s_dist_y1 == 0) {
            merge(labels, k - s_dist_y, k1 - s_dist_y1);
        }
    }
}

// Algorithm 5, HA4_Relabeling. The first pixel of each run walks to the root and hands it to the
// run's other pixels by a shuffle.
//
// Races: a thread writes its own pixel, while others walk through it. They read the old parent or
// the root; both lead to the root.
extern "C" __global__ void ha4_relabeling(const unsigned char *image, int *labels, int width,
                                          int height)
{
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WARP_SIZE + tx;
    const int y = block_row() * BLOCK_H + threadIdx.y;
    const int k = y * width + x;

    const bool p = y < height && x < width && image[k] != 0;
    const unsigned int pixels = __ballot_sync(ALL_LANES, p);
    const int s_dist = start_distance(pixels, tx);
    int label = 0;
    if (p && s_dist == 0) {
        label = find_root(labels, k);
    }
    label = __shfl_sync(ALL_LANES, label, tx - s_dist);
    if (p) {
        labels[k] = label;
    }
}

// Algorithm 3 in shared memory first, as earlier work labels its tiles: statement by statement as
// above, but `strip` holds the labels, which count from the strip's first cell. What has a label
// goes to device memory at the end. The code stands here a second time, and not as a template of
// both, so that each kernel can be read beside the paper.
//
// Invariant and races: as above.
extern "C" __global__ void ha4_strip_labeling_shared(const unsigned char *image, int *labels,
                                                     int width, int height)
{
    __shared__ unsigned int shared_pixels[BLOCK_H];
    __shared__ int strip[BLOCK_H * STRIP_W];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int y = block_row() * BLOCK_H + ty;
    const int first = (int)(block_row() * BLOCK_H) * width;
    const int line_base = y * width + tx - first;
    const int end = ty * width + width;
    int distance_y = 0;
    int distance_y1 = 0;

    for (int k = ty * width + tx; k < end; k += WARP_SIZE) {
        strip[k] = -1;
    }
    __syncthreads();
    for (int i = 0; i < width; i += WARP_SIZE) {
        const int k = line_base + i;
        const bool p = y < height && i + tx < width && image[first + k] != 0;
        const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);
        int s_dist_y = start_distance(pixels_y, tx);

        if (p && s_dist_y == 0) {
            strip[k] = tx == 0 ? k - distance_y : k;
        }
        if (tx == 0) {
            shared_pixels[ty] = pixels_y;
        }
        __syncthreads();  // masks and labels of all rows are there
        const unsigned int pixels_y1 = ty > 0 ? shared_pixels[ty - 1] : 0u;
        __syncthreads();  // all rows have read; the next turn may overwrite the masks
        const bool p1 = (pixels_y1 >> tx) & 1u;
        int s_dist_y1 = start_distance(pixels_y1, tx);
        if (tx == 0) {
            s_dist_y = distance_y;
            s_dist_y1 = distance_y1;
        }
        if (p && p1 && (s_dist_y == 0 || s_dist_y1 == 0)) {
            merge(strip, k - s_dist_y, k - width - s_dist_y1);
        }

        distance_y1 = run_at_edge(pixels_y1, distance_y1);
        distance_y = run_at_edge(pixels_y, distance_y);
    }
    __syncthreads();
    for (int k = ty * width + tx; k < end; k += WARP_SIZE) {
        if (strip[k] >= 0) {
            labels[first + k] = first + strip[k];
        }
    }
}
