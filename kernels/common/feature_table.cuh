// The table of what components' cells add up to: components.cu and tiled_runs_features.cu fill it.
//
// It has four planes with two words of 64 bits for each component, which are stored together. So
// the words of components side by side lie together, and those of one component apart: atomics on a
// large component's do not all wait for one part of the cache.
//   plane 0  how many cells, and in the upper half how many sides lie between two of them; sum of y
//   plane 1  sums of x and of x * x
//   plane 2  sums of y * y and of y * x
//   plane 3  the box begins at height and width less these: height - y, and above it width - x;
//            it ends at y, and above it x, of the last row and column and 1
// Sums are modulo 2^64. All words begin as 0.
#pragma once

typedef unsigned long long Wide;

// Some cells of a component, in coordinates that count from a corner somewhere in the grid, so that
// 32 bits hold all sums.
struct Cells {
    int area;
    int shared;  // sides that lie between two of the component's cells
    int sum_y;
    int sum_x;
    int sum_yy;
    int sum_yx;
    int sum_xx;
    int top;  // first and last row and column
    int left;
    int bottom;
    int right;
};

// What they add up to in coordinates of the grid.
struct Sums {
    Wide area;  // and sides, as in the table
    Wide y;
    Wide x;
    Wide yy;
    Wide yx;
    Wide xx;
};

// Cells whose coordinates count from (y, x). With x = left + dx, the sum of x * x is
// area * left * left + 2 * left * sum(dx) + sum(dx * dx), and so on.
static __device__ __forceinline__ Sums moved(const Cells &cells, Wide y, Wide x)
{
    const Wide area = cells.area;
    const Wide sum_y = area * y + (Wide)cells.sum_y;
    const Wide sum_x = area * x + (Wide)cells.sum_x;
    return {area | (Wide)cells.shared << 32,
            sum_y,
            sum_x,
            (sum_y + (Wide)cells.sum_y) * y + (Wide)cells.sum_yy,
            sum_y * x + (Wide)cells.sum_x * y + (Wide)cells.sum_yx,
            (sum_x + (Wide)cells.sum_x) * x + (Wide)cells.sum_xx};
}

struct FeatureTable {
    Wide *table;
    int length;  // components that a plane has room for
    int width;   // of the grid
    int height;

    __device__ __forceinline__ Wide *at(int plane, int number) const
    {
        return table + 2 * ((Wide)plane * length + (number - 1));
    }

    __device__ __forceinline__ void store_words(int plane, int number, Wide first,
                                                Wide second) const
    {
        *(ulonglong2 *)at(plane, number) = make_ulonglong2(first, second);
    }

    // Raise half a word. The bound was read before, which saves most atomics: it may be old, and is
    // then smaller than the bound is now, so that nothing is left out.
    static __device__ __forceinline__ void raise_to(Wide *word, int half, Wide read, int value)
    {
        if ((unsigned int)(read >> 32 * half) < (unsigned int)value) {
            atomicMax((unsigned int *)word + half, (unsigned int)value);
        }
    }

    // Add cells, whose coordinates count from (y, x), to a component.
    //
    // Races: many threads add to one component; each operation is atomic, and their order does not
    // matter.
    __device__ __forceinline__ void add(int number, const Cells &cells, int y, int x) const
    {
        Wide *box = at(3, number);
        const Wide begins = box[0];
        const Wide ends = box[1];
        const Sums sums = moved(cells, y, x);
        atomicAdd(at(0, number), sums.area);
        atomicAdd(at(0, number) + 1, sums.y);
        atomicAdd(at(1, number), sums.x);
        atomicAdd(at(1, number) + 1, sums.xx);
        atomicAdd(at(2, number), sums.yy);
        atomicAdd(at(2, number) + 1, sums.yx);
        raise_to(box, 0, begins, height - y - cells.top);
        raise_to(box, 1, begins, width - x - cells.left);
        raise_to(box + 1, 0, ends, y + cells.bottom + 1);
        raise_to(box + 1, 1, ends, x + cells.right + 1);
    }

    // Store the cells that are the whole component. No other thread writes its words.
    __device__ __forceinline__ void store(int number, const Cells &cells, int y, int x) const
    {
        const Sums sums = moved(cells, y, x);
        store_words(0, number, sums.area, sums.y);
        store_words(1, number, sums.x, sums.xx);
        store_words(2, number, sums.yy, sums.yx);
        store_words(3, number,
                    (Wide)(height - y - cells.top) | (Wide)(width - x - cells.left) << 32,
                    (Wide)(y + cells.bottom + 1) | (Wide)(x + cells.right + 1) << 32);
    }

    // Store what a component has before any of its cells but its first row, which is known.
    __device__ __forceinline__ void clear(int number, int first_row) const
    {
        store_words(0, number, 0, 0);
        store_words(1, number, 0, 0);
        store_words(2, number, 0, 0);
        store_words(3, number, (Wide)(height - first_row), 0);
    }
};
