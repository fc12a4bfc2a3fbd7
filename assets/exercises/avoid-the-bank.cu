// Exercise: padding against bank conflicts.
//
// A block of 32 x 32 threads keeps a tile of labels in shared memory. It stores the tile row by
// row, and reads it column by column. A variable with __shared__ before it lies in shared memory:
// the block has one, which all of its threads use.
//
// find_root(labels, cell) follows labels to the root of a cell's tree, and merge(labels, a, b)
// joins two trees. Later exercises are about how.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"

#define BACKGROUND (-1)
#define TILE 32

// GAP 1: how many elements of `tile` has a row? Shared memory has 32 banks: element i lies in bank
// i % 32. Lanes of a warp that ask for different elements of one bank wait for each other.
#define PITCH 32
// END OF GAP 1

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
    // The block copies its labels into shared memory, row by row, and reads them column by column:
    // a thread takes the cell at the row and column that its place would have in a tile turned by
    // 90 degrees.
    __shared__ int tile[TILE * PITCH];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int left = blockIdx.x * TILE;
    const int top = block_row() * TILE;
    const bool inside = left + tx < width && top + ty < height;
    tile[ty * PITCH + tx] = inside ? labels[(top + ty) * width + left + tx] : BACKGROUND;
    __syncthreads();
    const int own = tile[tx * PITCH + ty];
    const int x = left + ty;
    const int y = top + tx;
    if (x >= width || y >= height || own == BACKGROUND) {
        return;
    }
    labels[y * width + x] = find_root(labels, own);
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
