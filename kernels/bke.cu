// BKE, Block-based Komura Equivalence: S. Allegretti, F. Bolelli, C. Grana, "Optimized Block-Based
// Algorithms to Label Connected Components on GPUs", IEEE Trans. Parallel Distrib. Syst. 31 (2020),
// first published 2019. Written from the published idea.
//
// The idea. With eight neighbours, all foreground pixels of a block of 2 x 2 belong together, so a
// block needs one label, and only a quarter of the labels take part. Komura's way of joining them
// needs no iteration: at first each block points at one neighbour among those before it (west,
// north-west, north, north-east), so that much of the joining costs no atomic at all; compression
// flattens the trees; the links that remain are joined by union-find; compression flattens again;
// and last each pixel takes the label of its block.
//
// Launch shape: one thread per block of 2 x 2 pixels, two-dimensional, thread blocks of any shape.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width. A label is the linear index y * width + x of a cell; -1 is
//              background, and pixels not labelled yet.
//      blocks  uint8, ceil(height / 2) x ceil(width / 2): for each block, which of its pixels are
//              set, and which links initialisation left for the merge
//
// Differences from the paper:
// - The paper keeps a block's label in its top-left pixel. That pixel can be background; here the
//   label lies at the block's first foreground pixel in raster order, and is the index of such a
//   pixel, so that every label names a cell of its component, and the root is its first cell.
// - The paper's labels are one more than the index, so that 0 can be background. Here that is -1.
// - The paper puts what later kernels need to know of a block into label cells that are not in use.
//   Here a separate array has it, so that the label array holds only labels.
// - A link is left out where two others of the same pixels imply it: see links_of(). VARIANT_PAPER
//   keeps every link, as the paper does; VARIANT_PROJECT leaves them out.
//
// harmless race, one writer: bke_compression.labels: while trees are flattened, others shorten the
//   same paths: an old label and the root both lead to the root.

#include "common/block_row.cuh"
#include "common/union_find.cuh"
#include "common/variant.cuh"

#define BACKGROUND (-1)

// The pixels of a block, bit by bit in raster order, in the lower half of its byte.
#define TOP_LEFT 1u
#define TOP_RIGHT 2u
#define BOTTOM_LEFT 4u
#define BOTTOM_RIGHT 8u
#define TOP (TOP_LEFT | TOP_RIGHT)
#define BOTTOM (BOTTOM_LEFT | BOTTOM_RIGHT)
#define LEFT (TOP_LEFT | BOTTOM_LEFT)
#define RIGHT (TOP_RIGHT | BOTTOM_RIGHT)
#define PIXELS (TOP | BOTTOM)

// The blocks that a block is linked with, in the upper half.
#define WEST 16u
#define NORTH_WEST 32u
#define NORTH 64u
#define NORTH_EAST 128u

// Position of a thread's block. x and y are its top-left pixel; bx, by its place among the blocks.
struct Place {
    int bx, by, x, y;
    int pitch;  // blocks in a row of blocks
    bool inside;
};

static __device__ __forceinline__ Place place_of_thread(int width, int height)
{
    Place place;
    place.bx = blockIdx.x * blockDim.x + threadIdx.x;
    place.by = block_row() * blockDim.y + threadIdx.y;
    place.x = 2 * place.bx;
    place.y = 2 * place.by;
    place.pitch = (width + 1) / 2;
    place.inside = place.x < width && place.y < height;
    return place;
}

// Two pixels of a row, as bits 0 and 1; `wide` says that both lie inside and in one aligned word.
static __device__ __forceinline__ unsigned int two_pixels(const unsigned char *image, int x,
                                                          int row, int width, bool wide)
{
    if (wide) {
        const uchar2 pair = *(const uchar2 *)(image + row + x);
        return (pair.x != 0 ? 1u : 0u) | (pair.y != 0 ? 2u : 0u);
    }
    return (image[row + x] != 0 ? 1u : 0u) | (x + 1 < width && image[row + x + 1] != 0 ? 2u : 0u);
}

// Which pixels of the block at (x, y) are set; none outside the image.
static __device__ __forceinline__ unsigned int load_block(const unsigned char *image, int x, int y,
                                                          int width, int height, bool wide)
{
    if (x < 0 || x >= width || y < 0) {
        return 0u;
    }
    unsigned int pixels = two_pixels(image, x, y * width, width, wide);
    if (y + 1 < height) {
        pixels |= two_pixels(image, x, (y + 1) * width, width, wide) << 2;
    }
    return pixels;
}

// The first foreground pixel of a block, as its bit alone.
static __device__ __forceinline__ unsigned int first_pixel(unsigned int pixels)
{
    return pixels & (0u - pixels);
}

// The cell that holds the label of the block at (x, y) with these pixels: its first one.
static __device__ __forceinline__ int label_cell(unsigned int pixels, int x, int y, int width)
{
    const unsigned int first = first_pixel(pixels & PIXELS);
    return (first & TOP ? y : y + 1) * width + (first & LEFT ? x : x + 1);
}

// Writes a label to two pixels of a row where `pixels` has bits 0 and 1, and BACKGROUND elsewhere;
// `wide` says that both lie inside and in one aligned word.
static __device__ __forceinline__ void store_two(int *labels, int x, int row, int width,
                                                 unsigned int pixels, int label, bool wide)
{
    const int first = pixels & 1u ? label : BACKGROUND;
    const int second = pixels & 2u ? label : BACKGROUND;
    if (wide) {
        *(int2 *)(labels + row + x) = make_int2(first, second);
        return;
    }
    labels[row + x] = first;
    if (x + 1 < width) {
        labels[row + x + 1] = second;
    }
}

// Writes a label to these pixels of the block, and BACKGROUND to its others.
static __device__ __forceinline__ void store_block(int *labels, const Place &at,
                                                   unsigned int pixels, int label, int width,
                                                   int height)
{
    const bool wide = (width & 1) == 0;
    store_two(labels, at.x, at.y * width, width, pixels, label, wide);
    if (at.y + 1 < height) {
        store_two(labels, at.x, (at.y + 1) * width, width, pixels >> 2, label, wide);
    }
}

// The links of a block with the blocks before it that its component needs.
//
// Each pair of touching blocks is joined either by a link of its own or by a chain of links between
// blocks that touch pairwise and whose links are decided further up or further left:
// - north-west is left out if north holds its bottom-left pixel (which touches both blocks), or
//   west its top-right one (likewise);
// - north-east is left out if north holds its bottom-right pixel;
// - west is left out if this block's top row, west's top-right and north's bottom-left pixel are
//   all set: then north touches both.
// North itself is never left out, so the chains end. In the paper's variant nothing is left out.
static __device__ __forceinline__ unsigned int links_of(unsigned int own, unsigned int west,
                                                        unsigned int north_west,
                                                        unsigned int north,
                                                        unsigned int north_east)
{
    const bool fewer = VARIANT == VARIANT_PROJECT;
    const bool by_north = fewer && (own & TOP) && (north & BOTTOM_LEFT);
    const bool by_west = fewer && (west & TOP_RIGHT);
    unsigned int links = 0u;
    if ((own & TOP) && (north & BOTTOM)) {
        links |= NORTH;
    }
    if ((own & TOP_LEFT) && (north_west & BOTTOM_RIGHT) && !by_north && !by_west) {
        links |= NORTH_WEST;
    }
    if ((own & TOP_RIGHT) && (north_east & BOTTOM_LEFT) &&
        !(fewer && (north & BOTTOM_RIGHT))) {
        links |= NORTH_EAST;
    }
    if ((own & LEFT) && (west & RIGHT) && !(by_west && by_north)) {
        links |= WEST;
    }
    return links;
}

// Initialisation. Each thread finds out which pixels its block has and with which blocks before it
// they are linked. The block's label becomes the cell of one linked block, or its own cell if there
// is none; the other links are left for the merge. So is the one to the west where west's label
// lies in the lower row and this block's in the upper, hence before it. All other cells become -1.
//
// Invariant (all kernels): a label names a cell before or at its own, of the same component.
// No races: a thread writes only its own block.
extern "C" __global__ void bke_init(const unsigned char *image, int *labels, unsigned char *blocks,
                                    int width, int height)
{
    const Place at = place_of_thread(width, height);
    if (!at.inside) {
        return;
    }
    const int x = at.x;
    const int y = at.y;
    const bool wide = ((width | (int)(size_t)image) & 1) == 0;
    const unsigned int own = load_block(image, x, y, width, height, wide);
    const unsigned int west = load_block(image, x - 2, y, width, height, wide);
    const unsigned int north_west = load_block(image, x - 2, y - 2, width, height, wide);
    const unsigned int north = load_block(image, x, y - 2, width, height, wide);
    const unsigned int north_east = load_block(image, x + 2, y - 2, width, height, wide);
    unsigned int links = links_of(own, west, north_west, north, north_east);

    const int cell = label_cell(own, x, y, width);
    const int west_cell = label_cell(west, x - 2, y, width);
    int label = cell;
    if (links & NORTH_WEST) {
        label = label_cell(north_west, x - 2, y - 2, width);
        links &= ~NORTH_WEST;
    } else if (links & NORTH) {
        label = label_cell(north, x, y - 2, width);
        links &= ~NORTH;
    } else if (links & NORTH_EAST) {
        label = label_cell(north_east, x + 2, y - 2, width);
        links &= ~NORTH_EAST;
    } else if ((links & WEST) && west_cell < cell) {
        label = west_cell;
        links &= ~WEST;
    }
    blocks[at.by * at.pitch + at.bx] = (unsigned char)(own | links);
    store_block(labels, at, first_pixel(own), label, width, height);
}

// Compression, run after initialisation and after the merge. Each thread follows its block's label
// to the root and writes it down. On the way it writes what it has reached so far and goes on from
// there by two references at a time, so that the threads of a long chain shorten it for one
// another: on a spiral of 2048 x 2048 pixels it saves a third of the time.
//
// Races: a thread writes only its own block's label, while others walk through it. They read an old
// parent or a later one; both lead to the root, which no thread changes here.
extern "C" __global__ void bke_compression(int *labels, const unsigned char *blocks, int width,
                                           int height)
{
    const Place at = place_of_thread(width, height);
    if (!at.inside) {
        return;
    }
    const unsigned int pixels = blocks[at.by * at.pitch + at.bx] & PIXELS;
    if (pixels == 0u) {
        return;
    }
    const int cell = label_cell(pixels, at.x, at.y, width);
    const int first = labels[cell];
    int label = first;
    int parent = labels[label];
    while (parent != label) {
        labels[cell] = parent;
        label = labels[parent];
        parent = labels[label];
    }
    if (label != first) {
        labels[cell] = label;
    }
}

// Joins a block with the block (dx, dy) blocks away, if the link is there.
static __device__ __forceinline__ void join(int *labels, const unsigned char *blocks,
                                            const Place &at, unsigned int own, unsigned int link,
                                            int dx, int dy, int width)
{
    if (own & link) {
        const unsigned int other = blocks[(at.by + dy) * at.pitch + at.bx + dx];
        merge(labels, label_cell(own, at.x, at.y, width),
              label_cell(other, at.x + 2 * dx, at.y + 2 * dy, width));
    }
}

// Merge (Komura's reduction). Each thread joins the trees of its block and of the blocks that
// initialisation left linked with it.
//
// Races: as in merge().
extern "C" __global__ void bke_merge(int *labels, const unsigned char *blocks, int width,
                                     int height)
{
    const Place at = place_of_thread(width, height);
    if (!at.inside) {
        return;
    }
    const unsigned int own = blocks[at.by * at.pitch + at.bx];
    join(labels, blocks, at, own, NORTH, 0, -1, width);
    join(labels, blocks, at, own, NORTH_EAST, 1, -1, width);
    join(labels, blocks, at, own, WEST, -1, 0, width);
}

// Final labelling. Each thread gives its block's label to the foreground pixels of the block, and
// -1 to the others.
//
// No races: after compression the block's own label is the root, and a thread reads and writes only
// its own block.
extern "C" __global__ void bke_final_labeling(int *labels, const unsigned char *blocks, int width,
                                              int height)
{
    const Place at = place_of_thread(width, height);
    if (!at.inside) {
        return;
    }
    const unsigned int pixels = blocks[at.by * at.pitch + at.bx] & PIXELS;
    const int label = pixels ? labels[label_cell(pixels, at.x, at.y, width)] : BACKGROUND;
    store_block(labels, at, pixels, label, width, height);
}
