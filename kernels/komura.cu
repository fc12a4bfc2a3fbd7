// Komura 2015: Y. Komura, "GPU-based cluster-labeling algorithm without the use of conventional
// iteration: application to the Swendsen-Wang multi-cluster spin flip algorithm", Comput. Phys.
// Commun. 194 (2015) 54-58; as Hennequin et al. 2018, section II, place it. It is Label Equivalence
// whose loop moves from the host into the threads.
//
// The idea. Each cell begins by pointing at the first, in raster order, of the neighbours that lie
// before it and connect with it. That already makes trees, without an atomic: analysis flattens
// them. What is left out is the second link of a cell that connects both upwards and to the left.
// Label reduction joins these: the larger root is made to point at the smaller one by an atomic
// minimum, and where another thread was faster, the same thread goes on with the label that the
// atomic returned. So nothing is lost, no flag is read by the host, and a second analysis ends the
// work: four launches, whatever the picture.
//
// Launch shape: two-dimensional, one thread per cell, blocks of any shape.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; a label is the linear index y * width + x of a cell, -1 is
//              background
//
// Differences from the paper:
// - The paper labels clusters of spins, where bonds say which neighbours connect, every site
//   belongs to a cluster, and opposite edges meet. Here cells connect by their values, cells with
//   the value 0 are background, -1, and the grid has edges.
// - Label reduction walks to both roots before its first atomic (common/union_find.cuh), and is
//   left out where both cells have the same label already.
// - VARIANT_PAPER stores the root of every cell in analysis; VARIANT_PROJECT leaves out stores that
//   change nothing (common/union_find.cuh).
// - MULTIVALUED 1: only cells of equal value connect.
//
// harmless race, one writer: komura_analysis.labels: while trees are flattened, others shorten the
//   same paths: an old label and the root both lead to the root.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/union_find.cuh"

#define BACKGROUND (-1)

// Initialisation. Each thread makes its cell point at the upper neighbour, else at the left one,
// else at itself: the smallest index among the connected neighbours before it.
//
// Invariant, from here to the end: a label names the cell itself or a cell before it in the same
// component. No races: a thread writes only its own cell.
extern "C" __global__ void komura_init(const unsigned char *image, int *labels, int width,
                                       int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    int label = BACKGROUND;
    if (image[k] != 0) {
        label = k;
        if (y > 0 && connected(image, k, k - width)) {
            label = k - width;
        } else if (x > 0 && connected(image, k, k - 1)) {
            label = k - 1;
        }
    }
    labels[k] = label;
}

// Analysis. Each thread follows its cell's label to the root and takes the root's label.
//
// Invariant: no root changes here. Races: see flatten().
extern "C" __global__ void komura_analysis(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    flatten(labels, y * width + x);
}

// Label reduction. A thread whose cell connects both upwards and to the left joins the trees of the
// cell and its left neighbour: the link that the initialisation had to leave out.
//
// Races: trees are joined at the same time; merge() is made for that. An outdated label is still
// one of the same tree, so that equal labels mean one tree, however old they are.
extern "C" __global__ void komura_reduction(const unsigned char *image, int *labels, int width,
                                            int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x == 0 || x >= width || y == 0 || y >= height) {
        return;
    }
    const int k = y * width + x;
    if (!connected(image, k, k - width) || !connected(image, k, k - 1)) {
        return;
    }
    const int label = labels[k];
    const int left = labels[k - 1];
    if (label != left) {
        merge(labels, label, left);
    }
}
