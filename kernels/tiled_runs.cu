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
#include "common/warp.cuh"

#ifndef CONNECTIVITY
#define CONNECTIVITY 8
#endif
#ifndef TILES_X
#define TILES_X 2
#endif
#ifndef TILES_Y
#define TILES_Y 2
#endif
#ifndef NUMBERED
#define NUMBERED 0
#endif

// Rows of a band. With 8 neighbours, pixels in adjacent columns of two adjacent rows always touch, so
// two rows can be taken as one: two pixels of the band are connected within it exactly if every
// column between them has a pixel.
#if CONNECTIVITY == 8
#define ROWS 2
#else
#define ROWS 1
#endif

#define TILES (TILES_X * TILES_Y)
#define TILE_H (32 * ROWS)
#define BLOCK_W (32 * TILES_X)
#define BLOCK_H (TILE_H * TILES_Y)
#define TILE_RUNS 512                         // 16 runs in each of 32 bands
#define BLOCK_NODES (BLOCK_W + BLOCK_H)       // every other pixel of the border, rounded up
#define SIDE_PIXELS (2 * (BLOCK_W + BLOCK_H)) // pixels on the four sides; corners count twice
#define TOP 0                                 // where each side begins in `sides`
#define BOTTOM BLOCK_W
#define LEFT (2 * BLOCK_W)
#define RIGHT (2 * BLOCK_W + BLOCK_H)
#define IS_NODE 0x8000u  // in `runs`: a node, not a place
#define NO_NODE 0xFFFFu  // in `sides`: background
#define MARK 0x80000000u // in the table of a block: this root has its final code

// An entry of the table of runs in shared memory names another run of the block by its index, and
// has that run's place above it. So entries are ordered as the runs' first pixels are in raster
// order, and an atomic minimum on an entry keeps the run that comes first. A root names itself.
#define INDEX_BITS 16
#define INDEX(entry) ((entry)&0xFFFFu)
#define PLACE(entry) ((entry) >> INDEX_BITS)

// Bits 0 to the lowest set bit of a word.
static __device__ __forceinline__ unsigned int up_to_lowest(unsigned int word)
{
    return word ^ (word - 1u);
}

// The pixels that begin a run: set, with none on the left.
static __device__ __forceinline__ unsigned int run_starts(unsigned int word)
{
    return word & ~(word << 1);
}

// Four bytes to four bits: bit k is set where byte k is not 0.
//
// Adding 127 to the lower seven bits of a byte carries into its eighth bit unless they are all 0;
// no byte overflows into the next. The product then moves the four bits side by side.
static __device__ __forceinline__ unsigned int pack_bytes(unsigned int bytes)
{
    const unsigned int set = (((bytes & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | bytes) & 0x80808080u;
    return ((set >> 7) * 0x10204080u) >> 28;
}

// The bits of 16 pixels that lie one after another, from an address that is a multiple of 16.
static __device__ __forceinline__ unsigned int pack_16(const unsigned char *pixels)
{
    const uint4 bytes = *(const uint4 *)pixels;
    return pack_bytes(bytes.x) | pack_bytes(bytes.y) << 4 | pack_bytes(bytes.z) << 8 |
           pack_bytes(bytes.w) << 12;
}

// A band: the words of its rows, and the columns that have a pixel in any of them.
struct Band {
    unsigned int top;
    unsigned int bottom;  // the same as top where a band has one row
    unsigned int columns;
};

// The band of this lane in a tile that begins at pixel (x, y). Pixels outside the image are not set.
// All lanes must call.
//
// Where rows begin at multiples of 16 bytes, a lane loads its own rows, 16 pixels at a time.
// Otherwise the warp loads row after row, a lane a pixel, and a ballot makes the word.
static __device__ __forceinline__ Band load_band(const unsigned char *image, int x, int y, int width,
                                                 int height)
{
    const int lane = threadIdx.x;
    unsigned int words[ROWS] = {};
    if ((((unsigned long long)image | (unsigned int)width) & 15u) == 0) {
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            const int at = y + lane * ROWS + row;
            if (at < height) {
                const unsigned char *pixels = image + (long long)at * width + x;
                words[row] = x < width ? pack_16(pixels) : 0u;
                words[row] |= x + 16 < width ? pack_16(pixels + 16) << 16 : 0u;
            }
        }
    } else {
        const unsigned char *column = image + (long long)y * width + x + lane;
#pragma unroll 8
        for (int at = 0; at < TILE_H; ++at) {
            const bool inside = x + lane < width && y + at < height;
            const unsigned int word =
                __ballot_sync(ALL_LANES, inside && column[(long long)at * width] != 0);
            words[at % ROWS] = at / ROWS == lane ? word : words[at % ROWS];
        }
    }
    return {words[0], words[ROWS - 1], words[0] | words[ROWS - 1]};
}

// The sum of a value over the lanes before this one. All lanes must call.
static __device__ __forceinline__ int sum_before(int value)
{
    int sum = value;
#pragma unroll
    for (int step = 1; step < WARP_SIZE; step *= 2) {
        const int other = __shfl_up_sync(ALL_LANES, sum, step);
        sum += (int)threadIdx.x >= step ? other : 0;
    }
    return sum - value;
}

// The forest of runs is read and written in turns, with a barrier in between: no thread reads an entry
// that another may be writing. So each step below first walks, then waits, then writes.

// Walk from a run to the entry of its root.
static __device__ __forceinline__ unsigned int find_entry(const unsigned int *table, int run)
{
    unsigned int entry = table[run];
    unsigned int next = table[INDEX(entry)];
    while (next != entry) {
        entry = next;
        next = table[INDEX(entry)];
    }
    return entry;
}

// Two runs whose trees are to be joined; none if they are the same.
struct Pair {
    int run1;
    int run2;

    __device__ __forceinline__ bool open() const
    {
        return run1 != run2;
    }
};

// Link the root that comes later to the other one, by an atomic minimum. If another thread has linked
// it in the same turn, the minimum returns that link, and what it leads to is left to be joined:
// nothing is lost.
static __device__ __forceinline__ Pair link_roots(unsigned int *table, unsigned int entry1,
                                                  unsigned int entry2)
{
    const unsigned int larger = max(entry1, entry2);
    const unsigned int smaller = min(entry1, entry2);
    unsigned int old = larger;
    if (larger != smaller) {
        old = atomicMin(&table[INDEX(larger)], smaller);
    }
    if (old == larger) {
        return {0, 0};
    }
    return {(int)INDEX(old), (int)INDEX(smaller)};
}

// Let every run of this warp's tile name its root. In each turn a run takes over what its parent
// names, so that a chain of n runs takes about log2(n) turns.
static __device__ __forceinline__ void flatten_tile(unsigned int *table, int first, int count)
{
    for (int run = first + (int)threadIdx.x; run - (int)threadIdx.x < first + count;
         run += WARP_SIZE) {
        const bool there = run < first + count;
        unsigned int entry = there ? table[run] : 0u;
        bool changed;
        do {
            const unsigned int next = there ? table[INDEX(entry)] : entry;
            __syncwarp();  // all have read
            changed = next != entry;
            if (changed) {
                table[run] = next;
            }
            entry = next;
            __syncwarp();  // all have written
        } while (__any_sync(ALL_LANES, changed));
    }
}

// Which of two lines of pixels on both sides of a border connect here. a and b face each other;
// 1 is the pixel before on each side, 2 the one after. Each pair of runs is joined once: where their
// overlap begins, or, with 8 neighbours, at the corner where they touch without overlapping.
static __device__ __forceinline__ bool faces(bool a, bool b, bool a1, bool b1)
{
    return a && b && !(a1 && b1);
}

static __device__ __forceinline__ bool corner(bool a, bool b, bool a_beside, bool b_beside)
{
    return a && !b && !a_beside && b_beside;
}

// What the threads of a block share, in shared memory.
struct Block {
    unsigned int *table;          // the forest of runs, TILE_RUNS a tile; see INDEX and PLACE
    unsigned int (*tops)[32];     // the bands of each tile, as words of their rows
    unsigned int (*bottoms)[32];
    int (*bases)[32];             // index in the table of each band's first run

    __device__ __forceinline__ unsigned int columns(int tile, int band) const
    {
        return tops[tile][band] | bottoms[tile][band];
    }

    // The run of column x of a band; there must be a pixel in it.
    __device__ __forceinline__ int run(int tile, int band, int x) const
    {
        const unsigned int upto = 0xFFFFFFFFu >> (31 - x);
        return bases[tile][band] + __popc(run_starts(columns(tile, band)) & upto) - 1;
    }

    __device__ __forceinline__ bool pixel(unsigned int (*words)[32], int tile, int band, int x) const
    {
        return words[tile][band] >> x & 1u;
    }
};

#if ROWS == 2
// The first pixel of a run of a band in raster order, as an index into the block. `pixels` are the
// run's columns, `place` is the index of the first pixel of the band's top row.
static __device__ __forceinline__ int first_pixel(unsigned int top, unsigned int pixels, int place)
{
    const unsigned int upper = top & pixels;
    return upper != 0 ? place + __ffs((int)upper) - 1 : place + BLOCK_W + __ffs((int)pixels) - 1;
}
#endif

// The set bits from the lowest set bit of `from` to the end of the run of `word` that it lies in.
// Adding the bit carries through the run: what the sum has lost is the run.
static __device__ __forceinline__ unsigned int run_from(unsigned int word, unsigned int from)
{
    const unsigned int lowest = from & (0u - from);
    return word & ~(word + lowest);
}

// Link each run of this lane's band to the first run above that it touches; a run that touches none
// is a root. Returns one column of each other run above that runs of this band touch: those are for
// join_bands. A link has no place yet: it gets its root's when it is flattened. No two lanes write
// the same entry, and nobody reads one.
static __device__ __forceinline__ unsigned int link_bands(unsigned int *table, const Band &band,
                                                          int base, int place)
{
    const int lane = threadIdx.x;
    const unsigned int up = __shfl_up_sync(ALL_LANES, band.columns, 1);
    const unsigned int bottom = __shfl_up_sync(ALL_LANES, band.bottom, 1);
    const unsigned int up_bottom = lane == 0 ? 0u : bottom;
    const unsigned int up_starts = run_starts(up);
    const int up_last = __shfl_up_sync(ALL_LANES, base, 1) - 1;

    unsigned int others = 0;
    int run = base;
    for (unsigned int rest = band.columns; rest != 0; ++run) {
        const unsigned int pixels = run_from(rest, rest);
        rest &= ~pixels;
#if CONNECTIVITY == 8
        const unsigned int upper = band.top & pixels;
        unsigned int above = (upper | upper << 1 | upper >> 1) & up_bottom;
        const unsigned int before = up_starts & up_to_lowest(above);
        if (above != 0) {
            const unsigned int start = 0x80000000u >> __clz((int)before);
            above &= ~run_from(up, start);
            while (above != 0) {
                others |= above & (0u - above);
                above &= ~run_from(up, above);
            }
            table[run] = (unsigned int)(up_last + __popc(before));
        } else {
            table[run] = (unsigned int)first_pixel(band.top, pixels, place) << INDEX_BITS |
                         (unsigned int)run;
        }
#else
        const unsigned int above = pixels & up_bottom;
        const unsigned int upto = up_to_lowest(above);
        others |= above & up_starts & ~upto;
        const int root = (place + __ffs((int)pixels) - 1) << INDEX_BITS | run;
        table[run] = (unsigned int)(above != 0 ? up_last + __popc(up_starts & upto) : root);
#endif
    }
    return others;
}

// Join the runs of this lane's band with the other runs above, of which link_bands() returned a
// column each. The run below is the last that begins at or before this column.
static __device__ __forceinline__ void join_bands(unsigned int *table, unsigned int others,
                                                  unsigned int columns, int base)
{
    const unsigned int up = __shfl_up_sync(ALL_LANES, columns, 1);
    const int up_last = __shfl_up_sync(ALL_LANES, base, 1) - 1;
    const unsigned int starts = run_starts(columns);
    const unsigned int up_starts = run_starts(up);
    Pair pair = {0, 0};
    while (__any_sync(ALL_LANES, pair.open() || others != 0)) {
        if (!pair.open() && others != 0) {
            const unsigned int upto = up_to_lowest(others);
            others &= others - 1u;
            pair = {base + __popc(starts & upto) - 1, up_last + __popc(up_starts & upto)};
        }
        unsigned int entry1 = 0, entry2 = 0;
        if (pair.open()) {
            entry1 = find_entry(table, pair.run1);
            entry2 = find_entry(table, pair.run2);
        }
        __syncwarp();  // all have walked
        if (pair.open()) {
            pair = link_roots(table, entry1, entry2);
        }
        __syncwarp();  // all links are there
    }
}

#if TILES > 1
#define TILE_PAIRS (ROWS * (TILES_X - 1) * BLOCK_H + ROWS * (TILES_Y - 1) * BLOCK_W)

// Pairs of runs that meet at the sides of tiles within a block.
struct PairList {
    unsigned int *pairs;  // run1 << 16 | run2, TILE_PAIRS of them at most
    int *count;

    __device__ __forceinline__ void add(int run1, int run2) const
    {
        pairs[atomicAdd(count, 1)] = (unsigned int)run1 << 16 | (unsigned int)run2;
    }
};

// List the pairs between this warp's tile and the tile on its right: a lane a band.
static __device__ __forceinline__ void list_right(const Block &block, const PairList &list, int tile)
{
    const int band = threadIdx.x;
    const int right = tile + 1;
    const bool a = block.columns(tile, band) >> 31;
    const bool b = block.columns(right, band) & 1u;
    const bool a1 = band > 0 && block.columns(tile, band - 1) >> 31;
    const bool b1 = band > 0 && block.columns(right, band - 1) & 1u;
    if (faces(a, b, ROWS == 1 && a1, b1)) {
        list.add(block.run(tile, band, 31), block.run(right, band, 0));
    }
#if CONNECTIVITY == 8
    // The corners between this band and the next.
    if (band < 31) {
        const bool a_here = block.pixel(block.bottoms, tile, band, 31);
        const bool b_here = block.pixel(block.bottoms, right, band, 0);
        const bool a_next = block.pixel(block.tops, tile, band + 1, 31);
        const bool b_next = block.pixel(block.tops, right, band + 1, 0);
        if (corner(a_here, b_here, a_next, b_next)) {
            list.add(block.run(tile, band, 31), block.run(right, band + 1, 0));
        }
        if (corner(a_next, b_next, a_here, b_here)) {
            list.add(block.run(tile, band + 1, 31), block.run(right, band, 0));
        }
    }
#endif
}

// List the pairs between this warp's tile and the tile below it: a lane a column.
static __device__ __forceinline__ void list_below(const Block &block, const PairList &list, int tile)
{
    const int x = threadIdx.x;
    const int below = tile + TILES_X;
    // Bits 1 to 32 are the pixels of the tile, bits 0 and 33 those beside it, if the block has them.
    unsigned long long upper = (unsigned long long)block.bottoms[tile][31] << 1;
    unsigned long long lower = (unsigned long long)block.tops[below][0] << 1;
    if (tile % TILES_X > 0) {
        upper |= block.bottoms[tile - 1][31] >> 31;
        lower |= block.tops[below - 1][0] >> 31;
    }
    if (tile % TILES_X < TILES_X - 1) {
        upper |= (unsigned long long)(block.bottoms[tile + 1][31] & 1u) << 33;
        lower |= (unsigned long long)(block.tops[below + 1][0] & 1u) << 33;
    }
    const bool a = lower >> (x + 1) & 1u;
    const bool b = upper >> (x + 1) & 1u;
    const bool a1 = lower >> x & 1u;
    const bool b1 = upper >> x & 1u;
    if (faces(a, b, a1, b1)) {
        list.add(block.run(below, 0, x), block.run(tile, 31, x));
    }
#if CONNECTIVITY == 8
    const bool a2 = lower >> (x + 2) & 1u;
    const bool b2 = upper >> (x + 2) & 1u;
    if (corner(a, b, a1, b1)) {
        const int left = x > 0 ? tile : tile - 1;
        list.add(block.run(below, 0, x), block.run(left, 31, (x - 1) & 31));
    }
    if (corner(a, b, a2, b2)) {
        const int right = x < 31 ? tile : tile + 1;
        list.add(block.run(below, 0, x), block.run(right, 31, (x + 1) & 31));
    }
#endif
}

// Join all pairs of a list, by all threads of the block together.
static __device__ __forceinline__ void join_pairs(unsigned int *table, const PairList &list)
{
    int at = threadIdx.y * WARP_SIZE + threadIdx.x;
    Pair pair = {0, 0};
    while (__syncthreads_or(pair.open() || at < *list.count)) {  // all links are there
        if (!pair.open() && at < *list.count) {
            pair = {(int)(list.pairs[at] >> 16), (int)(list.pairs[at] & 0xFFFFu)};
            at += 32 * TILES;
        }
        unsigned int entry1 = 0, entry2 = 0;
        if (pair.open()) {
            entry1 = find_entry(table, pair.run1);
            entry2 = find_entry(table, pair.run2);
        }
        __syncthreads();  // all have walked
        if (pair.open()) {
            pair = link_roots(table, entry1, entry2);
        }
    }
}
#endif

// The sides of a tile that lie on the border of its block, and the roots of their pixels. A lane has
// pixel `lane` of each side, and of the columns on the left and right also pixel 32 + lane where a
// tile is that high.
struct Border {
    bool outer[4];
    int roots[4][ROWS];  // index of the root; -1 for background
};

static __device__ __forceinline__ Border find_border(const Block &block, int tile)
{
    const int lane = threadIdx.x;
    Border border;
    border.outer[0] = tile / TILES_X == 0;
    border.outer[1] = tile / TILES_X == TILES_Y - 1;
    border.outer[2] = tile % TILES_X == 0;
    border.outer[3] = tile % TILES_X == TILES_X - 1;
#pragma unroll
    for (int side = 0; side < 4; ++side) {
#pragma unroll
        for (int half = 0; half < ROWS; ++half) {
            border.roots[side][half] = -1;
            if (border.outer[side] && (half == 0 || side >= 2)) {
                const int at = 32 * half + lane;
                const int x = side < 2 ? lane : side == 2 ? 0 : 31;
                const int y = side >= 2 ? at : side == 0 ? 0 : TILE_H - 1;
                const int band = y / ROWS;
                if (block.pixel(y % ROWS == 0 ? block.tops : block.bottoms, tile, band, x)) {
                    const unsigned int root = find_entry(block.table, block.run(tile, band, x));
                    border.roots[side][half] = (int)INDEX(root);
                }
            }
        }
    }
    return border;
}

// Mark the roots of components that touch the block's border.
static __device__ __forceinline__ void mark_border(const Block &block, const Border &border)
{
#pragma unroll
    for (int side = 0; side < 4; ++side) {
#pragma unroll
        for (int half = 0; half < ROWS; ++half) {
            if (border.roots[side][half] >= 0) {
                atomicOr(&block.table[border.roots[side][half]], MARK);
            }
        }
    }
}

// The code of a run in `runs`: of its root, if that has one, otherwise the root's place.
static __device__ __forceinline__ unsigned int code_of(const unsigned int *table, int run)
{
    unsigned int entry = table[run];
    while (!(entry & MARK)) {
        const unsigned int next = table[INDEX(entry)];
        if (next == entry) {
            return PLACE(entry);
        }
        entry = next;
    }
    return INDEX(entry);
}

// Write which node each pixel on the block's border belongs to.
static __device__ __forceinline__ void write_border(const Block &block, const Border &border,
                                                    unsigned short *sides, int tile)
{
    const int starts[4] = {TOP + 32 * (tile % TILES_X), BOTTOM + 32 * (tile % TILES_X),
                           LEFT + TILE_H * (tile / TILES_X), RIGHT + TILE_H * (tile / TILES_X)};
#pragma unroll
    for (int side = 0; side < 4; ++side) {
#pragma unroll
        for (int half = 0; half < ROWS; ++half) {
            if (border.outer[side] && (half == 0 || side >= 2)) {
                const int root = border.roots[side][half];
                sides[starts[side] + 32 * half + (int)threadIdx.x] =
                    (unsigned short)(root >= 0 ? INDEX(block.table[root]) & ~IS_NODE : NO_NODE);
            }
        }
    }
}

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

// The entry of the root of a node. As in flatten_tile(), the node stores each step of the walk, so
// that walks that lead through it take longer steps. The reads are volatile, so that they come from
// the cache that all blocks share.
//
// Race: another thread may lower the node between the read and the store, which undoes that. The
// node names an ancestor all the same, and whoever lowered it goes on to join what it named before.
static __device__ __forceinline__ unsigned long long find_node(volatile unsigned long long *nodes,
                                                               unsigned int node)
{
    unsigned long long entry = nodes[node];
    if ((unsigned int)entry == node) {
        return entry;
    }
    unsigned long long next = nodes[(unsigned int)entry];
    while (next != entry) {
        nodes[node] = next;
        entry = next;
        next = nodes[(unsigned int)entry];
    }
    return entry;
}

// Join the trees of two nodes, as link_roots() does. The upper half of an entry is a pixel's index, so
// the root of a tree is the node whose first pixel comes first in raster order.
static __device__ __forceinline__ void join_nodes(unsigned long long *nodes, unsigned int node1,
                                                  unsigned int node2)
{
    for (;;) {
        const unsigned long long entry1 = find_node(nodes, node1);
        const unsigned long long entry2 = find_node(nodes, node2);
        if (entry1 == entry2) {
            return;
        }
        const unsigned long long larger = max(entry1, entry2);
        const unsigned long long smaller = min(entry1, entry2);
        const unsigned long long old = atomicMin(&nodes[(unsigned int)larger], smaller);
        if (old == larger) {
            return;
        }
        node1 = (unsigned int)old;
        node2 = (unsigned int)smaller;
    }
}

// A side of a row or column of blocks, as seen from one of its blocks.
struct Side {
    const unsigned short *sides;
    int block;
    int side;
    int length;           // pixels of the block on it
    bool before, after;   // whether it goes on in the block before and the block after this one

    // The node of a pixel, as an index into `nodes`; -1 for background, and outside the image. The
    // pixel may lie one beyond the block's.
    __device__ __forceinline__ int node(int at) const
    {
        const int beyond = at < 0 ? -1 : at >= length ? 1 : 0;
        if ((beyond < 0 && !before) || (beyond > 0 && !after)) {
            return -1;
        }
        const int of = block + beyond;
        const int node = sides[(long long)of * SIDE_PIXELS + side + at - beyond * length];
        return node == NO_NODE ? -1 : of * BLOCK_NODES + node;
    }
};

static __device__ __forceinline__ void list_pair(unsigned int (*pairs)[2], int *listed, int a, int b)
{
    const int at = atomicAdd(listed, 1);
    pairs[at][0] = (unsigned int)a;
    pairs[at][1] = (unsigned int)b;
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

// The label of a component whose first pixel is at (x, y): the pixel's index, or, where components
// are numbered, one more than the first pixels before it.
#if NUMBERED
static __device__ __forceinline__ int label_of(const unsigned int *roots, const int *ranks, int pitch,
                                               int x, int y)
{
    const long long at = (long long)y * pitch + x / 32;
    return ranks[at] + __popc(roots[at] & ((1u << x % 32) - 1u)) + 1;
}
#define BACKGROUND 0
#else
#define BACKGROUND -1
#endif

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
#define SCAN_THREADS 256
#define SCAN_EACH 8
#define SCAN_WORDS (SCAN_THREADS * SCAN_EACH)

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

// The sum of a value over the block; all threads must call, and get it.
static __device__ __forceinline__ int block_sum(int value, int *shared)
{
    const int warp = threadIdx.x / WARP_SIZE;
    for (int step = WARP_SIZE / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    __syncthreads();  // those who read an earlier sum are done
    if (threadIdx.x % WARP_SIZE == 0) {
        shared[warp] = value;
    }
    __syncthreads();
    int sum = 0;
    for (int other = 0; other < SCAN_THREADS / WARP_SIZE; ++other) {
        sum += shared[other];
    }
    return sum;
}

// The words of a thread; those behind the last are 0. `count` is a multiple of 4.
static __device__ __forceinline__ void load_words(const unsigned int *roots, int count,
                                                  unsigned int *words)
{
    const long long first = ((long long)blockIdx.x * SCAN_THREADS + threadIdx.x) * SCAN_EACH;
#pragma unroll
    for (int four = 0; four < SCAN_EACH; four += 4) {
        uint4 loaded = {0, 0, 0, 0};
        if (first + four < count) {
            loaded = *(const uint4 *)(roots + first + four);
        }
        words[four] = loaded.x;
        words[four + 1] = loaded.y;
        words[four + 2] = loaded.z;
        words[four + 3] = loaded.w;
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
