// Two-pass union-find: the sequential algorithm that Stava and Benes 2011 (chapter 35, Figures 35.3
// and 35.4) begin with and measure against, after K. Wu, E. Otoo, K. Suzuki, "Optimizing two-pass
// connected-component labeling algorithms", Pattern Analysis and Applications 12 (2009).
//
// The idea. One pass over the cells in raster order: each cell becomes the root of a tree of its
// own, and is united with the connected neighbours that were already visited. The trees are
// kept in the label array itself. A second pass in the same order replaces each label by its root.
// Nothing here is parallel: it is the yardstick that the other algorithms are measured against.
//
// In strips: S. Gupta, D. Palsetia, M. M. A. Patwary, A. Agrawal, A. Choudhary, "A New Parallel
// Algorithm for Two-Pass Connected Component Labeling", IPDPS Workshops 2014, is how processors
// with a few cores share the work. The rows are cut into strips, and each thread does the first
// pass in its own; the trees that meet at the borders between strips are joined; then each thread
// does the second pass in its strip. If numbers are requested instead of labels, the strips count
// their roots on the way, and the second pass writes numbers.
//
// Launch shape: one block of one thread. A launch works through some rows of one pass, so that the
// passes can be stepped through; launches go down the rows in order. In strips: a block of one
// thread for each strip, or border.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; must hold -1 before the first launch, but in strips. A label
//              is the linear index y * width + x of a cell; -1 is background, and what was not
//              visited yet
//
// Differences from the chapter:
// - The chapter runs this on the CPU, in one go. Here it is a kernel of one thread, so that it
//   runs, is shown and is recorded like the others; on a GPU that is far slower than on a CPU core.
// - Figure 35.3 labels every element; here elements with the value 0 are background, -1, as the
//   chapter's section 35.3.2 has them.
// - A cell's own root is carried from one union to the next, instead of being looked up again.
// - In the second pass a cell needs one step, not a walk: its parent lies before it in raster order
//   and is flat already.
// - In strips: Gupta et al. look at two rows at a time, number labels consecutively on the way, and
//   join by Rem's algorithm, with locks. Here a label is a cell's index, a cell looks at its
//   neighbours in the order of Wu et al., and borders are joined by atomic minima (as in
//   common/union_find.cuh).
// - MULTIVALUED 1: only cells of equal value connect, as in the chapter; with 0 all cells
//   connect that are not background.
//
// harmless race, one writer: two_pass_flatten.labels: while some threads flatten, others read the
//   same cells on their way to a root; the old label and the new one lead to the same root.

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif

#define VARIANT VARIANT_PROJECT  // of what common/union_find.cuh holds
#include "common/cells.cuh"
#include "common/union_find.cuh"

#define BACKGROUND (-1)

// Figure 35.4, Union: join the tree of a root with that of a neighbour, if the two connect; the
// smaller root stays. Returns the root of the joined tree.
static __device__ __forceinline__ int unite(const unsigned char *image, int *labels, int cell,
                                            int root, int neighbour)
{
    if (!connected(image, cell, neighbour)) {
        return root;
    }
    const int other = find_root(labels, neighbour);
    if (other < root) {
        labels[root] = other;
        return other;
    }
    if (root < other) {
        labels[other] = root;
    }
    return root;
}

// Figure 35.3, pass 1, for a row: make each cell a root and unite it with its neighbours to the
// left and, unless the row is to be the first of its strip, above.
static __device__ __forceinline__ void scan_row(const unsigned char *image, int *labels, int width,
                                                int y, bool first)
{
    for (int x = 0; x < width; x++) {
        const int k = y * width + x;
        if (image[k] == 0) {
            labels[k] = BACKGROUND;
            continue;
        }
        labels[k] = k;
        int root = k;
        if (x > 0) {
            root = unite(image, labels, k, root, k - 1);
        }
        if (!first) {
            const int above = k - width;
            root = unite(image, labels, k, root, above);
#if CONNECTIVITY == 8
            if (x > 0) {
                root = unite(image, labels, k, root, above - 1);
            }
            if (x + 1 < width) {
                root = unite(image, labels, k, root, above + 1);
            }
#endif
        }
    }
}

// Unite the trees of two cells; the smaller root stays. Returns 1 if there were two, else 0.
static __device__ __forceinline__ int unite_trees(int *labels, int cell1, int cell2)
{
    const int root1 = find_root(labels, cell1);
    const int root2 = find_root(labels, cell2);
    labels[max(root1, root2)] = min(root1, root2);
    return root1 != root2 ? 1 : 0;
}

// Figure 35.3, pass 1, for some rows.
//
// Invariant: a label names the cell itself or a cell before it in the same component; cells visited
// so far are in one tree if they connect through visited cells. No races: there is one thread.
extern "C" __global__ void two_pass_first(const unsigned char *image, int *labels, int width,
                                          int first_row, int end_row)
{
    for (int y = first_row; y < end_row; y++) {
        scan_row(image, labels, width, y, y == 0);
    }
}

// Figure 35.3, pass 2, for some rows. The thread replaces each label by the root of its tree.
//
// Invariant: all cells before the current one point directly at their root.
extern "C" __global__ void two_pass_second(int *labels, int width, int first_row, int end_row)
{
    const int end = end_row * width;
    for (int k = first_row * width; k < end; k++) {
        const int parent = labels[k];
        if (parent == BACKGROUND) {
            continue;
        }
        const int root = labels[parent];
        if (root != parent) {
            labels[k] = root;
        }
    }
}

// In strips, pass 1, for a row; `first` where it is the first of its strip. Returns how many roots
// there are more than before.
//
// Which neighbours to look at is the decision tree of Wu, Otoo and Suzuki: a cell takes over the
// label of a neighbour, and trees are united only where a second neighbour is not known to be
// connected with the first. With 8 neighbours, the cell above touches all others; with 4, the cells
// above and on the left connect through the one between them.
static __device__ __forceinline__ int label_row(const unsigned char *image, int *labels, int width,
                                                int y, bool first)
{
    int roots = 0;
    for (int x = 0; x < width; x++) {
        const int k = y * width + x;
        if (image[k] == 0) {
            labels[k] = BACKGROUND;
            continue;
        }
        const int above = k - width;
        const bool left = x > 0 && connected(image, k, k - 1);
        const bool up = !first && connected(image, k, above);
#if CONNECTIVITY == 8
        if (up) {
            labels[k] = labels[above];
            continue;
        }
        const bool up_left = !first && x > 0 && connected(image, k, above - 1);
        if (!first && x + 1 < width && connected(image, k, above + 1)) {
            labels[k] = labels[above + 1];
            if (left || up_left) {
                roots -= unite_trees(labels, above + 1, left ? k - 1 : above - 1);
            }
        } else if (left || up_left) {
            labels[k] = labels[left ? k - 1 : above - 1];
#else
        if (left) {
            labels[k] = labels[k - 1];
            if (up && !connected(image, k, above - 1)) {
                roots -= unite_trees(labels, k - 1, above);
            }
        } else if (up) {
            labels[k] = labels[above];
#endif
        } else {
            labels[k] = k;
            roots++;
        }
    }
    return roots;
}

// In strips, pass 1. Each thread does pass 1 for its strip, as if nothing were above, and counts
// the roots.
//
// Invariant: as in two_pass_first, within each strip. No races: a thread reads and writes the
// labels of its own strip alone, and its own count.
extern "C" __global__ void two_pass_strip(const unsigned char *image, int *labels, int *counts,
                                          int width, int height, int rows)
{
    const int start = blockIdx.x * rows;
    const int end = min(start + rows, height);
    int roots = 0;
    for (int y = start; y < end; y++) {
        roots += label_row(image, labels, width, y, y == start);
    }
    counts[blockIdx.x] = roots;
}

// In strips: joins the trees of two cells, as merge() in common/union_find.cuh does. The strip that
// loses a root counts one less.
static __device__ __forceinline__ void join(int *labels, int *counts, int strip_cells, int label1,
                                            int label2)
{
    label1 = find_root(labels, label1);
    label2 = find_root(labels, label2);
    while (label1 != label2) {
        const int larger = max(label1, label2);
        const int smaller = min(label1, label2);
        const int old = atomicMin(&labels[larger], smaller);
        if (old == larger) {
            atomicSub(&counts[larger / strip_cells], 1);
            return;
        }
        label1 = old;
        label2 = smaller;
    }
}

// In strips, between the passes. Each thread goes along the border between its strip and the next,
// and joins the trees that meet there.
//
// Races: trees are joined at the same time; join() is made for that.
extern "C" __global__ void two_pass_border(const unsigned char *image, int *labels, int *counts,
                                           int width, int height, int rows)
{
    const int y = (blockIdx.x + 1) * rows;
    if (y >= height) {
        return;  // there is one strip
    }
    for (int x = 0; x < width; x++) {
        const int k = y * width + x;
        const int above = k - width;
        const bool up = connected(image, k, above);
        if (up && !(x > 0 && connected(image, k, k - 1) && connected(image, k, above - 1))) {
            join(labels, counts, rows * width, k, above);
        }
#if CONNECTIVITY == 8
        if (!up && x > 0 && connected(image, k, above - 1)) {
            join(labels, counts, rows * width, k, above - 1);
        }
        if (!up && x + 1 < width && connected(image, k, above + 1)) {
            join(labels, counts, rows * width, k, above + 1);
        }
#endif
    }
}

// In strips, pass 2. Each thread replaces each label of its strip by the root of its tree. Only
// where its parent lies in another strip may a cell have to walk.
//
// Invariant: no root changes here. Races: see flatten().
extern "C" __global__ void two_pass_flatten(int *labels, int width, int height, int rows)
{
    const int start = blockIdx.x * rows;
    const int end = min(start + rows, height) * width;
    for (int k = start * width; k < end; k++) {
        flatten(labels, k);
    }
}

// In strips, for numbers in place of labels: how many roots lie before each strip, and in all. One
// thread adds up.
extern "C" __global__ void two_pass_offsets(const int *counts, int *offsets, int *total, int strips)
{
    int before = 0;
    for (int strip = 0; strip < strips; strip++) {
        offsets[strip] = before;
        before += counts[strip];
    }
    *total = before;
}

// In strips: each thread gives the roots of its strip their numbers, in raster order, and 0 to all
// other cells. No races: a thread writes the cells of its own strip.
extern "C" __global__ void two_pass_number(const int *labels, const int *offsets, int *numbers,
                                           int width, int height, int rows)
{
    const int start = blockIdx.x * rows;
    const int end = min(start + rows, height) * width;
    int number = offsets[blockIdx.x];
    for (int k = start * width; k < end; k++) {
        const bool root = labels[k] == k;
        number += root ? 1 : 0;
        numbers[k] = root ? number : 0;
    }
}

// In strips, pass 2 for numbers: each cell takes the number of its parent. Within a strip the
// parent has its own already, as it lies before the cell. If it lies in another strip, the root
// has.
//
// No races: roots have their numbers already, and keep them; a thread writes the other cells of its
// own strip.
extern "C" __global__ void two_pass_relabel(const int *labels, int *numbers, int width, int height,
                                            int rows)
{
    const int start = blockIdx.x * rows * width;
    const int end = min((int)(blockIdx.x + 1) * rows, height) * width;
    for (int k = start; k < end; k++) {
        const int label = labels[k];
        if (label != BACKGROUND && label != k) {
            numbers[k] = numbers[label >= start ? label : find_root(labels, label)];
        }
    }
}
