// Exercise: walk to the root.
//
// A label is the address of a cell: an arrow. Where the arrows end there is a root, a cell that
// names itself. All cells of a tree lead to the same root, whose address becomes their label.
//
// merge(labels, a, b) joins the trees of two cells. A later exercise is about how.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"

#define BACKGROUND (-1)

// Return the root of the tree in which the cell `label` is.
static __device__ int walk_to_root(const int *labels, int label)
{
    // GAP 1: follow the arrows from cell to cell, until a cell names itself.
    return labels[label];
    // END OF GAP 1
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
//
// harmless race, one writer: komura_analysis.labels: others shorten the same paths meanwhile. The
//   old label and the new one lead to the same root.
extern "C" __global__ void komura_analysis(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || labels[y * width + x] == BACKGROUND) {
        return;
    }
    const int cell = y * width + x;
    labels[cell] = walk_to_root(labels, cell);
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
