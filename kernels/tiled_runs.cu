// Tiled Runs: made for this project. Connected components from runs in bit words, labelled in three
// launches: blocks, borders, labels. A grid of up to 64 x 64 pixels takes one.
//
// This file has the kernels. What they are made of lies in the folder tiled_runs, to be read in
// this order:
//   shapes.cuh        how a grid is divided
//   words.cuh         rows of 32 pixels as words
//   values.cuh        the same for pixels of several values
//   forest.cuh        the forest of runs in shared memory
//   tile.cuh          a warp links the runs of its tile
//   touching.cuh      where two lines of pixels connect
//   block.cuh         a block joins its runs
//   block_border.cuh  what a block hands on
//   nodes.cuh         the forest that joins blocks, in device memory
//   numbers.cuh       consecutive numbers
//   write.cuh         words back to labels
//
// Sources. Runs as the unit of work, and the distance operators on bit masks:
// Hennequin, Lacassagne, Cabaret, Meunier 2018. Tiles in shared memory, then their borders: Stava
// and Benes 2011; Playne and Hawick 2018. The union by an atomic minimum that goes on with what it
// overwrote: Komura 2015; Playne and Hawick 2018. Joining two trees on the way to their roots: Rem,
// in Dijkstra 1976. A bit per pixel, and labels that are written once, at the end: Allegretti,
// Bolelli, Grana 2020 do the first for blocks of 2 x 2 pixels.
//
// The idea. Labelling moves few bytes, one in and four out for each pixel, so what costs is looking
// at pixels again. This method looks at each pixel once. A row of 32 pixels becomes one 32-bit
// word, and from then on all work is on runs: a run is found, cut and compared with the runs above
// it by a few operations on words, and its number comes from a population count. A warp labels a
// tile, a lane per row, without waiting for other warps. A block joins its tiles in shared memory.
// Only components that touch the border of their block get a node in device memory; a second launch
// joins these across the borders of blocks. The third launch turns words back into pixels: it finds
// each run's root and writes all labels, for the first and only time.
//
// What was tried. Tiles of 64 x 64 with words of 64 bits, 16 pixels per thread and a label of 16
// bits for each pixel between the launches: at 8192 x 8192, 0.33 ms with 4 neighbours and 0.43 with
// 8, where this kernel takes 0.20. Joining pairs at borders as they are found: most lanes then wait
// for one that joins two, so pairs are listed first. Walking and linking the forest of runs at
// once: threads then read what others write, so the two take turns. Walking from two nodes to their
// roots and linking these: along a component that crosses most blocks, links then wait for each
// other, which took 150 microseconds more on a zigzag of 2048 x 2048. Bands of one row with 8
// neighbours on small grids: more pairs to join.
//
// Several values. MULTIVALUED makes kernels for grids whose pixels connect where their values are
// equal. A run ends where the value changes, so a word more says where runs begin, and words of
// "same as the neighbour on the left" and "above" (and beside that, with 8 neighbours) say what
// connects. These come from comparing pixels once, as they are loaded; only borders of blocks
// compare values again. A row has up to 32 runs, and two rows are no band, as pixels that touch may
// differ.
//
// What lies in device memory between the launches, for each pixel at most: 1/8 byte of bits, 1 byte
// of runs (2 bytes for each of up to 16 runs in 32 pixels), 1/4 byte of nodes, 1/8 byte of sides.
// With several values, bits, runs and nodes take twice as much.
//
// Names. band: what a lane has of a tile, one row of 32 pixels, or with 8 neighbours two rows.
// tile: 32 bands, of one warp. block: TILES_X x TILES_Y tiles, of one thread block. run: adjacent
// columns of a band that have foreground. node: a component of a block that touches the block's
// border. place: the raster index of a pixel within its block.
//
// Launch shapes:
//   tiled_runs_label_blocks   one thread block per block, (32, TILES_X * TILES_Y) threads
//   tiled_runs_merge_borders  one thread block per block, BLOCK_W + BLOCK_H threads
//   tiled_runs_rank_roots     where components are numbered: one thread block for SCAN_WORDS words
//   tiled_runs_write_labels   as the first
//   tiled_runs_label_small    one block for the whole grid; in place of all others
//
// In:  image     uint8, height x width; 0 is background, what is not 0 connects, with MULTIVALUED
//                only where it is equal
// Out: labels    int32, height x width; -1 is background, otherwise the index of the component's
//                first pixel in raster order
// Between the launches:
//      words     uint32, TILE_WORDS a tile, one a row: its pixels as bits, bit 0 on the left
//      runs      uint16, TILE_RUNS a tile: for each run its component: IS_NODE + number of the node
//                in this block, or the place of the component's first pixel in the block
//      nodes     uint64, BLOCK_NODES a block: the forest that joins components of blocks; an entry
//                is (index of a pixel << 32) | index of a node
//      counts    int32, one a block: how many nodes it has
//      sides     uint16, 2 * (BLOCK_W + BLOCK_H) a block: the node of each pixel on its four sides
//      and where components are numbered:
//      roots     uint32, one for 32 pixels of a row: which pixels are the first of their component
//      ranks     uint16, one for each word of roots: the flags before it in its chunk of SCAN_WORDS
//      sums      int32, one a chunk: how many flags it has
//      finished  uint32: how many blocks have counted theirs
//      offsets   int32, one a chunk: the flags before it
//      total     int32: how many components there are
//
// harmless race, minimum: tiled_runs_merge_borders.nodes: a walk stores what it has read, which may
//   undo what another thread just wrote: an entry names an ancestor all the same, and whoever
//   lowered it goes on to join what it named before.
// harmless race, one writer: tiled_runs_rank_roots.sums: the last block reads what the others
//   stored behind a fence, before they counted themselves as finished.

#include "common/block_row.cuh"
#include "tiled_runs/block.cuh"
#include "tiled_runs/block_border.cuh"
#include "tiled_runs/nodes.cuh"
#include "tiled_runs/numbers.cuh"
#include "tiled_runs/tile.cuh"
#include "tiled_runs/touching.cuh"
#include "tiled_runs/write.cuh"

// Label a block: pixels to words, words to runs, runs to components, and nodes for the components
// that touch the block's border.
//
// A thread is a band of a tile while runs are linked, and a run while they are flattened.
// Invariant: from the first flattening on, an entry of the table names a run of the same component
// whose first pixel comes no later. No races: the table is read and written in turns.
extern "C" __global__ void tiled_runs_label_blocks(
    const unsigned char *image, unsigned int *words, unsigned short *runs,
    unsigned long long *nodes, int *counts, unsigned short *sides,
#if NUMBERED
    unsigned int *roots, unsigned int *finished,
#endif
    int width, int height)
{
    __shared__ unsigned int table[TILES * TILE_RUNS];
    __shared__ unsigned int tops[TILES][32];
    __shared__ int bases[TILES][32];
    __shared__ int nodes_given;
    __shared__ unsigned int pairs[BLOCK_PAIRS];
    __shared__ int pair_count;
#if ROWS == 2
    __shared__ unsigned int bottoms[TILES][32];
    const Block block = {table, tops, bottoms, bases};
#elif MULTIVALUED
    __shared__ unsigned int first_columns[TILES][32];
    const Block block = {table, tops, tops, bases, first_columns};
#else
    const Block block = {table, tops, tops, bases};
#endif
#if NUMBERED
    __shared__ unsigned int flags[BLOCK_H * TILES_X];  // of first pixels: a bit for each place
#endif

    const int lane = threadIdx.x;
    const int tile = threadIdx.y;
    const int block_x = blockIdx.x * BLOCK_W;
    const int block_y = block_row() * BLOCK_H;
    const long long block_index = (long long)block_row() * gridDim.x + blockIdx.x;
    const long long tile_index = block_index * TILES + tile;

    if (block_y >= height) {
        return;  // a row of blocks to spare; see block_row()
    }
    if (lane == 0 && tile == 0) {
        nodes_given = 0;
        pair_count = 0;
    }
    __syncthreads();  // the list is empty
#if NUMBERED
    for (int word = tile * WARP_SIZE + lane; word < BLOCK_H * TILES_X; word += TILES * WARP_SIZE) {
        flags[word] = 0;
    }
#endif
    const PairList list = {pairs, &pair_count};
    const TileRuns own = label_tile(block, list, tile, image, block_x, block_y, width, height);
    __syncthreads();  // the runs of all tiles are linked
    join_runs(block, list, tile, own.band);
    const Border border = find_border(block, tile, open_sides(block_y, height));
    __syncthreads();  // all have walked
    give_nodes(block, border, &nodes_given, [&](int node, int place) {
        const long long pixel =
            (long long)(block_y + place / BLOCK_W) * width + block_x + place % BLOCK_W;
        const unsigned long long name = block_index * BLOCK_NODES + node;
        nodes[name] = (unsigned long long)pixel << 32 | name;
#if NUMBERED
        atomicOr(&flags[place / 32], 1u << place % 32);
#endif
    });
    __syncthreads();  // all nodes are given out

    write_runs(table, own.first, own.count, runs + tile_index * TILE_RUNS, [&](int place) {
#if NUMBERED
        atomicOr(&flags[place / 32], 1u << place % 32);
#endif
    });
    words[tile_index * TILE_WORDS + lane] = own.band.top;
#if ROWS == 2
    words[tile_index * TILE_WORDS + 32 + lane] = own.band.bottom;
#elif MULTIVALUED
    words[tile_index * TILE_WORDS + 32 + lane] = own.band.starts;
#endif
    write_border(block, border, sides + block_index * SIDE_PIXELS, tile);
    if (lane == 0 && tile == 0) {
        counts[block_index] = nodes_given;
#if NUMBERED
        if (block_index == 0) {
            *finished = 0;  // for the launch that ranks
        }
#endif
    }
#if NUMBERED
    __syncthreads();  // all first pixels are flagged
    const long long pitch = gridDim.x * TILES_X;
    for (int word = tile * WARP_SIZE + lane; word < BLOCK_H * TILES_X; word += TILES * WARP_SIZE) {
        const int y = block_y + word / TILES_X;
        roots[y * pitch + blockIdx.x * TILES_X + word % TILES_X] = flags[word];
    }
#endif
}

// Join nodes across the borders of blocks. A thread is a pixel on the right or the lower side of
// its block. The corners where four blocks meet belong to the lower side.
//
// First all threads list the pairs of nodes that meet, then they go through the list: most pixels
// add nothing to it, and so no thread is idle while another joins two pairs.
// Invariant: an entry names a node at or before its own, by first pixels, of the same component.
// Where components are numbered, each link lowers the flag of a first pixel that is none any more.
// Races: as in join_nodes(). All else is an atomic.
extern "C" __global__ void tiled_runs_merge_borders(
    const unsigned short *sides, unsigned long long *nodes,
#if MULTIVALUED
    const unsigned char *image, int height,
#endif
#if NUMBERED
    unsigned int *roots,
#endif
#if NUMBERED || MULTIVALUED
    int width,
#endif
    int blocks_x, int blocks_y)
{
    __shared__ unsigned int pairs[(CONNECTIVITY == 8 ? 2 : 1) * (BLOCK_W + BLOCK_H)][2];
    __shared__ int listed;

    const int x = blockIdx.x;
    const int y = block_row();
    const int block = y * blocks_x + x;
    const bool lower = threadIdx.x >= BLOCK_H;
    const bool inside = y < blocks_y && (lower ? y + 1 < blocks_y : x + 1 < blocks_x);
    if (threadIdx.x == 0) {
        listed = 0;
    }
    __syncthreads();  // the list is empty

    if (inside) {
        const int at = lower ? threadIdx.x - BLOCK_H : threadIdx.x;
        const int length = lower ? BLOCK_W : BLOCK_H;
        const bool before = lower && x > 0;
        const bool after = lower && x + 1 < blocks_x;
        const Side here = {sides, block, lower ? BOTTOM : RIGHT, length, before, after};
        const Side there = {sides, lower ? block + blocks_x : block + 1, lower ? TOP : LEFT,
                            length, before, after};
        const int a = here.node(at);
        const int b = there.node(at);
        const int a1 = here.node(at - 1);
        const int b1 = there.node(at - 1);
#if MULTIVALUED
        // The others are asked whether they have the value of a.
        const int edge_x = x * BLOCK_W + (lower ? 0 : BLOCK_W - 1);
        const int edge_y = y * BLOCK_H + (lower ? BLOCK_H - 1 : 0);
        const unsigned char *first = image + (long long)edge_y * width + edge_x;
        const Values values = {first, lower ? 1 : width, lower ? width - edge_x : height - edge_y,
                               before, after};
        const Values beyond = {first + (lower ? width : 1), values.step, values.inside, before,
                               after};
        const int own = values.at(at, length);
        const auto is = [&](const Values &side, int where, int) {
            return own != 0 && side.at(where, length) == own;
        };
#else
        const Side &values = here;
        const Side &beyond = there;
        const auto is = [](const Side &, int, int node) { return node >= 0; };
#endif
        const bool in_a = is(values, at, a);
        const bool in_b = is(beyond, at, b);
        const bool in_a1 = is(values, at - 1, a1);
        const bool in_b1 = is(beyond, at - 1, b1);
        if (faces(in_a, in_b, in_a1, in_b1)) {
            list_pair(pairs, &listed, a, b);
        }
#if CONNECTIVITY == 8
        const int a2 = here.node(at + 1);
        const int b2 = there.node(at + 1);
        if (corner(in_a, in_b, in_a1, in_b1)) {
            list_pair(pairs, &listed, a, b1);
        }
        if (corner(in_a, in_b, is(values, at + 1, a2), is(beyond, at + 1, b2))) {
            list_pair(pairs, &listed, a, b2);
        }
#endif
    }
    __syncthreads();  // all pairs are listed
    for (int pair = threadIdx.x; pair < listed; pair += BLOCK_W + BLOCK_H) {
        join_nodes(nodes, pairs[pair][0], pairs[pair][1], [&](unsigned int pixel) {
#if NUMBERED
            lower_flag(roots, blocks_x * TILES_X, width, pixel);
#endif
        });
    }
}

// Turn words back into pixels and write all labels.
//
// First the block's threads walk from its nodes to their roots. Then each warp finds the label of
// each run of its tile, and writes the tile. What `runs` has is loaded before it is needed: it
// travels while the threads walk. Where components are numbered, so do the flags of the block's own
// pixels.
// Races: as in find_node(). Labels are written once each, by one thread.
// Warps wait for memory most of the time: so the registers are kept few enough for all the warps
// that a multiprocessor takes.
extern "C" __global__ void __launch_bounds__(32 * TILES, RESIDENT_WARPS / TILES)
    tiled_runs_write_labels(const unsigned int *words, const unsigned short *runs,
                            unsigned long long *nodes, const int *counts,
#if NUMBERED
                            const unsigned int *roots, const unsigned short *ranks,
                            const int *offsets,
#endif
                            int *labels, int width, int height)
{
    __shared__ int node_labels[BLOCK_NODES];
    __shared__ __align__(16) int run_labels[TILES][TILE_RUNS];
#if NUMBERED
    __shared__ unsigned int flags[BLOCK_H * TILES_X];  // of first pixels: a bit for each place
    __shared__ int before[BLOCK_H * TILES_X];          // flags of the grid before each word
#endif

    const int lane = threadIdx.x;
    const int tile = threadIdx.y;
    const int block_x = blockIdx.x * BLOCK_W;
    const int block_y = block_row() * BLOCK_H;
    const long long block = (long long)block_row() * gridDim.x + blockIdx.x;
    const long long tile_index = block * TILES + tile;

    if (block_y >= height) {
        return;  // a row of blocks to spare; see block_row()
    }
    const unsigned int top = words[tile_index * TILE_WORDS + lane];
    const unsigned int second =
        TILE_WORDS > 32 ? words[tile_index * TILE_WORDS + 32 + lane] : top;
    const unsigned int bottom = ROWS == 2 ? second : top;
    const unsigned int starts = MULTIVALUED ? second : run_starts(top | bottom);
    const int node_count = counts[block];
#if NUMBERED
    const Numbers numbers = {roots, ranks, offsets, (int)gridDim.x * TILES_X};
    for (int word = tile * WARP_SIZE + lane; word < BLOCK_H * TILES_X; word += TILES * WARP_SIZE) {
        const long long at = numbers.word(block_x / 32 + word % TILES_X, block_y + word / TILES_X);
        flags[word] = roots[at];
        before[word] = numbers.before(at);
    }
#endif
    const int band_runs = __popc(starts);
    const int base = sum_before(band_runs);
    const int count = __shfl_sync(ALL_LANES, base + band_runs, 31);
    const unsigned short *codes = runs + tile_index * TILE_RUNS;
    ushort4 four = load_codes(codes, 4 * lane, count);
    ushort4 next = load_codes(codes, 4 * (WARP_SIZE + lane), count);

    for (int node = tile * 32 + lane; node < node_count; node += 32 * TILES) {
        const unsigned int name = (unsigned int)(block * BLOCK_NODES + node);
        const unsigned long long entry = find_node(nodes, name);
        const unsigned int pixel = (unsigned int)(entry >> 32);
#if NUMBERED
        const unsigned int y = pixel / (unsigned int)width;
        node_labels[node] = numbers.of((int)(pixel - y * (unsigned int)width), (int)y);
#else
        node_labels[node] = (int)pixel;
#endif
    }
    __syncthreads();  // the labels of all nodes, and the flags, are there

    const auto label_of = [&](int code) {
        const int place = code & ~IS_NODE;
        if (code & IS_NODE) {
            return node_labels[place];
        }
#if NUMBERED
        return before[place / 32] + flags_before(flags, place) + 1;
#else
        return (block_y + place / BLOCK_W) * width + block_x + place % BLOCK_W;
#endif
    };
    for (int run = 4 * lane; run - 4 * lane < count; run += 4 * WARP_SIZE) {
        if (run < count) {
            *(int4 *)&run_labels[tile][run] =
                make_int4(label_of(four.x), label_of(four.y), label_of(four.z), label_of(four.w));
        }
        four = next;
        next = load_codes(codes, run + 8 * WARP_SIZE, count);
    }
    __syncwarp();  // the labels of all runs are there
    write_tile(run_labels[tile], top, bottom, starts, base, labels,
               block_x + 32 * (tile % TILES_X), block_y + TILE_H * (tile / TILES_X), width, height);
}

// Count the flags of first pixels before each word. A block ranks the words of a chunk. The last
// block to finish then adds up the chunks, which spares a launch.
//
// Races: the last block reads what all others have stored in `sums`. Each of them has stored it
// behind a fence, before it counted itself as finished.
extern "C" __global__ void tiled_runs_rank_roots(const unsigned int *roots, unsigned short *ranks,
                                                 int *sums, unsigned int *finished, int *offsets,
                                                 int *total, int word_count)
{
    __shared__ int shared[SCAN_THREADS / WARP_SIZE];
    __shared__ bool is_last;
    const int chunks = gridDim.x;
    const int all = rank_chunk(roots, ranks, word_count, shared);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = all;
        is_last = chunks == 1;
        if (chunks > 1) {
            __threadfence();
            is_last = atomicAdd(finished, 1u) == (unsigned int)chunks - 1u;
        }
    }
    __syncthreads();  // it is known which block is the last
    if (!is_last) {
        return;
    }
    __threadfence();
    const volatile int *all_sums = sums;
    int before = 0;
    for (int first = 0; first < chunks; first += SCAN_THREADS) {
        const int chunk = first + threadIdx.x;
        const BlockSum sum = block_sum(chunk < chunks ? all_sums[chunk] : 0, shared);
        if (chunk < chunks) {
            offsets[chunk] = before + sum.before;
        }
        before += sum.all;
    }
    if (threadIdx.x == 0) {
        *total = before;
    }
}

// Label a grid that is no larger than a block, from pixels to labels or numbers.
//
// Nothing leaves the block but the labels, so neither nodes nor runs are stored. Where components
// are numbered, the roots flag their first pixels in shared memory, and one warp ranks the flags.
// Invariant: as in tiled_runs_label_blocks. No races: each array is written, then read, with a
// barrier in between; flags are raised by atomics.
extern "C" __global__ void tiled_runs_label_small(const unsigned char *image, int *labels,
#if NUMBERED
                                                  int *total,
#endif
                                                  int width, int height)
{
    __shared__ unsigned int table[TILES * TILE_RUNS];
    __shared__ unsigned int tops[TILES][32];
    __shared__ int bases[TILES][32];
    // Later the labels of runs.
    __shared__ unsigned int
        pairs[BLOCK_PAIRS > TILES * TILE_RUNS ? BLOCK_PAIRS : TILES * TILE_RUNS];
    __shared__ int pair_count;
#if ROWS == 2
    __shared__ unsigned int bottoms[TILES][32];
    const Block block = {table, tops, bottoms, bases};
#elif MULTIVALUED
    __shared__ unsigned int first_columns[TILES][32];
    const Block block = {table, tops, tops, bases, first_columns};
#else
    const Block block = {table, tops, tops, bases};
#endif
#if NUMBERED
    __shared__ unsigned int flags[BLOCK_H * TILES_X];  // of first pixels: a bit for each place
    __shared__ int ranks[BLOCK_H * TILES_X];           // flags before each word
#endif

    const int lane = threadIdx.x;
    const int tile = threadIdx.y;
    if (lane == 0 && tile == 0) {
        pair_count = 0;
    }
    __syncthreads();  // the list is empty
#if NUMBERED
    for (int word = tile * WARP_SIZE + lane; word < BLOCK_H * TILES_X; word += TILES * WARP_SIZE) {
        flags[word] = 0;
    }
#endif
    const PairList list = {pairs, &pair_count};
    const TileRuns own = label_tile(block, list, tile, image, 0, 0, width, height);
    __syncthreads();  // the runs of all tiles are linked
    join_runs(block, list, tile, own.band);

#if NUMBERED
#pragma unroll 4
    for (int run = own.first + lane; run < own.first + own.count; run += WARP_SIZE) {
        const unsigned int entry = table[run];
        if ((int)INDEX(entry) == run) {
            atomicOr(&flags[PLACE(entry) / 32], 1u << PLACE(entry) % 32);
        }
    }
    __syncthreads();  // all first pixels are flagged
    if (tile == 0) {
        rank_words<BLOCK_H * TILES_X>(flags, ranks, total);
    }
    __syncthreads();  // all flags are ranked
#endif
    int *run_labels = (int *)pairs + tile * TILE_RUNS;
    for (int run = lane; run - lane < own.count; run += RUNS_AHEAD * WARP_SIZE) {
        unsigned int entries[RUNS_AHEAD];
#pragma unroll
        for (int k = 0; k < RUNS_AHEAD; ++k) {
            const int at = run + k * WARP_SIZE;
            entries[k] = table[own.first + (at < own.count ? at : 0)];
        }
        walk(table, entries, true);
#pragma unroll
        for (int k = 0; k < RUNS_AHEAD; ++k) {
            const int place = (int)PLACE(entries[k]);
#if NUMBERED
            const int label = ranks[place / 32] + flags_before(flags, place) + 1;
#else
            const int label = place / BLOCK_W * width + place % BLOCK_W;
#endif
            if (run + k * WARP_SIZE < own.count) {
                run_labels[run + k * WARP_SIZE] = label;
            }
        }
    }
    __syncwarp();  // the labels of all runs are there
    write_tile(run_labels, own.band.top, own.band.bottom, own.band.starts, own.base - own.first,
               labels, 32 * (tile % TILES_X), TILE_H * (tile / TILES_X), width, height);
}
