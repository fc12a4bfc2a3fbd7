// Playne-Hawick, direct and block: D. P. Playne, K. Hawick, "A New Algorithm for Parallel
// Connected-Component Labelling on GPUs", IEEE Trans. Parallel Distrib. Syst. 29 (2018) 1217-1230;
// as Hennequin et al. 2018, section II, describe it.
//
// The idea. Each cell begins by pointing at the first, in raster order, of the neighbours that lie
// before it and connect with it. Most of its other links to cells before it say nothing new: both
// ends are already joined by a detour through a third cell before this one. A thread sees that
// from the neighbours' values alone, without reading a label. Only at a critical cell, where no
// such detour is seen, are two trees joined by an atomic minimum. So there are few atomics, few
// label reads, and no iteration.
//
// The neighbours before a cell x are a (up left), b (up), c (up right; 8-connected only) and d
// (left).
//
//   4-connected: critical where b and d connect with x and a does not. Where a does, b - a and a -
//   d are links of b and of d themselves: the detour.
//   8-connected: b touches a, c and d, and d touches a. So one link of x is enough if b connects.
//   If b does not, {a, d} and {c} are two groups without a detour: critical where c connects,
//   b does not, and a or d does.
//
// That each link left out is replaced by links of cells before x is an induction in raster order,
// which holds for segments too: cells that have x's value have the same value.
//
// The direct method does this on the whole grid: init, resolve, merge, resolve. The block method
// does it first within a tile in shared memory, then joins the tiles along their borders, and
// resolves once.
//
// Launch shape:
//   init, resolve, merge: two-dimensional, one thread per cell, blocks of any shape.
//   tile:                 TILE_W x TILE_H threads, a block per tile, a thread per cell.
//   border merge:         one-dimensional, a thread per cell that has links across a border:
//                         `count` such cells from number `first` on.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; a label is the linear index y * width + x of a cell; -1 is
//              background
//
// Differences from the article:
// - It labels every cell of a lattice, with a label for each; here 0 is background, -1.
// - It has the 4 neighbours; the condition for 8 is derived above.
// - Hennequin et al. call a cell's first label the minimum over its neighbourhood of 2 x 2. With 4
//   neighbours the cell up left is none; as in the authors' published program, a cell points at the
//   upper neighbour, else at the left one, and a only tells whether the other link is needed.
// - The block method of that program merges the vertical and the horizontal borders in two
//   launches, side by side; VARIANT_PROJECT does both in one: the host says which cells along
//   borders a launch handles.
// - VARIANT_PAPER stores the root of every cell in resolve; VARIANT_PROJECT leaves out stores that
//   change nothing (common/union_find.cuh).
// - Within a tile, reading and writing of labels take turns (common/block_merge.cuh).
// - At tile borders the same reasoning decides what is merged: a link across a border is left out
//   if a link of the same group of neighbours stays within the tile, or if another of them is
//   merged.
//
// harmless race, one writer: playne_resolve.labels: while trees are flattened, others shorten the
//   same paths: an old label and the root both lead to the root.

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif
#ifndef TILE_W
#define TILE_W 32
#endif
#ifndef TILE_H
#define TILE_H 8
#endif

#include "common/block_merge.cuh"
#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"

#define BACKGROUND (-1)

// The neighbours before a cell, as bits.
#define UP_LEFT 1u
#define UP 2u
#define UP_RIGHT 4u
#define LEFT 8u

// Which neighbours before a cell connect with it, or would if they were neighbours: UP_LEFT is set
// for connectivity 4 too, because it may be part of a detour.
static __device__ __forceinline__ unsigned int links_before(const unsigned char *image, int x,
                                                            int y, int width)
{
    const int k = y * width + x;
    unsigned int links = 0u;
    if (x > 0 && connected(image, k, k - 1)) {
        links |= LEFT;
    }
    if (y > 0) {
        if (connected(image, k, k - width)) {
            links |= UP;
        }
        if (x > 0 && connected(image, k, k - width - 1)) {
            links |= UP_LEFT;
        }
#if CONNECTIVITY == 8
        if (x + 1 < width && connected(image, k, k - width + 1)) {
            links |= UP_RIGHT;
        }
#endif
    }
    return links;
}

// The bits of those neighbours before a cell that lie in the same tile.
static __device__ __forceinline__ unsigned int within_tile(int tx, int ty)
{
    unsigned int bits = UP_LEFT | UP | UP_RIGHT | LEFT;
    if (tx == 0) {
        bits &= ~(UP_LEFT | LEFT);
    }
    if (ty == 0) {
        bits &= ~(UP_LEFT | UP | UP_RIGHT);
    }
    if (tx == TILE_W - 1) {
        bits &= ~UP_RIGHT;
    }
    return bits;
}

// The first neighbour in raster order that links name, in an array with rows of `pitch`; the cell
// itself if there is none.
static __device__ __forceinline__ int first_linked(unsigned int links, int cell, int pitch)
{
#if CONNECTIVITY == 8
    if (links & UP_LEFT) {
        return cell - pitch - 1;
    }
#endif
    if (links & UP) {
        return cell - pitch;
    }
#if CONNECTIVITY == 8
    if (links & UP_RIGHT) {
        return cell - pitch + 1;
    }
#endif
    return links & LEFT ? cell - 1 : cell;
}

// The neighbour that a critical cell's second link leads to (the first is first_linked); the cell
// itself if it is not critical.
static __device__ __forceinline__ int second_linked(unsigned int links, int cell, int pitch)
{
#if CONNECTIVITY == 8
    if ((links & (UP | UP_RIGHT)) == UP_RIGHT && (links & (UP_LEFT | LEFT))) {
        return links & UP_LEFT ? cell - pitch + 1 : cell - 1;
    }
    return cell;
#else
    return (links & (UP_LEFT | UP | LEFT)) == (UP | LEFT) ? cell - 1 : cell;
#endif
}

// Init. Each thread makes its cell point at the first connected neighbour before it, or at itself.
//
// Invariant, from here to the end: a label names the cell itself or a cell before it in the same
// component. No races: a thread writes only its own cell.
extern "C" __global__ void playne_init(const unsigned char *image, int *labels, int width,
                                       int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    labels[k] = image[k] ? first_linked(links_before(image, x, y, width), k, width) : BACKGROUND;
}

// Resolve. Each thread follows its cell's label to the root and takes the root's label.
//
// Invariant: no root changes here. Races: see flatten().
extern "C" __global__ void playne_resolve(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    flatten(labels, y * width + x);
}

// Merge. The thread of a critical cell joins the cell's tree with that of the neighbour which the
// initialisation left out. The other threads read no label.
//
// Races: trees are joined at the same time; merge() is made for that.
extern "C" __global__ void playne_merge(const unsigned char *image, int *labels, int width,
                                        int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    const int neighbour = second_linked(links_before(image, x, y, width), k, width);
    if (neighbour != k) {
        merge(labels, k, neighbour);
    }
}

// Block method, tile. A block does init, resolve, merge and resolve for its tile in shared memory;
// links that leave the tile do not count. A thread stands for a cell; cells outside the grid count
// as background, so that all threads reach the barriers.
//
// Races: none; see block_merge().
extern "C" __global__ void playne_tile(const unsigned char *image, int *labels, int width,
                                       int height)
{
    __shared__ int tile[TILE_W * TILE_H];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * TILE_W + tx;
    const int y = block_row() * TILE_H + ty;
    const bool inside = x < width && y < height;
    const bool foreground = inside && image[y * width + x] != 0;
    const unsigned int links =
        foreground ? links_before(image, x, y, width) & within_tile(tx, ty) : 0u;

    const int cell = ty * TILE_W + tx;
    tile[cell] = first_linked(links, cell, TILE_W);
    __syncthreads();  // all labels are there
    int root = find_root(tile, cell);
    __syncthreads();  // all have found their roots
    tile[cell] = root;
    block_merge(tile, cell, second_linked(links, cell, TILE_W));
    root = find_root(tile, cell);

    if (inside) {
        const int root_x = blockIdx.x * TILE_W + root % TILE_W;
        const int root_y = block_row() * TILE_H + root / TILE_W;
        labels[y * width + x] = foreground ? root_y * width + root_x : BACKGROUND;
    }
}

// Join this cell with one of a group of neighbours that are joined with each other without it,
// unless none of them connects with it or one does within the tile.
static __device__ __forceinline__ void merge_group(int *labels, unsigned int links,
                                                   unsigned int inside, int k, int width)
{
    if (links && !(links & inside)) {
        merge(labels, k, first_linked(links, k, width));
    }
}

// Block method, border merge. A thread stands for a cell of a tile's first row, first column or
// (8-connected) last column, which has neighbours before it in other tiles. Cells along horizontal
// borders have the first numbers.
//
// Races: as in merge().
extern "C" __global__ void playne_border_merge(const unsigned char *image, int *labels, int first,
                                               int count, int width, int height)
{
    // Columns beside a vertical border with links across it: c leads to the right.
    const unsigned int sides = CONNECTIVITY == 8 ? 2u : 1u;
    const unsigned int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= (unsigned int)count) {
        return;
    }
    const unsigned int i = first + number;
    const unsigned int horizontal = (unsigned int)((height - 1) / TILE_H) * width;
    const unsigned int vertical = sides * ((width - 1) / TILE_W) * height;
    int x;
    int y;
    if (i < horizontal) {
        x = i % width;
        y = (i / width + 1) * TILE_H;
    } else if (i - horizontal < vertical) {
        const unsigned int line = (i - horizontal) / sides;
        x = (line / height + 1) * TILE_W - (i - horizontal) % sides;
        y = line % height;
        if (y != 0 && y % TILE_H == 0) {
            return;  // the horizontal border's thread handles this cell
        }
    } else {
        return;
    }

    const int k = y * width + x;
    const unsigned int links = links_before(image, x, y, width);
    const unsigned int inside = within_tile(x % TILE_W, y % TILE_H);
#if CONNECTIVITY == 8
    if (links & UP) {
        merge_group(labels, links, inside, k, width);
    } else {
        merge_group(labels, links & (UP_LEFT | LEFT), inside, k, width);
        merge_group(labels, links & UP_RIGHT, inside, k, width);
    }
#else
    if (links & UP_LEFT) {
        merge_group(labels, links & (UP | LEFT), inside, k, width);
    } else {
        merge_group(labels, links & UP, inside, k, width);
        merge_group(labels, links & LEFT, inside, k, width);
    }
#endif
}
