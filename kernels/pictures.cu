// Pictures of labels: the part of a frame that the pixels of a window show.
//
// No algorithm of a paper. A frame is the labels after a step, as in facts.cu. If cells are smaller
// than pixels, a pixel covers a block of cells: pictures_pool chooses the cell that it shows. The
// other kernels look up the values of the chosen cells, or the ends of their labels. So only the
// visible part of a frame of 64 MB is copied to the host.
//
// Launch shape: blocks of 256 threads in one row, a thread per pixel. No thread writes what others
// read.
#include "common/label_layout.cuh"

#define NO_CELL (-1)

static __device__ __forceinline__ long long thread_number()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// The cell that a label names; NO_CELL for no label, and for one that names no cell of the grid.
static __device__ __forceinline__ int cell_named(int label, int cells, const Layout &layout)
{
    const long long cell = parent_of(label, layout);
    return is_cell(cell, cells) ? (int)cell : NO_CELL;
}

// A thread a pixel of a picture of `rows` x `columns`. Row r shows the rows of cells from down[r]
// to down[r + 1], the last excluded; columns likewise.
//
// The pixel shows the first foreground cell of its block, or its first cell if there is none: so
// thin lines never vanish. `values` is the value of that cell. `thin` is its paleness: 0, `step` or
// twice that, if foreground covers more than `pale`, more than `paler`, or less. Cells at the edges
// of a pixel count in part, given by the shares before its first and behind its last row and
// column: whole cells would cause a pattern on thin lines.
extern "C" __global__ void pictures_pool(const unsigned char *image, const int *down,
                                         const int *across, const float *down_part,
                                         const float *across_part, int *places, unsigned char *thin,
                                         unsigned char *values, int rows, int columns, int width,
                                         float pale, float paler, int step)
{
    const long long pixel = thread_number();
    if (pixel >= (long long)rows * columns) {
        return;
    }
    const int r = (int)(pixel / columns), c = (int)(pixel % columns);
    const int top = down[r], bottom = down[r + 1], left = across[c], right = across[c + 1];
    const float above = down_part[r], below = down_part[r + 1];
    const float before = across_part[c], behind = across_part[c + 1];
    // The last row and column of pixels end with the grid.
    const int last_row = below > 0.0f ? bottom : bottom - 1;
    const int last_column = behind > 0.0f ? right : right - 1;
    int found = NO_CELL;
    float covered = 0.0f;
    for (int y = top; y <= last_row; y++) {
        const float share = (y < bottom ? 1.0f : below) - (y == top ? above : 0.0f);
        float across_row = 0.0f;
        for (int x = left; x <= last_column; x++) {
            const long long cell = (long long)y * width + x;
            if (image[cell] != 0) {
                if (found == NO_CELL && y < bottom && x < right) {
                    found = (int)cell;
                }
                across_row += (x < right ? 1.0f : behind) - (x == left ? before : 0.0f);
            }
        }
        covered += share * across_row;
    }
    places[pixel] = found == NO_CELL ? top * width + left : found;
    values[pixel] = found == NO_CELL ? 0 : image[found];
    const float area =
        ((float)(bottom - top) + below - above) * ((float)(right - left) + behind - before);
    thin[pixel] = (unsigned char)(step * ((covered <= pale * area) + (covered <= paler * area)));
}

// One thread per pixel. Takes the value of the cell that it shows.
extern "C" __global__ void pictures_take(const int *values, const int *places, int *taken,
                                         int pixels)
{
    const long long pixel = thread_number();
    if (pixel < pixels) {
        taken[pixel] = values[places[pixel]];
    }
}

extern "C" __global__ void pictures_take_wide(const long long *values, const int *places,
                                              long long *taken, int pixels)
{
    const long long pixel = thread_number();
    if (pixel < pixels) {
        taken[pixel] = values[places[pixel]];
    }
}

// One thread per pixel. Follows at most `farthest` labels from the cell that it shows. With
// `depths`, `found` is the number of labels on the path to the root: -1 for a cell without a label,
// at most `farthest`. Otherwise it is the label of the root, or the address of a root without a
// label; a cell that leads to no root within `farthest` labels keeps its label.
extern "C" __global__ void pictures_follow(const int *labels, const int *places, int *found,
                                           int pixels, int cells, int farthest, int depths,
                                           int width, int pitch, int margin, int origin,
                                           int background)
{
    const long long pixel = thread_number();
    if (pixel >= pixels) {
        return;
    }
    const Layout layout = {width, pitch, margin, origin, background};
    int here = places[pixel], depth = 0;
    const int own = labels[here];
    bool rooted = false;
    int length = -1;
    for (depth = 0; depth <= farthest; depth++) {
        const int up = cell_named(labels[here], cells, layout);
        if (up == here || (up == NO_CELL && depth > 0)) {
            rooted = true;
            length = depth;
            break;
        }
        if (up == NO_CELL) {
            break;
        }
        here = up;
        length = farthest;
    }
    if (depths) {
        found[pixel] = length;
        return;
    }
    const int label = labels[here];
    if (!rooted) {
        found[pixel] = own;
    } else if (label == background) {
        found[pixel] = (here / width + margin) * pitch + here % width + margin + origin;
    } else {
        found[pixel] = label;
    }
}

// A thread a label. Its colour follows from the cell that it names: numbers from 1 to `colours`,
// spread evenly, and 0 for a label that names no cell. Multiplying by 2^64 / golden ratio sends
// consecutive numbers far apart; the top bits count.
extern "C" __global__ void pictures_spread(const int *labels, unsigned char *found, int count,
                                           int cells, int colours, int width, int pitch, int margin,
                                           int origin, int background)
{
    const long long place = thread_number();
    if (place >= count) {
        return;
    }
    const int cell = cell_named(labels[place], cells, {width, pitch, margin, origin, background});
    const unsigned long long mixed = (unsigned long long)cell * 0x9E3779B97F4A7C15ull;
    const unsigned int colour = (unsigned int)(mixed >> 40) % (unsigned int)colours;
    found[place] = cell < 0 ? 0 : (unsigned char)(1 + colour);
}
