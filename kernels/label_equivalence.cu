// Label Equivalence: O. Kalentev, A. Rai, S. Kemnitz, R. Schneider, "Connected component labeling
// on a 2D grid using CUDA", J. Parallel Distrib. Comput. 71 (2011), section 2.2, Listings 1 to 3:
// the version without sizes (NSZ in the paper's tables); and, with Listing 4, the one that gathers
// the size of every component (SZ): the kernels whose names end in _sizes.
//
// The idea. Each foreground cell begins with a label of its own: its address in the padded array. A
// label is read as a reference to the cell with that address, so labels form a forest. In each
// iteration, scanning hooks trees together (a cell that sees a smaller label next to it lowers the
// label of the cell that its own label names), and analysis flattens them (each cell takes the
// label of its root). When scanning finds nothing to lower, every component is one tree, and its
// label is the address of its first cell in raster order. SZ gives every cell a size of 1 to begin
// with; in analysis a cell that is not a root hands its size to its root and keeps 0. A root that
// is hooked to another hands on all that it has gathered, so that in the end each component's root
// has its area.
//
// Launch shape: one thread per cell of the grid, in one dimension, blocks of any size.
// In:  image       uint8,  height x width, 0 is background
// Out: labels      uint32, (height + 2) x (width + 2): padded by one background cell on each side,
//                  which must hold 0 before the first launch; 0 is background
//      is_not_done uint32, one element: set to 1 by scanning if it lowered a label
//      sizes       uint32, shaped and padded as the labels, the paper's _CSize; SZ only
//
// Differences from the paper:
// - The paper stores the binary image in the label array and multiplies it by the address. Here the
//   image is an array of its own, one byte per cell, so a label image need not be uploaded.
// - The listings need a grid size that fills whole blocks; here surplus threads leave at once.
// - Listing 3 writes a row as SIZEX + 2, which is the pitch of the padded array (and swaps the
//   names of north and south). The pitch is a variable here.
// - VARIANT_PAPER does what the listings do. VARIANT_PROJECT differs in three places: it looks
//   whether the flag is up before it raises it (common/flag.cuh), where Listing 3 stores 1 in every
//   thread that lowers a label; a cell that holds its root already is not written again, where
//   Listing 2 stores the root in every cell; and with sizes, roots do not look at their own size,
//   where Listing 4 loads the size of every cell.
// - ATOMIC 1 (variant=atomic) lowers labels by the atomic minimum that the paper leaves out, to
//   measure what it costs. All else is VARIANT_PAPER.
// - CONNECTIVITY 8 adds the four diagonal neighbours; the paper has 4.
// - MULTIVALUED connects cells of equal value only. A label says nothing of a cell's value, so that
//   scanning then reads the image as well, where a neighbour's label is lower; otherwise it does
//   not touch the image.
// - Sizes are set to 1 by the first kernel, not by the host.
//
// The padding lets the kernels look at neighbours without asking where the grid ends, and makes 0
// free to mean background: the first cell of the grid has the address width + 3.
//
// harmless race, minimum: label_equivalence_analysis.labels,
//   label_equivalence_analysis_sizes.labels, label_equivalence_scanning.labels: a thread may read a
//   neighbour's old or new label, and an update may get lost: labels only fall, each names a cell
//   of the same component, and the next iteration repeats what was lost.
// harmless race, same value: label_equivalence_scanning.is_not_done: all threads that write store
//   the same 1.
// harmless race, one writer: label_equivalence_analysis_sizes.sizes: in the paper's form a root
//   reads its own size while others add to it, and does nothing with it.

#include "common/cells.cuh"
#include "common/flag.cuh"
#include "common/variant.cuh"

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif
#ifndef ATOMIC
#define ATOMIC 0
#endif

#define BACKGROUND 0u
#define NO_LABEL 0xFFFFFFFFu

// The padded address of this thread's cell; BACKGROUND for the surplus threads of the last block.
static __device__ __forceinline__ unsigned int cell_address(int width, int height)
{
    const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (unsigned int)width * (unsigned int)height) {
        return BACKGROUND;
    }
    const unsigned int cy = id / (unsigned int)width;
    const unsigned int cx = id - cy * (unsigned int)width;
    return (cy + 1u) * ((unsigned int)width + 2u) + cx + 1u;
}

// The smaller of a minimum so far and a neighbour's label, unless the neighbour does not connect.
//
// The padding is labelled as background, so every neighbour whose value is read lies inside the
// image. `cell` and `beside` are the indices of both in the image.
static __device__ __forceinline__ unsigned int lower(unsigned int minl, unsigned int neighbour,
                                                     const unsigned char *image, int cell,
                                                     int beside)
{
    bool connects = neighbour != BACKGROUND && neighbour < minl;
#if MULTIVALUED
    connects = connects && connected(image, cell, beside);
#endif
    return connects ? neighbour : minl;
}

// Listing 1, InitLabels. Each thread gives its cell a label of its own: the cell's padded address.
// No races: a thread writes only its own cell.
extern "C" __global__ void label_equivalence_init(const unsigned char *image, unsigned int *labels,
                                                  int width, int height)
{
    const unsigned int address = cell_address(width, height);
    if (address == BACKGROUND) {
        return;
    }
    const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    labels[address] = image[id] ? address : BACKGROUND;
}

// Listing 3, Scanning. Each thread looks for the smallest label around its cell. If that is smaller
// than the cell's own label l, the cell that l names gets it: hooking the *tree*, not only the
// cell.
//
// Invariant: labels only fall, and a label always names a cell of the same component.
// Races: two threads may lower the same labels[l]; the read and the plain store are not one
// operation, so one of the two updates can get lost. The loser finds its smaller neighbour again in
// the next iteration, because the flag is set. That costs iterations, never correctness: the number
// of iterations depends on the order of the threads.
// The flag is raised by every thread that finds a smaller label. Those whose store lowers labels[l]
// would be enough: at the launch each label l names a root, so labels[l] is l (init and analysis
// leave it so), and scanning stores only such labels. Of all threads that store to labels[l] the
// first one thus finds l there, and lowers it.
extern "C" __global__ void label_equivalence_scanning(const unsigned char *image,
                                                      unsigned int *labels,
                                                      unsigned int *is_not_done, int width,
                                                      int height)
{
    const unsigned int address = cell_address(width, height);
    if (address == BACKGROUND) {
        return;
    }
    const unsigned int l = labels[address];
    if (l == BACKGROUND) {
        return;
    }
    const unsigned int pitch = (unsigned int)width + 2u;
    const int id = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned int minl = NO_LABEL;
    minl = lower(minl, labels[address - 1u], image, id, id - 1);             // west
    minl = lower(minl, labels[address + 1u], image, id, id + 1);             // east
    minl = lower(minl, labels[address - pitch], image, id, id - width);      // north
    minl = lower(minl, labels[address + pitch], image, id, id + width);      // south
#if CONNECTIVITY == 8
    minl = lower(minl, labels[address - pitch - 1u], image, id, id - width - 1);
    minl = lower(minl, labels[address - pitch + 1u], image, id, id - width + 1);
    minl = lower(minl, labels[address + pitch - 1u], image, id, id + width - 1);
    minl = lower(minl, labels[address + pitch + 1u], image, id, id + width + 1);
#endif
    if (minl < l) {
#if ATOMIC
        atomicMin(&labels[l], minl);
#else
        const unsigned int ll = labels[l];
        labels[l] = ll < minl ? ll : minl;
#endif
        raise_flag(is_not_done);
    }
}

// Follow a label from reference to reference to a cell that refers to itself, the root.
static __device__ __forceinline__ unsigned int root_of(const unsigned int *labels,
                                                       unsigned int label)
{
    unsigned int r = labels[label];
    while (r != label) {
        label = labels[r];
        r = labels[label];
    }
    return label;
}

// Listing 2, Analysis. Each thread follows its cell's label to the root of its tree, and takes the
// root's label.
//
// Invariant: no root changes here, so every thread ends at the root that its tree had at the
// launch.
// Races: other threads shorten the same paths meanwhile. A thread reads either the old reference or
// the root itself; both lead to the same root, the latter sooner.
extern "C" __global__ void label_equivalence_analysis(unsigned int *labels, int width, int height)
{
    const unsigned int address = cell_address(width, height);
    if (address == BACKGROUND) {
        return;
    }
    const unsigned int label = labels[address];
    if (label == BACKGROUND) {
        return;
    }
    const unsigned int root = root_of(labels, label);
    if (VARIANT != VARIANT_PROJECT || root != label) {
        labels[address] = root;
    }
}

// Listing 1 for SZ: as above, and each cell begins with the size 1, background with 0.
extern "C" __global__ void label_equivalence_init_sizes(const unsigned char *image,
                                                        unsigned int *labels, unsigned int *sizes,
                                                        int width, int height)
{
    const unsigned int address = cell_address(width, height);
    if (address == BACKGROUND) {
        return;
    }
    const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    labels[address] = image[id] ? address : BACKGROUND;
    sizes[address] = image[id] ? 1u : 0u;
}

// Listings 2 and 4: analysis, and a cell that is not a root hands its size to the root.
//
// Invariant: the sizes of a tree's cells add up to the tree's number of cells, before and after.
// Races: as in analysis; and many threads add to the size of one root, by atomics. Only roots are
// added to, and only its own thread sets a size to 0. A root may read its own size while others add
// to it, and does nothing with it.
extern "C" __global__ void label_equivalence_analysis_sizes(unsigned int *labels,
                                                            unsigned int *sizes, int width,
                                                            int height)
{
    const unsigned int address = cell_address(width, height);
    if (address == BACKGROUND) {
        return;
    }
    const unsigned int label = labels[address];
    if (label == BACKGROUND) {
        return;
    }
#if VARIANT == VARIANT_PROJECT
    if (label == address) {
        return;
    }
#endif
    const unsigned int root = root_of(labels, label);
    labels[address] = root;
    const unsigned int n = sizes[address];
    if (n != 0u && root != address) {
        atomicAdd(&sizes[root], n);
        sizes[address] = 0u;
    }
}
