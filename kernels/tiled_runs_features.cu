// Features of components from the runs of Tiled Runs: made for this project. That features add up
// over runs is from Hennequin et al. 2018, section IV.D.
//
// The idea. tiled_runs.cu leaves, before it writes any label, the pixels as bits, and says of each
// run which node of its block or which first pixel its component has. That is all that sums, boxes
// and perimeters need. So these two launches take the place of the one that writes labels: no label
// is written, and none is read. The sums of a run follow from where it begins and how long it is.
//
// A block adds up in shared memory what its runs have of each component, in a slot. Components with
// a node go on in other blocks: nodes of one component share a slot, and what they have in this
// block is added to the table by one atomic for each feature. All other components lie in this
// block alone, and are stored. They are never cleared.
//
// Names are those of tiled_runs.cu. y and x count from the corner of the block.
//
// Launch shapes:
//   tiled_runs_number_nodes  one thread block per block, BLOCK_NODES threads
//   tiled_runs_features      one thread block per block, (32, TILES_X * TILES_Y) threads
//
// In:  words, runs, nodes, counts, roots, ranks, offsets, as tiled_runs_rank_roots leaves them
// Out: table    uint64, 4 x length x 2: see common/feature_table.cuh
// Between the launches:
//      numbers  int32, BLOCK_NODES a block: the number of each node's component
//
// harmless race, minimum: tiled_runs_number_nodes.nodes: a walk stores what it has read; all
//   entries of a path lead to the root.

#define NUMBERED 1

#include "common/block_row.cuh"
#include "common/feature_table.cuh"
#include "tiled_runs/nodes.cuh"
#include "tiled_runs/numbers.cuh"
#include "tiled_runs/words.cuh"
#include "tiled_runs/write.cuh"

#define THREADS (WARP_SIZE * TILES)
#define FLAG_WORDS (BLOCK_H * TILES_X)  // words of 32 pixels in a block

// Slots that there is room for: one for 6.4 pixels, or 12.8 with 8 neighbours, which is enough for
// noise. A block with more components goes through its runs again for the rest, and a large one
// always does.
#define SLOTS (BLOCK_W * BLOCK_H > 4096 ? 640 : BLOCK_W * BLOCK_H * 5 / 32 / ROWS)

// Find the number of each node. A thread is a node. That of a root clears what the table has of its
// component.
// Races: as in find_node(). A component is cleared by one thread.
extern "C" __global__ void tiled_runs_number_nodes(unsigned long long *nodes, const int *counts,
                                                   const unsigned int *roots,
                                                   const unsigned short *ranks, const int *offsets,
                                                   int *numbers, Wide *table, int length, int width,
                                                   int height)
{
    const long long block = (long long)block_row() * gridDim.x + blockIdx.x;
    if (block_row() * BLOCK_H >= height || (int)threadIdx.x >= counts[block]) {
        return;
    }
    const Numbers all = {roots, ranks, offsets, (int)gridDim.x * TILES_X};
    const unsigned int name = (unsigned int)(block * BLOCK_NODES + threadIdx.x);
    const unsigned long long entry = find_node(nodes, name);
    const unsigned int pixel = (unsigned int)(entry >> 32);
    const int y = (int)(pixel / (unsigned int)width);
    const int number = all.of((int)(pixel - (unsigned int)y * (unsigned int)width), y);
    numbers[name] = number;
    if ((unsigned int)entry == name) {
        const FeatureTable features = {table, length, width, height};
        features.clear(number, y);
    }
}

// What a block has added up of each component: a column for each slot, a row for each of these.
#define AREA 0  // pixels, and in the upper half sides between two of them
#define SUM_Y 1
#define SUM_X 2
#define SUM_YY 3
#define SUM_YX 4
#define SUM_XX 5
#define SUMS 6
#define LAST_ROW 6
#define IN_COLUMNS 7  // to 6 + TILES_X: bits of the block's columns that have pixels
typedef unsigned int Slots[7 + TILES_X][SLOTS];

// What a lane has gathered of one component, or a warp of its lanes; slot -1 stands for nothing.
// Slots count from the first that there is room for now.
struct Part {
    int slot;
    unsigned int sums[SUMS];
    unsigned int columns;
    unsigned int last_row;

    // Take in pixels side by side in row y, the first at x, with their sides to the left and above.
    __device__ __forceinline__ void take(unsigned int pixels, unsigned int x, unsigned int y,
                                         unsigned int sides)
    {
        const unsigned int n = __popc(pixels);
        const unsigned int steps = n * (n - 1u) / 2u;  // 0 + 1 + ... + n - 1
        const unsigned int sum_x = n * x + steps;
        sums[AREA] += n | sides << 16;
        sums[SUM_Y] += n * y;
        sums[SUM_X] += sum_x;
        sums[SUM_YY] += n * y * y;
        sums[SUM_YX] += sum_x * y;
        sums[SUM_XX] += (sum_x + steps) * x + steps * (2u * n - 1u) / 3u;
        columns |= pixels;
        last_row = y;
    }

    // Put the parts of all lanes together, as if they were of one component; zeros for lanes
    // without.
    __device__ __forceinline__ void join_lanes()
    {
#pragma unroll
        for (int distance = WARP_SIZE / 2; distance > 0; distance /= 2) {
#pragma unroll
            for (int k = 0; k < SUMS; ++k) {
                sums[k] += __shfl_xor_sync(ALL_LANES, sums[k], distance);
            }
            columns |= __shfl_xor_sync(ALL_LANES, columns, distance);
            last_row = max(last_row, __shfl_xor_sync(ALL_LANES, last_row, distance));
        }
    }

    // Add to the slot. Races: many threads add to one slot, by atomics.
    __device__ __forceinline__ void add_to(Slots &slots, int tile_x) const
    {
#pragma unroll
        for (int k = 0; k < SUMS; ++k) {
            atomicAdd(&slots[k][slot], sums[k]);
        }
        atomicMax(&slots[LAST_ROW][slot], last_row);
        atomicOr(&slots[IN_COLUMNS + tile_x][slot], columns);
    }
};

// The cells of a slot; `top` is their first row.
static __device__ __forceinline__ Cells cells_of(const Slots &slots, int at, int top)
{
    int left = BLOCK_W;
    int right = 0;
#pragma unroll
    for (int column = 0; column < TILES_X; ++column) {
        const int filled = (int)slots[IN_COLUMNS + column][at];
        if (filled != 0) {
            left = min(left, 32 * column + __ffs(filled) - 1);
            right = 32 * column + 31 - __clz(filled);
        }
    }
    const int area = (int)(slots[AREA][at] & 0xFFFFu);
    const int shared = (int)(slots[AREA][at] >> 16);
    const int last_row = (int)slots[LAST_ROW][at];
    return {area, shared, (int)slots[SUM_Y][at], (int)slots[SUM_X][at], (int)slots[SUM_YY][at],
            (int)slots[SUM_YX][at], (int)slots[SUM_XX][at], top, left, last_row, right};
}

// Add what the lanes of a warp hold at the end. A large component is in many lanes: their parts are
// joined first, as they would wait for each other.
static __device__ __forceinline__ void add_lanes(Slots &slots, Part part, int tile_x)
{
    for (int turn = 0; turn < 2; ++turn) {
        const unsigned int waiting = __ballot_sync(ALL_LANES, part.slot >= 0);
        const int leader = __ffs((int)waiting) - 1;
        const int slot = waiting != 0 ? __shfl_sync(ALL_LANES, part.slot, leader) : -1;
        const unsigned int joined = __ballot_sync(ALL_LANES, slot >= 0 && part.slot == slot);
        if (__popc(joined) < 8) {
            break;  // all lanes together
        }
        Part whole = {};
        if (part.slot == slot) {
            whole = part;
            part.slot = -1;
        }
        whole.join_lanes();
        if ((int)threadIdx.x == leader) {
            whole.add_to(slots, tile_x);
        }
    }
    if (part.slot >= 0) {
        part.add_to(slots, tile_x);
    }
}

// The rows of a lane's band, and the pixels to the left of each pixel and above it, where there are
// any.
struct Rows {
    unsigned int pixels[ROWS];
    unsigned int left[ROWS];
    unsigned int above[ROWS];
};

// Load the rows of a tile's bands. All lanes must call.
static __device__ __forceinline__ Rows load_rows(const unsigned int *words, long long block,
                                                 int tile)
{
    const int lane = threadIdx.x;
    const unsigned int *own = words + (block * TILES + tile) * TILE_WORDS;
    const unsigned int *left = nullptr;   // words of the tile on the left
    const unsigned int *above = nullptr;  // and of the one above
    if (tile % TILES_X > 0) {
        left = own - TILE_H;
    } else if (blockIdx.x > 0) {
        left = own - (TILES - (TILES_X - 1)) * TILE_H;
    }
    if (tile / TILES_X > 0) {
        above = own - TILES_X * TILE_H;
    } else if (block >= gridDim.x) {
        above = own - ((long long)(gridDim.x - 1) * TILES + TILES_X) * TILE_H;
    }
    Rows rows;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        rows.pixels[row] = own[32 * row + lane];
        rows.left[row] = rows.pixels[row] << 1 | (left ? left[32 * row + lane] >> 31 : 0u);
        rows.above[row] = rows.pixels[0];
    }
    const unsigned int last = __shfl_up_sync(ALL_LANES, rows.pixels[ROWS - 1], 1);
    rows.above[0] = lane > 0 ? last : above ? above[TILE_H - 1] : 0u;
    return rows;
}

// Add up the features of a block's components.
//
// A thread is in turn a node, a band of a tile, and a slot. The slots of nodes come first, then
// those of the components whose first pixel is in the block, in raster order. No races: arrays are
// written, then read, with a barrier in between; slots are added to by atomics.
extern "C" __global__ void tiled_runs_features(const unsigned int *words,
                                               const unsigned short *runs, const int *counts,
                                               const unsigned int *roots,
                                               const unsigned short *ranks, const int *offsets,
                                               const int *numbers, Wide *table, int length,
                                               int width, int height)
{
    __shared__ Slots slots;
    __shared__ unsigned short firsts[SLOTS];  // place of the first pixel; not of nodes
    __shared__ __align__(8) unsigned short run_slots[TILES][TILE_RUNS];
    __shared__ unsigned int flags[FLAG_WORDS];  // of first pixels: a bit for each place
    __shared__ int before[FLAG_WORDS];          // flags of the grid before each word
    __shared__ int own_before[FLAG_WORDS];      // flags of the block before each word
    __shared__ int own_flags;
    __shared__ int node_numbers[BLOCK_NODES];
    __shared__ unsigned short node_slots[BLOCK_NODES];
    // By their numbers: the first node of each component.
    __shared__ int first_nodes[2 * BLOCK_NODES];

    const int lane = threadIdx.x;
    const int tile = threadIdx.y;
    const int thread = tile * WARP_SIZE + lane;
    const int block_x = blockIdx.x * BLOCK_W;
    const int block_y = block_row() * BLOCK_H;
    const long long block = (long long)block_row() * gridDim.x + blockIdx.x;
    if (block_y >= height) {
        return;  // a row of blocks to spare; see block_row()
    }
    const FeatureTable features = {table, length, width, height};
    const Numbers all = {roots, ranks, offsets, (int)gridDim.x * TILES_X};
    const int node_count = counts[block];
    const Rows rows = load_rows(words, block, tile);

    for (int word = thread; word < FLAG_WORDS; word += THREADS) {
        const long long at = all.word(block_x / 32 + word % TILES_X, block_y + word / TILES_X);
        flags[word] = roots[at];
        before[word] = all.before(at);
    }
    for (int node = thread; node < 2 * BLOCK_NODES; node += THREADS) {
        first_nodes[node] = -1;
        if (node < node_count) {
            node_numbers[node] = numbers[block * BLOCK_NODES + node];
        }
    }
    // What `runs` has is loaded before it is needed.
    const unsigned int starts = run_starts(rows.pixels[0] | rows.pixels[ROWS - 1]);
    const int base = sum_before(__popc(starts));
    const int run_count = __shfl_sync(ALL_LANES, base + __popc(starts), 31);
    const unsigned short *codes = runs + (block * TILES + tile) * TILE_RUNS;
    ushort4 four = load_codes(codes, 4 * lane, run_count);
    ushort4 next = load_codes(codes, 4 * (WARP_SIZE + lane), run_count);
    __syncthreads();  // flags and numbers are there

    if (tile == 0) {
        rank_words<FLAG_WORDS>(flags, own_before, &own_flags);
    }
    // Nodes of the same number take the slot of whichever of them comes first to the table, which
    // has more elements than there are nodes. Warps that do not rank begin.
    for (int node = THREADS - 1 - thread; node < node_count; node += THREADS) {
        const int number = node_numbers[node];
        int at = number % (2 * BLOCK_NODES);
        int first = atomicCAS(&first_nodes[at], -1, node);
        while (first != -1 && node_numbers[first] != number) {
            at = (at + 1) % (2 * BLOCK_NODES);
            first = atomicCAS(&first_nodes[at], -1, node);
        }
        node_slots[node] = (unsigned short)(first == -1 ? node : first);
    }
    __syncthreads();  // the slots of nodes, and the ranks of flags, are there

    const auto slot_of = [&](int code) {
        const int place = code & ~IS_NODE;
        if (code & IS_NODE) {
            return node_slots[place];
        }
        return (unsigned short)(node_count + own_before[place / 32] + flags_before(flags, place));
    };
    for (int run = 4 * lane; run - 4 * lane < run_count; run += 4 * WARP_SIZE) {
        if (run < run_count) {
            *(ushort4 *)&run_slots[tile][run] =
                make_ushort4(slot_of(four.x), slot_of(four.y), slot_of(four.z), slot_of(four.w));
        }
        four = next;
        next = load_codes(codes, run + 8 * WARP_SIZE, run_count);
    }
    __syncwarp();  // the slots of all runs are there

    const int slot_count = node_count + own_flags;
    const int tile_x = 32 * (tile % TILES_X);
    const int tile_y = TILE_H * (tile / TILES_X);
    for (int first = 0; first < slot_count; first += SLOTS) {
        const int room = min(SLOTS, slot_count - first);
        for (int slot = thread; slot < room; slot += THREADS) {
#pragma unroll
            for (int k = 0; k < IN_COLUMNS + TILES_X; ++k) {
                slots[k][slot] = 0;
            }
        }
        for (int word = thread; word < FLAG_WORDS; word += THREADS) {
            int slot = node_count + own_before[word] - first;
            for (unsigned int rest = flags[word]; rest != 0; rest &= rest - 1u, ++slot) {
                if (slot >= 0 && slot < SLOTS) {
                    firsts[slot] = (unsigned short)(32 * word + __ffs((int)rest) - 1);
                }
            }
        }
        __syncthreads();  // the slots are clear

        Part part = {-1};
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            unsigned int pixels;
            for (unsigned int rest = rows.pixels[row]; rest != 0; rest &= ~pixels) {
                pixels = run_from(rest, rest);
                const int run = base + __popc(starts & up_to_lowest(pixels)) - 1;
                const int slot = run_slots[tile][run] - first;
                if (slot < 0 || slot >= SLOTS) {
                    continue;
                }
                if (slot != part.slot) {
                    if (part.slot >= 0) {
                        part.add_to(slots, tile % TILES_X);
                    }
                    part = {slot};
                }
                part.take(pixels, tile_x + __ffs((int)pixels) - 1, tile_y + lane * ROWS + row,
                          __popc(pixels & rows.left[row]) + __popc(pixels & rows.above[row]));
            }
        }
        add_lanes(slots, part, tile % TILES_X);
        __syncthreads();  // all is in the slots

        // A slot without pixels is of a node with the slot of another, or of a first pixel with a
        // node. Nodes are shared out among the warps, as they take longer.
        const int nodes_here = max(0, min(room, node_count - first));
        for (int slot = lane * TILES + tile; slot < nodes_here; slot += THREADS) {
            if (slots[AREA][slot] != 0) {
                // The first row is in the table: another leaves it as it is.
                const Cells cells = cells_of(slots, slot, (int)slots[LAST_ROW][slot]);
                features.add(node_numbers[first + slot], cells, block_y, block_x);
            }
        }
        for (int slot = nodes_here + thread; slot < room; slot += THREADS) {
            if (slots[AREA][slot] != 0) {
                const int place = firsts[slot];
                const int number = before[place / 32] + flags_before(flags, place) + 1;
                features.store(number, cells_of(slots, slot, place / BLOCK_W), block_y, block_x);
            }
        }
        __syncthreads();  // the slots may be cleared
    }
}
