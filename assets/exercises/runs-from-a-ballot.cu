// Exercise: find the start of a run in a ballot (HA4).
//
// A ballot gives every lane of a warp one number with 32 bits: bit i says whether the cell of lane
// i is filled. Neighbouring ones are a run. From the bits each lane can see how far its run reaches
// to the left, without reading memory.
//
// common/union_find.cuh has find_root(labels, cell), which follows labels to the root of a cell's
// tree, and merge(labels, a, b), which joins the trees of two cells. common/warp.cuh has WARP_SIZE,
// which is 32, and ALL_LANES, the mask that names all lanes of a warp.

#include "common/block_row.cuh"
#include "common/union_find.cuh"
#include "common/warp.cuh"

#ifndef BLOCK_H
#define BLOCK_H 4
#endif

// How many filled cells lie directly to the left of bit tx in a ballot: the way back to the start
// of the run. Bit i belongs to lane i, so bit 0 is the leftmost cell. tx is 0 to 32.
static __device__ int start_distance(unsigned int pixels, int tx)
{
    // GAP 1: count the ones directly below bit tx, without a loop. __clz(v) returns how many zeros
    // stand at the top of v, from bit 31 down. A shift by 32 is not defined in C.
    return 0;
    // END OF GAP 1
}

// The length of the run that reaches the right edge of 32 columns. `before` is how far it reaches
// to the left of them.
static __device__ int run_at_edge(unsigned int pixels, int before)
{
    const int distance = start_distance(pixels, WARP_SIZE);
    return distance == WARP_SIZE ? before + distance : distance;
}

// A block labels a strip of BLOCK_H rows, 32 columns in each turn. A warp has one row of the strip,
// and a lane one column. Only the first cell of a run gets a label.
extern "C" __global__ void ha4_strip_labeling(const unsigned char *image, int *labels, int width,
                                              int height)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int y = block_row() * BLOCK_H + ty;
    int distance_y = 0;   // length of the run that reaches in from the left, in this row
    int distance_y1 = 0;  // and in the row above

    for (int i = 0; i < width; i += WARP_SIZE) {
        const int k = y * width + tx + i;
        const bool p = y < height && i + tx < width && image[k] != 0;
        const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);
        int s_dist_y = start_distance(pixels_y, tx);
        if (p && s_dist_y == 0) {
            labels[k] = tx == 0 ? k - distance_y : k;
        }
        __syncthreads();  // the labels of all rows are stored
        const bool p1 = ty > 0 && y < height && i + tx < width && image[k - width] != 0;
        const unsigned int pixels_y1 = __ballot_sync(ALL_LANES, p1);
        int s_dist_y1 = start_distance(pixels_y1, tx);
        if (tx == 0) {
            s_dist_y = distance_y;
            s_dist_y1 = distance_y1;
        }
        if (p && p1) {
            merge(labels, k - s_dist_y, k - width - s_dist_y1);
        }

        distance_y1 = run_at_edge(pixels_y1, distance_y1);
        distance_y = run_at_edge(pixels_y, distance_y);
    }
}

// Joins the runs that touch across the border between two strips. A lane has one column.
extern "C" __global__ void ha4_strip_merge(const unsigned char *image, int *labels, int width,
                                           int height)
{
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WARP_SIZE + tx;
    const int y = (block_row() * blockDim.y + threadIdx.y + 1) * BLOCK_H;
    const bool inside = y < height && x < width;
    const int k = y * width + x;
    const bool p = inside && image[k] != 0;
    const bool p1 = inside && image[k - width] != 0;
    const unsigned int pixels_y = __ballot_sync(ALL_LANES, p);
    const unsigned int pixels_y1 = __ballot_sync(ALL_LANES, p1);
    if (p && p1) {
        const int s_dist_y = start_distance(pixels_y, tx);
        const int s_dist_y1 = start_distance(pixels_y1, tx);
        merge(labels, k - s_dist_y, k - width - s_dist_y1);
    }
}

// Gives every cell the root of its run.
//
// harmless race, one writer: ha4_relabeling.labels: while some threads relabel, others read the
//   same cells on their way to a root. The old label and the new one lead to the same root.
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
    if (p) {
        labels[k] = find_root(labels, k - s_dist);
    }
}
