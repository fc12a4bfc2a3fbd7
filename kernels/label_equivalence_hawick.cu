// Label Equivalence as first published: K. A. Hawick, A. Leist, D. P. Playne, "Parallel graph
// component labelling with GPUs and CUDA", Parallel Computing 36 (2010) 655-678, the multi-pass
// kernels for hypercubic lattices; as Kalentev et al. 2011, section 2.2, describe it.
//
// The idea. Each cell has a label, and each label has a reference: the label that it was found to
// be equivalent to. In each iteration, scanning lowers, by an atomic minimum, the reference of a
// cell's label to the smallest label beside the cell; analysis follows the references of each label
// to the end of its chain; labelling replaces every cell's label by what its reference says. When
// scanning finds no smaller label next to any cell, every component has one label, the index of its
// first cell in raster order.
//
// What Kalentev et al. removed (label_equivalence.cu): the reference array, for the label array can
// hold the references itself; the labelling launch, for analysis can then do that work; the atomic,
// for an update that gets lost is made up for by the next iteration; and the tests for the edge of
// the grid, by padding.
//
// Launch shape: two-dimensional, one thread per cell, blocks of any shape.
// In:  image       uint8, height x width, 0 is background
// Out: labels      int32, height x width; a label is the linear index y * width + x of a cell, -1
//                  is background
//      references  int32, height x width: element l is the label that label l is equivalent to; it
//                  is in use only while l is the label of its own cell. -1 on background
//      changed     int32, one element: set to 1 by scanning if a reference is to be lowered
//
// Differences from the paper:
// - Its lattices have no background: every cell belongs to a component of cells of its kind. Here
//   cells with the value 0 are background, -1.
// - VARIANT_PAPER calls the atomic minimum and raises the flag in every thread that finds a smaller
//   label, and stores every reference and label that it has found. VARIANT_PROJECT leaves out an
//   atomic that cannot lower the reference any more (many cells share a label, and most of them
//   come too late with what they found), a flag that is up, and stores that change nothing.
// - CONNECTIVITY 8 adds the four diagonal neighbours.
// - MULTIVALUED 1: only cells of equal value connect, as in the paper; with 0 all cells connect
//   that are not background.
//
// harmless race, same value: label_equivalence_hawick_scanning.changed: all that write store the
//   same 1.
// harmless race, one writer: label_equivalence_hawick_analysis.references: while all chains are
//   followed, others shorten them: an old reference and a new one lead to the same end.

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/flag.cuh"
#include "common/union_find.cuh"
#include "common/variant.cuh"

#define BACKGROUND (-1)

// The smaller of a label and that of a neighbour, if the neighbour connects and lies in the grid.
static __device__ __forceinline__ int lower(int label, const unsigned char *image,
                                            const int *labels, int cell, int beside, bool inside)
{
    if (!inside) {
        return label;
    }
    const int other = labels[beside];
    bool connects = other != BACKGROUND && other < label;
#if MULTIVALUED
    connects = connects && connected(image, cell, beside);
#endif
    return connects ? other : label;
}

// Initialisation. Each thread gives its cell its index as label, and the label itself as reference.
// No races: a thread writes only its own cell.
extern "C" __global__ void label_equivalence_hawick_init(const unsigned char *image, int *labels,
                                                         int *references, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    const int label = image[k] != 0 ? k : BACKGROUND;
    labels[k] = label;
    references[k] = label;
}

// Scanning. Each thread looks for the smallest label around its cell. If that is smaller than the
// cell's own label, the reference of the own label is lowered to it.
//
// Invariant: a reference only falls here, and names a label of the same component. Labels are only
// read. Races: many threads lower the reference of the same label; the atomic minimum keeps the
// smallest. The plain read before it may be outdated, and is then too high, which costs an atomic.
// All threads that set the flag set it to 1. Those whose atomic lowers a reference would be enough:
// at the launch each label refers to itself, so the first atomic on a reference lowers it.
extern "C" __global__ void label_equivalence_hawick_scanning(const unsigned char *image,
                                                             const int *labels, int *references,
                                                             int *changed, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    const int label = labels[k];
    if (label == BACKGROUND) {
        return;
    }
    const bool west = x > 0;
    const bool east = x + 1 < width;
    const bool north = y > 0;
    const bool south = y + 1 < height;
    int smallest = label;
    smallest = lower(smallest, image, labels, k, k - width, north);
    smallest = lower(smallest, image, labels, k, k - 1, west);
    smallest = lower(smallest, image, labels, k, k + 1, east);
    smallest = lower(smallest, image, labels, k, k + width, south);
#if CONNECTIVITY == 8
    smallest = lower(smallest, image, labels, k, k - width - 1, north && west);
    smallest = lower(smallest, image, labels, k, k - width + 1, north && east);
    smallest = lower(smallest, image, labels, k, k + width - 1, south && west);
    smallest = lower(smallest, image, labels, k, k + width + 1, south && east);
#endif
    if (smallest < label) {
        if (VARIANT != VARIANT_PROJECT || smallest < references[label]) {
            atomicMin(&references[label], smallest);
        }
        raise_flag(changed);
    }
}

// Analysis. The thread of the cell that a label is named after follows the chain of references from
// the label to the one that refers to itself, and makes that the label's reference.
//
// Invariant: the ends of chains do not change here. Races: other threads shorten the same chains
// meanwhile. A thread reads either the old reference or the end itself; both lead to the end.
extern "C" __global__ void label_equivalence_hawick_analysis(const int *labels, int *references,
                                                             int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    if (labels[k] != k) {
        return;
    }
    const int first = references[k];
    const int end = find_root(references, first);
    if (VARIANT != VARIANT_PROJECT || end != first) {
        references[k] = end;
    }
}

// Labelling. Each thread replaces its cell's label by the reference of that label.
//
// Invariant: labels only fall. No races: references are only read, and a thread writes its own
// cell.
extern "C" __global__ void label_equivalence_hawick_labelling(int *labels, const int *references,
                                                              int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    const int label = labels[k];
    if (label == BACKGROUND) {
        return;
    }
    const int reference = references[label];
    if (VARIANT != VARIANT_PROJECT || reference != label) {
        labels[k] = reference;
    }
}
