// Exercise: label with the fewest bytes moved. This one is free: change what you like.
//
// The host launches four kernels, one after the other, each with a thread for each cell, in blocks
// of 32 x 8 threads: komura_init, komura_analysis, komura_reduction, komura_analysis. What each of
// them does is up to you, as long as the labels are right in the end: all cells of a component hold
// one number of 0 or more that no other component has, and background holds -1.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/warp.cuh"

#define BACKGROUND (-1)

// GAP 1: all of it. As it stands it is Komura's method, which moves more bytes than it needs to.
static __device__ int find_root(const int *labels, int label)
{
    int parent = labels[label];
    while (parent != label) {
        label = parent;
        parent = labels[label];
    }
    return label;
}

// Join the trees of two cells. atomicMin returns what was there before: if that was no root any
// more, another thread was faster, and its tree is joined, too.
static __device__ void join_trees(int *labels, int a, int b)
{
    a = find_root(labels, a);
    b = find_root(labels, b);
    while (a != b) {
        const int high = max(a, b);
        const int low = min(a, b);
        const int old = atomicMin(&labels[high], low);
        a = old == high ? low : old;
        b = low;
    }
}

// Each cell names its upper neighbour, or else its left one, or else itself.
extern "C" __global__ void komura_init(const unsigned char *image, int *labels, int width,
                                       int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int cell = y * width + x;
    int label = BACKGROUND;
    if (image[cell] != 0) {
        label = cell;
        if (y > 0 && connected(image, cell, cell - width)) {
            label = cell - width;
        } else if (x > 0 && connected(image, cell, cell - 1)) {
            label = cell - 1;
        }
    }
    labels[cell] = label;
}

// Each cell takes the address of its root.
extern "C" __global__ void komura_analysis(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || labels[y * width + x] == BACKGROUND) {
        return;
    }
    const int cell = y * width + x;
    labels[cell] = find_root(labels, cell);
}

// A cell that connects upwards and to the left joins the two trees.
extern "C" __global__ void komura_reduction(const unsigned char *image, int *labels, int width,
                                            int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x == 0 || x >= width || y == 0 || y >= height) {
        return;
    }
    const int cell = y * width + x;
    if (connected(image, cell, cell - width) && connected(image, cell, cell - 1)) {
        join_trees(labels, cell, cell - 1);
    }
}
// END OF GAP 1

// harmless race, one writer: komura_analysis.labels: others shorten the same paths meanwhile. The
//   old label and the new one lead to the same root.
// harmless race, minimum: komura_reduction.labels: a walk may read an old label, which leads to the
//   same tree.
