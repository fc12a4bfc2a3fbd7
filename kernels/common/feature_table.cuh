// The table of what components' cells add up to: components.cu and tiled_runs_features.cu fill it.
//
// It has a row of 64 bits for each feature and an element for each component, so that threads which add
// to different components, or different features, seldom meet. Features that fit share a row:
//   row 0      how many cells, and in the upper half how many sides lie between two of them
//   rows 1, 2  sums of y and of x
//   rows 3-5   sums of y * y, y * x and x * x
//   row 6      the box begins at height and width less these: height - y, and above it width - x
//   row 7      where the box ends: y, and above it x, of the last row and column, and 1
// Sums are modulo 2^64. All begin as 0.
#pragma once

typedef unsigned long long Wide;

// Some cells of a component, in coordinates that count from a corner somewhere in the grid, so that 32
// bits hold all sums.
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

struct FeatureTable {
    Wide *table;
    int length;  // elements of a row
    int width;   // of the grid
    int height;

    __device__ __forceinline__ Wide *at(int feature, int number) const
    {
        return table + (Wide)feature * length + (number - 1);
    }

    // The first six rows for some cells whose coordinates count from (y, x). With x = left + dx, the
    // sum of x * x is area * left * left + 2 * left * sum(dx) + sum(dx * dx), and so on.
    static __device__ __forceinline__ void sums(const Cells &cells, Wide y, Wide x, Wide (&sums)[6])
    {
        const Wide area = cells.area;
        const Wide sum_y = cells.sum_y;
        const Wide sum_x = cells.sum_x;
        sums[0] = area | (Wide)cells.shared << 32;
        sums[1] = area * y + sum_y;
        sums[2] = area * x + sum_x;
        sums[3] = (area * y + 2 * sum_y) * y + (Wide)cells.sum_yy;
        sums[4] = (area * y + sum_y) * x + y * sum_x + (Wide)cells.sum_yx;
        sums[5] = (area * x + 2 * sum_x) * x + (Wide)cells.sum_xx;
    }

    // Raise a half of an element of rows 6 and 7.
    //
    // The bound is read first, which saves most atomics: it may be old, and is then smaller than the
    // bound is now, so that nothing is left out.
    static __device__ __forceinline__ void raise_to(Wide *bounds, int half, int value)
    {
        unsigned int *bound = (unsigned int *)bounds + half;
        if (*bound < (unsigned int)value) {
            atomicMax(bound, (unsigned int)value);
        }
    }

    // Add cells, whose coordinates count from (y, x), to a component.
    //
    // Races: many threads add to one component; each operation is atomic, and their order does not
    // matter.
    __device__ __forceinline__ void add(int number, const Cells &cells, int y, int x) const
    {
        Wide values[6];
        sums(cells, y, x, values);
#pragma unroll
        for (int feature = 0; feature < 6; feature++) {
            atomicAdd(at(feature, number), values[feature]);
        }
        raise_to(at(6, number), 0, height - y - cells.top);
        raise_to(at(6, number), 1, width - x - cells.left);
        raise_to(at(7, number), 0, y + cells.bottom + 1);
        raise_to(at(7, number), 1, x + cells.right + 1);
    }

    // Store the cells that are the whole component. Nobody else writes its elements.
    __device__ __forceinline__ void store(int number, const Cells &cells, int y, int x) const
    {
        Wide values[6];
        sums(cells, y, x, values);
#pragma unroll
        for (int feature = 0; feature < 6; feature++) {
            *at(feature, number) = values[feature];
        }
        *at(6, number) = (Wide)(height - y - cells.top) | (Wide)(width - x - cells.left) << 32;
        *at(7, number) = (Wide)(y + cells.bottom + 1) | (Wide)(x + cells.right + 1) << 32;
    }
};
