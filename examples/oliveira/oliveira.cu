// Union-find in tiles: V. M. A. Oliveira, R. A. Lotufo, "A Study on Connected Components Labeling
// Algorithms using GPUs", SIBGRAPI 2010, after its description: merge within tiles, merge across
// their borders, compress paths.
//
// The idea. Most joins lie within a tile, and shared memory is fast. So each block first labels its
// tile there. Only pairs of cells on the two sides of a border are then joined in device memory.
// Last, each cell takes the root of its tree.
//
// Launch shape: two-dimensional, one thread per cell, blocks of TILE_W x TILE_H.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width: the index y * width + x of a cell; -1 is background
//
// Left out: whatever the authors do to spare joins within a tile. Two neighbours are joined
// wherever they connect.
//
// harmless race, minimum: oliveira_tiles.tile, oliveira_borders.labels: a walk may read an old
//   parent, which is an ancestor still; atomicMin tells which join came first.
// harmless race, one writer: oliveira_flatten.labels: a walk reads an old parent or the root; both
//   lead there.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif
#ifndef TILE_W
#define TILE_W 16
#endif
#ifndef TILE_H
#define TILE_H 16
#endif

// A thread labels its cell within the tile, by addresses in the tile. At the end it writes the
// address in the image of its tile's root. Order stays: the first cell of a tree in the tile is the
// first one in the image, too.
extern "C" __global__ void oliveira_tiles(
    const unsigned char *image, int *labels, int width, int height)
{
    __shared__ int tile[TILE_W * TILE_H];

    const int left = blockIdx.x * TILE_W;
    const int top = block_row() * TILE_H;
    const int x = left + threadIdx.x;
    const int y = top + threadIdx.y;
    const int cell = y * width + x;
    const int own = threadIdx.y * TILE_W + threadIdx.x;
    const bool inside = x < width && y < height;
    const bool foreground = inside && image[cell] != 0;

    tile[own] = own;
    __syncthreads();

    if (foreground) {
        if (threadIdx.x > 0 && connected(image, cell, cell - 1)) {
            merge(tile, own, own - 1);
        }
        if (threadIdx.y > 0 && connected(image, cell, cell - width)) {
            merge(tile, own, own - TILE_W);
        }
#if CONNECTIVITY == 8
        if (threadIdx.y > 0 && threadIdx.x > 0 && connected(image, cell, cell - width - 1)) {
            merge(tile, own, own - TILE_W - 1);
        }
        if (threadIdx.y > 0 && threadIdx.x + 1 < TILE_W && x + 1 < width &&
            connected(image, cell, cell - width + 1)) {
            merge(tile, own, own - TILE_W + 1);
        }
#endif
    }
    __syncthreads();

    if (foreground) {
        const int root = find_root(tile, own);
        labels[cell] = (top + root / TILE_W) * width + left + root % TILE_W;
    } else if (inside) {
        labels[cell] = -1;
    }
}

// Join a cell with a neighbour before it, if that lies in another tile.
static __device__ __forceinline__ void join_across(
    const unsigned char *image, int *labels, int width, int x, int y, int dx, int dy)
{
    const int neighbour_x = x + dx;
    const int neighbour_y = y + dy;
    if (neighbour_x < 0 || neighbour_x >= width || neighbour_y < 0) {
        return;
    }
    if (neighbour_x / TILE_W == x / TILE_W && neighbour_y / TILE_H == y / TILE_H) {
        return;
    }
    const int cell = y * width + x;
    const int neighbour = neighbour_y * width + neighbour_x;
    if (connected(image, cell, neighbour)) {
        merge(labels, cell, neighbour);
    }
}

// A thread joins its cell with the neighbours before it that lie across a border of tiles.
extern "C" __global__ void oliveira_borders(
    const unsigned char *image, int *labels, int width, int height)
{
    const int x = blockIdx.x * TILE_W + threadIdx.x;
    const int y = block_row() * TILE_H + threadIdx.y;
    if (x >= width || y >= height || image[y * width + x] == 0) {
        return;
    }
    join_across(image, labels, width, x, y, -1, 0);
    join_across(image, labels, width, x, y, 0, -1);
#if CONNECTIVITY == 8
    join_across(image, labels, width, x, y, -1, -1);
    join_across(image, labels, width, x, y, 1, -1);
#endif
}

// A thread lets its cell point at the root of its tree.
extern "C" __global__ void oliveira_flatten(int *labels, int width, int height)
{
    const int x = blockIdx.x * TILE_W + threadIdx.x;
    const int y = block_row() * TILE_H + threadIdx.y;
    if (x < width && y < height) {
        flatten(labels, y * width + x);
    }
}
