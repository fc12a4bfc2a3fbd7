// DLP-GPU: L. Cabaret, L. Lacassagne, D. Etiemble, "Distanceless label propagation: an efficient
// direct connected component labeling algorithm for GPUs", IPTA 2017; as Hennequin et al. 2018,
// section II, and the public implementation of YACCLAB describe it. Written from the idea.
//
// The idea. Propagation carries a label from neighbour to neighbour, so its time grows with the
// distance. Here a label is an address as well: label e is the entry of the pixel that began with
// e. A thread looks at a window of 2 x 2 pixels, takes the smallest of their labels, and stores it
// not in the pixels but in the entries that their labels name, however far away these are. So
// distance does not count, and there is no iteration over the image.
//
// Each block labels a tile in shared memory, in five phases (the paper's names):
//   DLP-I    each pixel's label is its own address.
//   DLP-SR   set root: the smallest label of each window goes to the entries that its labels name,
//            without atomics. Links get lost where windows overlap; this only saves the union work.
//   DLP-R    relabel: each pixel takes its root's label, so the next phase starts from flat trees.
//   DLP-RUF  recursive union: the same windows again, now by atomic minimum. Where the entry held
//            another label before, that one is united with the smaller of the two too.
//   DLP-R    relabel again.
// Then the same windows are united across the horizontal borders between tiles, then across the
// vertical ones, and last every pixel is relabelled with its root: four launches for any picture.
//
// Launch shape:
//   tile:       TILE_W x TILE_H threads, a block per tile; a thread has a pixel, and the window
//               whose top left pixel that is.
//   horizontal: a row of blocks per border, one-dimensional, a thread per column.
//   vertical:   a row of blocks per border, one-dimensional, a thread per row.
//   relabeling: two-dimensional, a thread per pixel, blocks of any shape.
// In:  image   uint8, height x width, 0 is background
// Out: labels  int32, height x width; a label is 1 + the linear index y * width + x of a pixel, 0
//              is background
//
// Differences from the paper:
// - DLP-SR stores the four pixels of a window one after the other, with barriers between: at each
//   turn every thread has an entry of its own, so that there is no race in shared memory.
// - Between reading labels of the tile and writing them there is a barrier, for the same reason.
// - The recursion is a loop: it is a tail call.
// - Windows of a tile reach over its right and its lower edge; what lies outside counts as
//   background. So any width and height will do, also a picture of one column.
// - The windows are those of 8 neighbours. With 4 (CONNECTIVITY 4) two pixels that touch at a
//   corner alone are not joined: see smallest_label().
//
// harmless race, one writer: cabaret_relabeling.labels: while some threads relabel, others read the
//   same cells on their way to a root; the old label and the new one lead to the same root.

#ifndef CONNECTIVITY
#define CONNECTIVITY 8
#endif
#ifndef TILE_W
#define TILE_W 16
#endif
#ifndef TILE_H
#define TILE_H 16
#endif

#include "common/block_row.cuh"

#define BACKGROUND 0

// The labels of a window's pixels: top left, top right, bottom left, bottom right.
struct Window {
    int e[4];
};

// Reads the window at (x, y) of an array of labels; what lies outside is background.
static __device__ __forceinline__ Window load_window(const int *labels, int x, int y, int width,
                                                     int height)
{
    const bool right = x + 1 < width;
    const bool below = y + 1 < height;
    const int k = y * width + x;
    Window window;
    window.e[0] = labels[k];
    window.e[1] = right ? labels[k + 1] : BACKGROUND;
    window.e[2] = below ? labels[k + width] : BACKGROUND;
    window.e[3] = right && below ? labels[k + width + 1] : BACKGROUND;
    return window;
}

// The smallest label of a window, BACKGROUND not counted; BACKGROUND if there is nothing to join.
//
// With 8 neighbours all foreground pixels of a window touch. With 4 they do too, unless they are
// two at a corner: then the pixels of the other diagonal are both background.
static __device__ __forceinline__ int smallest_label(const Window &window)
{
#if CONNECTIVITY == 4
    if ((window.e[0] | window.e[3]) == BACKGROUND || (window.e[1] | window.e[2]) == BACKGROUND) {
        return BACKGROUND;
    }
#endif
    // Unsigned, BACKGROUND - 1 is the largest number of all.
    unsigned int smallest = 0u - 1u;
    for (int i = 0; i < 4; i++) {
        smallest = min(smallest, (unsigned int)window.e[i] - 1u);
    }
    return (int)(smallest + 1u);
}

// The root of the tree that label e belongs to. The entry of label e is labels[e - 1].
static __device__ __forceinline__ int root_of(const int *labels, int e)
{
    int parent = labels[e - 1];
    while (parent != e) {
        e = parent;
        parent = labels[e - 1];
    }
    return e;
}

// Recursive union: unite label e with a smaller one, eps, without looking for a root.
//
// The entry of e gets eps if that is smaller than what it held. What it held has to be in the same
// tree as eps, so these two are next. If the entry held e itself, that was a root, and all is done.
// The larger of the two labels falls in every turn, so the loop ends. Nothing is lost if other
// threads do the same: whatever an entry held, some thread has read it and takes care of it.
static __device__ __forceinline__ void unite(int *labels, int e, int eps)
{
    while (e > eps) {
        const int held = atomicMin(&labels[e - 1], eps);
        if (held == e) {
            return;
        }
        e = max(held, eps);
        eps = min(held, eps);
    }
}

// Unite all labels of a window with the smallest of them.
static __device__ __forceinline__ void unite_window(int *labels, const Window &window)
{
    const int eps = smallest_label(window);
    if (eps == BACKGROUND) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        unite(labels, window.e[i], eps);  // does nothing where the label is BACKGROUND, or eps
    }
}

// Tile labelling: DLP-I, DLP-SR, DLP-R, DLP-RUF, DLP-R, and the step from addresses in the tile to
// addresses in the image.
//
// Invariant: a label of the table names the pixel itself or one before it, in the same component of
// the tile. Races: none; a barrier lies between the phases, and DLP-RUF has atomics only.
extern "C" __global__ void cabaret_tile(const unsigned char *image, int *labels, int width,
                                        int height)
{
    __shared__ int table[TILE_W * TILE_H];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * TILE_W + tx;
    const int y = block_row() * TILE_H + ty;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    const bool foreground = inside && image[k] != 0;
    const int cell = ty * TILE_W + tx;

    // DLP-I
    table[cell] = foreground ? cell + 1 : BACKGROUND;
    __syncthreads();

    // DLP-SR. All labels are addresses of their own pixels still, so in turn i the thread of each
    // window has the entry of its pixel i to itself.
    Window window = load_window(table, tx, ty, TILE_W, TILE_H);
    const int eps = smallest_label(window);
    for (int i = 0; i < 4; i++) {
        __syncthreads();  // all have read their windows, or stored their last turn's pixel
        const int e = window.e[i];
        if (eps != BACKGROUND && e != BACKGROUND && table[e - 1] > eps) {
            table[e - 1] = eps;
        }
    }
    __syncthreads();

    // DLP-R
    int root = foreground ? root_of(table, cell + 1) : BACKGROUND;
    __syncthreads();  // all have found their roots
    table[cell] = root;
    __syncthreads();

    // DLP-RUF
    window = load_window(table, tx, ty, TILE_W, TILE_H);
    __syncthreads();  // all have read their windows
    unite_window(table, window);
    __syncthreads();

    // DLP-R
    root = foreground ? root_of(table, cell + 1) : BACKGROUND;
    if (inside) {
        const int root_x = blockIdx.x * TILE_W + (root - 1) % TILE_W;
        const int root_y = block_row() * TILE_H + (root - 1) / TILE_W;
        labels[k] = foreground ? 1 + root_y * width + root_x : BACKGROUND;
    }
}

// Merge of the horizontal borders. A thread unites a window that has its upper pixels in the last
// row of a tile and its lower ones in the first row of the next.
//
// Invariant, from here to the end: a label names the pixel itself or one before it, in the same
// component. Races: trees are joined while windows are read; a label that is old by then still
// names a pixel of the same component, and unite() starts anywhere in a tree.
extern "C" __global__ void cabaret_merge_horizontal(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (block_row() + 1) * TILE_H - 1;
    // The last column is in the window before; only a picture of one column has none before.
    if (x + 1 < max(width, 2) && y + 1 < height) {
        unite_window(labels, load_window(labels, x, y, width, height));
    }
}

// Merge of the vertical borders: windows with their left pixels in the last column of a tile.
//
// Races: as for the horizontal borders.
extern "C" __global__ void cabaret_merge_vertical(int *labels, int width, int height)
{
    const int x = (block_row() + 1) * TILE_W - 1;
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (x + 1 < width && y + 1 < max(height, 2)) {
        unite_window(labels, load_window(labels, x, y, width, height));
    }
}

// Relabelling. Each thread gives its pixel the label of its root.
//
// Races: a thread writes its own pixel, while others walk through it. They read the old label or
// the root's; both lead to the root.
extern "C" __global__ void cabaret_relabeling(int *labels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int k = y * width + x;
    const int label = labels[k];
    if (label != BACKGROUND) {
        labels[k] = root_of(labels, label);
    }
}
