// Facts of a step: counts of labels, computed on the device that has them.
//
// No algorithm of a paper: these kernels read labels and change none. A frame is the labels after a
// step, without padding, height x width of them in raster order. A cell is named by its index
// y * width + x. A layout defines the meaning of labels: a label is the address of a cell in the
// algorithm's buffer, which may be padded, and `parent_of` converts it to the index of that cell. A
// cell that names itself is a root, and labels form trees. Labels of wrong runs may be any number,
// and may form circles. These kernels must handle both.
//
// The kernels of this file, in the order in which a run needs them:
//   facts_components_*   the connected components, found again by union-find, to judge the run
//   facts_changes        counts of the changes of a step
//   facts_judge          whether the last labels divide the cells in the same way as the components
//   facts_link, _climb, _settle   the root of each cell, and the number of labels on the path to it
//   facts_first, _final  the final root of each cell's component
//   facts_trees          cells that do not lead there yet, and the longest path
//   facts_delta_*        the cells that a step changed, as bits and values
//   facts_measure        area and bounding box of each component
//
// Launch shape: blocks of 256 threads in one row. Kernels that count give each thread several cells
// and sum them up before they touch the counter: CELLS_APART says how. On a GPU the cells of a
// thread are a whole grid of threads apart, so that the threads of a warp read adjacent cells. If
// one core runs the threads one after the other, the cells of a thread are adjacent instead, to
// make use of the core's cache.
//
// harmless race, minimum: facts_components_merge.components, facts_components_flatten.components:
//   an old label and the root both lead to the root, and a root changes by atomicMin only.
// harmless race, one writer: facts_climb.links: an old link and a new one lead to the same root,
//   which the new one does sooner; both are stored as one word.
// harmless race, same value: facts_link.unfinished, facts_climb.unfinished: all who store store 1.
// harmless race, one writer: facts_components_number.numbers: roots, which others read, are written
//   by nobody.
#include "common/cells.cuh"
#include "common/flag.cuh"
#include "common/label_layout.cuh"
#include "common/union_find.cuh"
#include "common/warp.cuh"

#ifndef CELLS_APART
#define CELLS_APART 1
#endif

// Cells of a row within which runs are followed without union-find.
#define SEGMENT 32
// Cells that one thread packs into eight bytes of bits.
#define PACKED 64
// Labels that the first launch follows from each cell, and links that each later launch follows.
#define FIRST_LABELS 16
#define MOST_LINKS 64

#define NO_CELL (-1)
#define NOT_COUNTED (-1)  // in `final`: a cell without a final root, as background
#define NO_ROOT (-2)      // in `final`: a cell of a component that ends without a root

static __device__ __forceinline__ long long thread_number()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// Add the sum of the values of a warp's lanes to a counter. All lanes must call this.
static __device__ __forceinline__ void add_up(unsigned int *counter, unsigned int value)
{
    for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, lanes);
    }
    if (threadIdx.x % WARP_SIZE == 0 && value != 0) {
        atomicAdd(counter, value);
    }
}

// Raise a counter to the largest value of a warp's lanes. All lanes must call this.
static __device__ __forceinline__ void raise_to(unsigned int *counter, unsigned int value)
{
    for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) {
        const unsigned int other = __shfl_down_sync(ALL_LANES, value, lanes);
        value = value > other ? value : other;
    }
    if (threadIdx.x % WARP_SIZE == 0 && value != 0) {
        atomicMax(counter, value);
    }
}

// The k-th of the cells that a thread counts, of `share` each; it may lie beyond the last cell.
static __device__ __forceinline__ long long counted_cell(int k, int share)
{
#if CELLS_APART
    return thread_number() + (long long)k * gridDim.x * blockDim.x;
#else
    return thread_number() * share + k;
#endif
}

// ---- The components, by union-find straight from the definition ----

// One thread per cell. Each foreground cell names the first cell of its run within its segment of
// the row; background has no component.
extern "C" __global__ void facts_components_init(const unsigned char *image, int *components,
                                                 int width, int cells, int by_value)
{
    const long long cell = thread_number();
    if (cell >= cells) {
        return;
    }
    int first = (int)cell;
    if (image[cell] == 0) {
        first = NO_CELL;
    } else {
        int x = (int)(cell % width);
        while (x % SEGMENT != 0 && connected(image, first, first - 1, by_value)) {
            first--;
            x--;
        }
    }
    components[cell] = first;
}

// One thread per cell. Joins each cell's tree with those of the neighbours above and before it,
// unless the cell beside it does the same: one union for two touching rows is enough. With
// `corners` 1, cells that touch at a corner are neighbours too.
//
// Invariant: a cell names itself or a cell before it (common/union_find.cuh).
extern "C" __global__ void facts_components_merge(const unsigned char *image, int *components,
                                                  int width, int cells, int corners, int by_value)
{
    const long long number = thread_number();
    if (number >= cells || image[number] == 0) {
        return;
    }
    const int cell = (int)number, x = cell % width, above = cell - width;
    const bool left = x > 0 && connected(image, cell, cell - 1, by_value);
    if (left && x % SEGMENT == 0) {
        merge(components, cell, cell - 1);
    }
    if (above < 0) {
        return;
    }
    if (connected(image, cell, above, by_value)) {
        // The cell to the left does it, if it connects to this one and to the cell above itself.
        if (!(left && connected(image, cell - 1, above - 1, by_value))) {
            merge(components, cell, above);
        }
        return;
    }
    // Connections at a corner. If a neighbour in the row connects, it is directly below.
    if (corners == 0) {
        return;
    }
    if (x > 0 && !left && connected(image, cell, above - 1, by_value)) {
        merge(components, cell, above - 1);
    }
    if (x + 1 < width && !connected(image, cell, cell + 1, by_value) &&
        connected(image, cell, above + 1, by_value)) {
        merge(components, cell, above + 1);
    }
}

// One thread per cell. Each cell names the first cell of its component.
extern "C" __global__ void facts_components_flatten(int *components, int cells)
{
    const long long cell = thread_number();
    if (cell < cells) {
        flatten(components, (int)cell);
    }
}

// A thread for each PACKED cells. Counts the components that begin in them.
extern "C" __global__ void facts_components_count(const int *components, int *counts, int cells)
{
    const long long begin = thread_number() * PACKED;
    if (begin >= cells) {
        return;
    }
    int count = 0;
    for (int k = 0; k < PACKED && begin + k < cells; k++) {
        count += components[begin + k] == (int)(begin + k);
    }
    counts[thread_number()] = count;
}

// A thread for each PACKED cells. Numbers the components that begin in them, in raster order, from
// one more than their `before`, the number of components that begin earlier.
extern "C" __global__ void facts_components_begin(const int *components, const int *before,
                                                  int *numbers, int cells)
{
    const long long begin = thread_number() * PACKED;
    if (begin >= cells) {
        return;
    }
    int number = before[thread_number()];
    for (int k = 0; k < PACKED && begin + k < cells; k++) {
        if (components[begin + k] == (int)(begin + k)) {
            numbers[begin + k] = ++number;
        }
    }
}

// One thread per cell. All other cells take the number of their component's first cell; background
// has 0.
// Races: only first cells are read, and these have their numbers already.
extern "C" __global__ void facts_components_number(const int *components, int *numbers, int cells)
{
    const long long cell = thread_number();
    if (cell >= cells) {
        return;
    }
    const int first = components[cell];
    if (first != (int)cell) {
        numbers[cell] = first < 0 ? 0 : numbers[first];
    }
}

// ---- What a step did ----

// Each thread counts `share` cells. The counters, in their order:
//   0 first     took a label and had none          5 hooked    were roots, and are not now
//   1 smaller   took a smaller label               6 made      were not roots, and are now
//   2 larger    took a larger label                7 indirect  name a cell that is not a root
//   3 lost      had a label and have none          8 unlabelled   foreground without a label
//   4 roots     foreground cells that name themselves
// With `begun` 0 no cell had a label before, and `before` is not read.
extern "C" __global__ void facts_changes(const unsigned char *image, const int *before,
                                         const int *after, unsigned int *counters, int cells,
                                         int share, int begun, int width, int pitch, int margin,
                                         int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    unsigned int first = 0, smaller = 0, larger = 0, lost = 0, roots = 0;
    unsigned int hooked = 0, made = 0, indirect = 0, unlabelled = 0;
    for (int k = 0; k < share; k++) {
        const long long cell = counted_cell(k, share);
        if (cell >= cells) {
            break;
        }
        const int now = after[cell], then = begun ? before[cell] : background;
        const bool has = now != background, had = then != background;
        first += has && !had;
        lost += had && !has;
        smaller += has && had && now < then;
        larger += has && had && now > then;
        if (image[cell] == 0) {
            continue;
        }
        const long long parent = parent_of(now, layout);
        const bool root = parent == cell;
        const bool was_root = begun && (now == then ? root : parent_of(then, layout) == cell);
        roots += root;
        hooked += was_root && !root;
        made += root && !was_root;
        unlabelled += parent == NO_LABEL;
        // In a faulty run a label may be any number: the wrong cells include it, this count does
        // not.
        if (!root && is_cell(parent, cells)) {
            indirect += image[parent] == 0 || parent_of(after[parent], layout) != parent;
        }
    }
    add_up(counters + 0, first);
    add_up(counters + 1, smaller);
    add_up(counters + 2, larger);
    add_up(counters + 3, lost);
    add_up(counters + 4, roots);
    add_up(counters + 5, hooked);
    add_up(counters + 6, made);
    add_up(counters + 7, indirect);
    add_up(counters + 8, unlabelled);
}

// Each thread counts `share` values that differ between two arrays.
template <typename Value>
static __device__ __forceinline__ void count_differing(const Value *before, const Value *after,
                                                       unsigned int *counter, int cells, int share)
{
    unsigned int differing = 0;
    for (int k = 0; k < share; k++) {
        const long long cell = counted_cell(k, share);
        if (cell >= cells) {
            break;
        }
        differing += before[cell] != after[cell];
    }
    add_up(counter, differing);
}

extern "C" __global__ void facts_differing(const int *before, const int *after,
                                           unsigned int *counter, int cells, int share)
{
    count_differing(before, after, counter, cells, share);
}

extern "C" __global__ void facts_differing_wide(const long long *before, const long long *after,
                                                unsigned int *counter, int cells, int share)
{
    count_differing(before, after, counter, cells, share);
}

// Each thread counts the doubtful ones of `share` cells: the labels are right if and only if there
// are none. Which cells of wrong labels are wrong is found elsewhere (ccl_viewer.reference).
//
// A cell is not doubtful if it is background and has no label, or if it names a cell of its
// component, the same one as the first cell of the component. If no cell is doubtful, all cells of
// a component have one label, and no other component has it, because it names a cell of this
// component. That cell has the same label, so it is a root.
extern "C" __global__ void facts_judge(const int *labels, const int *components,
                                       unsigned int *counter, int cells, int share, int width,
                                       int pitch, int margin, int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    unsigned int doubtful = 0;
    for (int k = 0; k < share; k++) {
        const long long cell = counted_cell(k, share);
        if (cell >= cells) {
            break;
        }
        const int component = components[cell];
        const int label = labels[cell];
        if (component < 0) {
            doubtful += label != background;
            continue;
        }
        const long long parent = parent_of(label, layout);
        doubtful += !is_cell(parent, cells) || components[parent] != component ||
                    labels[component] != label;
    }
    add_up(counter, doubtful);
}

// ---- Roots ----

// A link of a cell is a cell on its path to the root (the low half of the word) and the number of
// labels on the path to it (the high half). NO_LINK is the link of a cell that leads to no root.
typedef unsigned long long Link;
#define NO_LINK 0xFFFFFFFFull

static __device__ __forceinline__ Link make_link(int cell, unsigned int labels)
{
    return (Link)labels << 32 | (unsigned int)cell;
}

static __device__ __forceinline__ int cell_of(Link link)
{
    return (int)(unsigned int)link;
}

static __device__ __forceinline__ unsigned int labels_of(Link link)
{
    return (unsigned int)(link >> 32);
}

// One thread per cell. Follows FIRST_LABELS labels from each cell, and links the cell to the end.
extern "C" __global__ void facts_link(const int *labels, Link *links, int *unfinished, int cells,
                                      int width, int pitch, int margin, int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const long long cell = thread_number();
    if (cell >= cells) {
        return;
    }
    long long here = cell, parent = parent_of(labels[cell], layout);
    unsigned int away = 0;
    while (is_cell(parent, cells) && parent != here && away < FIRST_LABELS) {
        here = parent;
        parent = parent_of(labels[here], layout);
        away++;
    }
    links[cell] = is_cell(parent, cells) ? make_link((int)here, away) : NO_LINK;
    if (is_cell(parent, cells) && parent != here) {
        raise_flag(unfinished);
    }
}

// One thread per cell. Follows MOST_LINKS links from each cell, and links the cell to the end. It
// is launched again until `unfinished` stays 0: each launch reaches MOST_LINKS times as far.
//
// Invariant: a link leads to a cell on the path to the root, and has the number of labels on the
// way. A cell with a link to itself is a root.
// Races: other threads shorten the same paths; their old links lead to the same root. A link is one
// word, so no thread reads half of an old one.
// Labels in a circle have no end: they keep `unfinished` raised, or a cell of the circle gets a
// link to itself. facts_settle finds these.
extern "C" __global__ void facts_climb(volatile Link *links, int *unfinished, int cells)
{
    const long long cell = thread_number();
    if (cell >= cells) {
        return;
    }
    const Link own = links[cell];
    Link link = own;
    int turns = 0;
    while (link != NO_LINK) {
        const int here = cell_of(link);
        const Link next = links[here];
        if (next == NO_LINK) {
            link = NO_LINK;
        } else if (cell_of(next) == here) {
            break;
        } else if (++turns > MOST_LINKS) {
            raise_flag(unfinished);
            break;
        } else {
            link = make_link(cell_of(next), labels_of(link) + labels_of(next));
        }
    }
    if (link != own) {
        links[cell] = link;
    }
}

// One thread per cell. Removes the link of each cell that leads into a circle instead of to a root.
extern "C" __global__ void facts_settle(const int *labels, Link *links, int cells, int width,
                                        int pitch, int margin, int origin, int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    const long long cell = thread_number();
    if (cell >= cells || links[cell] == NO_LINK) {
        return;
    }
    const int root = cell_of(links[cell]);
    if (parent_of(labels[root], layout) != root) {
        links[cell] = NO_LINK;
    }
}

// One thread per cell. Finds the first cell of each component that has a root. `first`, at the
// component's first cell, is initially larger than all cells.
extern "C" __global__ void facts_first(const Link *links, const int *components, int *first,
                                       int cells)
{
    const long long cell = thread_number();
    if (cell < cells && components[cell] >= 0 && links[cell] != NO_LINK) {
        atomicMin(&first[components[cell]], (int)cell);
    }
}

// One thread per cell. The final root of a cell is the root of the first cell of its component that
// has one.
// In a right run (`right` 1) it is the cell's root, and cells without a root are not counted.
extern "C" __global__ void facts_final(const Link *links, const int *components, const int *first,
                                       int *final_, int cells, int right)
{
    const long long cell = thread_number();
    if (cell >= cells) {
        return;
    }
    if (right) {
        final_[cell] = links[cell] == NO_LINK ? NOT_COUNTED : cell_of(links[cell]);
        return;
    }
    const int component = components[cell];
    if (component < 0) {
        final_[cell] = NOT_COUNTED;
    } else {
        const int rooted = first[component];
        final_[cell] = rooted < cells ? cell_of(links[rooted]) : NO_ROOT;
    }
}

// Each thread counts `share` cells. The counters, in their order:
//   0 wrong     do not lead to the final root of their component
//   1 mixed     name a cell of another component, of background, or outside the grid
//   2 length of the longest path to a root, in labels
//   3 left      foreground cells without a final root, because the run ends without one
//   4 apart     lead to another root than the last labels do, or to a root if those lead to none
//   5 trees     cells that are the root of a tree
extern "C" __global__ void facts_trees(const unsigned char *image, const int *labels,
                                       const Link *links, const int *components, const int *final_,
                                       const Link *last, unsigned int *counters, int cells,
                                       int share, int width, int pitch, int margin, int origin,
                                       int background)
{
    const Layout layout = {width, pitch, margin, origin, background};
    unsigned int wrong = 0, mixed = 0, farthest = 0, left = 0, apart = 0, trees = 0;
    for (int k = 0; k < share; k++) {
        const long long cell = counted_cell(k, share);
        if (cell >= cells) {
            break;
        }
        const Link link = links[cell];
        const int root = link == NO_LINK ? NO_CELL : cell_of(link);
        const int wanted = final_[cell];
        wrong += root != wanted && wanted != NOT_COUNTED;
        left += image[cell] != 0 && wanted == NOT_COUNTED;
        const long long parent = parent_of(labels[cell], layout);
        if (parent != NO_LABEL) {
            mixed += !is_cell(parent, cells) || components[parent] != components[cell];
        }
        if (root >= 0) {
            const unsigned int away = labels_of(link);
            farthest = farthest > away ? farthest : away;
            trees += root == cell;
            apart += last[cell] == NO_LINK || cell_of(last[cell]) != root;
        }
    }
    add_up(counters + 0, wrong);
    add_up(counters + 1, mixed);
    raise_to(counters + 2, farthest);
    add_up(counters + 3, left);
    add_up(counters + 4, apart);
    add_up(counters + 5, trees);
}

// ---- Changes, for the history ----

// A thread for each PACKED cells. Sets a bit for each changed cell, the first cell in the highest
// bit of the first byte; `counts` is the number of these cells.
template <typename Value>
static __device__ __forceinline__ void pack_bits(const Value *before, const Value *after,
                                                 unsigned char *bits, int *counts, int cells)
{
    const long long begin = thread_number() * PACKED;
    if (begin >= cells) {
        return;
    }
    int count = 0;
    for (int k = 0; k < PACKED && begin + k < cells; k += 8) {
        unsigned int byte = 0;
        for (int bit = 0; bit < 8 && begin + k + bit < cells; bit++) {
            const bool changed = before[begin + k + bit] != after[begin + k + bit];
            byte |= (unsigned int)changed << (7 - bit);
            count += changed;
        }
        bits[(begin + k) / 8] = (unsigned char)byte;
    }
    counts[thread_number()] = count;
}

extern "C" __global__ void facts_delta_bits(const int *before, const int *after,
                                            unsigned char *bits, int *counts, int cells)
{
    pack_bits(before, after, bits, counts, cells);
}

extern "C" __global__ void facts_delta_bits_wide(const long long *before, const long long *after,
                                                 unsigned char *bits, int *counts, int cells)
{
    pack_bits(before, after, bits, counts, cells);
}

// A thread for each PACKED cells. Writes new minus old value of each changed cell, one after the
// other; `ends` is the number of values up to the last of these cells. Differences wrap around.
template <typename Value, typename Unsigned>
static __device__ __forceinline__ void pack_values(const Value *before, const Value *after,
                                                   const int *ends, Value *values, int cells)
{
    const long long begin = thread_number() * PACKED;
    if (begin >= cells) {
        return;
    }
    long long end = begin + PACKED < cells ? begin + PACKED : cells;
    int place = ends[thread_number()];
    for (long long cell = end - 1; cell >= begin; cell--) {  // backwards, from the last value
        if (before[cell] != after[cell]) {
            values[--place] = (Value)((Unsigned)after[cell] - (Unsigned)before[cell]);
        }
    }
}

extern "C" __global__ void facts_delta_values(const int *before, const int *after, const int *ends,
                                              int *values, int cells)
{
    pack_values<int, unsigned int>(before, after, ends, values, cells);
}

extern "C" __global__ void facts_delta_values_wide(const long long *before, const long long *after,
                                                   const int *ends, long long *values, int cells)
{
    pack_values<long long, unsigned long long>(before, after, ends, values, cells);
}

// ---- The size of components ----

// One thread per cell. The first cell of each run, within its segment of the row, measures the run
// for the component with its number: cells, and the box from its first column and row to those
// after its last.
extern "C" __global__ void facts_measure(const int *numbers, unsigned int *areas, int *boxes,
                                         int width, int cells)
{
    const long long cell = thread_number();
    if (cell >= cells || numbers[cell] == 0) {
        return;
    }
    const int number = numbers[cell], x = (int)(cell % width), y = (int)(cell / width);
    if (x % SEGMENT != 0 && numbers[cell - 1] == number) {
        return;
    }
    int end = x + 1;
    while (end < width && end % SEGMENT != 0 && numbers[cell + end - x] == number) {
        end++;
    }
    atomicAdd(&areas[number], (unsigned int)(end - x));
    atomicMin(&boxes[4 * (long long)number + 0], x);
    atomicMin(&boxes[4 * (long long)number + 1], y);
    atomicMax(&boxes[4 * (long long)number + 2], end);
    atomicMax(&boxes[4 * (long long)number + 3], y + 1);
}
