// Tiled Runs: made for this project. Connected components from runs in bit words, labelled in three
// launches: blocks, borders, labels.
//
// What it owes to whom. Runs as the unit of work, and the distance operators on bit masks: Hennequin,
// Lacassagne, Cabaret, Meunier 2018. Tiles in shared memory, then their borders: Stava and Benes
// 2011; Playne and Hawick 2018. The union by an atomic minimum that goes on with what it overwrote:
// Komura 2015; Playne and Hawick 2018. A bit a pixel, and labels that are written once, at the end:
// Allegretti, Bolelli, Grana 2020 do the first for blocks of 2 x 2 pixels.
//
// The idea. Labelling moves few bytes, one in and four out for each pixel, so what costs is looking
// at pixels again. This method looks at each pixel once. A row of 32 pixels becomes one 32-bit word,
// and from then on all work is on runs: a run is found, cut and compared with the runs above it by a
// few operations on words, and its number comes from a population count. A warp labels a tile, a lane
// a row, without waiting for other warps. A block joins its tiles in shared memory. Only components
// that touch the border of their block get a node in device memory; a second launch joins these
// across the borders of blocks. The third launch turns words back into pixels: it finds each run's
// root and writes all labels, for the first and only time.
//
// What was tried. Tiles of 64 x 64 with words of 64 bits, 16 pixels a thread and a label of 16 bits for
// each pixel between the launches: at 8192 x 8192, 0.33 ms with 4 neighbours and 0.43 with 8, where this
// kernel takes 0.20. Joining pairs at borders as they are found: most lanes then wait for one that joins
// two, so pairs are listed first. Walking and linking the forest of runs at once: threads then read what
// others write, so the two take turns.
//
// Why not multi-valued. A word of bits says which pixels a run has because neighbours in a row connect
// wherever both are set. With values, each row needs a second word, of where runs begin; a row has up
// to 32 runs and not 16, and a block twice as many nodes; two rows are no band for 8 neighbours, as
// pixels that touch may differ; and each border compares values, which are in the image alone. So
// the steps that find, link and list runs would be written twice, some 250 lines. The binary kernel
// would lose nothing, as both would be built from macros; Playne-Hawick labels such pictures meanwhile.
//
// What lies in device memory between the launches, for each pixel at most: 1/8 byte of bits, 1 byte
// of runs (2 bytes for each of up to 16 runs in 32 pixels), 1/4 byte of nodes, 1/8 byte of sides.
//
// Names. band: what a lane has of a tile, one row of 32 pixels, or with 8 neighbours two rows. tile: 32
// bands, of one warp. block: TILES_X x TILES_Y tiles, of one thread block. run: adjacent columns of a
// band that have foreground. node: a component of a block that touches the block's border. place: the
// raster index of a pixel within its block.
//
// Launch shapes:
//   tiled_runs_label_blocks   one thread block a block, (32, TILES_X * TILES_Y) threads
//   tiled_runs_merge_borders  one thread block a block, BLOCK_W + BLOCK_H threads
//   tiled_runs_write_labels   as the first
//   and, where components are numbered: tiled_runs_mark_roots, _count_roots, _rank_roots; see there.
//
// In:  image     uint8, height x width; 0 is background
// Out: labels    int32, height x width; -1 is background, otherwise the index of the component's
//                first pixel in raster order
// Between the launches:
//      words     uint32, one a row of a tile: its pixels as bits, bit 0 on the left
//      runs      uint16, TILE_RUNS a tile: for each run its component: IS_NODE + number of the node
//                in this block, or the place of the component's first pixel in the block
//      nodes     uint64, BLOCK_NODES a block: the forest that joins components of blocks; an entry
//                is (index of a pixel << 32) | index of a node
//      counts    int32, one a block: how many nodes it has
//      sides     uint16, 2 * (BLOCK_W + BLOCK_H) a block: the node of each pixel on its four sides
//      roots     uint32, one for 32 pixels of a row: which pixels are the first of their component
//
// harmless race: tiled_runs_merge_borders.nodes: a walk stores what it has read, which may undo
//   what another thread just wrote: an entry names an ancestor all the same, and whoever
//   lowered it goes on to join what it named before.

#include "common/block_row.cuh"
#include "tiled_runs/block.cuh"
#include "tiled_runs/block_border.cuh"
#include "tiled_runs/nodes.cuh"
#include "tiled_runs/numbers.cuh"
#include "tiled_runs/tile.cuh"
#include "tiled_runs/touching.cuh"

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
    unsigned int *roots,
#endif
    int width, int height)
{
    __shared__ unsigned int table[TILES * TILE_RUNS];
    __shared__ unsigned int tops[TILES][32];
    __shared__ int bases[TILES][32];
    __shared__ int nodes_given;
#if TILES > 1
    __shared__ unsigned int pairs[TILE_PAIRS];
    __shared__ int pair_count;
#endif
#if ROWS == 2
    __shared__ unsigned int bottoms[TILES][32];
    const Block block = {table, tops, bottoms, bases};
#else
    const Block block = {table, tops, tops, bases};
#endif
#if NUMBERED
    __shared__ unsigned int first_pixels[TILES][TILE_H];
#endif

    const int lane = threadIdx.x;
    const int tile = threadIdx.y;
    const int tile_x = 32 * (tile % TILES_X);  // the tile's first pixel within the block
    const int tile_y = TILE_H * (tile / TILES_X);
    const int block_x = blockIdx.x * BLOCK_W;
    const int block_y = block_row() * BLOCK_H;
    const long long block_index = (long long)block_row() * gridDim.x + blockIdx.x;
    const long long tile_index = block_index * TILES + tile;

    if (block_y >= height) {
        return;  // a row of blocks to spare; see block_row()
    }
    const Band band = load_band(image, block_x + tile_x, block_y + tile_y, width, height);
    const int band_runs = __popc(run_starts(band.columns));
    const int first = tile * TILE_RUNS;
    const int base = first + sum_before(band_runs);
    const int count = __shfl_sync(ALL_LANES, base + band_runs, 31) - first;
    const int place = (tile_y + lane * ROWS) * BLOCK_W + tile_x;
    block.tops[tile][lane] = band.top;
    block.bottoms[tile][lane] = band.bottom;
    block.bases[tile][lane] = base;
#if NUMBERED
    for (int row = lane; row < TILE_H; row += WARP_SIZE) {
        first_pixels[tile][row] = 0;
    }
#endif
    if (lane == 0 && tile == 0) {
        nodes_given = 0;
#if TILES > 1
        pair_count = 0;
#endif
    }

    const unsigned int others = link_bands(table, band, base, place);
    __syncwarp();
    flatten_tile(table, first, count);
    if (__any_sync(ALL_LANES, others != 0)) {
        join_bands(table, others, band.columns, base);
    }
    __syncthreads();  // the tables of all tiles are there
#if TILES > 1
    const PairList list = {pairs, &pair_count};
    if (tile % TILES_X < TILES_X - 1) {
        list_right(block, list, tile);
    }
    if (tile / TILES_X < TILES_Y - 1) {
        list_below(block, list, tile);
    }
    __syncthreads();  // all pairs are listed
    join_pairs(table, list);
#endif
    const Border border = find_border(block, tile);
    __syncthreads();  // all have walked
    mark_border(block, border);
    __syncthreads();  // all roots on the border are marked

    // Give each marked root of this tile a node, which begins as a root of its own.
    for (int run = first + lane; run - lane < first + count; run += WARP_SIZE) {
        const unsigned int entry = run < first + count ? table[run] : 0u;
        const bool marked = entry & MARK;
        const unsigned int all = __ballot_sync(ALL_LANES, marked);
        if (all != 0) {
            int node = 0;
            if (lane == 0) {
                node = atomicAdd(&nodes_given, __popc(all));
            }
            node = __shfl_sync(ALL_LANES, node, 0) + __popc(all & ((1u << lane) - 1u));
            if (marked) {
                const int at = PLACE(entry & ~MARK);
                const long long pixel =
                    (long long)(block_y + at / BLOCK_W) * width + block_x + at % BLOCK_W;
                const unsigned long long own = block_index * BLOCK_NODES + node;
                nodes[own] = (unsigned long long)pixel << 32 | own;
                table[run] = MARK | IS_NODE | (unsigned int)node;
            }
        }
#if NUMBERED
        if (run < first + count && !marked && INDEX(entry) == (unsigned int)run) {
            const int at = PLACE(entry);
            const int y = at / BLOCK_W - tile_y;
            atomicOr(&first_pixels[tile][y], 1u << (at % BLOCK_W - tile_x));
        }
#endif
    }
    __syncthreads();  // all nodes are given out

    for (int run = lane; run < count; run += WARP_SIZE) {
        runs[tile_index * TILE_RUNS + run] = (unsigned short)code_of(table, first + run);
    }
    words[tile_index * TILE_H + lane] = band.top;
#if ROWS == 2
    words[tile_index * TILE_H + 32 + lane] = band.bottom;
#endif
    write_border(block, border, sides + block_index * SIDE_PIXELS, tile);
    if (lane == 0 && tile == 0) {
        counts[block_index] = nodes_given;
    }
#if NUMBERED
    const int pitch = gridDim.x * TILES_X;
    for (int row = lane; row < TILE_H; row += WARP_SIZE) {
        const int y = block_y + tile_y + row;
        roots[(long long)y * pitch + (block_x + tile_x) / 32] = first_pixels[tile][row];
    }
#endif
}

// Join nodes across the borders of blocks. A thread is a pixel on the right or the lower side of its
// block. The corners where four blocks meet belong to the lower side.
//
// First all threads list the pairs of nodes that meet, then they go through the list: most pixels
// add nothing to it, and so no thread is idle while another joins two pairs.
// Invariant: an entry names a node at or before its own, by first pixels, of the same component.
// Races: as in find_node(). All else is an atomic.
extern "C" __global__ void tiled_runs_merge_borders(
    const unsigned short *sides, unsigned long long *nodes, int blocks_x, int blocks_y)
{
    __shared__ unsigned int pairs[ROWS * (BLOCK_W + BLOCK_H)][2];
    __shared__ int listed;

    const int x = blockIdx.x;
    const int y = block_row();
    const int block = y * blocks_x + x;
    const bool lower = threadIdx.x >= BLOCK_H;
    const bool inside = y < blocks_y && (lower ? y + 1 < blocks_y : x + 1 < blocks_x);
    if (threadIdx.x == 0) {
        listed = 0;
    }
    __syncthreads();

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
        if (faces(a >= 0, b >= 0, a1 >= 0, b1 >= 0)) {
            list_pair(pairs, &listed, a, b);
        }
#if CONNECTIVITY == 8
        const int a2 = here.node(at + 1);
        const int b2 = there.node(at + 1);
        if (corner(a >= 0, b >= 0, a1 >= 0, b1 >= 0)) {
            list_pair(pairs, &listed, a, b1);
        }
        if (corner(a >= 0, b >= 0, a2 >= 0, b2 >= 0)) {
            list_pair(pairs, &listed, a, b2);
        }
#endif
    }
    __syncthreads();  // all pairs are listed
    for (int pair = threadIdx.x; pair < listed; pair += BLOCK_W + BLOCK_H) {
        join_nodes(nodes, pairs[pair][0], pairs[pair][1]);
    }
}

// Turn words back into pixels and write all labels.
//
// First the block's threads walk from its nodes to their roots. Then each warp finds the label of
// each run of its tile, and writes the tile: eight lanes a row and four pixels a lane where rows begin
// at multiples of four pixels, otherwise a lane a pixel.
// Races: as in find_node(). Labels are written once each, by one thread.
extern "C" __global__ void tiled_runs_write_labels(
    const unsigned int *words, const unsigned short *runs, unsigned long long *nodes,
    const int *counts,
#if NUMBERED
    const unsigned int *roots, const int *ranks,
#endif
    int *labels, int width, int height)
{
    __shared__ int node_labels[BLOCK_NODES];
    __shared__ int run_labels[TILES][TILE_RUNS];

    const int lane = threadIdx.x;
    const int tile = threadIdx.y;
    const int block_x = blockIdx.x * BLOCK_W;
    const int block_y = block_row() * BLOCK_H;
    const int tile_x = block_x + 32 * (tile % TILES_X);
    const int tile_y = block_y + TILE_H * (tile / TILES_X);
    const long long block = (long long)block_row() * gridDim.x + blockIdx.x;
    const long long tile_index = block * TILES + tile;
#if NUMBERED
    const int pitch = gridDim.x * TILES_X;
#endif

    if (block_y >= height) {
        return;  // a row of blocks to spare; see block_row()
    }
    const unsigned int top = words[tile_index * TILE_H + lane];
    const unsigned int bottom = ROWS == 2 ? words[tile_index * TILE_H + 32 + lane] : top;
    const unsigned int columns = top | bottom;
    for (int node = tile * 32 + lane; node < counts[block]; node += 32 * TILES) {
        const unsigned long long entry = find_node(nodes, (unsigned int)(block * BLOCK_NODES + node));
        const unsigned int pixel = (unsigned int)(entry >> 32);
#if NUMBERED
        const unsigned int y = pixel / (unsigned int)width;
        node_labels[node] = label_of(roots, ranks, pitch, pixel - y * (unsigned int)width, y);
#else
        node_labels[node] = (int)pixel;
#endif
    }
    __syncthreads();  // the labels of all nodes are there

    const int band_runs = __popc(run_starts(columns));
    const int base = sum_before(band_runs);
    const int count = __shfl_sync(ALL_LANES, base + band_runs, 31);
    for (int run = lane; run < count; run += WARP_SIZE) {
        const int code = runs[tile_index * TILE_RUNS + run];
        int label;
        if (code & IS_NODE) {
            label = node_labels[code & ~IS_NODE];
        } else {
            const int x = block_x + code % BLOCK_W;
            const int y = block_y + code / BLOCK_W;
#if NUMBERED
            label = label_of(roots, ranks, pitch, x, y);
#else
            label = y * width + x;
#endif
        }
        run_labels[tile][run] = label;
    }
    __syncwarp();

    if ((((unsigned long long)labels >> 2 | (unsigned int)width) & 3u) == 0) {
        const int x = lane % 8 * 4;
        int *out = labels + (long long)(tile_y + lane / 8 * ROWS) * width + tile_x + x;
        const bool inside = tile_x + x < width;
#pragma unroll
        for (int band = lane / 8; band < 32; band += 4) {
            const unsigned int filled = __shfl_sync(ALL_LANES, columns, band);
            const unsigned int starts = run_starts(filled);
            const int before = __shfl_sync(ALL_LANES, base, band) - 1;
            int of_column[4];  // the label of each column's run
            int run = before + __popc(starts & ((1u << x) - 1u));
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                run += starts >> (x + k) & 1u;
                of_column[k] = filled >> (x + k) & 1u ? run_labels[tile][run] : BACKGROUND;
            }
#pragma unroll
            for (int row = 0; row < ROWS; ++row) {
                int four[4];
#if ROWS == 2
                const unsigned int pixels =
                    __shfl_sync(ALL_LANES, row == 0 ? top : bottom, band) >> x;
#else
                const unsigned int pixels = filled >> x;
#endif
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    four[k] = pixels >> k & 1u ? of_column[k] : BACKGROUND;
                }
                if (inside && tile_y + band * ROWS + row < height) {
                    // Stored past the caches: nobody reads labels here.
                    __stcs((int4 *)(out + (long long)row * width),
                           make_int4(four[0], four[1], four[2], four[3]));
                }
            }
            out += (long long)4 * ROWS * width;
        }
    } else {
        int *out = labels + (long long)tile_y * width + tile_x + lane;
        const unsigned int upto = 0xFFFFFFFFu >> (31 - lane);
#pragma unroll 4
        for (int y = 0; y < TILE_H; ++y) {
            const int band = y / ROWS;
            const unsigned int starts = run_starts(__shfl_sync(ALL_LANES, columns, band));
            const int run = __shfl_sync(ALL_LANES, base, band) + __popc(starts & upto) - 1;
            const unsigned int pixels =
                __shfl_sync(ALL_LANES, y % ROWS == 0 ? top : bottom, band);
            if (tile_y + y < height && tile_x + lane < width) {
                *out = pixels >> lane & 1u ? run_labels[tile][run] : BACKGROUND;
            }
            out += width;
        }
    }
}

// Numbers in raster order of first pixels. The first pixels are flagged in `roots`: those of
// components that touch no border by tiled_runs_label_blocks, the others by the first launch here.
// Then a prefix sum over the words (Stava and Benes 2011, section 35.4.2) counts the flags before
// each: the second launch counts those of every SCAN_WORDS words, and the third adds what lies
// before. ranks: int32, one a word; sums: int32, one for SCAN_WORDS words and one more, the count.

// Flag the first pixels of components that touch borders of blocks. A warp goes through the nodes of
// a block; a node that is a root stands for a component, and its entry has the first pixel. Threads
// may flag pixels of the same word: hence the atomic.
extern "C" __global__ void tiled_runs_mark_roots(const unsigned long long *nodes, const int *counts,
                                                 unsigned int *roots, int blocks, int pitch, int width)
{
    const int lane = threadIdx.x % WARP_SIZE;
    const int block = (blockIdx.x * SCAN_THREADS + threadIdx.x) / WARP_SIZE;
    if (block >= blocks) {
        return;
    }
    const int count = counts[block];
    for (int node = lane; node < count; node += WARP_SIZE) {
        const unsigned int own = (unsigned int)(block * BLOCK_NODES + node);
        const unsigned long long entry = nodes[own];
        if ((unsigned int)entry == own) {
            const unsigned int pixel = (unsigned int)(entry >> 32);
            const unsigned int y = pixel / (unsigned int)width;
            const unsigned int x = pixel - y * (unsigned int)width;
            atomicOr(&roots[(long long)y * pitch + x / 32], 1u << x % 32);
        }
    }
}

// Count the flags in SCAN_WORDS words. A thread counts those of SCAN_EACH words.
extern "C" __global__ void tiled_runs_count_roots(const unsigned int *roots, int *sums, int word_count)
{
    __shared__ int shared[SCAN_THREADS / WARP_SIZE];
    unsigned int words[SCAN_EACH];
    load_words(roots, word_count, words);
    int count = 0;
#pragma unroll
    for (int k = 0; k < SCAN_EACH; ++k) {
        count += __popc(words[k]);
    }
    const int sum = block_sum(count, shared);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

// Write how many flags lie before each word. Each block adds up the sums of all blocks before it,
// which spares a launch; the last block writes the count of all.
extern "C" __global__ void tiled_runs_rank_roots(const unsigned int *roots, int *sums, int *ranks,
                                                 int word_count)
{
    __shared__ int shared[SCAN_THREADS / WARP_SIZE];
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;
    unsigned int words[SCAN_EACH];
    load_words(roots, word_count, words);
    int before = 0;
    for (int other = threadIdx.x; other < (int)blockIdx.x; other += SCAN_THREADS) {
        before += sums[other];
    }
    before = block_sum(before, shared);

    int own = 0;
#pragma unroll
    for (int k = 0; k < SCAN_EACH; ++k) {
        own += __popc(words[k]);
    }
    int scan = own;
    for (int step = 1; step < WARP_SIZE; step *= 2) {
        const int other = __shfl_up_sync(ALL_LANES, scan, step);
        scan += lane >= step ? other : 0;
    }
    __syncthreads();  // all have read the sum before
    if (lane == WARP_SIZE - 1) {
        shared[warp] = scan;
    }
    __syncthreads();
    for (int other = 0; other < warp; ++other) {
        before += shared[other];
    }
    int rank = before + scan - own;
    const long long first = ((long long)blockIdx.x * SCAN_THREADS + threadIdx.x) * SCAN_EACH;
#pragma unroll
    for (int four = 0; four < SCAN_EACH; four += 4) {
        int4 stored;
        stored.x = rank;
        stored.y = stored.x + __popc(words[four]);
        stored.z = stored.y + __popc(words[four + 1]);
        stored.w = stored.z + __popc(words[four + 2]);
        rank = stored.w + __popc(words[four + 3]);
        if (first + four < word_count) {
            *(int4 *)(ranks + first + four) = stored;
        }
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == SCAN_THREADS - 1) {
        sums[gridDim.x] = rank;
    }
}
