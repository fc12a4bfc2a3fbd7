// Exercise: tell the host when to stop.
//
// The host launches shibata_naive again and again. Before each launch it sets *changed to 0. After
// the launch it reads *changed: if it is still 0, the host stops.

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

// Take the smallest label around.
//
// harmless race, minimum: shibata_naive.fb: a neighbour's label may be the old or the new one.
//   Labels only fall, so an old one costs a launch.
// harmless race, same value: shibata_naive.changed: all threads that write store the same 1.
extern "C" __global__ void shibata_naive(const unsigned char *image, int *fb, int *changed,
                                         int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int cell = y * width + x;
    const int own = fb[cell];
    if (own == BACKGROUND) {
        return;
    }
    int smallest = own;
    const int steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        const int nx = x + steps[i][0];
        const int ny = y + steps[i][1];
        if (nx >= 0 && nx < width && ny >= 0 && ny < height) {
            const int label = fb[ny * width + nx];
            if (label != BACKGROUND && label < smallest) {
                smallest = label;
            }
        }
    }
    // GAP 1: store the smallest label, and tell the host that it has to go on. A launch in which no
    // label falls must leave *changed at 0.
    fb[cell] = smallest;
    // END OF GAP 1
}
