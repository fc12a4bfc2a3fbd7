// Exercise: the sizes of components, by runs (HA4).
//
// Strips have been labelled and merged: the first cell of each run leads to the root of its tree. A
// run that goes on beyond 32 columns has such a cell at its beginning in each warp. `count` has a 0
// in each cell. In the end the root of each component must hold how many cells the component has.
//
// common/union_find.cuh has find_root(labels, cell), which follows labels to the root of a cell's
// tree, and merge(labels, a, b), which joins the trees of two cells. common/warp.cuh has WARP_SIZE,
// which is 32, and ALL_LANES, the mask that names all lanes of a warp.

#include "common/block_row.cuh"
#include "common/union_find.cuh"
#include "common/warp.cuh"

// How many filled cells lie directly to the left of bit tx in a ballot. Bit i belongs to lane i.
static __device__ int start_distance(unsigned int pixels, int tx)
{
    return tx == 0 ? 0 : __clz(~(pixels << (WARP_SIZE - tx)));
}

// How many filled cells there are from bit tx on, in one run: 1 for a cell whose right neighbour is
// empty. Bit tx is set.
static __device__ int end_distance(unsigned int pixels, int tx)
{
    // GAP 1: count the ones from bit tx on. __ffs(number) gives the place of the lowest bit that is
    // set, from 1, and 0 if none is.
    return 1;
    // END OF GAP 1
}

// A lane has one cell of a row, a warp 32 of them. The other features of the algorithm are not
// asked for: only `count` is.
extern "C" __global__ void ha4_features(const unsigned char *image, const int *labels, int *count,
                                        void *sum_x, void *sum_y, int *min_x, int *min_y,
                                        int *max_x, int *max_y, int width, int height)
{
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WARP_SIZE + tx;
    const int y = block_row() * blockDim.y + threadIdx.y;
    const int k = y * width + x;
    const bool p = y < height && x < width && image[k] != 0;
    const unsigned int pixels = __ballot_sync(ALL_LANES, p);
    // GAP 2: who adds, and what? As it stands each cell adds a 1 to the root of its run.
    if (p) {
        const int root = find_root(labels, k - start_distance(pixels, tx));
        atomicAdd(&count[root], 1);
    }
    // END OF GAP 2
}
