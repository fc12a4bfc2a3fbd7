// Exercise: join two trees while others join them too.
//
// labels[cell] names a cell of the same tree with a smaller address, or the cell itself: then it is
// a root. To join two trees, the larger root is made to name the smaller one. But between the
// moment in which a thread finds a root and the moment in which it stores, another thread may have
// joined that root to a third tree.

#include "common/block_row.cuh"
#include "common/cells.cuh"

#define BACKGROUND (-1)

static __device__ int find_root(const int *labels, int label)
{
    int parent = labels[label];
    while (parent != label) {
        label = parent;
        parent = labels[label];
    }
    return label;
}

// Join the trees of two cells.
static __device__ void join_trees(int *labels, int a, int b)
{
    a = find_root(labels, a);
    b = find_root(labels, b);
    // GAP 1: this loses a join if another thread stores into the same root meanwhile. Make it right
    // with atomicMin, which returns what was there before.
    if (a < b) {
        labels[b] = a;
    } else {
        labels[a] = b;
    }
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
        join_trees(labels, cell, cell - 1);
    }
}
