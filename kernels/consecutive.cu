// Consecutive labels: O. Stava, B. Benes, "Connected Component Labeling in CUDA", GPU Computing
// Gems (2011), chapter 35, section 35.4.2: a prefix sum over the roots numbers the components.
//
// The idea. After any algorithm of this project each cell points at the root of its component.
// Flag the roots, count the flags before each (a prefix sum), and give every cell the number of its
// root. So components are numbered in raster order of their roots. Where an algorithm's root need
// not be the component's first cell in raster order, two launches come before: they find each
// component's first cell and point every cell at it, so that numbers go by first cells in any case.
//
// Launch shape: one dimension. Blocks of THREADS, one thread per cell; the scan is one block;
// counting and numbering by chunks take blocks of one thread, which goes along CHUNK cells.
// In:  labels   int32, with padding as the algorithm has it; see Layout
// Out: numbers  int32, height x width: 0 is background, 1 to count the components
//      sums     int32, one element per block and one more: roots before each block; last, the count
//      firsts   uint32, height x width, only for roots that are not first cells: at each root the
//               component's first cell; must hold 0xFFFFFFFF before
//      pointers int32, height x width, likewise: the first cell of each cell's component, -1 on
//               background; the launches that follow take them for labels
//
// The launches: (find first cells; point every cell at its component's;) flag and count the roots
// of each block; scan these counts; number the roots; hand each root's number to its component.

#include "common/warp.cuh"

#ifndef THREADS
#define THREADS 256
#endif
#ifndef CHUNK
#define CHUNK 4096
#endif
#define WARPS (THREADS / WARP_SIZE)

// How the labels lie in memory. The label of cell (y, x) is the element (y + margin) * pitch + x +
// margin; a label names a cell by that number plus `origin`.
struct Layout {
    int width, pitch, margin, origin, background;
};

// The cell that a label names, as linear index y * width + x; -1 for background.
static __device__ __forceinline__ int parent_of(int label, const Layout &layout)
{
    if (label == layout.background) {
        return -1;
    }
    const int address = label - layout.origin;
    if (layout.margin == 0 && layout.pitch == layout.width) {
        return address;
    }
    const unsigned int row = (unsigned int)address / (unsigned int)layout.pitch;
    const unsigned int column = (unsigned int)address - row * (unsigned int)layout.pitch;
    return ((int)row - layout.margin) * layout.width + (int)column - layout.margin;
}

// The element of a cell's label.
static __device__ __forceinline__ int address_of(int cell, const Layout &layout)
{
    if (layout.margin == 0 && layout.pitch == layout.width) {
        return cell;
    }
    const int y = (int)((unsigned int)cell / (unsigned int)layout.width);
    const int x = cell - y * layout.width;
    return (y + layout.margin) * layout.pitch + x + layout.margin;
}

// The label of a cell.
static __device__ __forceinline__ int label_at(const int *labels, int cell, const Layout &layout)
{
    return labels[address_of(cell, layout)];
}

// Whether a cell lies in the grid and points at itself. No cell's own label is that of background.
static __device__ __forceinline__ bool is_root(const int *labels, int cell, int cells,
                                               const Layout &layout)
{
    if (cell >= cells) {
        return false;
    }
    const int address = address_of(cell, layout);
    return labels[address] == address + layout.origin;
}

// Find each component's first cell. The thread of a cell that can be it, because the cell before it
// in raster order and the one above have other labels, lowers what its root has found so far.
//
// Which earlier cells are looked at decides how many atomics are left, and not the result: a cell
// with the same label is of the same component, and where it lies before this one, this one is not
// the first. So the cell before need not be a neighbour: for the first cell of a row it is the last
// one of the row above.
//
// Races: many threads lower the same element; the atomic minimum keeps the smallest. The read
// before it may be old, and then is too large: it saves most atomics and decides nothing.
extern "C" __global__ void consecutive_first(const int *labels, unsigned int *firsts, int cells,
                                             int width, int pitch, int margin, int origin,
                                             int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell >= cells) {
        return;
    }
    const int label = label_at(labels, cell, layout);
    if (label == background) {
        return;
    }
    if (cell > 0 && label_at(labels, cell - 1, layout) == label) {
        return;
    }
    if (cell >= width && label_at(labels, cell - width, layout) == label) {
        return;
    }
    const int root = parent_of(label, layout);
    if (firsts[root] > (unsigned int)cell) {
        atomicMin(&firsts[root], (unsigned int)cell);
    }
}

// Point each cell at the first cell of its component. No races: a thread writes only its own cell.
extern "C" __global__ void consecutive_point(const int *labels, const unsigned int *firsts,
                                             int *pointers, int cells, int width, int pitch,
                                             int margin, int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell >= cells) {
        return;
    }
    const int root = parent_of(label_at(labels, cell, layout), layout);
    pointers[cell] = root == -1 ? -1 : (int)firsts[root];
}

// Flag roots: a thread looks at one cell, and the block counts its threads whose cell is a root. No
// races: labels are only read, and the first thread writes the block's own element.
extern "C" __global__ void consecutive_count(const int *labels, int *sums, int cells, int width,
                                             int pitch, int margin, int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    const int count = __syncthreads_count(is_root(labels, cell, cells, layout));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = count;
    }
}

// The same by chunks, for a processor of few threads, where waiting costs more than work: a thread
// goes along its chunk and counts the roots. No races: a thread writes its own element.
extern "C" __global__ void consecutive_count_chunk(const int *labels, int *sums, int cells,
                                                   int width, int pitch, int margin, int origin,
                                                   int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const int first = blockIdx.x * CHUNK;
    const int many = min(CHUNK, cells - first);
    int count = 0;
    for (int i = 0; i < many; i++) {
        count += is_root(labels, first + i, cells, layout) ? 1 : 0;
    }
    sums[blockIdx.x] = count;
}

// Exclusive prefix sum over a warp's values, by shuffles. The last lane's result plus its value is
// the warp's total.
static __device__ __forceinline__ int scan_warp(int value, int lane)
{
    int sum = value;
    for (int distance = 1; distance < WARP_SIZE; distance *= 2) {
        const int left = __shfl_up_sync(ALL_LANES, sum, distance);
        if (lane >= distance) {
            sum += left;
        }
    }
    return sum - value;
}

// Turn counts into numbers of roots before each block; `sums[blocks]` becomes the total. One block
// goes along the counts, THREADS at a time, and carries the sum so far.
//
// Invariant: at the top of the loop `carry` is, in every thread, the sum of the counts before
// `base`. No races: a thread reads and writes its own elements, and barriers part the warps'
// totals.
extern "C" __global__ void consecutive_scan(int *sums, int blocks)
{
    __shared__ int warp_totals[WARPS];
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;
    int carry = 0;

    for (int base = 0; base < blocks; base += THREADS) {
        const int i = base + (int)threadIdx.x;
        const int value = i < blocks ? sums[i] : 0;
        const int before = scan_warp(value, lane);
        if (lane == WARP_SIZE - 1) {
            warp_totals[warp] = before + value;
        }
        __syncthreads();
        int warps_before = 0;
        int total = 0;
        for (int w = 0; w < WARPS; w++) {
            warps_before += w < warp ? warp_totals[w] : 0;
            total += warp_totals[w];
        }
        __syncthreads();  // everyone has read the totals; the next turn may overwrite them
        if (i < blocks) {
            sums[i] = carry + warps_before + before;
        }
        carry += total;
    }
    if (threadIdx.x == 0) {
        sums[blocks] = carry;
    }
}

// Give each root its number: the roots before its block, before its warp and before its lane, and
// 1. No races: the thread of a root writes its own cell, and a barrier parts the warps' totals.
extern "C" __global__ void consecutive_number(const int *labels, const int *sums, int *numbers,
                                              int cells, int width, int pitch, int margin,
                                              int origin, int background)
{
    __shared__ int warp_totals[WARPS];
    const Layout layout = {width, pitch, margin, origin, background};
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;
    const int cell = blockIdx.x * THREADS + threadIdx.x;

    const bool root = is_root(labels, cell, cells, layout);
    const unsigned int roots = __ballot_sync(ALL_LANES, root);
    if (lane == 0) {
        warp_totals[warp] = __popc(roots);
    }
    __syncthreads();
    if (root) {
        int number = sums[blockIdx.x] + __popc(roots & ((1u << lane) - 1u)) + 1;
        for (int w = 0; w < warp; w++) {
            number += warp_totals[w];
        }
        numbers[cell] = number;
    }
}

// The same by chunks: a thread goes along its chunk and gives each cell the number of roots up to
// it. For a root that is its own number; what other cells get means nothing, and spares a branch
// that cannot be foreseen. No races: a thread writes the cells of its own chunk.
extern "C" __global__ void consecutive_number_chunk(const int *labels, const int *sums,
                                                    int *numbers, int cells, int width, int pitch,
                                                    int margin, int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const int first = blockIdx.x * CHUNK;
    const int many = min(CHUNK, cells - first);
    int number = sums[blockIdx.x];
    for (int i = 0; i < many; i++) {
        number += is_root(labels, first + i, cells, layout) ? 1 : 0;
        numbers[first + i] = number;
    }
}

// Give each cell the number of its root. Roots keep theirs, so nothing that is read is written.
extern "C" __global__ void consecutive_relabel(const int *labels, int *numbers, int cells,
                                               int width, int pitch, int margin, int origin,
                                               int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell >= cells) {
        return;
    }
    const int root = parent_of(label_at(labels, cell, layout), layout);
    if (root == -1) {
        numbers[cell] = 0;
    } else if (root != cell) {
        numbers[cell] = numbers[root];
    }
}
