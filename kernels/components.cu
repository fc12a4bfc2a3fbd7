// Features of the components after any algorithm: how many cells, the sums of their coordinates, and
// the bounding box of each; the idea to gather them on the device is Hennequin et al. 2018, section
// II.C, the way is this project's own.
//
// The idea. One atomic operation a cell and feature is slow, because a large component's cells all
// meet at one address. So a lane walks down ROWS cells of a column and gathers what belongs to one
// component in registers; background between its cells does not interrupt that. It adds to memory
// only when it meets another component, and at the end lanes of a warp that hold parts of the same
// component put these together first. A component that fills a warp's 32 x ROWS cells costs one
// addition.
//
// components_gather serves the analysis of HA4 (ha4_features.cu), which leaves features at the roots:
// it moves them to their component's row of the table.
//
// Launch shape: components_features: blocks of 32 x WARPS threads, in one dimension of blocks: first
//               along the columns, then down the strips of ROWS * WARPS rows.
//               components_gather: one dimension, one thread a cell, blocks of any size.
// In:  numbers  int32, height x width: consecutive numbers from 1, 0 is background (consecutive.cu);
//               for components_gather only the elements at roots mean anything
// Out: the table, an array a column, of which element n - 1 is that of component n:
//      area           int32: cells
//      sum_y, sum_x   uint64: sums of the cells' coordinates
//      y0, x0, y1, x1 int32: rows y0 to y1 - 1 and columns x0 to x1 - 1
//      Before components_features, y0 and x0 must hold a number that no coordinate exceeds, and the
//      other columns 0.

#include "common/warp.cuh"

#ifndef ROWS
#define ROWS 32
#endif
#ifndef SUM_BITS
#define SUM_BITS 64
#endif

// The sums that components_gather finds at the roots.
#if SUM_BITS == 64
typedef unsigned long long RootSum;
#else
typedef unsigned int RootSum;
#endif

// What a lane, or a warp, has gathered of one component; number 0 stands for nothing.
struct Part {
    int number;
    int area;
    unsigned long long sum_y;
    unsigned long long sum_x;
    int y0;
    int x0;
    int y1;
    int x1;
};

struct Table {
    int *area;
    unsigned long long *sum_y;
    unsigned long long *sum_x;
    int *y0;
    int *x0;
    int *y1;
    int *x1;
};

// Add a part to its component's row.
//
// Races: many parts are added to one row; each operation is atomic, and their order does not matter.
// A bound is read first, which saves most of the atomics: it may be old, and is then further inside
// than the bound is now, so that nothing is left out.
static __device__ __forceinline__ void add_part(const Table &table, const Part &part)
{
    const int row = part.number - 1;
    atomicAdd(&table.area[row], part.area);
    atomicAdd(&table.sum_y[row], part.sum_y);
    atomicAdd(&table.sum_x[row], part.sum_x);
    if (part.y0 < table.y0[row]) {
        atomicMin(&table.y0[row], part.y0);
    }
    if (part.x0 < table.x0[row]) {
        atomicMin(&table.x0[row], part.x0);
    }
    if (part.y1 > table.y1[row]) {
        atomicMax(&table.y1[row], part.y1);
    }
    if (part.x1 > table.x1[row]) {
        atomicMax(&table.x1[row], part.x1);
    }
}

// Put the parts of all lanes together, as if they were of one component: bounds that are neutral and
// sums of 0 for lanes that are not in it. Every lane has the result.
static __device__ __forceinline__ Part join_lanes(Part part)
{
    for (int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
        part.area += __shfl_xor_sync(ALL_LANES, part.area, distance);
        part.sum_y += __shfl_xor_sync(ALL_LANES, part.sum_y, distance);
        part.sum_x += __shfl_xor_sync(ALL_LANES, part.sum_x, distance);
        part.y0 = min(part.y0, __shfl_xor_sync(ALL_LANES, part.y0, distance));
        part.x0 = min(part.x0, __shfl_xor_sync(ALL_LANES, part.x0, distance));
        part.y1 = max(part.y1, __shfl_xor_sync(ALL_LANES, part.y1, distance));
        part.x1 = max(part.x1, __shfl_xor_sync(ALL_LANES, part.x1, distance));
    }
    return part;
}

// Add the parts of a warp's lanes. The largest components are in many lanes, so that a few turns of
// joining, each for the first lane's component, leave little to be added lane by lane.
static __device__ __forceinline__ void add_lanes(const Table &table, Part part, int lane)
{
    for (int turn = 0; turn < 3; turn++) {
        const unsigned int waiting = __ballot_sync(ALL_LANES, part.number != 0);
        if (waiting == 0) {
            return;  // all lanes together
        }
        const int leader = __ffs((int)waiting) - 1;
        const int number = __shfl_sync(ALL_LANES, part.number, leader);
        const bool joins = part.number == number;
        Part whole = {number, 0, 0, 0, 0x7FFFFFFF, 0x7FFFFFFF, 0, 0};
        if (joins) {
            whole = part;
            part.number = 0;
        }
        whole = join_lanes(whole);
        if (lane == leader) {
            add_part(table, whole);
        }
    }
    if (part.number != 0) {
        add_part(table, part);
    }
}

// Gather the features. A warp stands for 32 columns of ROWS rows, a lane for one of the columns.
//
// Invariant: what a lane holds in `part` are cells of its column that no row of the table has yet.
extern "C" __global__ void components_features(const int *numbers, int *area,
                                               unsigned long long *sum_y,
                                               unsigned long long *sum_x, int *y0, int *x0, int *y1,
                                               int *x1, int width, int height)
{
    const Table table = {area, sum_y, sum_x, y0, x0, y1, x1};
    const int columns = (width - 1) / WARP_SIZE + 1;
    const int lane = threadIdx.x;
    const int x = (int)(blockIdx.x % columns) * WARP_SIZE + lane;
    const long long top = ((long long)(blockIdx.x / columns) * blockDim.y + threadIdx.y) * ROWS;
    const int rows = (int)(top + ROWS < height ? ROWS : height - top);  // below 0 past the grid

    Part part = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < rows && x < width; i++) {
        const int y = (int)top + i;
        const int number = numbers[y * width + x];
        if (number != 0 && number != part.number) {
            if (part.number != 0) {
                add_part(table, part);
            }
            part = {number, 0, 0, 0, y, x, y, x + 1};
        }
        if (number != 0) {
            part.area += 1;
            part.sum_y += y;
            part.sum_x += x;
            part.y1 = y + 1;
        }
    }
    add_lanes(table, part, lane);
}

// Move the features from the roots to the table. The thread of a root, a cell whose label is its own
// index, writes its component's row; no two threads write the same.
extern "C" __global__ void components_gather(const int *labels, const int *numbers, const int *count,
                                             const RootSum *root_sum_x, const RootSum *root_sum_y,
                                             const int *min_x, const int *min_y, const int *max_x,
                                             const int *max_y, int *area,
                                             unsigned long long *sum_y, unsigned long long *sum_x,
                                             int *y0, int *x0, int *y1, int *x1, int cells)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells || labels[cell] != cell) {
        return;
    }
    const int row = numbers[cell] - 1;
    area[row] = count[cell];
    sum_y[row] = root_sum_y[cell];
    sum_x[row] = root_sum_x[cell];
    y0[row] = min_y[cell];
    x0[row] = min_x[cell];
    y1[row] = max_y[cell] + 1;
    x1[row] = max_x[cell] + 1;
}
