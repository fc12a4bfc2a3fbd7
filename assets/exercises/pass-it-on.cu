// Exercise: pass the smaller label on (Shibata's fast kernel).
//
// A label is the address of a cell. So a cell can follow labels: fb[g] is the label of the cell
// that g names. The kernel already does so. But the cell that the old label names hears of nothing.

#include "common/block_row.cuh"
#include "common/flag.cuh"

#define BACKGROUND (-1)

// Give each filled cell its address as label.
extern "C" __global__ void shibata_preparation(const unsigned char *image, int *fb, int width,
                                               int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int cell = y * width + x;
    fb[cell] = image[cell] ? cell : BACKGROUND;
}

// The smallest label around a cell. max and min of two numbers are built in.
static __device__ int smallest_around(const int *fb, int x, int y, int width, int height)
{
    int smallest = fb[y * width + x];
    for (int ny = max(y - 1, 0); ny <= min(y + 1, height - 1); ny++) {
        for (int nx = max(x - 1, 0); nx <= min(x + 1, width - 1); nx++) {
            const int label = fb[ny * width + nx];
            if (label != BACKGROUND && label < smallest) {
                smallest = label;
            }
        }
    }
    return smallest;
}

// Take the smallest label around, and follow it as an address, four times.
//
// harmless race, same value: shibata_fast.changed: all threads that write store the same 1.
extern "C" __global__ void shibata_fast(const unsigned char *image, int *fb, int *changed,
                                        int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int cell = y * width + x;
    const int h = fb[cell];
    if (h == BACKGROUND) {
        return;
    }
    int g = smallest_around(fb, x, y, width, height);
    for (int i = 0; i < 4; i++) {
        g = fb[g];
    }
    if (g < h) {
        // GAP 1: lower this cell's label to g. Then do the same to the cell that the old label h
        // names: all cells that name it will follow. Other threads lower the same cells now, so a
        // label may only fall.
        fb[cell] = g;
        // END OF GAP 1
        raise_flag(changed);
    }
}
