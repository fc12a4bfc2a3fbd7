// Exercise: each thread finds its cell.
//
// A launch has blocks of threads, and each thread labels one cell. The grid of blocks covers the
// picture: blocks across, and rows of blocks below each other. A block has blockDim.x threads
// across and blockDim.y threads down. block_row() says in which row of blocks this block is.
//
// extern "C" __global__ stands before a kernel, which the host launches by its name. static
// __device__ stands before a function that kernels call. There is no printf: the judge says what
// happened. It writes the numbers of a thread or block as (x, y, z), and z is 0 here. Device memory
// is another name for global memory.
//
// Labels are numbers: at first a cell's label is its address, y * width + x. Then the second kernel
// copies the smallest label around, again and again, until nothing changes.

#include "common/block_row.cuh"
#include "common/flag.cuh"

#define BACKGROUND (-1)

// The column of this thread's cell.
static __device__ int own_column()
{
    // GAP 1: use blockIdx.x, blockDim.x and threadIdx.x.
    return 0;
    // END OF GAP 1
}

// The row of this thread's cell.
static __device__ int own_row()
{
    // GAP 2: use block_row(), blockDim.y and threadIdx.y.
    return 0;
    // END OF GAP 2
}

// Whether the picture has such a cell.
static __device__ bool inside(int x, int y, int width, int height)
{
    // GAP 3: the blocks cover more than the picture. The kernels send away the threads for which
    // this is false.
    return true;
    // END OF GAP 3
}

// Give each filled cell its address as label, and each empty cell BACKGROUND.
extern "C" __global__ void shibata_preparation(const unsigned char *image, int *fb, int width,
                                               int height)
{
    const int x = own_column();
    const int y = own_row();
    if (!inside(x, y, width, height)) {
        return;
    }
    const int cell = y * width + x;
    fb[cell] = image[cell] ? cell : BACKGROUND;
}

// Take the smallest label among the cell and the neighbours at its sides.
//
// harmless race, minimum: shibata_naive.fb: a neighbour's label may be the old or the new one.
//   Labels only fall, so an old one costs a launch.
// harmless race, same value: shibata_naive.changed: all threads that write store the same 1.
extern "C" __global__ void shibata_naive(const unsigned char *image, int *fb, int *changed,
                                         int width, int height)
{
    const int x = own_column();
    const int y = own_row();
    if (!inside(x, y, width, height)) {
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
    if (smallest != own) {
        fb[cell] = smallest;
        raise_flag(changed);
    }
}
