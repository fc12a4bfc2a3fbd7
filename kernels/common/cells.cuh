// Which cells belong together: what the kernels know of the input.
//
// An image has one byte per cell; 0 is background. In the binary case every other value is
// foreground, and neighbours connect when both are foreground. In the multi-valued case (Stava and
// Benes 2011, section 35.2: segments) neighbours connect when both have the same value, other than
// 0. A kernel that can do both is built twice: with MULTIVALUED 0, where the compiler sees two
// tests for foreground, and with MULTIVALUED 1, where it sees one comparison more.
#pragma once

#ifndef MULTIVALUED
#define MULTIVALUED 0
#endif

// Whether two cells that are neighbours connect, by their values: for kernels that hold the values
// in registers or in shared memory.
static __device__ __forceinline__ bool same_segment(unsigned char a, unsigned char b)
{
#if MULTIVALUED
    return a != 0 && a == b;
#else
    return a != 0 && b != 0;
#endif
}

// Whether the cells at two indices of the image, which are neighbours, connect. Both must lie
// inside the image. The caller decides which cells are neighbours: that is the connectivity.
static __device__ __forceinline__ bool connected(const unsigned char *image, int a, int b)
{
    return same_segment(image[a], image[b]);
}

// The same for kernels that are built once for both cases: with `by_value` 1, two foreground cells
// must also have equal values.
static __device__ __forceinline__ bool connected(const unsigned char *image, int a, int b,
                                                 int by_value)
{
    return image[a] != 0 && image[b] != 0 && (by_value == 0 || image[a] == image[b]);
}
