// DLP-GPU: L. Cabaret, L. Lacassagne, D. Etiemble, "Distanceless label propagation: an efficient
// direct connected component labeling algorithm for GPUs", IPTA 2017; as Hennequin et al. 2018,
// section II, describe it.
//
// The idea. Propagation carries a label from neighbour to neighbour, so its time grows with the
// distance. Here a label goes from a pixel straight to the root of the tree that the pixel belongs
// to, however far away that is, and whoever belongs to the tree has it at once: no distance, and no
// iteration over the image. The label image is the equivalence table: label e is the entry of the
// pixel that began with e. Each block labels a tile in shared memory; the horizontal and then the
// vertical borders between tiles are merged; last every pixel is relabelled with its root: four
// launches, whatever the picture.
//
// Launch shape:
//   tile:       TILE_W x TILE_H threads, a block a tile, a thread a pixel.
//   horizontal: a row of blocks a border, one-dimensional, a thread a column.
//   vertical:   a row of blocks a border, one-dimensional, a thread a row.
//   relabeling: two-dimensional, a thread a pixel, blocks of any shape.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; a label is 1 + the linear index y * width + x of a pixel, 0 is
//              background
//
// Otherwise than in the paper:
// - Written from the idea and the description above; how the paper divides the work of a tile among
//   its threads is not followed.
// - Within a tile, reading and writing of labels take turns (common/block_merge.cuh).
// - Unlike Playne and Hawick's method this one joins all links, redundant or not, as Hennequin et al.
//   say of it.
// - CONNECTIVITY 4 or 8; MULTIVALUED 1: only pixels of equal value connect.
//
// harmless race: cabaret_relabeling.labels: while cells are relabelled, others walk over them to a
//   root: an old label and the root both lead to the root.

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

#define BACKGROUND 0

// The root of the tree that label e belongs to. The entry of label e is labels[e - 1].
//
// Other threads may be joining trees at the same time; an old label is still one of the same tree.
static __device__ __forceinline__ int root_of(const int *labels, int e)
{
    int parent = labels[e - 1];
    while (parent != e) {
        e = parent;
        parent = labels[e - 1];
    }
    return e;
}

// Carry the smaller of two labels to the root of the other.
//
// If another thread lowered that root first, the atomic minimum returns the label which that thread
// had written. The smaller of both is stored, and the other still has to be joined with it: the loop
// goes on until a root takes the label undisturbed. The larger label falls in every turn.
static __device__ __forceinline__ void propagate(int *labels, int e1, int e2)
{
    e1 = root_of(labels, e1);
    e2 = root_of(labels, e2);
    while (e1 != e2) {
        const int larger = max(e1, e2);
        e2 = min(e1, e2);
        const int old = atomicMin(&labels[larger - 1], e2);
        e1 = old == larger ? e2 : old;
    }
}

// Join a pixel with one on the other side of a border, if they connect. The pixels' own labels serve
// as a start: they are roots of their tiles, or were.
static __device__ __forceinline__ void join(const unsigned char *image, int *labels, int k,
                                            int other)
{
    if (connected(image, k, other)) {
        propagate(labels, labels[k], labels[other]);
    }
}

// Tile labelling. A block labels its tile in shared memory; a thread stands for a pixel and joins it
// with the neighbours before it in the tile, one direction after the other. Pixels outside the grid
// count as background, so that all threads reach the barriers.
//
// Invariant: a label of the table names the pixel itself or one before it, in the same component of
// the tile. Races: none; see block_merge().
extern "C" __global__ void cabaret_tile(const unsigned char *image, int *labels, int width,
                                        int height)
{
    __shared__ int table[TILE_W * TILE_H];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * TILE_W + tx;
    const int y = block_row() * TILE_H + ty;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    const bool left = inside && tx > 0 && connected(image, k, k - 1);
    const bool up = inside && ty > 0 && connected(image, k, k - width);

    const int cell = ty * TILE_W + tx;
    table[cell] = cell;
    block_merge(table, cell, left ? cell - 1 : cell);
    block_merge(table, cell, up ? cell - TILE_W : cell);
#if CONNECTIVITY == 8
    const bool up_left = inside && ty > 0 && tx > 0 && connected(image, k, k - width - 1);
    const bool up_right = inside && ty > 0 && tx < TILE_W - 1 && x + 1 < width &&
                          connected(image, k, k - width + 1);
    block_merge(table, cell, up_left ? cell - TILE_W - 1 : cell);
    block_merge(table, cell, up_right ? cell - TILE_W + 1 : cell);
#endif
    const int root = find_root(table, cell);

    if (inside) {
        const int root_x = blockIdx.x * TILE_W + root % TILE_W;
        const int root_y = block_row() * TILE_H + root / TILE_W;
        labels[k] = image[k] ? 1 + root_y * width + root_x : BACKGROUND;
    }
}

// Merge of the horizontal borders. A thread joins a pixel of a tile's first row with those it touches
// in the row above; the diagonals reach over the corners of tiles too.
//
// Invariant, from here to the end: a label names the pixel itself or one before it, in the same
// component. Races: trees are joined at the same time; propagate() is made for that.
extern "C" __global__ void cabaret_merge_horizontal(const unsigned char *image, int *labels,
                                                    int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (block_row() + 1) * TILE_H;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    join(image, labels, k, k - width);
#if CONNECTIVITY == 8
    if (x > 0) {
        join(image, labels, k, k - width - 1);
    }
    if (x + 1 < width) {
        join(image, labels, k, k - width + 1);
    }
#endif
}

// Merge of the vertical borders. A thread joins a pixel of a tile's first column with those it
// touches in the column to the left.
//
// Races: as for the horizontal borders.
extern "C" __global__ void cabaret_merge_vertical(const unsigned char *image, int *labels,
                                                  int width, int height)
{
    const int x = (block_row() + 1) * TILE_W;
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    join(image, labels, k, k - 1);
#if CONNECTIVITY == 8
    if (y > 0) {
        join(image, labels, k, k - width - 1);
    }
    if (y + 1 < height) {
        join(image, labels, k, k + width - 1);
    }
#endif
}

// Relabelling. Each thread gives its pixel the label of its root.
//
// Races: a thread writes its own pixel, while others walk through it. They read the old label or the
// root's; both lead to the root.
extern "C" __global__ void cabaret_relabeling(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    const int label = labels[k];
    if (label != BACKGROUND) {
        labels[k] = root_of(labels, label);
    }
}
