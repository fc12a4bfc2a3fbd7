// Features of the components after any algorithm: how many cells, the sums of their coordinates and
// of the products of these, the perimeter, and the bounding box of each. The idea to gather them on
// the device is from Hennequin et al. 2018, section II.C; the method is this project's.
//
// The perimeter counts the sides of cells without a cell of the component beyond. So it is a sum
// of integers: four sides for each cell, less two for each side that two of its cells share. A cell
// looks for shared sides only above and to the left, so that each is found once.
//
// The idea. One atomic operation per cell and feature is slow, because a large component's cells
// all meet at one address. So a lane walks down ROWS cells of a column and gathers what belongs to
// one component in registers; background between its cells does not interrupt that. It adds to
// memory only when it meets another component. At the end, lanes of a warp that hold parts of the
// same component put these together first. A component that fills a warp's 32 x ROWS cells costs
// one addition.
//
// If components are small and many, this is still one addition for every few cells. So there is a
// second kernel: a warp takes a tile of 32 x 32 cells, gathers the features of all components of
// the tile in a table in shared memory, and then writes each once. A component that touches no
// other tile is stored, without atomics. In a tile all sums fit into four words of 32 bits, so that
// a part costs six atomics on shared memory.
//
// Within a warp's tile, coordinates count from the tile's corner, so that 32 bits hold all sums:
// with 32 x 128 cells, the sum of squares is below 2^26. They are moved to the grid's coordinates
// when they are added to the table.
//
// Launch shape: blocks of 32 x WARPS threads, in one dimension of blocks: first along the columns,
//               then down the strips of ROWS * WARPS rows; ROWS is 32 for components_tiles.
// In:  numbers  int32, height x width: consecutive numbers from 1, 0 is background
// Out: table    uint64, 4 x length x 2: see common/feature_table.cuh. All are 0 before.

#include "common/feature_table.cuh"
#include "common/warp.cuh"

#ifndef ROWS
#define ROWS 32
#endif
#ifndef WARPS
#define WARPS 4
#endif
#define AHEAD 8  // rows whose loads are under way at once

// What a lane, or a warp, has gathered of one component, in coordinates of the warp's tile; number
// 0 stands for nothing. Columns of the tile are the bits of `lanes`.
struct Part {
    int number;
    int area;
    int sum_y;
    int sum_x;
    int sum_yy;
    int sum_yx;
    int sum_xx;
    int shared;  // sides that lie between two of its cells
    int top;     // first row
    int bottom;  // last row
    unsigned int lanes;
    unsigned int rows;  // in a tile: the rows that have cells of a lane's part, as bits
};

// Positions of the table and of the warp's tile.
struct Place {
    FeatureTable table;
    int left;
    int top;
};

// Add a part to its component; a part that is the whole component is stored.
static __device__ __forceinline__ void add_part(const Place &place, const Part &part,
                                                bool whole = false)
{
    const int first = __ffs((int)part.lanes) - 1;
    const int last = 31 - __clz((int)part.lanes);
    const Cells cells = {part.area,   part.shared, part.sum_y, part.sum_x, part.sum_yy, part.sum_yx,
                         part.sum_xx, part.top,    first,      part.bottom, last};
    if (whole) {
        place.table.store(part.number, cells, place.top, place.left);
    } else {
        place.table.add(part.number, cells, place.top, place.left);
    }
}

// Put the parts of all lanes together, as if they were of one component: sums of 0 and neutral rows
// for lanes that are not in it. Every lane has the result.
static __device__ __forceinline__ Part join_lanes(Part part)
{
    for (int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
        part.area += __shfl_xor_sync(ALL_LANES, part.area, distance);
        part.sum_y += __shfl_xor_sync(ALL_LANES, part.sum_y, distance);
        part.sum_x += __shfl_xor_sync(ALL_LANES, part.sum_x, distance);
        part.sum_yy += __shfl_xor_sync(ALL_LANES, part.sum_yy, distance);
        part.sum_yx += __shfl_xor_sync(ALL_LANES, part.sum_yx, distance);
        part.sum_xx += __shfl_xor_sync(ALL_LANES, part.sum_xx, distance);
        part.shared += __shfl_xor_sync(ALL_LANES, part.shared, distance);
        part.top = min(part.top, __shfl_xor_sync(ALL_LANES, part.top, distance));
        part.bottom = max(part.bottom, __shfl_xor_sync(ALL_LANES, part.bottom, distance));
    }
    return part;
}

// Add the parts of a warp's lanes. The largest components are in many lanes, so that a few turns of
// joining, each for the first lane's component, leave little to be added lane by lane.
static __device__ __forceinline__ void add_lanes(const Place &place, Part part, int lane)
{
    for (int turn = 0; turn < 3; turn++) {
        const unsigned int waiting = __ballot_sync(ALL_LANES, part.number != 0);
        if (waiting == 0) {
            return;  // all lanes together
        }
        const int leader = __ffs((int)waiting) - 1;
        const int number = __shfl_sync(ALL_LANES, part.number, leader);
        const unsigned int joined = __ballot_sync(ALL_LANES, part.number == number);
        Part whole = {number, 0, 0, 0, 0, 0, 0, 0, 0x7FFFFFFF, -1, 0, 0};
        if (part.number == number) {
            whole = part;
            part.number = 0;
        }
        whole = join_lanes(whole);
        whole.lanes = joined;
        if (lane == leader) {
            add_part(place, whole);
        }
    }
    if (part.number != 0) {
        add_part(place, part);
    }
}

// Complete a part with cells in only one column: the sums with x follow from the other sums.
static __device__ __forceinline__ Part in_column(Part part, int x)
{
    part.sum_x = part.area * x;
    part.sum_yx = part.sum_y * x;
    part.sum_xx = part.area * x * x;
    return part;
}

// Walk down the column of a lane. Whenever another component begins, what was gathered of the one
// before goes to `take`; what was gathered of the last one is returned.
//
// Invariant: what `part` holds are cells of the column that `take` was not given yet.
template <typename Take>
static __device__ __forceinline__ Part gather_column(const int *numbers, const Place &place,
                                                     int rows, int lane, Take take)
{
    Part part = {};
    const int x = place.left + lane;
    if (rows <= 0 || x >= place.table.width) {
        return part;
    }
    int above = place.top > 0 ? numbers[(place.top - 1) * place.table.width + x] : 0;
    for (int first = 0; first < rows; first += AHEAD) {
        // All loads of a few rows begin before the first is used, so that they wait together.
        int ahead[AHEAD], beside[AHEAD];
        for (int i = 0; i < AHEAD; i++) {
            const int y = first + i;
            const int at = (place.top + y) * place.table.width + x;
            ahead[i] = y < rows ? numbers[at] : 0;
            beside[i] = y < rows && x > 0 ? numbers[at - 1] : 0;
        }
        for (int i = 0; i < AHEAD; i++) {
            const int y = first + i;
            const int number = ahead[i];
            if (number != 0) {
                if (number != part.number) {
                    if (part.number != 0) {
                        take(part);
                    }
                    part = {number, 0, 0, 0, 0, 0, 0, 0, y, y, 1u << lane, 0};
                }
                part.area += 1;
                part.sum_y += y;
                part.sum_yy += y * y;
                part.shared += (number == above) + (number == beside[i]);
                part.bottom = y;
                part.rows |= 1u << (y % WARP_SIZE);
            }
            above = number;
        }
    }
    return part;
}

// Gather the features. A warp stands for 32 columns of ROWS rows, a lane for one of the columns.
extern "C" __global__ void components_features(const int *numbers, Wide *table, int length,
                                               int width, int height)
{
    const int columns = (width - 1) / WARP_SIZE + 1;
    const int lane = threadIdx.x;
    const int left = (int)(blockIdx.x % columns) * WARP_SIZE;
    const long long top = ((long long)(blockIdx.x / columns) * blockDim.y + threadIdx.y) * ROWS;
    const int rows = (int)(top + ROWS < height ? ROWS : height - top);  // below 0 past the grid
    const Place place = {{table, length, width, height}, left, (int)top};

    const Part last = gather_column(numbers, place, rows, lane, [&](const Part &part) {
        add_part(place, in_column(part, lane));
    });
    add_lanes(place, in_column(last, lane), lane);
}

#define TILE 32
#define SLOTS 256  // a power of two
#define TRIES 8

// What a warp has gathered of the components of its tile. A component's number says where to look:
// its slot is the first of TRIES slots that is free or its own. Components that begin side by side
// have consecutive numbers, and so slots side by side. A slot is never freed: a component that
// found none will never have one.
//
// Each word of sums holds two sums, of which the first has AREA_BITS or MOMENT_BITS bits: cells and
// x * (x - 1) / 2; y and y * x; x and y * (y - 1) / 2. With 32 x 32 cells they are at most 1024 and
// 158,720; 15,872 and 246,016; 15,872 and 158,720. The fourth word counts shared sides.
#define WORDS 7
typedef unsigned int Slots[WORDS][SLOTS];
#define NUMBERS 0  // 0: free
#define SUMS 1     // to 4
#define IN_ROWS 5  // bits: in which rows and columns of the tile it has cells
#define IN_COLUMNS 6
#define AREA_BITS 11
#define MOMENT_BITS 14

// Find or take the slot of a component; -1 if there is none.
//
// Races: lanes may try to take a slot simultaneously, by a compare-and-swap: one gets it, and the
// others see its number.
static __device__ __forceinline__ int slot_of(Slots &slots, int number)
{
    for (int turn = 0; turn < TRIES; turn++) {
        const int slot = (unsigned int)(number + turn) % SLOTS;
        const unsigned int found = atomicCAS(&slots[NUMBERS][slot], 0u, (unsigned int)number);
        if (found == 0 || found == (unsigned int)number) {
            return slot;
        }
    }
    return -1;
}

// Add the cells of one column of a tile to its component's slot, or to the table if it has none.
static __device__ __forceinline__ void add_column(Slots &slots, const Place &place,
                                                  const Part &part, int x)
{
    const int slot = slot_of(slots, part.number);
    if (slot < 0) {
        add_part(place, in_column(part, x));
        return;
    }
    const unsigned int area = part.area, sum_y = part.sum_y;
    const unsigned int pairs_y = (unsigned int)(part.sum_yy - part.sum_y) / 2;
    atomicAdd(&slots[SUMS][slot], area | area * (x * (x - 1) / 2) << AREA_BITS);
    atomicAdd(&slots[SUMS + 1][slot], sum_y | sum_y * x << MOMENT_BITS);
    atomicAdd(&slots[SUMS + 2][slot], area * x | pairs_y << MOMENT_BITS);
    atomicAdd(&slots[SUMS + 3][slot], (unsigned int)part.shared);
    atomicOr(&slots[IN_ROWS][slot], part.rows);
    atomicOr(&slots[IN_COLUMNS][slot], 1u << x);
}

// Read a slot back.
static __device__ __forceinline__ Part part_of(const Slots &slots, int slot)
{
    const unsigned int cells = slots[SUMS][slot];
    const unsigned int down = slots[SUMS + 1][slot];
    const unsigned int across = slots[SUMS + 2][slot];
    const int sum_y = down & ((1u << MOMENT_BITS) - 1);
    const int sum_x = across & ((1u << MOMENT_BITS) - 1);
    return {(int)slots[NUMBERS][slot],
            (int)(cells & ((1u << AREA_BITS) - 1)),
            sum_y,
            sum_x,
            (int)(across >> MOMENT_BITS) * 2 + sum_y,
            (int)(down >> MOMENT_BITS),
            (int)(cells >> AREA_BITS) * 2 + sum_x,
            (int)slots[SUMS + 3][slot],
            __ffs((int)slots[IN_ROWS][slot]) - 1,
            31 - __clz((int)slots[IN_ROWS][slot]),
            slots[IN_COLUMNS][slot],
            slots[IN_ROWS][slot]};
}

// Gather the features tile by tile. A warp stands for a tile, a lane first for a column of it and
// then for slots.
//
// Invariant: a component that has no cell on a side of the tile beyond which the grid goes on lies
// in this tile alone, so no other thread writes its row.
extern "C" __global__ void components_tiles(const int *numbers, Wide *table, int length, int width,
                                            int height)
{
    __shared__ Slots tables[WARPS];
    Slots &slots = tables[threadIdx.y];
    const int columns = (width - 1) / TILE + 1;
    const int lane = threadIdx.x;
    const int left = (int)(blockIdx.x % columns) * TILE;
    const long long top = ((long long)(blockIdx.x / columns) * WARPS + threadIdx.y) * TILE;
    if (top >= height) {
        return;  // all lanes together; nobody waits for other warps
    }
    const int rows = (int)(top + TILE < height ? TILE : height - top);
    const Place place = {{table, length, width, height}, left, (int)top};

    for (int word = lane; word < WORDS * SLOTS; word += WARP_SIZE) {
        slots[word / SLOTS][word % SLOTS] = 0;
    }
    __syncwarp();  // the slots are free

    const Part last = gather_column(numbers, place, rows, lane, [&](const Part &part) {
        add_column(slots, place, part, lane);
    });
    if (last.number != 0) {
        add_column(slots, place, last, lane);
    }
    __syncwarp();  // all is in the slots

    const unsigned int open_rows = (top > 0 ? 1u : 0u) | (top + TILE < height ? 1u << 31 : 0u);
    const unsigned int open_columns = (left > 0 ? 1u : 0u) | (left + TILE < width ? 1u << 31 : 0u);
    for (int slot = lane; slot < SLOTS; slot += WARP_SIZE) {
        if (slots[NUMBERS][slot] != 0) {
            const bool whole =
                !(slots[IN_ROWS][slot] & open_rows) && !(slots[IN_COLUMNS][slot] & open_columns);
            add_part(place, part_of(slots, slot), whole);
        }
    }
}
