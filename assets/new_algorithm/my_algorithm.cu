// my_algorithm: say in a sentence what it does.
//
// To begin with, it does the simplest thing that works: every cell takes the smallest label among
// itself and its neighbours, again and again, until nothing changes. Change it step by step;
// ccl-viewer check ./my_algorithm tells whether the labels are still right.
//
// Launch shape: two-dimensional, one thread per cell.
// In:  image    uint8, height x width, 0 is background
// Out: labels   int32, height x width: the index y * width + x of a cell; -1 is background
//      changed  int32, one element: set to 1 if a label changed
//
// harmless race, minimum: my_algorithm_propagate.labels: a thread reads a neighbour's old label or
//   its new one; labels only fall, and an old one costs another round.
// harmless race, same value: my_algorithm_propagate.changed: all threads that write store the same
//   1.

#include "common/block_row.cuh"
#include "common/cells.cuh"

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif

// Each foreground cell gets its own index as its label.
extern "C" __global__ void my_algorithm_init(
    const unsigned char *image, int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int cell = y * width + x;
    labels[cell] = image[cell] != 0 ? cell : -1;
}

// Each foreground cell takes the smallest label around it.
extern "C" __global__ void my_algorithm_propagate(
    const unsigned char *image, int *labels, int *changed, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || image[y * width + x] == 0) {
        return;
    }
    const int cell = y * width + x;
    const int before = labels[cell];
    int smallest = before;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (CONNECTIVITY == 4 && dx != 0 && dy != 0) {
                continue;
            }
            if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) {
                continue;
            }
            const int neighbour = (y + dy) * width + x + dx;
            if (connected(image, cell, neighbour)) {
                smallest = min(smallest, labels[neighbour]);
            }
        }
    }
    if (smallest < before) {
        labels[cell] = smallest;
        *changed = 1;
    }
}
