// Stava-Benes: O. Stava, B. Benes, "Connected Component Labeling in CUDA", GPU Computing Gems
// Emerald Edition (2011), chapter 35, section 35.3, Figures 35.3 to 35.10.
//
// The idea. The grid is cut into square tiles. A block labels a tile alone, in shared memory
// (kernel 1). Then tiles are merged into larger tiles, 4 x 4 at each level, until one is left:
// cells that face each other across a border between tiles have their trees joined (kernel 2), and
// before the next level the cells along the borders that remain are made to point at their roots
// again (kernel 3). Last every cell takes its root's label (kernel 4). All loops of unknown length
// run inside the kernels: how many are launched depends on the size of the grid alone, and the host
// reads nothing back.
//
// Launch shape:
//   tile:    TILE x TILE threads, a block per tile, a thread per cell.
//   merge:   THREADS x (tiles across) x (tiles down) threads; each block merges across x down
//   tiles.
//   flatten: one-dimensional, a thread per cell along a border.
//   final:   one-dimensional, a thread per cell.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; a label is the linear index y * width + x of a cell; -1 is
//              background
//
// Differences from the chapter:
// - Figure 35.8 leaves its loop "if (sChanged[0] == 1)", which is the wrong way round: the loop
//   must go on as long as something changed. The flag sChanged, with its barriers, is a barrier
//   here that also says whether any thread has changed something.
// - Sizes need not be powers of two: a tile may be cut off by the edge of the grid, and the tiles
//   of a level need not fill its last blocks.
// - Figure 35.10 handles the right and the bottom border of every tile. Those of the last tiles of
//   a block are borders between blocks, and so of the next level; they are left out.
// - VARIANT_PAPER tries all three links of a cell across a border, as Figure 35.10 does, and stores
//   the root of every cell in kernels 3 and 4, as Figure 35.3 does. VARIANT_PROJECT skips a
//   diagonal link where the opposite cell connects: that cell is itself joined to the diagonal one,
//   in the same tile or across a border that the same block handles. It leaves out stores that
//   change nothing.
// - In kernel 2 threadIdx.x counts along the border and threadIdx.y and .z count the tiles
//   (chapter: z, x and y), so that the threads of a warp read neighbouring cells.
// - Background gets -1, and CONNECTIVITY 4 leaves the diagonals out; the chapter has 8.
// - MULTIVALUED 1 is the chapter's case, segments of equal value; with 0 all non-zero values are
//   equal.
//
// harmless race, one writer: stava_benes_flatten.labels, stava_benes_final.labels: while cells are
//   flattened, others shorten the same paths: an old label and the root both lead to the root.

#ifndef CONNECTIVITY
#define CONNECTIVITY 8
#endif
#ifndef TILE
#define TILE 16
#endif

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"
#include "common/variant.cuh"

#define BACKGROUND (-1)
// A tile in shared memory has a border of background around it, so no neighbour needs a test.
#define PITCH (TILE + 2)

// The lower of a label and the label of a neighbour in the tile, if the two cells connect.
static __device__ __forceinline__ int lower(int lowest, const unsigned char *segments,
                                            const int *equivalences, int cell, int neighbour)
{
    if (!same_segment(segments[cell], segments[neighbour])) {
        return lowest;
    }
    return min(lowest, equivalences[neighbour]);
}

// The lowest label among a cell of the tile and its neighbours.
static __device__ __forceinline__ int lowest_around(const unsigned char *segments,
                                                    const int *equivalences, int cell, int label)
{
    int lowest = label;
    lowest = lower(lowest, segments, equivalences, cell, cell - 1);
    lowest = lower(lowest, segments, equivalences, cell, cell + 1);
    lowest = lower(lowest, segments, equivalences, cell, cell - PITCH);
    lowest = lower(lowest, segments, equivalences, cell, cell + PITCH);
#if CONNECTIVITY == 8
    lowest = lower(lowest, segments, equivalences, cell, cell - PITCH - 1);
    lowest = lower(lowest, segments, equivalences, cell, cell - PITCH + 1);
    lowest = lower(lowest, segments, equivalences, cell, cell + PITCH - 1);
    lowest = lower(lowest, segments, equivalences, cell, cell + PITCH + 1);
#endif
    return lowest;
}

// Kernel 1, Figure 35.8. A block labels its tile; a thread stands for a cell. Each round looks for
// the lowest label around the cell, hooks the cell's tree to that label, and follows the cell's
// label to the root. When no thread finds a lower label, the tile is done, and the labels,
// addresses in shared memory until then, become addresses in the grid.
//
// Invariant: in the shared array a label names the cell itself or one before it, in the same
// component of the tile; at the top of the loop every tree is flat.
// Races: none. Labels are read and written between different barriers, and threads that hook the
// same root use an atomic minimum; a hook that loses is found again in the next round.
extern "C" __global__ void stava_benes_tile(const unsigned char *image, int *labels, int width,
                                            int height)
{
    __shared__ unsigned char segments[PITCH * PITCH];
    __shared__ int equivalences[PITCH * PITCH];

    const int left = blockIdx.x * TILE;
    const int top = block_row() * TILE;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < PITCH * PITCH; i += TILE * TILE) {
        const int tx = i % PITCH - 1;
        const int ty = i / PITCH - 1;
        const bool inside = tx >= 0 && tx < TILE && left + tx < width && ty >= 0 && ty < TILE &&
                            top + ty < height;
        segments[i] = inside ? image[(top + ty) * width + left + tx] : 0;
    }
    const int cell = (threadIdx.y + 1) * PITCH + threadIdx.x + 1;
    int label = cell;
    bool changed = true;
    while (changed) {
        equivalences[cell] = label;
        __syncthreads();  // all labels (in the first round all segments too) are there
        const int lowest = lowest_around(segments, equivalences, cell, label);
        __syncthreads();  // all have read the labels
        if (lowest < label) {
            atomicMin(&equivalences[label], lowest);
        }
        changed = __syncthreads_or(lowest < label) != 0;  // all trees are hooked
        label = find_root(equivalences, label);
        __syncthreads();  // all have found their roots; labels may be written again
    }

    const int x = left + threadIdx.x;
    const int y = top + threadIdx.y;
    if (x < width && y < height) {
        const int root_x = left + label % PITCH - 1;
        const int root_y = top + label / PITCH - 1;
        labels[y * width + x] = segments[cell] ? root_y * width + root_x : BACKGROUND;
    }
}

// Figure 35.4, Union: if the two cells connect, the root with the higher label is made to point at
// the other one. Sets `changed` if the roots differ; says whether the cells connect.
//
// The result of the atomic minimum is not looked at. Where two threads hook the same root at the
// same time, one of the two links is lost; both have set `changed`, and the next pass finds it
// missing.
static __device__ __forceinline__ bool unite(const unsigned char *image, int *labels, int cell0,
                                             int cell1, bool *changed)
{
    if (!connected(image, cell0, cell1)) {
        return false;
    }
    const int root0 = find_root(labels, cell0);
    const int root1 = find_root(labels, cell1);
    if (root0 != root1) {
        atomicMin(&labels[max(root0, root1)], min(root0, root1));
        *changed = true;
    }
    return true;
}

// Join a cell with those that it touches across a border: the one opposite, and the two beside
// that, at `along` before and after it, where they belong to the tiles that this block merges.
static __device__ __forceinline__ void unite_across(const unsigned char *image, int *labels,
                                                    int cell, int opposite, int along,
                                                    bool has_before, bool has_after,
                                                    bool *changed)
{
    const bool joined = unite(image, labels, cell, opposite, changed);
#if CONNECTIVITY == 8
    const bool done = VARIANT == VARIANT_PROJECT && joined;
    if (!done && has_before) {
        unite(image, labels, cell, opposite - along, changed);
    }
    if (!done && has_after) {
        unite(image, labels, cell, opposite + along, changed);
    }
#else
    (void)joined, (void)along, (void)has_before, (void)has_after;
#endif
}

// Kernel 2, Figure 35.10. A block merges blockDim.y x blockDim.z tiles of `tile` x `tile` cells;
// blockDim.x threads take turns along the bottom border and the right border of each. They go over
// all borders again until a pass finds no two trees to join.
//
// Corners: where four tiles meet, the two diagonals belong to the bottom border of the upper tiles
// and to the right border of the left ones; whichever is inside this block is handled here, twice
// if both are.
//
// Invariant: a label names the cell itself or one before it in the same component. When a block
// ends, cells of its tiles that are connected within its tiles have the same root; only labels of
// former roots have changed.
// Races: blocks touch different cells. Within a block see unite(); find_root() may read an old
// label, which still leads to the same tree; a pass that changes nothing has read nothing old.
extern "C" __global__ void stava_benes_merge(const unsigned char *image, int *labels, int tile,
                                             int width, int height)
{
    // Of the cells that this block merges: first and last column, first and last row.
    const int first_x = blockIdx.x * blockDim.y * tile;
    const int first_y = block_row() * blockDim.z * tile;
    const int last_x = min(first_x + (int)blockDim.y * tile, width) - 1;
    const int last_y = min(first_y + (int)blockDim.z * tile, height) - 1;
    // Of this thread's tile: the same.
    const int left = first_x + threadIdx.y * tile;
    const int top = first_y + threadIdx.z * tile;
    const int right = min(left + tile - 1, last_x);
    const int bottom = min(top + tile - 1, last_y);

    bool again = true;
    while (again) {
        bool changed = false;
        if (bottom < last_y) {
            for (int x = left + threadIdx.x; x <= right; x += blockDim.x) {
                const int cell = bottom * width + x;
                unite_across(image, labels, cell, cell + width, 1, x > first_x, x < last_x,
                             &changed);
            }
        }
        if (right < last_x) {
            for (int y = top + threadIdx.x; y <= bottom; y += blockDim.x) {
                const int cell = y * width + right;
                unite_across(image, labels, cell, cell + 1, width, y > first_y, y < last_y,
                             &changed);
            }
        }
        again = __syncthreads_or(changed) != 0;  // all links of this pass are there
    }
}

// Kernel 3. Each thread makes one cell along a border between tiles of `tile` x `tile` cells, on
// either side of it, point at its root, so that the next level finds roots in one step.
//
// Invariant: no root changes here. Races: see flatten().
extern "C" __global__ void stava_benes_flatten(int *labels, int tile, int width, int height)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int horizontal = 2u * ((height - 1) / tile) * width;
    const unsigned int vertical = 2u * ((width - 1) / tile) * height;
    int x;
    int y;
    if (i < horizontal) {
        const int line = i / width;
        x = i % width;
        y = (line / 2 + 1) * tile - 1 + line % 2;
    } else if (i - horizontal < vertical) {
        const int pair = (i - horizontal) / 2;
        x = (pair / height + 1) * tile - 1 + i % 2;
        y = pair % height;
    } else {
        return;
    }
    flatten(labels, y * width + x);
}

// Kernel 4. Each thread gives its cell the label of its root.
//
// Races: as in kernel 3.
extern "C" __global__ void stava_benes_final(int *labels, int width, int height)
{
    const unsigned int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= (unsigned int)width * (unsigned int)height) {
        return;
    }
    flatten(labels, cell);
}
