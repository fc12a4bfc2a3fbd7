// Label propagation with jumps: N. Shibata, "Connected Component Labeling Algorithm for GPGPU"
// (after N. Shibata and S. Yamamoto, "GPGPU-Assisted Subpixel Tracking Method for Fiducial
// Markers", J. Information Processing 22 (2014), 19-28), Algorithms 1 to 4 and the Java listing.
//
// The idea. Every foreground pixel begins with its own address. A propagation kernel, applied again
// and again, gives each pixel the smallest label around it. "Naive" moves labels by one pixel a
// pass. "Slow" reads a label as an address and jumps from it to the label stored there, several
// times, which doubles distances as long as labels travel along straight lines. "Fast" also lowers
// the label of the pixel that the old label names, so that whole trees change hands. The kernels
// have no loop of unknown length; the host applies them until nothing changes.
//
// Launch shape: two-dimensional, one thread per pixel, blocks of any shape.
// In:  image    uint8, height x width, 0 is background
// Out: fb       int32, height x width, the article's frame buffer; a label is the address
//               y * width + x of a pixel, -1 is background
//      changed  int32, one element: set to 1 if a label was lowered
//
// Differences from the article:
// - Its text marks background with 0 and wants an empty border; its Java code, and its figures from
//   Figure 5 on, use -1. Here it is -1, and neighbours outside the picture are left out as in the
//   Java code: any pixel may be foreground, the one at address 0 too.
// - The article runs a fixed number of passes (10 in the code), which is not enough for every
//   picture. The flag `changed` lets the host go on until a pass changes nothing. With a number of
//   passes given, it makes exactly that many, as the article does: also those that change nothing,
//   to which Tables 1 to 6 give a time. Then only the last pass raises the flag, to say whether all
//   is done; in the others FLAG is 0, and they do nothing that the article's do not. Tables 7 and 8
//   are of its program for CPUs.
// - VARIANT_PAPER does what the algorithms do: threads of background pixels look around, too, every
//   foreground pixel is stored, and in "fast" each makes two atomic minima. VARIANT_PROJECT leaves
//   out what cannot change a label: background, stores of the label that a pixel has, and atomics
//   that lower nothing. It looks whether the flag is up before it raises it (common/flag.cuh).
// - The text jumps 4 times, the Java code 6: JUMPS.
// - CONNECTIVITY 4 leaves out the diagonal neighbours; the article has 8.
// - MULTIVALUED connects pixels of equal value only. A label says nothing of a pixel's value, so
//   that propagation then reads the image as well, where a neighbour's label is lower; otherwise it
//   does not touch the image.
//
// harmless race, minimum: shibata_naive.fb, shibata_slow.fb: a thread may read a neighbour's old or
//   new label, and an update may get lost: labels only fall, each names a pixel of the same
//   component, and a late one costs a pass.
// harmless race, same value: shibata_naive.changed, shibata_slow.changed, shibata_fast.changed: all
//   threads that write store the same 1.

#include "common/block_row.cuh"
#include "common/cells.cuh"
#include "common/flag.cuh"
#include "common/variant.cuh"

#ifndef CONNECTIVITY
#define CONNECTIVITY 8
#endif
#ifndef JUMPS
#define JUMPS 4
#endif
#ifndef FLAG
#define FLAG 1
#endif

#define BACKGROUND (-1)

// CCLSub: the smallest label among a pixel and the neighbours that it connects with; BACKGROUND for
// a background pixel, as no label is smaller than that.
static __device__ __forceinline__ int smallest_around(const unsigned char *image, const int *fb,
                                                      int x0, int y0, int width, int height)
{
    const int ptr = y0 * width + x0;
    int g = fb[ptr];
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
#if CONNECTIVITY == 4
            if (x != 0 && y != 0) {
                continue;
            }
#endif
            if (x0 + x < 0 || x0 + x >= width || y0 + y < 0 || y0 + y >= height) {
                continue;
            }
            const int beside = ptr + y * width + x;
            const int label = fb[beside];
            bool lower = label != BACKGROUND && label < g;
#if MULTIVALUED
            lower = lower && connected(image, ptr, beside);
#endif
            if (lower) {
                g = label;
            }
        }
    }
    return g;
}

// Follow a label as an address, JUMPS times. At a root it stays: a root's label is its address.
static __device__ __forceinline__ int jump(const int *fb, int g)
{
    for (int i = 0; i < JUMPS; i++) {
        g = fb[g];
    }
    return g;
}

// Algorithm 1, preparation. Each thread gives its pixel its own address, or -1 on background.
extern "C" __global__ void shibata_preparation(const unsigned char *image, int *fb, int width,
                                               int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int ptr = y * width + x;
    fb[ptr] = image[ptr] ? ptr : BACKGROUND;
}

// Algorithm 2, naive. Each thread gives its pixel the smallest label around it.
//
// Invariant (all three kernels): a label only falls, and is the address of a pixel of the same
// component. Races (all three): neighbours change while they are read. Any value read was or is a
// label of the component, so a late one costs a pass, not correctness. Here and in "slow" only the
// pixel's own thread writes it.
extern "C" __global__ void shibata_naive(const unsigned char *image, int *fb, int *changed,
                                         int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int ptr = y * width + x;
    const int own = fb[ptr];
#if VARIANT == VARIANT_PROJECT
    if (own == BACKGROUND) {
        return;
    }
    const int g = smallest_around(image, fb, x, y, width, height);
    if (g != own) {
        fb[ptr] = g;
        raise_flag(changed);
    }
#else
    const int g = smallest_around(image, fb, x, y, width, height);
    if (g != BACKGROUND) {
        fb[ptr] = g;
    }
    if (FLAG && g != own) {
        raise_flag(changed);
    }
#endif
}

// Algorithm 3, "faster, but still not fast enough". As naive, and then jumps along the labels.
extern "C" __global__ void shibata_slow(const unsigned char *image, int *fb, int *changed,
                                        int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int ptr = y * width + x;
    const int own = fb[ptr];
#if VARIANT == VARIANT_PROJECT
    if (own == BACKGROUND) {
        return;
    }
#endif
    int g = smallest_around(image, fb, x, y, width, height);
    if (g == BACKGROUND) {
        return;
    }
    g = jump(fb, g);
    if (VARIANT == VARIANT_PAPER || g != own) {
        fb[ptr] = g;
    }
    if (FLAG && g != own) {
        raise_flag(changed);
    }
}

// Algorithm 4, fast. As slow, and the pixel h that the old label names is lowered too, so that all
// pixels that point at h follow at their next jump.
//
// Races: many threads lower the same fb[h]; the atomic minimum keeps the smallest.
extern "C" __global__ void shibata_fast(const unsigned char *image, int *fb, int *changed,
                                        int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = block_row() * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int ptr = y * width + x;
    const int h = fb[ptr];
#if VARIANT == VARIANT_PROJECT
    if (h == BACKGROUND) {
        return;
    }
#endif
    int g = smallest_around(image, fb, x, y, width, height);
    if (g == BACKGROUND) {
        return;
    }
    g = jump(fb, g);
    // The project's form leaves out atomics that cannot lower anything: g < h is the only way to
    // lower fb[ptr], and where g == h the pixel h holds h or less already.
    if (VARIANT == VARIANT_PAPER || g < h) {
        atomicMin(&fb[h], g);
        atomicMin(&fb[ptr], g);
    }
    if (FLAG && g < h) {
        raise_flag(changed);
    }
}
