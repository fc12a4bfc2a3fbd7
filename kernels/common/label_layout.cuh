// How labels name cells: ccl_viewer.execution.plan.LabelLayout.
//
// A label is the address (y + margin) * pitch + x + margin + origin of a cell. `background` is the
// label of a cell that has none. In a faulty run a label can be any number.
#pragma once

#define NO_LABEL (-1)
#define NOT_A_CELL (-2)

struct Layout {
    int width, pitch, margin, origin, background;
};

// The cell that a label names, as index y * width + x. NO_LABEL for the label of background. A label
// outside the grid or in its padding gives NOT_A_CELL, or a number beyond the last cell.
static __device__ __forceinline__ long long parent_of(int label, const Layout &layout)
{
    if (label == layout.background) {
        return NO_LABEL;
    }
    const long long address = (long long)label - layout.origin;
    if (address < 0) {
        return NOT_A_CELL;
    }
    if (layout.margin == 0 && layout.pitch == layout.width) {
        return address;
    }
    // Dividing short numbers is several times as fast.
    const unsigned int row = (unsigned int)address / (unsigned int)layout.pitch;
    const int x = (int)((unsigned int)address - row * layout.pitch) - layout.margin;
    const long long y = (long long)row - layout.margin;
    return x < 0 || x >= layout.width || y < 0 ? NOT_A_CELL : y * layout.width + x;
}

// Whether a number is a cell of the grid.
static __device__ __forceinline__ bool is_cell(long long number, int cells)
{
    return number >= 0 && number < cells;
}
