// Exercise: let the threads of a warp read side by side.
//
// Global memory moves in pieces of 32 bytes, which hold eight labels. If the threads of a warp read
// labels that lie side by side, they share pieces. Labels below each other never share one.
//
// find_root(labels, cell) follows labels to the root of a cell's tree, and merge(labels, a, b)
// joins two trees. Later exercises are about how.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"

#define BACKGROUND (-1)

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
//
// harmless race, one writer: komura_analysis.labels: others shorten the same paths meanwhile. The
//   old label and the new one lead to the same root.
extern "C" __global__ void komura_analysis(int *labels, int width, int height)
{
    // GAP 1: which cell is this thread's? A block has blockDim.x * blockDim.y threads and as many
    // cells. Here the threads of a warp take cells below each other. Let them lie side by side.
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int x = blockIdx.x * blockDim.x + thread / blockDim.y;
    const int y = block_row() * blockDim.y + thread % blockDim.y;
    // END OF GAP 1
    if (x >= width || y >= height || labels[y * width + x] == BACKGROUND) {
        return;
    }
    const int cell = y * width + x;
    labels[cell] = find_root(labels, cell);
}

// A cell that connects upwards and to the left joins the two trees.
//
// harmless race, minimum: komura_reduction.labels: a walk may read an old label, which leads to the
//   same tree.
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
        merge(labels, cell, cell - 1);
    }
}
