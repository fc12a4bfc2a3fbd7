// Two-pass union-find: the sequential algorithm that Stava and Benes 2011 (chapter 35, Figures 35.3
// and 35.4) begin with and measure against, after K. Wu, E. Otoo, K. Suzuki, "Optimizing two-pass
// connected-component labeling algorithms", Pattern Analysis and Applications 12 (2009).
//
// The idea. One pass over the cells in raster order: each cell becomes the root of a tree of its
// own, and is united with the connected neighbours that were already visited. The trees are
// kept in the label array itself. A second pass in the same order replaces each label by its root.
// Nothing here is parallel: it is the yardstick that the other algorithms are measured against.
//
// Launch shape: one block of one thread. A launch works through some rows of one pass, so that the
// passes can be stepped through; launches go down the rows in order.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; must hold -1 before the first launch. A label is the linear
//              index y * width + x of a cell; -1 is background, and what was not visited yet
//
// Otherwise than in the chapter:
// - The chapter runs this on the CPU, in one go. Here it is a kernel of one thread, so that it runs,
//   is shown and is recorded like the others; on a GPU that is far slower than on a CPU core.
// - Figure 35.3 labels every element; here elements with the value 0 are background, -1, as the
//   chapter's section 35.3.2 has them.
// - A cell's own root is carried from one union to the next, instead of being looked up again.
// - In the second pass a cell needs one step, not a walk: its parent lies before it in raster order
//   and is flat already.
// - MULTIVALUED 1: only cells of equal value connect, as in the chapter; with 0 all cells do that
//   are not background.

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif

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

// Figure 35.3, pass 1, for some rows. The thread makes each cell a root and unites it with its
// neighbours to the left and above.
//
// Invariant: a label names the cell itself or a cell before it in the same component; cells visited
// so far are in one tree if they connect through visited cells. No races: there is one thread.
extern "C" __global__ void two_pass_first(const unsigned char *image, int *labels, int width,
                                          int first_row, int end_row)
{
    for (int y = first_row; y < end_row; y++) {
        for (int x = 0; x < width; x++) {
            const int k = y * width + x;
            if (image[k] == 0) {
                continue;
            }
            labels[k] = k;
            int root = k;
            if (x > 0) {
                root = unite(image, labels, k, root, k - 1);
            }
            if (y > 0) {
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
